"""Growing and pruning: options, odd data, both ways of growth."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from samples import melons
from sklearn.datasets import load_iris, make_classification
from threadpoolctl import threadpool_limits

from lanatus.tree import (
    C45Classifier,
    CARTClassifier,
    CLSClassifier,
    DecisionStump,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
)
from lanatus.tree.grow._tree import SUBSET, THRESHOLD, VALUES

METHODS = ["exact", "hist"]
MISSING = ["branch", "weights", "surrogate", "virtual", "majority"]


def noisy(n=600, d=6, seed=0, classes=2):
    return make_classification(n, d, n_informative=4, n_redundant=0, n_classes=classes, flip_y=0.1, random_state=seed)


def same(one, other):
    for name in ("feature", "kind", "first_child", "threshold", "value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


# ---------------------------------------------------------------- odd data


@pytest.mark.covers("tree.tree-generate")
@pytest.mark.parametrize("method", METHODS)
def test_constant_and_empty_columns_are_never_chosen(method):
    X, y = noisy()
    X = np.column_stack([np.full(len(X), 7.0), np.full(len(X), np.nan), X])
    tree = DecisionTreeClassifier(method=method).fit(X, y)
    assert set(tree.tree_.feature[tree.tree_.feature >= 0]) <= set(range(2, 8))
    assert tree.feature_importances_[:2].tolist() == [0, 0]
    filled = X.copy()
    filled[:, :2] = [[3.0, 5.0]]
    np.testing.assert_array_equal(tree.predict(X), tree.predict(filled))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("constant", [1.0, np.nan])
def test_only_constant_columns_give_a_leaf(method, constant):
    X = np.full((5, 2), constant)
    tree = DecisionTreeClassifier(method=method).fit(X, [0, 1, 1, 1, 0])
    assert tree.get_n_leaves() == 1
    assert tree.predict_proba(X[:1]).tolist() == [[0.4, 0.6]]


@pytest.mark.parametrize("method", METHODS)
def test_duplicated_rows_with_different_labels_end_in_one_leaf(method):
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
    tree = DecisionTreeClassifier(method=method).fit(X, ["a", "b", "b", "a", "a"])
    assert tree.get_n_leaves() == 2
    np.testing.assert_allclose(tree.predict_proba([[0.0], [1.0]]), [[1 / 3, 2 / 3], [1, 0]])


@pytest.mark.parametrize("method", METHODS)
def test_one_class_and_one_row(method):
    tree = DecisionTreeClassifier(method=method).fit([[1.0], [2.0]], ["only", "only"])
    assert (tree.get_depth(), tree.predict([[5.0]]).tolist()) == (0, ["only"])
    single = DecisionTreeRegressor(method=method).fit([[1.0]], [3.5])
    assert single.predict([[9.0]]).tolist() == [3.5]


@pytest.mark.parametrize("split", ["binary", "multiway"])
@pytest.mark.parametrize("missing", MISSING)
def test_a_category_never_seen_counts_as_missing(split, missing):
    train = pd.DataFrame({"colour": ["red", "red", "blue", "blue", "green"] * 4})
    y = ["a", "a", "b", "b", "b"] * 4
    tree = DecisionTreeClassifier(split=split, missing=missing).fit(train, y)
    assert tree.score(train, y) == 1
    with pytest.warns(UserWarning, match="violet"):
        unseen = tree.predict_proba(pd.DataFrame({"colour": ["violet"]}))
    hole = tree.predict_proba(pd.DataFrame({"colour": pd.Series([None], dtype=object)}))
    np.testing.assert_array_equal(unseen, hole)
    if missing == "weights":
        np.testing.assert_allclose(hole, [[0.4, 0.6]])
    else:
        assert hole.max() == 1


@pytest.mark.parametrize("method", METHODS)
def test_ten_thousand_categories(method):
    rng = np.random.RandomState(0)
    codes = rng.randint(0, 10_000, 30_000)
    y = (codes % 3 == 0).astype(int)
    ids = pd.Categorical.from_codes(codes, [f"c{i}" for i in range(10_000)])
    frame = pd.DataFrame({"id": ids, "x": rng.rand(30_000)})
    tree = DecisionTreeClassifier(method=method, max_depth=3).fit(frame, y)
    if method == "exact":  # one subset tells the classes apart
        assert tree.score(frame, y) == 1
        assert tree.get_n_leaves() == 2
    else:  # the rare ones share a bin
        assert tree.score(frame, y) >= np.bincount(y).max() / len(y)


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_zero_are_left_out(method):
    X, y = noisy()
    weight = np.ones(len(X))
    weight[::3] = 0
    kept = DecisionTreeClassifier(method=method, max_bins=255).fit(X, y, sample_weight=weight).tree_
    dropped = DecisionTreeClassifier(method="exact").fit(X[weight > 0], y[weight > 0]).tree_
    if method == "exact":
        same(kept, dropped)
    assert kept.n_rows[0] == dropped.n_rows[0] == 400
    with pytest.raises(ValueError, match="at least one non-zero"):
        DecisionTreeClassifier(method=method).fit(X, y, sample_weight=np.zeros(len(X)))


@pytest.mark.parametrize("method", METHODS)
def test_whole_weights_equal_repeats(method):
    X, y = noisy(200)
    X = X.round(1)
    weight = np.random.RandomState(0).randint(1, 4, len(X)).astype(float)
    weighted = DecisionTreeClassifier(method=method).fit(X, y, sample_weight=weight)
    again = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = DecisionTreeClassifier(method=method).fit(X[again], y[again])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.covers("tree.queue-builder")
def test_depth_in_the_thousands():
    n = 8000  # classes by twos: the best cut takes a pair off an end
    X = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) // 2 % 2
    tree = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    assert tree.get_depth() == n // 2 - 1
    assert tree.score(X, y) == 1
    assert len(tree.tree_.cut(tree.tree_.depth == 2000)) == 4001


def test_infinity_is_refused_with_a_message():
    with pytest.raises(ValueError, match="infinity"):
        DecisionTreeClassifier().fit([[np.inf], [1.0]], [0, 1])


@pytest.mark.parametrize("method", METHODS)
def test_huge_and_close_numbers_split_exactly(method):
    X = np.array([[1e308], [-1e308], [np.nextafter(1.0, 2)], [1.0]])
    tree = DecisionTreeClassifier(method=method).fit(X, [0, 1, 0, 1])
    assert tree.score(X, [0, 1, 0, 1]) == 1


# ---------------------------------------------------------------- kinds of splits


@pytest.mark.covers("tree.cart-classification")
def test_subsets_of_two_classes_are_the_best_of_all():
    rng = np.random.RandomState(1)
    codes, y = rng.randint(0, 7, 300), rng.randint(0, 2, 300)
    frame = pd.DataFrame({"v": pd.Categorical.from_codes(codes, list("abcdefg"))})
    found = DecisionTreeClassifier(max_depth=1).fit(frame, y).tree_
    best = 0.0
    for mask in range(1, 64):
        left = np.isin(codes, [i for i in range(7) if mask >> i & 1])
        gini = sum(part.mean() * 2 * y[part].mean() * (1 - y[part].mean()) for part in (left, ~left) if part.any())
        best = max(best, 2 * y.mean() * (1 - y.mean()) - gini)
    assert found.kind[0] == SUBSET
    assert found.gain[0] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("classes", [3, 5])
def test_subsets_of_more_classes_are_the_best_for_few_values(classes):
    rng = np.random.RandomState(2)
    codes, y = rng.randint(0, 6, 300), rng.randint(0, classes, 300)
    found = DecisionTreeClassifier(criterion="entropy", max_depth=1)
    found.fit(pd.DataFrame({"v": pd.Categorical.from_codes(codes, list("abcdef"))}), y)

    def entropy(labels):
        p = np.bincount(labels) / len(labels)
        return -(p[p > 0] * np.log2(p[p > 0])).sum()

    best = 0.0
    for mask in range(1, 32):
        left = np.isin(codes, [i for i in range(6) if mask >> i & 1])
        if left.any() and not left.all():
            after = left.mean() * entropy(y[left]) + (~left).mean() * entropy(y[~left])
            best = max(best, entropy(y) - after)
    assert found.tree_.gain[0] == pytest.approx(best, abs=1e-12)


def test_multiway_has_a_child_for_every_value_and_never_repeats_a_nominal_attribute():
    tree = ID3Classifier().fit(*melons("2.0")).tree_
    for node in np.flatnonzero(tree.kind == VALUES):
        above, seen = int(tree.parent[node]), set()
        while above >= 0:
            seen.add(int(tree.feature[above]))
            above = int(tree.parent[above])
        assert int(tree.feature[node]) not in seen


@pytest.mark.covers("tree.continuous-bipartition")
def test_observed_thresholds_part_the_rows_alike():
    X, y = melons("3.0a")
    midpoint = DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_
    observed = DecisionTreeClassifier(criterion="entropy", threshold="observed").fit(X, y).tree_
    np.testing.assert_array_equal(midpoint.feature, observed.feature)
    np.testing.assert_array_equal(midpoint.outputs, observed.outputs)
    inner = observed.kind == THRESHOLD
    known = set(np.asarray(X, dtype=float).ravel().tolist())
    assert set(observed.threshold[inner].tolist()) <= known
    assert observed.threshold[0] == 0.103


@pytest.mark.covers("tree.pluggable-criterion")
def test_a_criterion_of_ones_own():
    X, y = noisy(200, classes=3)

    def gini_gain(children):
        total = children.sum()
        return sum((child**2).sum() / child.sum() for child in children if child.sum() > 0) / total

    ours = DecisionTreeClassifier(criterion=gini_gain, max_depth=4).fit(X, y).tree_
    theirs = DecisionTreeClassifier(criterion="gini", max_depth=4).fit(X, y).tree_
    same(ours, theirs)


def test_an_error_in_ones_own_criterion_is_raised_as_it_is():
    def broken(children):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        DecisionTreeClassifier(criterion=broken).fit([[0.0], [1.0]], [0, 1])


# ---------------------------------------------------------------- limits


@pytest.mark.covers("tree.bfs-builder")
def test_builders_give_one_tree_and_respect_the_number_of_nodes():
    X, y = noisy()
    trees = [DecisionTreeClassifier(builder=b).fit(X, y).tree_ for b in ("depth", "breadth", "queue", "best")]
    for tree in trees[1:]:
        same(trees[0], tree)
    for most in (1, 2, 3, 10, 31):
        tree = DecisionTreeClassifier(builder="breadth", max_nodes=most).fit(X, y).tree_
        assert len(tree) <= most
    broad = DecisionTreeClassifier(builder="breadth", max_nodes=15).fit(X, y)
    deep = DecisionTreeClassifier(builder="depth", max_nodes=15).fit(X, y)
    assert broad.get_depth() < deep.get_depth()


@pytest.mark.covers("tree.stopping-rules")
def test_stopping_rules():
    X, y = noisy()
    full = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    by_part = DecisionTreeClassifier(criterion="entropy", min_samples_split=0.2).fit(X, y)
    inner = ~by_part.tree_.is_leaf
    assert by_part.tree_.n_rows[inner].min() >= 0.2 * len(X)
    assert DecisionTreeClassifier(max_leaf_nodes=7).fit(X, y).get_n_leaves() == 7
    penalised = DecisionTreeClassifier(criterion="entropy", size_penalty=0.05).fit(X, y)
    assert penalised.get_n_leaves() < full.get_n_leaves()
    tree = penalised.tree_
    for node in np.flatnonzero(~tree.is_leaf):
        children = list(tree.children(node))
        assert 0.05 * len(children) + tree.impurity[children].sum() < tree.impurity[node]
    gains = DecisionTreeClassifier(criterion="entropy", min_gain=0.1).fit(X, y).tree_
    assert gains.gain[~gains.is_leaf].min() >= 0.1
    leaves = DecisionTreeClassifier(min_samples_leaf=25).fit(X, y).tree_
    assert leaves.n_rows.min() >= 25
    weights = DecisionTreeClassifier(min_weight_fraction_leaf=0.1).fit(X, y, np.linspace(0.1, 2, len(X))).tree_
    assert weights.weight.min() >= 0.1 * weights.weight[0] - 1e-9


@pytest.mark.covers("tree.tie-breaking")
def test_ties_go_to_the_first_column_or_as_told():
    x = np.array([0.0, 0.0, 1.0, 1.0])
    frame = pd.DataFrame({"p": x, "q": x, "r": x})
    assert DecisionTreeClassifier().fit(frame, [0, 0, 1, 1]).tree_.feature[0] == 0
    told = DecisionTreeClassifier(feature_priority=["r", "p"]).fit(frame, [0, 0, 1, 1])
    assert told.tree_.feature[0] == 2
    assert DecisionTreeClassifier(feature_priority=[1]).fit(frame, [0, 0, 1, 1]).tree_.feature[0] == 1
    with pytest.raises(ValueError, match="no column 'z'"):
        DecisionTreeClassifier(feature_priority=["z"]).fit(frame, [0, 0, 1, 1])
    flat = DecisionTreeClassifier(class_priority=["yes"]).fit([[0.0], [0.0]], ["no", "yes"])
    assert flat.predict([[0.0]]).tolist() == ["yes"]
    assert DecisionTreeClassifier().fit([[0.0], [0.0]], ["no", "yes"]).predict([[0.0]]).tolist() == ["no"]


# ---------------------------------------------------------------- missing values


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("split", ["binary", "multiway"])
def test_holes_of_every_kind_are_learned_and_predicted(missing, split):
    rng = np.random.RandomState(0)
    n = 400
    y = rng.randint(0, 2, n)
    frame = pd.DataFrame({"x": y + rng.normal(0, 0.4, n), "z": y + rng.normal(0, 0.6, n)})
    frame["colour"] = np.where(rng.rand(n) < 0.85, np.array(["red", "blue"])[y], "green").astype(object)
    for name in frame:
        frame.loc[rng.rand(n) < 0.2, name] = None
    tree = DecisionTreeClassifier(missing=missing, split=split, max_depth=4).fit(frame[:300], y[:300])
    assert tree.score(frame[300:], y[300:]) > 0.8
    np.testing.assert_allclose(tree.predict_proba(frame).sum(axis=1), 1)


@pytest.mark.covers("tree.c45-missing-values")
def test_parts_of_a_row_add_up_to_its_weight():
    tree = C45Classifier(min_samples_leaf=1, prune=None).fit(*melons("2.0a")).tree_
    for node in np.flatnonzero(~tree.is_leaf):
        children = list(tree.children(node))
        assert tree.weight[children].sum() == pytest.approx(tree.weight[node])
        assert tree.share[children].sum() == pytest.approx(1)


@pytest.mark.covers("tree.surrogate-split")
def test_surrogates_follow_the_column_that_agrees():
    rng = np.random.RandomState(0)
    x = rng.rand(500)
    y = (x > 0.5).astype(int)
    mirror = np.where(rng.rand(500) < 0.95, 1 - x, x)  # agrees, turned round
    noise = rng.rand(500)
    X = np.column_stack([x, noise, mirror])
    tree = CARTClassifier(max_depth=1).fit(X, y)
    first = tree.tree_.surrogates
    assert (tree.tree_.feature[0], first["feature"][0], first["below"][0]) == (0, 2, 1)
    assert first["agreement"][0] > 0.9
    blind = X.copy()
    blind[:, 0] = np.nan
    assert tree.score(blind, y) > 0.9
    majority = DecisionTreeClassifier(max_depth=1, missing="majority").fit(X, y)
    assert majority.score(blind, y) < 0.6
    nominal = pd.DataFrame({"x": x, "sign": np.where(y, "high", "low").astype(object)})
    told = CARTClassifier(max_depth=1).fit(nominal.assign(x=x), y)
    assert told.score(nominal.assign(x=np.nan), y) == 1


@pytest.mark.covers("tree.surrogate-split")
@pytest.mark.parametrize("seed", range(6))
def test_surrogates_are_those_of_all_thresholds_tried(seed):
    """Numbers and words beside the root's own column, with holes and weights: agreement by brute force."""
    rng = np.random.RandomState(seed)
    X = pd.DataFrame({"own": rng.normal(size=60)})
    X["near"] = (X["own"] + rng.normal(size=60)).round(1)
    X["far"] = rng.randint(0, 4, 60).astype(float)
    X["against"] = -X["own"] + 0.5 * rng.normal(size=60)
    X["word"] = np.where(X["own"] + rng.normal(size=60) > 0, "high", rng.choice(["low", "lower"], 60))
    y = (X["own"] > 0.2).astype(int)
    for name in ("own", "near", "against"):
        X.loc[rng.rand(60) < 0.1, name] = np.nan
    weight = rng.randint(1, 4, 60).astype(float)
    tree = DecisionTreeClassifier(max_depth=1, missing="surrogate").fit(X, y, sample_weight=weight).tree_
    assert tree.feature[0] == 0
    right = (X["own"] > tree.threshold[0]).to_numpy()
    found = tree.surrogates
    wanted = sorted(
        (each for each in (best_surrogate(X, j, right, weight) for j in range(1, 5)) if each), key=lambda each: -each[0]
    )
    at = slice(found["start"][0], found["start"][1])
    np.testing.assert_allclose(found["agreement"][at], [each[0] for each in wanted], rtol=1e-12)
    for i, (_, j, cuts) in enumerate(wanted):
        assert found["feature"][i] == j
        if cuts is not None:
            assert any(np.isclose(found["threshold"][i], cut) and found["below"][i] == below for cut, below in cuts)


