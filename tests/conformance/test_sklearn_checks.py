"""scikit-learn's own checks, on every estimator of the catalogue."""

import pytest
from conformance.cases import ALL, EXCUSED, OF_PAIRS, made
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

# Its program need not be solved here, where warnings that it is not are ignored.
CHEAP = {"LPBoostClassifier": {"n_estimators": 8}}

# Checks that with as few members as elsewhere find nothing, or find fault with too little work: by the start of their
# name, members for everyone and for some.
MEMBERS: dict[str, tuple[int, dict[str, int]]] = {
    # what a draw by row number does must show in some, and be averaged out in the two named
    "check_sample_weight_equivalence": (4, {"AdaBoostRegressor": 50, "MultiBoostClassifier": 10}),
    "check_classifiers_train": (0, {"LPBoostClassifier": 20}),  # so many stumps it needs to learn three classes
}


def checked(entry):
    return made(entry).set_params(**CHEAP.get(entry.name, {}))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::lanatus.table.UnseenCategoryWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:Bins whose width")  # of few values
@parametrize_with_checks(
    [checked(entry) for entry in ALL if entry.name not in OF_PAIRS],
    expected_failed_checks=lambda estimator: EXCUSED.get(type(estimator).__name__, {}),
)
def test_sklearn_check(estimator, check):
    for start, (usual, special) in MEMBERS.items():
        if check.func.__name__.startswith(start) and "n_estimators" in estimator.get_params():
            members = special.get(type(estimator).__name__, max(usual, estimator.n_estimators))
            estimator = clone(estimator).set_params(n_estimators=members)
    check(estimator)


def test_excuses_are_used():
    names = {entry.name for entry in ALL}
    assert set(EXCUSED) <= names
    assert all(reason for checks in EXCUSED.values() for reason in checks.values())
