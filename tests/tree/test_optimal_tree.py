"""The best of all trees of a depth, against brute force; and what it says of its search."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from lanatus.tree import DecisionTreeClassifier, OptimalTreeClassifier, export_text


def least_cost(X, y, w, depth, penalty, least):
    """Cost of the best tree by trying every threshold at every node."""
    mass = np.array([w[y == c].sum() for c in np.unique(y)])
    best = mass.sum() - mass.max() + penalty
    if depth == 0 or len(mass) == 1:
        return best
    for column in X.T:
        for cut in np.unique(column)[:-1]:
            left = column <= cut
            if min(left.sum(), (~left).sum()) >= least:
                below = least_cost(X[left], y[left], w[left], depth - 1, penalty, least)
                if below < best:
                    right = ~left
                    best = min(best, below + least_cost(X[right], y[right], w[right], depth - 1, penalty, least))
    return best


@pytest.mark.covers("tree.optimal-tree")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("depth", "penalty", "least"), [(1, 0.0, 1), (2, 0.0, 1), (3, 0.0, 1), (3, 0.02, 3), (4, 0.01, 2)]
)
@pytest.mark.parametrize("seed", range(3))
def test_no_tree_is_better(depth, penalty, least, weighted, seed):
    rng = np.random.RandomState(seed)
    X, y = rng.randint(3, size=(40, 4)).astype(float), rng.randint(3, size=40)
    w = rng.randint(1, 5, size=40).astype(float) if weighted else np.ones(40)
    model = OptimalTreeClassifier(max_depth=depth, leaf_penalty=penalty, min_samples_leaf=least)
    model.fit(X, y, sample_weight=w if weighted else None)
    wanted = least_cost(X, y, w, depth, penalty * w.sum(), least) / w.sum()
    said = 1 - model.score(X, y, sample_weight=w) + penalty * model.get_n_leaves()
    assert said == pytest.approx(wanted, abs=1e-9)
    assert model.cost_ == pytest.approx(wanted, abs=1e-9)
    assert model.optimal_
    assert model.get_depth() <= depth
    assert model.tree_.n_rows[model.tree_.is_leaf].min() >= least


@pytest.mark.covers("tree.optimal-tree")
def test_what_greedy_growth_misses():
    """XOR: no attribute gains anything alone, together two of them tell all."""
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 3)
    y = X[:, 0] ^ X[:, 1]
    noisy = np.column_stack([X, np.where(np.arange(24) % 5 == 0, 1 - y, y)])
    best = OptimalTreeClassifier(max_depth=2).fit(noisy, y)
    assert best.score(noisy, y) == 1.0
    assert set(best.tree_.feature[~best.tree_.is_leaf]) == {0, 1}
    assert DecisionTreeClassifier(max_depth=2).fit(noisy, y).score(noisy, y) < 1.0


@pytest.mark.covers("tree.optimal-tree")
def test_never_more_errors_than_a_grown_tree():
    X, y = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        best = OptimalTreeClassifier(max_depth=depth, max_bins=255).fit(X, y)
        assert best.score(X, y) >= DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y).score(X, y)
    assert best.score(X, y) == pytest.approx(149 / 150)  # at depth 3 all but one can be told apart


@pytest.mark.covers("tree.optimal-tree")
def test_words_holes_and_the_fewest_leaves():
    frame = pd.DataFrame(
        {"色泽": ["青", "黑", "白", "青", None, "白"] * 4, "重": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0] * 4}
    )
    y = (frame["色泽"] == "青").map({True: "是", False: "否"})
    model = OptimalTreeClassifier(max_depth=3).fit(frame, y)
    assert model.get_n_leaves() == 2  # three levels are allowed, one test is enough
    assert "青" in export_text(model)
    assert (model.predict(frame) == y).all()
    assert model.predict(pd.DataFrame({"色泽": [None], "重": [9.0]})).tolist() == ["否"]  # a hole passes no test
    known = OptimalTreeClassifier(max_depth=1).fit(frame[["重"]], frame["重"].isna())
    assert known.score(frame[["重"]], frame["重"].isna()) < 1.0  # a threshold cannot ask for holes alone


@pytest.mark.covers("tree.optimal-tree")
def test_a_search_that_ends_early_says_so():
    rng = np.random.RandomState(0)
    X, y = rng.randint(2, size=(200, 10)), rng.randint(2, size=200)
    with pytest.warns(ConvergenceWarning, match="max_iter=5 sets"):
        early = OptimalTreeClassifier(max_depth=5, max_iter=5).fit(X, y)
    assert not early.optimal_
    assert early.n_iter_ == 5
    two = OptimalTreeClassifier(max_depth=2).fit(X, y)
    three = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert early.score(X, y) >= two.score(X, y)
    assert three.score(X, y) > two.score(X, y)


def test_what_it_cannot_search():
    with pytest.raises(ValueError, match="one label a row; got 2 columns"):
        OptimalTreeClassifier().fit([[0], [1]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="lower max_bins"):
        OptimalTreeClassifier(max_bins=255).fit(np.random.RandomState(0).rand(300, 60), np.arange(300) % 2)


def test_a_table_of_one_value_is_a_leaf():
    model = OptimalTreeClassifier().fit(np.ones((5, 2)), [0, 1, 1, 0, 1])
    assert model.get_n_leaves() == 1
    assert model.predict([[1, 1]]).tolist() == [1]
    assert model.cost_ == pytest.approx(0.4)