@pytest.mark.covers("tree.surrogate-split")
def test_a_surrogate_at_the_last_gap_of_light_rows():
    x = np.arange(10.0)
    tree = DecisionTreeClassifier(max_depth=1, missing="surrogate").fit(
        np.column_stack([x, 2 * x]), x == 9, sample_weight=np.full(10, 0.01)
    )
    found = tree.tree_.surrogates
    assert (found["feature"].tolist(), found["threshold"].tolist(), found["agreement"].tolist()) == ([1], [17.0], [1.0])


def best_surrogate(X, j, right, weight):
    """Agreement, column, and the best cuts with the side below; None if the larger side alone does as well."""
    known = (X["own"].notna() & X.iloc[:, j].notna()).to_numpy()
    x, right, weight = X.iloc[:, j][known].to_numpy(), right[known], weight[known]
    sides = weight[~right].sum(), weight[right].sum()
    if x.dtype == object or not np.issubdtype(x.dtype, np.number):
        agree = sum(max(weight[right & (x == v)].sum(), weight[~right & (x == v)].sum()) for v in np.unique(x))
        cuts = None
    else:
        values = np.unique(x)
        tried = []
        for cut in (values[1:] + values[:-1]) / 2:
            for below in (0, 1):
                goes = (x > cut) == (below == 0)  # right, where what is below goes to the first child
                tried.append((weight[goes == right].sum(), cut, below))
        agree = max(each[0] for each in tried)
        cuts = [(cut, below) for share, cut, below in tried if np.isclose(share, agree)]
    return (agree / weight.sum(), j, cuts) if agree > max(sides) * (1 + 1e-9) else None


