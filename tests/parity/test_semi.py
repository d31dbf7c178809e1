"""Real data with few labels: safe learners do not fall below their supervised base by more than chance."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from lanatus.evaluation import compare
from lanatus.kernel import SVC
from lanatus.linear import LogisticRegression
from lanatus.semi import S4VM, LabelSpreading, SelfTrainingClassifier, SemiSupervisedEnsemble

SETS = ["wdbc", "ionosphere", "house_votes_84", "pima", "mushroom", "optdigits", "segment", "vehicle"]
EACH = 10  # labels a class


class FewLabels(ClassifierMixin, BaseEstimator):
    """Sees some labels of each class; the other rows without a label, or not at all."""

    def __init__(self, estimator, unlabelled, each=EACH):
        self.estimator = estimator
        self.unlabelled = unlabelled
        self.each = each

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = np.random.default_rng(len(y))
        shown = np.full(len(y), -1)
        for c in range(len(self.classes_)):
            chosen = rng.permutation(np.flatnonzero(codes == c))[: self.each]
            shown[chosen] = c
        known = shown >= 0
        rows = (X, shown) if self.unlabelled else (X[known], shown[known])
        self.estimator_ = clone(self.estimator).fit(*rows)
        return self

    def predict(self, X):
        return self.classes_[self.estimator_.predict(X)]


def table(folder, name):
    """At most 600 rows as numbers on one scale."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    frame = frame.drop(columns=[c for c in frame.columns if c == "part"])
    rows = np.random.default_rng(0).permutation(len(frame))[:600]
    y = frame.iloc[rows, -1].astype(str).to_numpy()
    X = pd.get_dummies(frame.iloc[rows, :-1], dtype=float).astype(float)
    X = X.fillna(X.median()).to_numpy()
    X = X[:, X.std(axis=0) > 1e-9]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.covers("semi.s4vm", "semi.ss-ensemble", "semi.self-training")
@pytest.mark.filterwarnings("ignore:no label reaches")
def test_safe_learners_do_not_fall_below_their_base_on_eight_sets(shared_data):
    """The test of `compare` over the sets, against the base, and the largest fall on any."""
    data = {name: table(shared_data, name) for name in SETS}
    members = [
        LabelSpreading(kernel="knn", n_neighbors=8, alpha=0.9),
        SelfTrainingClassifier(LogisticRegression(), 0.9),
    ]
    for control, base, semi in (
        ("logistic", LogisticRegression(), SemiSupervisedEnsemble(members, base=LogisticRegression())),
        ("SVC", SVC(), S4VM(n_draws=6, random_state=0)),
    ):
        learners = {control: FewLabels(base, False), "semi": FewLabels(semi, True)}
        comparison = compare(learners, data, splitter=4, measures="accuracy", control=control, progress=False)
        assert not comparison.failures
        gain = np.diff(comparison.means(), axis=1).ravel()
        assert gain.mean() > -0.01, gain
        assert gain.min() > -0.03, gain
        judged = comparison.test()
        assert "No significant difference" in str(judged) or gain.mean() > 0


@pytest.mark.covers("semi.s4vm")
@pytest.mark.parametrize("each", [5, 25])
def test_the_promise_of_s4vm_on_the_rows_it_was_given(shared_data, each):
    """On five sets of two classes it is never worse than the plain machine by more than one row in a hundred."""
    for name in SETS[:5]:
        X, y = table(shared_data, name)
        truth = np.unique(y, return_inverse=True)[1]
        gain = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            shown = np.full(len(y), -1)
            for c in (0, 1):
                shown[rng.permutation(np.flatnonzero(truth == c))[:each]] = c
            asked = shown < 0
            plain = SVC().fit(X[~asked], shown[~asked]).predict(X[asked])
            said = S4VM(n_draws=8, random_state=0).fit(X, shown).transduction_[asked]
            gain.append((said == truth[asked]).mean() - (plain == truth[asked]).mean())
        assert np.mean(gain) > -0.01, (name, gain)
