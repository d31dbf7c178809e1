"""Trees grown in memory, streamed and on Dask are the same."""

import numpy as np
import pytest
from scale.data import frame, parquet

import lanatus
from lanatus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from lanatus.tree.grow import _decision_tree, _streamed

FEATURES = ["a", "b", "c", "d", "colour"]
ARRAYS = ["feature", "kind", "first_child", "n_children", "parent", "missing", "n_rows", "subset", "subset_start"]


def limit(monkeypatch, most):
    """How many bytes of rows may be brought together; the rest of the growth goes by passes over the blocks."""
    monkeypatch.setattr(_streamed, "ROWS_AT_HAND", most)
    monkeypatch.setattr(_streamed, "HISTOGRAMS_AT_ONCE", 1 << 18)  # several passes for a broad level


def dask_frame(whole):
    import dask.dataframe as dd

    return dd.from_pandas(whole, npartitions=7, sort=False)


def assert_same_tree(one, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("threshold", "share", "weight", "impurity", "gain", "value"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.slow  # every level of a tree is a round of tasks on Dask, and the first test starts the workers
@pytest.mark.covers("tree.tree-generate")
@pytest.mark.parametrize(("most", "weighted", "holes"), [(1 << 28, True, True), (3000, False, True), (0, True, False)])
def test_classification_trees(client, tmp_path, monkeypatch, most, weighted, holes):
    limit(monkeypatch, most)
    whole = frame(holes=holes)
    model = DecisionTreeClassifier(method="hist", min_samples_leaf=3, max_depth=5)
    memory = model.fit(whole[FEATURES], whole["label"], whole["weight"] if weighted else None).tree_
    source = lanatus.scan(
        parquet(tmp_path, whole), target="label", weight="weight" if weighted else None, columns=FEATURES
    )
    streamed = DecisionTreeClassifier(method="hist", min_samples_leaf=3, max_depth=5).fit(source)
    assert streamed.get_n_leaves() > 5
    assert_same_tree(memory, streamed.tree_)
    parts = dask_frame(whole)
    on_dask = DecisionTreeClassifier(method="hist", min_samples_leaf=3, max_depth=5)
    on_dask.fit(parts[FEATURES], parts["label"], parts["weight"] if weighted else None)
    assert_same_tree(memory, on_dask.tree_)
    np.testing.assert_array_equal(np.asarray(streamed.predict(source)), streamed.predict(whole[FEATURES]))


@pytest.mark.covers("tree.cart-regression")
@pytest.mark.parametrize("most", [3000, 0])
def test_regression_trees(client, tmp_path, monkeypatch, most):
    limit(monkeypatch, most)
    whole = frame()
    whole["target"] = whole["a"] ** 2 + whole["b"]
    memory = DecisionTreeRegressor(method="hist", max_depth=4).fit(whole[FEATURES], whole["target"]).tree_
    source = lanatus.scan(parquet(tmp_path, whole), target="target", columns=FEATURES)
    assert_same_tree(memory, DecisionTreeRegressor(method="hist", max_depth=4).fit(source).tree_)
    parts = dask_frame(whole)
    assert_same_tree(
        memory, DecisionTreeRegressor(method="hist", max_depth=4).fit(parts[FEATURES], parts["target"]).tree_
    )


@pytest.mark.covers("tree.tree-generate")
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_auto_depends_on_the_number_of_rows_alone(tmp_path, monkeypatch, kind):
    """Few rows are grown exactly wherever they are, many by histograms; "exact" says where it ends."""
    whole = frame(2000, holes=True)
    target = "label" if kind is DecisionTreeClassifier else "a"
    features = [name for name in FEATURES if name != target]
    source = lanatus.scan(parquet(tmp_path, whole), target=target, weight="weight", columns=features)
    parts = dask_frame(whole)
    for most, method in ((2000, "exact"), (1999, "hist")):
        monkeypatch.setattr(_decision_tree, "EXACT_UP_TO", most)
        alike = kind(method=method).fit(whole[features], whole[target], whole["weight"]).tree_
        for model in (
            kind().fit(whole[features], whole[target], whole["weight"]),
            kind().fit(source),
            kind().fit(parts[features], parts[target], parts["weight"]),
        ):
            assert_same_tree(alike, model.tree_)
    with pytest.raises(ValueError, match=r"method='exact' needs the rows in memory.*1999.*got 2000"):
        kind(method="exact").fit(source)


def test_options_that_need_rows_in_memory_say_so(tmp_path):
    source = lanatus.scan(parquet(tmp_path, frame()), target="label", columns=FEATURES)
    for options in ({"split": "multiway"}, {"max_leaf_nodes": 4}, {"prune": "post"}, {"class_weight": "balanced"}):
        with pytest.raises(ValueError, match="memory"):
            DecisionTreeClassifier(**options).fit(source)