@pytest.mark.covers("tree.virtual-value")
def test_the_virtual_value_is_the_most_likely_one():
    x = np.array([0.0] * 6 + [1.0] * 4 + [np.nan])
    y = np.array([0] * 6 + [1] * 4 + [1])
    tree = DecisionTreeClassifier(missing="virtual").fit(x[:, None], y).tree_
    assert tree.missing[0] == 0
    frame = pd.DataFrame({"c": ["a"] * 3 + ["b"] * 5 + [None]})
    tree = DecisionTreeClassifier(missing="virtual").fit(frame, [0] * 3 + [1] * 5 + [0]).tree_
    heavy = 0 if 1 in tree.categories(0) else 1
    assert tree.missing[0] == heavy


# ---------------------------------------------------------------- pruning


@pytest.mark.covers("tree.other-pruning")
@pytest.mark.parametrize(
    "options",
    [
        {"prune": "pre"},
        {"prune": "post"},
        {"prune": "error_based"},
        {"prune": "pessimistic"},
        {"prune": "minimum_error"},
        {"prune": "critical_value", "critical_gain": 0.49},
        {"ccp_alpha": 0.01},
    ],
    ids=str,
)
def test_every_pruning_helps_a_tree_of_noise(options):
    rng = np.random.RandomState(0)
    X = rng.rand(3000, 5)
    y = ((X[:, 0] > 0.5) ^ (rng.rand(3000) < 0.25)).astype(int)
    full = DecisionTreeClassifier().fit(X[:1000], y[:1000])
    pruned = DecisionTreeClassifier(**options, random_state=0).fit(X[:1000], y[:1000])
    assert pruned.get_n_leaves() < full.get_n_leaves()
    timid = options.get("prune") in ("critical_value", "minimum_error")  # as Mingers (1989) found them
    better = -0.01 if timid else 0.02
    assert pruned.score(X[1000:], y[1000:]) > full.score(X[1000:], y[1000:]) + better


