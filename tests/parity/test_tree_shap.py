"""TreeSHAP of the very trees that LightGBM grew, against its own contributions."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from lanatus.explain import tree_shap
from lanatus.tree import Tree

lightgbm = pytest.importorskip("lightgbm")


def as_tree(root):
    """A tree of LightGBM's dump as ours: side by side children, shares by counts."""
    nodes, parent, share = [root], [-1], [1.0]
    first = []
    for node in nodes:
        if "leaf_value" in node:
            first.append(-1)
            continue
        first.append(len(nodes))
        for side in ("left_child", "right_child"):
            child = node[side]
            nodes.append(child)
            parent.append(len(first) - 1)
            share.append(child.get("leaf_count", child.get("internal_count")) / node["internal_count"])
    inner = np.array(first) >= 0
    n = len(nodes)
    return Tree(
        feature=[node.get("split_feature", -1) for node in nodes],
        kind=inner.astype(int),
        threshold=[node.get("threshold", np.nan) for node in nodes],
        first_child=first,
        n_children=2 * inner,
        parent=parent,
        missing=np.where(inner, 0, -1),
        share=share,
        weight=np.ones(n),
        n_rows=np.ones(n),
        impurity=np.zeros(n),
        gain=np.zeros(n),
        outputs=[[node.get("leaf_value", 0.0)] for node in nodes],
    )


@pytest.mark.parametrize("load", [load_diabetes, load_breast_cancer])
def test_contributions_of_lightgbm(load):
    X, y = load(return_X_y=True)
    options = {"objective": "regression", "num_leaves": 15, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 5}
    booster = lightgbm.train(options, lightgbm.Dataset(X, y), num_boost_round=10)
    wanted = booster.predict(X, pred_contrib=True)
    trees = [as_tree(info["tree_structure"]) for info in booster.dump_model()["tree_info"]]
    found = [tree_shap(tree, X) for tree in trees]
    np.testing.assert_allclose(sum(shap.values for shap in found), wanted[:, :-1], rtol=0, atol=1e-9 * np.abs(y).max())
    np.testing.assert_allclose(sum(shap.base for shap in found), wanted[:, -1], rtol=1e-9)
