"""What every learner of the package does with odd rows and labels: an answer, or a refusal that says why."""

import numpy as np
import pytest
from conformance.cases import ENTRIES, build
from sklearn.base import is_classifier, is_regressor

LEARNERS = [entry for entry in ENTRIES if entry.path.startswith("lanatus.semi.")]
# Machines, which have nothing to tell apart where one class has labels.
OF_TWO = {"LDS", "LapSVM", "MeanS3VM", "S3VM", "S4VM", "TSVM"}

_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(40, 3))
_TRUTH = (_X[:, 0] > 0).astype(int)


def shown(y, count):
    """Labels of the first rows only."""
    y = np.array(y, dtype=object)
    y[count:] = None
    return y


CASES = {
    "constant columns": (np.ones((40, 3)), shown(_TRUTH, 20)),
    "two parts that nothing joins": (np.vstack([_X, _X + 1e4]), np.r_[shown(_TRUTH, 20), [None] * 40]),
    "a label a class": (_X, np.array([0, 1] + [None] * 38, dtype=object)),
    "three rows": (_X[:3], np.array([0, 1, None], dtype=object)),
    "every row four times": (np.repeat(_X[:10], 4, axis=0), shown(np.repeat(_TRUTH[:10], 4), 20)),
    "large numbers": (_X * 1e8, shown(_TRUTH, 20)),
    "small numbers": (_X * 1e-8, shown(_TRUTH, 20)),
    "more columns than rows": (_RNG.normal(size=(12, 200)), shown(np.arange(12) % 2, 6)),
}
ONE_CLASS = {
    "one class": (_X, shown(np.zeros(40, dtype=int), 20)),
    "one label": (_X, shown(_TRUTH, 1)),
    "two rows, one label": (_X[:2], np.array([0, None], dtype=object)),
}


def fitted(entry, X, y):
    model = build(entry)
    if is_regressor(model):
        y = np.array([np.nan if label is None else float(label) for label in y])
    if "n_clusters" in model.get_params():
        model.set_params(n_clusters=2)
    return model.fit(X, y)


def check_answers(model, X):
    for verb in ("predict", "predict_proba", "transform", "decision_function"):
        if hasattr(model, verb):
            said = np.asarray(getattr(model, verb)(X))
            assert len(said) == len(X)
            assert said.dtype.kind != "f" or np.isfinite(said).all(), verb
    if hasattr(model, "transduction_"):
        assert len(model.transduction_) == len(X)


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
@pytest.mark.filterwarnings("ignore")
def test_odd_rows_have_an_answer(entry):
    for name, (X, y) in CASES.items():
        model = fitted(entry, X, y)
        check_answers(model, X)
        if is_classifier(model) and hasattr(model, "transduction_"):
            known = np.array([label is not None for label in y])
            kept = np.asarray(model.transduction_)[known].astype(int)
            # where labels spread they may be overruled; everywhere else a label given stays
            assert entry.name in ("LabelSpreading", "LinearNeighborhoodPropagation") or (kept == y[known]).all(), name


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
@pytest.mark.filterwarnings("ignore")
def test_one_class_is_an_answer_or_a_refusal(entry):
    for X, y in ONE_CLASS.values():
        if entry.name in OF_TWO:
            with pytest.raises(ValueError, match="at least 2 classes"):
                fitted(entry, X, y)
        else:
            model = fitted(entry, X, y)
            check_answers(model, X)
            if is_classifier(model):
                assert set(np.asarray(model.predict(X)).tolist()) <= {0, 1}
                assert len(set(np.asarray(model.predict(X)).tolist())) == 1


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
def test_no_label_at_all_is_refused(entry):
    model = build(entry)
    if entry.name == "ConstrainedKMeans":
        pytest.skip("needs no label")
    with pytest.raises(ValueError, match=r"no label|no number|seed"):
        model.fit(_X, np.full(40, np.nan))