@pytest.mark.covers("tree.post-pruning")
def test_post_pruning_never_lowers_the_validation_score():
    X, y = noisy(900)
    full = DecisionTreeClassifier().fit(X[:500], y[:500])
    for tie in (True, False):
        pruned = DecisionTreeClassifier(prune="post", prune_on_tie=tie)
        pruned.fit(X[:500], y[:500], X_val=X[500:], y_val=y[500:])
        assert pruned.score(X[500:], y[500:]) >= full.score(X[500:], y[500:])
        assert pruned.pruning_trace_[-1].node == 0
        assert pruned.pruning_trace_[0].before == pytest.approx(full.score(X[500:], y[500:]))


@pytest.mark.covers("tree.pre-pruning")
def test_pre_pruning_climbs_on_validation_rows():
    X, y = noisy(900)
    tree = DecisionTreeClassifier(prune="pre").fit(X[:500], y[:500], X_val=X[500:], y_val=y[500:])
    taken = [trial for trial in tree.pruning_trace_ if trial.done]
    assert all(trial.after > trial.before for trial in taken)
    assert tree.score(X[500:], y[500:]) == pytest.approx(taken[-1].after if taken else tree.pruning_trace_[0].before)
    assert len(taken) == (~tree.tree_.is_leaf).sum()


