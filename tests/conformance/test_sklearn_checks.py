"""scikit-learn's own checks, on every estimator of the catalogue."""

import pytest
from conformance.cases import ALL, EXCUSED, made
from sklearn.utils.estimator_checks import parametrize_with_checks


def checked(entry):
    """As made, but for what costs much and is asked of the default in test_ours.py and in tests/multiclass."""
    model = made(entry)
    return model.set_params(code="one-vs-one") if entry.name == "OutputCodeClassifier" else model


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::lanatus.table.UnseenCategoryWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [checked(entry) for entry in ALL],
    expected_failed_checks=lambda estimator: EXCUSED.get(type(estimator).__name__, {}),
)
def test_sklearn_check(estimator, check):
    check(estimator)


def test_excuses_are_used():
    names = {entry.name for entry in ALL}
    assert set(EXCUSED) <= names
    assert all(reason for checks in EXCUSED.values() for reason in checks.values())
