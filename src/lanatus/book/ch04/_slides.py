"""Slides 4.2: the loan table by ID3, C4.5, the Gini index and cost-complexity pruning."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import tree_figures
from lanatus.data import load_loan
from lanatus.tree import (
    C45Classifier,
    DecisionTreeClassifier,
    ID3Classifier,
    conditional_entropy,
    entropy,
    gain_ratio,
    gini_index,
    information_gain,
)

_WHOLE: dict[str, Any] = {"min_samples_leaf": 1, "prune": None}

LOAN_TREE = """
有房子=否, 有工作=否 -> 否 {1,2,5,6,7,15}
有房子=否, 有工作=是 -> 是 {3,13,14}
有房子=是 -> 是 {4,8,9,10,11,12}
"""


@example("SL 4.2", en="The loan table", zh="贷款申请数据表")
def loans() -> Iterator[Figure]:
    """Gains of the four attributes, the tree of ID3, and what the number of the application would gain.

    Its ratio is below those of 有房子 and 有工作, so the slides' way, the best ratio of some of the largest gains,
    avoids it. C4.5's does not here: no other gain is above the average of all five.
    """
    bunch = load_loan()
    X, y, ids = bunch.frame[bunch.feature_names].astype(str).astype("category"), bunch.target, bunch.ids
    names = list(X)
    yield Figure("H(D)", 0.971, entropy(y))
    gains = [information_gain(X[name], y) for name in names]
    yield Figure("gains", (0.083, 0.324, 0.420, 0.363), gains)
    yield Figure("gains in full", None, gains, 9, right=(0.083007500, 0.323650198, 0.419973094, 0.362989563))
    by_parts = [entropy(y) - conditional_entropy(X[name], y) for name in names]
    yield Figure("H(D) - H(D|A)", None, by_parts, 9, right=gains)
    rest = (X["有房子"] == "否").to_numpy()
    others = [name for name in names if name != "有房子"]
    below = [information_gain(X[name][rest], y[rest]) for name in others]
    yield Figure(
        "gains among those without a house",
        (0.251, 0.918, 0.474),
        below,
        9,
        erratum="the gain of 年龄 is 0.252",
        right=(0.251629167, 0.918295834, 0.473851390),
    )
    ratios = [gain_ratio(X[name], y) for name in names]
    yield Figure("gain ratios", None, ratios, 9, right=(0.052371901, 0.352446550, 0.432538068, 0.231853881))
    indices = [gini_index(X[name], y) for name in names]
    yield Figure("Gini indices", None, indices, 6, right=(0.426667, 0.32, 0.266667, 0.284444))
    yield from tree_figures(ID3Classifier().fit(X, y), X, ids, LOAN_TREE)
    numbered = X.assign(ID=ids.astype(str)).astype({"ID": "category"})
    yield Figure("gain of the ID", None, information_gain(ids, y), 9, right=0.970950594)
    yield Figure("gain ratio of the ID", None, gain_ratio(ids, y), 9, right=0.248522596)
    for tree, first in (
        (ID3Classifier(), "ID"),
        (C45Classifier(preselect=3, **_WHOLE), "有房子"),
        (C45Classifier(preselect="none", **_WHOLE), "有房子"),
        (C45Classifier(**_WHOLE), "ID"),
    ):
        root = numbered.columns[tree.fit(numbered, y).tree_.feature[0]]
        way = getattr(tree, "preselect", None)
        name = "largest gain" if way is None else f"best ratio, preselect={way!r}"
        yield Figure(f"first test with the ID by {name}", None, root, right=first)


@example("SL 4.2", en="Cost-complexity pruning of the loan tree", zh="贷款决策树的代价复杂度剪枝")
def loan_pruning() -> Iterator[Figure]:
    """The slides go from the leaves up: the job node goes from a = N_t H_t on. CART takes the cheapest cut first.

    Per leaf that it saves the whole tree is cheaper than the job node, so CART's path has one step, at 7.28 bits
    (its alpha is that by row), and the two ways differ between that and 8.26.
    """
    bunch = load_loan()
    X, y = bunch.frame[bunch.feature_names].astype(str).astype("category"), bunch.target
    options: dict[str, Any] = {"criterion": "entropy", "split": "multiway"}
    tree = DecisionTreeClassifier(**options)
    nodes = tree.fit(X, y).tree_
    loss = nodes.weight * nodes.impurity
    job = int(np.flatnonzero((nodes.parent == 0) & ~nodes.is_leaf)[0])
    price = loss[job] - loss[list(nodes.children(job))].sum()
    yield Figure("a from which the job node goes", None, price, 9, right=8.264662506)
    yield Figure("the same in nats", None, price * np.log(2), 9, right=5.728627515)
    path = tree.cost_complexity_pruning_path(X, y).ccp_alphas * len(y)
    yield Figure("CART's path", None, path, 9, right=(0, 15 * entropy(y) / 2))
    leaves = [DecisionTreeClassifier(**options, ccp_alpha=a / 15).fit(X, y).get_n_leaves() for a in (7.28, 7.29)]
    yield Figure("leaves left by CART at 7.28 and 7.29", None, leaves, 0, right=(3, 1))