def test_validation_rows_without_a_pruning_that_uses_them_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="prune='pre' or 'post'"):
        DecisionTreeClassifier().fit(X, y, X_val=X, y_val=y)
    with pytest.raises(ValueError, match="go together"):
        DecisionTreeClassifier(prune="post").fit(X, y, X_val=X)


@pytest.mark.covers("tree.cost-complexity-pruning")
def test_cost_complexity_trees_are_nested():
    X, y = noisy()
    path = DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    leaves = [DecisionTreeClassifier(ccp_alpha=a).fit(X, y).get_n_leaves() for a in path.ccp_alphas]
    assert leaves[-1] == 1
    assert (np.diff(leaves) < 0).all()
    assert (np.diff(path.impurities) > -1e-12).all()


# ---------------------------------------------------------------- both ways of growth


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 4])
def test_histograms_equal_sorted_columns_where_bins_hold_one_value(criterion, classes):
    X, y = noisy(1500, classes=classes)
    X = (X * 10).round()  # fewer than 255 values
    exact = DecisionTreeClassifier(criterion=criterion, method="exact").fit(X, y)
    binned = DecisionTreeClassifier(criterion=criterion, method="hist").fit(X, y)
    np.testing.assert_array_equal(exact.tree_.feature, binned.tree_.feature)
    np.testing.assert_array_equal(exact.tree_.n_rows, binned.tree_.n_rows)
    np.testing.assert_allclose(exact.tree_.gain, binned.tree_.gain, atol=1e-12)
    np.testing.assert_array_equal(exact.predict_proba(X), binned.predict_proba(X))


