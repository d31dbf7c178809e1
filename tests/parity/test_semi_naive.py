"""Semi-naive Bayes against Weka's TAN, which runs in a process of its own, and against scikit-learn's naive Bayes.

Weka's own jar has no AODE, LBR or NBTree any more; tests/bayes/test_semi_naive_brute.py has other routes for those.
"""

import re

import numpy as np
import pandas as pd
import pytest
from parity.weka_classifier import ask, needs_weka
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import CategoricalNB

from lanatus.bayes import AODE, KDB, LBR, ODE, SPODE, TAN, AnDE, NBTree, SemiNaiveBayes


def load(shared_data, name):
    frame = pd.read_parquet(shared_data / f"{name}.parquet")
    return frame.iloc[:, :-1], frame.iloc[:, -1]


def weka_tan(frame, alpha, folder):
    """What Weka's TAN says, with the parents of each attribute. Edges are scored by entropy: information times rows."""
    search = ("-D", "-Q", "weka.classifiers.bayes.net.search.local.TAN", "--", "-S", "ENTROPY")
    estimate = ("-E", "weka.classifiers.bayes.net.estimate.SimpleEstimator", "--", "-A", str(alpha))
    said = ask(frame, folder, "bayes.BayesNet", *search, *estimate)
    nodes = re.findall(r"<FOR>(.*?)</FOR>(.*?)</DEFINITION>", said["graph"], re.S)
    return said | {"given": {node: re.findall(r"<GIVEN>(.*?)</GIVEN>", body) for node, body in nodes}}


@needs_weka
@pytest.mark.covers("bayes.tan")
@pytest.mark.parametrize(("name", "alpha"), [("car", 1.0), ("tic_tac_toe", 0.5), ("kr_vs_kp", 1.0), ("nursery", 2.0)])
def test_tan_is_that_of_weka(shared_data, tmp_path, name, alpha):
    X, y = load(shared_data, name)
    said = weka_tan(X.assign(target_=y), alpha, tmp_path)
    parents = {child: [p for p in above if p != "target_"] for child, above in said["given"].items()}
    (root,) = [child for child in X.columns if not parents[child]]
    ours = TAN(root, alpha=alpha).fit(X, y)
    theirs = [(X.columns.get_loc(p), X.columns.get_loc(child)) for child in X.columns for p in parents[child]]
    # Both trees have the largest sum of information; where pairs tie they may be two.
    weight = sum(ours.information_[i, j] for i, j in theirs)
    assert weight == pytest.approx(sum(ours.information_[i, j] for i, j in ours.edges_), rel=1e-9)
    if {frozenset(pair) for pair in theirs} != {frozenset(pair) for pair in ours.edges_}:
        ours = ODE({child: parents[child][0] for child in X.columns if parents[child]}, alpha=alpha).fit(X, y)
    assert ours.parents_ == [[X.columns.get_loc(p) for p in parents[child]] for child in X.columns]
    order = [said["labels"].index(str(label)) for label in ours.classes_]
    np.testing.assert_allclose(ours.predict_proba(X), np.array(said["shares"])[:, order], rtol=1e-6, atol=1e-9)


@pytest.mark.covers("bayes.one-dependent-estimator", "bayes.k-dependence")
@pytest.mark.parametrize("name", ["car", "kr_vs_kp"])
def test_without_parents_they_are_scikit_learns_naive_bayes(shared_data, name):
    X, y = load(shared_data, name)
    codes = X.apply(lambda column: column.cat.codes).to_numpy()
    sizes = [len(column.cat.categories) for _, column in X.items()]
    counts = y.value_counts().sort_index().reindex(sorted(y.cat.categories)).to_numpy()
    smoothed = (counts + 1) / (counts + 1).sum()  # scikit-learn does not smooth the classes (7.19)
    theirs = CategoricalNB(min_categories=sizes, class_prior=smoothed).fit(codes, y.astype(str))
    expected = theirs.predict_proba(codes)
    for model in (ODE(), KDB(0), AnDE(0)):
        ours = model.fit(X, y.astype(str))
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_allclose(ours.predict_proba(X), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "model", "least"),
    [
        ("car", AODE(), 0.90),
        ("car", AnDE(2), 0.92),
        ("car", TAN(), 0.93),
        ("car", KDB(2), 0.92),
        ("tic_tac_toe", NBTree(), 0.82),
        ("tic_tac_toe", LBR(), 0.80),
        ("kr_vs_kp", SPODE(), 0.90),
        ("car", SemiNaiveBayes(), 0.87),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
def test_dependence_pays_on_real_data(shared_data, name, model, least):
    X, y = load(shared_data, name)
    y = y.astype(str).to_numpy()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    score = np.mean(cross_val_score(model, X, y, cv=folds))
    assert score >= least
    assert score > np.mean(cross_val_score(AnDE(0), X, y, cv=folds))
