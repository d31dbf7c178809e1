"""Chapter 4: what pruning costs, what incremental trees are like, and what gain ratio prefers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._experiments import small_uci
from lanatus.book.ch04._leaves import melons
from lanatus.catalog import method
from lanatus.evaluation import train_test_split
from lanatus.tree import (
    DecisionTreeClassifier,
    ID3Classifier,
    ID4Classifier,
    ID5RClassifier,
    export_text,
    gain_ratio,
    information_gain,
    intrinsic_value,
)


@method(
    "tree.pruning-cost",
    section="4.3",
    task="classification",
    kind="experiment",
    en="Pre- and post-pruning: branches and time",
    zh="剪枝开销",
)
@example("4.3", en="What pre- and post-pruning keep and cost", zh="预剪枝与后剪枝的分支与开销")
def pruning_cost(random_state: int = 0) -> Iterator[Figure]:
    """Leaves that each way of pruning keeps, and splits that it judges on the validation rows, on four UCI data sets.

    Pre-pruning stops early: it judges the splits of what it keeps and of one level more. Post-pruning judges every
    inner node of the full tree, from the bottom up, and keeps more branches. So it costs more, and underfits less.

    Book: section 4.3.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the split into training and validation rows.

    Yields
    ------
    Figure
        Which way judges fewer splits, and the order of the numbers of leaves, both summed over the data sets.

    Examples
    --------
    >>> from lanatus.book import pruning_cost
    >>> [figure.computed for figure in pruning_cost()]
    ['pre', 'pre < post < unpruned']
    """
    leaves, judged = np.zeros(3, dtype=int), np.zeros(2, dtype=int)
    for _, X, y in small_uci():
        X_fit, X_val, y_fit, y_val = train_test_split(X, y, test_size=0.3, random_state=random_state, stratify=y)
        pre, post = (
            DecisionTreeClassifier(criterion="entropy", prune=prune).fit(X_fit, y_fit, X_val=X_val, y_val=y_val)
            for prune in ("pre", "post")
        )
        full = DecisionTreeClassifier(criterion="entropy").fit(X_fit, y_fit)
        leaves += [tree.get_n_leaves() for tree in (pre, post, full)]
        judged += [len(tree.pruning_trace_) for tree in (pre, post)]
    yield Figure("judges fewer splits", None, "pre" if judged[0] < judged[1] else "post, or as many", right="pre")
    order = "pre < post < unpruned" if (np.diff(leaves) > 0).all() else str(leaves.tolist())
    yield Figure("leaves", None, order, right="pre < post < unpruned")


@method(
    "tree.incremental-vs-batch",
    section="4.6",
    task="classification",
    kind="experiment",
    en="Incremental trees differ from batch trees",
    zh="增量与批量树",
)
@example("4.6", en="Incremental and batch trees", zh="增量学习与批量学习的树")
def incremental_trees(n_orders: int = 8, random_state: int = 0) -> Iterator[Figure]:
    """The melons 2.0 in several orders, one by one, against ID3 on all of them at once.

    ID4 throws subtrees away when another attribute gains more, so that its tree depends on the order of the rows and
    may be far from the batch tree. ID5R pulls the better attribute up and restructures what is below: its tree is
    ID3's, whatever the order.

    Book: section 4.6 (Schlimmer and Fisher, 1986; Utgoff, 1989).

    Parameters
    ----------
    n_orders : int, default=8
        Number of orders.
    random_state : int, default=0
        Seed of the orders.

    Yields
    ------
    Figure
        How many different trees the orders give, and how many of them are the batch tree.

    Examples
    --------
    >>> from lanatus.book import incremental_trees
    >>> {figure.what: figure.computed for figure in incremental_trees(4)}["ID5R: different trees"]
    1
    """
    X, y, _ = melons("2.0")
    rng = np.random.RandomState(random_state)
    orders = [rng.permutation(len(y)) for _ in range(n_orders)]
    batch = ID3Classifier().fit(X, y)
    for name, learner in (("ID4", ID4Classifier), ("ID5R", ID5RClassifier)):
        models = [_one_by_one(learner(), X, y, order) for order in orders]
        shapes = {export_text(model) for model in models}
        if name == "ID5R":
            yield Figure("ID5R: different trees", None, len(shapes), 0, right=1)
            same = sum(model.get_n_leaves() == batch.get_n_leaves() for model in models)
            yield Figure("ID5R: as many leaves as ID3", None, same, 0, right=n_orders)
            agree = sum(int((np.asarray(model.predict(X)) == np.asarray(batch.predict(X))).all()) for model in models)
            yield Figure("ID5R: says what ID3 says of every melon", None, agree, 0, right=n_orders)
        else:
            yield Figure("ID4: several trees", None, len(shapes) > 1, 0, right=True)
            worse = sum(float(np.mean(np.asarray(model.predict(X)) == np.asarray(y))) < 1 for model in models)
            yield Figure("ID4: some that ID3 would not give", None, worse > 0, 0, right=True)


def _one_by_one(model: Any, X: Any, y: Any, order: np.ndarray) -> Any:
    labels = np.unique(np.asarray(y))
    for row in order.tolist():
        model.partial_fit(X.iloc[[row]], y.iloc[[row]], classes=labels)
    return model


@method(
    "tree.gain-ratio-bias",
    section="SL 4.2",
    task="classification",
    kind="experiment",
    en="Gain ratio favours uneven and few-valued splits",
    zh="增益率偏好",
)
@example("4.2.2", en="What gain ratio prefers", zh="增益率偏好取值少、不均匀的划分")
def gain_ratio_bias() -> Iterator[Figure]:
    """Gain ratio divides by the entropy of the split itself, which is small where few values divide the rows unevenly.

    Of 64 rows, half of each class: an attribute that cuts off a single row gains a sixth of what an even split
    gains, and has the larger ratio. Of two attributes of the same gain, the one of two values has three times the ratio
    of the one of eight. C4.5 therefore asks for a gain above the average first.

    Book: section 4.2.2; slides 4.2.

    Yields
    ------
    Figure
        Gains, intrinsic values and ratios of the attributes, and what each way chooses.

    Examples
    --------
    >>> from lanatus.book import gain_ratio_bias
    >>> [figure.computed for figure in gain_ratio_bias()][-2:]
    ['uneven', 'even']
    """
    y = np.repeat([0, 1], 32)
    even = np.concatenate([np.repeat([0, 1], [22, 10]), np.repeat([0, 1], [10, 22])])
    uneven = (np.arange(64) == 0).astype(int)
    gains = [information_gain(split, y) for split in (even, uneven)]
    yield Figure("gain of the even and of the uneven split", None, gains, 4, right=(0.1040, 0.0158))
    values = [intrinsic_value(split) for split in (even, uneven)]
    yield Figure("intrinsic values", None, values, 4, right=(1.0, 0.1161))
    few, many = np.repeat([0, 1], 32), np.repeat(np.arange(8), 8)
    ratios = [gain_ratio(attribute, y) for attribute in (few, many)]
    yield Figure("ratios of two and of eight values that tell the class", None, ratios, 4, right=(1.0, 1 / 3))
    X = np.column_stack([even, uneven])
    for name, preselect, right in (("ratio alone", "none", "uneven"), ("C4.5's rule", "above-mean", "even")):
        tree = DecisionTreeClassifier(criterion="gain_ratio", preselect=preselect, max_depth=1).fit(X, y)
        yield Figure(f"chosen by {name}", None, ("even", "uneven")[int(tree.tree_.feature[0])], right=right)