def test_histograms_of_numbers_equal_sorted_columns_too():
    X, _ = noisy(1500)
    X = (X * 10).round()
    y = X[:, 0] * X[:, 1] + 1e4
    exact = DecisionTreeRegressor(method="exact", max_depth=6).fit(X, y)
    binned = DecisionTreeRegressor(method="hist", max_depth=6).fit(X, y)
    np.testing.assert_array_equal(exact.tree_.feature, binned.tree_.feature)
    np.testing.assert_allclose(exact.predict(X), binned.predict(X), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [{}, {"max_features": 3, "random_state": 0}, {"max_leaf_nodes": 50}])
def test_the_number_of_threads_does_not_show(method, options):
    X, y = noisy(20_000, seed=3)
    trees = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            trees.append(DecisionTreeClassifier(method=method, **options).fit(X, y).tree_)
    same(trees[0], trees[1])
    same(trees[0], trees[2])


@pytest.mark.parametrize("method", ["auto", "exact", "hist"])
def test_sparse_rows_give_the_tree_of_dense_ones(method):
    X, y = noisy(500)
    X[np.abs(X) < 0.8] = 0
    dense = DecisionTreeClassifier(method=method).fit(X, y)
    sparse = DecisionTreeClassifier(method=method).fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.predict_proba(X), sparse.predict_proba(sp.csr_matrix(X)))


def test_histograms_refuse_what_they_cannot_do():
    X, y = load_iris(return_X_y=True)
    for options in ({"split": "multiway"}, {"missing": "weights"}, {"splitter": "random"}, {"criterion": "gain_ratio"}):
        with pytest.raises(ValueError, match="by histograms"):
            DecisionTreeClassifier(method="hist", **options).fit(X, y)


# ---------------------------------------------------------------- several outputs, order, random splits


def test_several_outputs():
    X, y = noisy(400, classes=3)
    Y = np.column_stack([y, np.where(X[:, 0] > 0, "p", "q").astype(object)])
    tree = DecisionTreeClassifier().fit(X, Y)
    assert (tree.predict(X) == Y).all()
    assert [part.shape for part in tree.predict_proba(X)] == [(400, 3), (400, 2)]
    T = np.column_stack([X[:, 0] ** 2, X[:, 1]])
    numbers = DecisionTreeRegressor().fit(X, T)
    np.testing.assert_allclose(numbers.predict(X), T)


@pytest.mark.parametrize("sign", [-1, 1])
def test_order_constraints_hold_everywhere(sign):
    rng = np.random.RandomState(0)
    X = rng.rand(600, 3)
    y = np.sin(6 * X[:, 0]) + X[:, 1] + rng.normal(0, 0.3, 600)
    tree = DecisionTreeRegressor(monotonic_cst=[sign, 0, 0]).fit(X, y)
    grid = np.linspace(0, 1, 60)
    for row in rng.rand(40, 3):
        line = np.tile(row, (60, 1))
        line[:, 0] = grid
        assert (sign * np.diff(tree.predict(line)) >= -1e-12).all()
    labels = (y > y.mean()).astype(int)
    classes = DecisionTreeClassifier(monotonic_cst={0: sign}, max_depth=6).fit(X, labels)
    for row in rng.rand(40, 3):
        line = np.tile(row, (60, 1))
        line[:, 0] = grid
        assert (sign * np.diff(classes.predict_proba(line)[:, 1]) >= -1e-12).all()


def test_random_splits_and_features_follow_the_seed():
    X, y = noisy()
    one = DecisionTreeClassifier(splitter="random", max_features="sqrt", random_state=3).fit(X, y)
    two = DecisionTreeClassifier(splitter="random", max_features="sqrt", random_state=3).fit(X, y)
    other = DecisionTreeClassifier(splitter="random", max_features="sqrt", random_state=4).fit(X, y)
    same(one.tree_, two.tree_)
    assert one.tree_.threshold[0] != other.tree_.threshold[0]
    assert one.score(X, y) == 1


@pytest.mark.covers("tree.decision-stump")
def test_a_stump_is_one_test():
    X, y = load_iris(return_X_y=True)
    stump = DecisionStump().fit(X, y)
    assert (stump.get_depth(), stump.get_n_leaves()) == (1, 2)
    frame = pd.DataFrame({"c": ["a", "b", "c", "a"]})
    assert DecisionStump(split="multiway").fit(frame, [0, 1, 2, 0]).get_n_leaves() == 3


@pytest.mark.covers("tree.c45-heuristic")
def test_gain_ratio_avoids_the_number_of_the_row():
    frame, y = melons("2.0")
    frame = frame.assign(编号=[f"n{i}" for i in range(17)])
    names = list(frame.columns)
    assert names[ID3Classifier().fit(frame, y).tree_.feature[0]] == "编号"
    chosen = C45Classifier(prune=None, min_samples_leaf=1).fit(frame, y).tree_
    assert names[chosen.feature[0]] == "纹理"
    top = C45Classifier(prune=None, min_samples_leaf=1, preselect=2).fit(frame, y).tree_
    assert names[top.feature[0]] == "纹理"


@pytest.mark.covers("tree.cls")
def test_cls_asks_what_leaves_the_fewest_in_the_wrong_class():
    X, y = melons("2.0")
    tree = CLSClassifier().fit(X, y)
    assert X.columns[tree.tree_.feature[0]] == "纹理"  # 3 of 17 wrong; 脐部 leaves 5
    assert tree.tree_.gain[0] == pytest.approx((8 - 3) / 17)
    assert tree.score(X, y) == 1


# ---------------------------------------------------------------- absolute deviations


def deviation(y, w):
    order = np.argsort(y)
    reached = np.cumsum(w[order]) >= w.sum() / 2
    return (w * np.abs(y - y[order][reached.argmax()])).sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_absolute_error_finds_the_cut_of_least_deviation(weighted):
    rng = np.random.RandomState(0)
    X = rng.rand(80, 3).round(2)
    y = np.where(X[:, 1] > 0.6, 5.0, 0.0) + rng.standard_cauchy(80)
    w = rng.randint(1, 4, 80).astype(float) if weighted else np.ones(80)
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y, w if weighted else None).tree_
    best = min(
        deviation(y[left], w[left]) + deviation(y[~left], w[~left])
        for j in range(3)
        for cut in np.unique(X[:, j])[:-1]
        for left in [X[:, j] <= cut]
    )
    assert tree.gain[0] == pytest.approx((deviation(y, w) - best) / w.sum())
    assert tree.impurity[0] == pytest.approx(deviation(y, w) / w.sum())
    left = X[:, tree.feature[0]] <= tree.threshold[0]
    assert (w[left] * np.abs(y[left] - tree.outputs[1, 0])).sum() == pytest.approx(deviation(y[left], w[left]))


def test_absolute_error_of_nominal_columns_holes_and_several_targets():
    rng = np.random.RandomState(1)
    colour = rng.choice(["red", "green", "blue"], 200)
    y = np.where(colour == "red", 10.0, 0.0) + rng.standard_cauchy(200)
    frame = pd.DataFrame({"colour": colour.astype(object), "x": np.where(rng.rand(200) < 0.2, np.nan, rng.rand(200))})
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=2).fit(frame, y)
    red, blue = tree.predict(pd.DataFrame({"colour": ["red", "blue"], "x": [np.nan, 0.5]}))
    assert red > 8
    assert abs(blue) < 2
    both = DecisionTreeRegressor(criterion="absolute_error", max_depth=3).fit(frame, np.column_stack([y, -y]))
    assert both.predict(frame).shape == (200, 2)
    drawn = DecisionTreeRegressor(criterion="absolute_error", splitter="random", random_state=0).fit(frame, y)
    assert drawn.tree_.n_leaves > 10


@pytest.mark.parametrize("method", METHODS)
def test_the_least_size_of_a_child_may_make_a_cut_inside_one_class_the_best(method):
    X = np.arange(40.0)[:, None]
    tree = DecisionTreeClassifier(min_samples_leaf=10, max_depth=1, method=method).fit(X, X[:, 0] >= 5).tree_
    assert tree.n_rows.tolist() == [40, 10, 30]


@pytest.mark.covers("tree.tree-generate")
@pytest.mark.parametrize("values", [2, 3])
def test_histograms_of_few_rows_are_exact(values):
    """Counts go sixteen rows at a time and then one by one: every remainder, and no value between bins to miss."""
    rng = np.random.RandomState(values)
    for n in range(4, 60):
        X = rng.randint(0, values, (n, 5)).astype(float)
        y = (X[:, 0] + X[:, 1] + rng.normal(size=n) > values - 1).astype(int)
        exact = DecisionTreeClassifier(method="exact").fit(X, y).tree_
        hist = DecisionTreeClassifier(method="hist").fit(X, y).tree_
        for name in ("feature", "n_rows", "value"):  # thresholds lie between bins, or between values of the node
            np.testing.assert_array_equal(getattr(hist, name), getattr(exact, name), err_msg=f"{n} rows: {name}")
