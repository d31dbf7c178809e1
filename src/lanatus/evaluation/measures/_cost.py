"""Errors that cost more or less: the cost matrix and the measures that use it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.catalog import method
from lanatus.evaluation.measures._inputs import codes_among, labels_of, pair_of_labels, probabilities_of, weights_of


@method(
    "evaluation.cost-matrix",
    section="2.3.4",
    task="evaluation",
    kind="measure",
    en="Unequal cost matrix",
    zh="代价矩阵",
)
@dataclass(frozen=True, eq=False)
class CostMatrix:
    """Costs of taking one class for another.

    ``costs[i, j]`` is the cost of predicting class j where class i is true; being right costs nothing. Only ratios
    of costs matter for a decision: 5 to 1 is 50 to 10.

    Book: section 2.3.4, table 2.2.

    Parameters
    ----------
    costs : array-like of shape (n, n) or dict
        The matrix: finite, not negative, 0 on the diagonal. A dict {(true, predicted): cost} names the errors that
        do not cost 1.
    labels : sequence of n labels, default=None
        Classes of the rows and columns; None is 0 to n - 1, or for a dict the labels that it names, sorted.

    Attributes
    ----------
    costs : ndarray of shape (n, n)
        The matrix, read-only.
    labels : tuple
        The classes.

    Examples
    --------
    >>> from lanatus.evaluation import CostMatrix
    >>> costs = CostMatrix({("sick", "well"): 50, ("well", "sick"): 10})
    >>> costs.labels, costs.scaled().costs.tolist()
    (('sick', 'well'), [[0.0, 5.0], [1.0, 0.0]])
    >>> costs.same_ratios(CostMatrix.binary(fn=5, fp=1, pos_label="sick", neg_label="well"))
    True
    """

    costs: Any
    labels: Any = None

    def __post_init__(self) -> None:
        costs, labels = self.costs, self.labels
        if isinstance(costs, Mapping):
            labels = _named_in(costs) if labels is None else labels
            costs = _table_of(costs, labels_of(labels, "labels").tolist())
        try:
            table = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("got costs that are no table of numbers, wanted a square matrix or a dict.") from None
        if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
            raise ValueError(f"got costs of shape {table.shape}, wanted a square matrix of 2 or more classes.")
        if not np.isfinite(table).all() or table.min() < 0:
            raise ValueError("got a cost that is negative, infinite or NaN, wanted numbers of 0 or more.")
        if table.diagonal().any():
            raise ValueError(
                f"got {table.diagonal().tolist()} on the diagonal, wanted 0: being right costs nothing. "
                "Take a row's diagonal from all of its costs."
            )
        names = list(range(len(table))) if labels is None else labels_of(labels, "labels").tolist()
        if len(names) != len(table) or len(set(names)) < len(names):
            raise ValueError(
                f"got the labels {names} for {len(table)} classes, wanted {len(table)} different ones; "
                "CostMatrix(costs, labels) names the classes of the rows."
            )
        table.flags.writeable = False
        object.__setattr__(self, "costs", table)
        object.__setattr__(self, "labels", tuple(names))

    @classmethod
    def binary(cls, *, fn: float, fp: float = 1.0, pos_label: Any = 1, neg_label: Any = 0) -> "CostMatrix":
        """Costs of a false negative (the book's cost_01) and of a false positive (cost_10)."""
        return cls([[0, fn], [fp, 0]], (pos_label, neg_label))

    def scaled(self) -> "CostMatrix":
        """The same ratios with 1 as the least cost above 0."""
        above = self.costs[self.costs > 0]
        return CostMatrix(self.costs / above.min(), self.labels) if len(above) else self

    def same_ratios(self, other: "CostMatrix") -> bool:
        """Whether another matrix of the same classes, in any order, leads to the same decisions by its ratios."""
        if set(self.labels) != set(other.labels):
            return False
        order = [other.labels.index(label) for label in self.labels]
        return bool(np.allclose(self.scaled().costs, other.scaled().costs[np.ix_(order, order)], rtol=1e-12, atol=0))

    def decide(self, y_proba: Any, *, labels: Any = None) -> np.ndarray:
        """The class of least expected cost, sum over i of P(i) cost_ij, for each row of probabilities.

        Columns are the classes `labels`, by default all classes sorted, as in ``predict_proba``; ties go to the class
        of the earlier column.
        """
        columns = np.array(sorted(self.labels) if labels is None else labels_of(labels, "labels").tolist())
        order = codes_among(columns, self.labels, "labels")
        prob = probabilities_of(y_proba, np.asarray(y_proba), "y_proba")
        if prob.ndim != 2 or prob.shape[1] != len(order) or len(order) != len(self.labels):
            raise ValueError(f"got y_proba of shape {prob.shape}, wanted a column for each of {columns.tolist()}.")
        return columns[(prob @ self.costs[np.ix_(order, order)]).argmin(axis=1)]

    def of_each(self, truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Cost of each prediction."""
        return np.asarray(self.costs[self.rows(truth), codes_among(predicted, self.labels, "y_pred")])

    def rows(self, truth: np.ndarray) -> np.ndarray:
        """Row of the matrix of each true label."""
        return codes_among(truth, self.labels, "y_true")


Costs = CostMatrix | Mapping[tuple[Any, Any], float] | Any


def ordered_costs(costs: Costs, classes: np.ndarray, name: str) -> np.ndarray:
    """Costs in the order of the classes of a learner; 1 for every error where None is given as the parameter `name`."""
    labels = classes.tolist()
    if costs is None:
        return 1.0 - np.eye(len(labels))
    matrix = costs if isinstance(costs, CostMatrix) else CostMatrix(costs, labels)
    if missing := [label for label in labels if label not in matrix.labels]:
        raise ValueError(f"{name} has no costs for the classes {missing}; it has {list(matrix.labels)}.")
    order = [matrix.labels.index(label) for label in labels]
    return np.array(matrix.costs[np.ix_(order, order)])


@method(
    section="2.3.4",
    task="evaluation",
    kind="measure",
    en="Total cost",
    zh="总体代价",
)
def total_cost(y_true: Any, y_pred: Any, costs: Costs, *, sample_weight: Any = None) -> float:
    """Sum of the costs of all predictions.

    With a cost of 1 for every error it is the number of errors.

    Book: section 2.3.4; sum over i of w_i cost[y_i, f(x_i)].

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_pred : array-like of shape (m,)
        Predicted labels.
    costs : CostMatrix, array-like of shape (n, n) or dict
        Costs. The rows of a plain matrix are the labels of `y_true` and `y_pred` together, sorted.
    sample_weight : array-like of shape (m,), default=None
        Weights; for costs that differ from example to example.

    Returns
    -------
    float
        The cost.

    Examples
    --------
    >>> from lanatus.evaluation import CostMatrix, total_cost
    >>> total_cost([1, 1, 0, 0], [0, 1, 1, 0], CostMatrix.binary(fn=5))
    6.0
    """
    each, weights = _each(y_true, y_pred, costs, sample_weight)
    return float(weights @ each)


@method(
    "evaluation.cost-sensitive-error",
    section="2.3.4",
    task="evaluation",
    kind="measure",
    en="Cost-sensitive error rate",
    zh="代价敏感错误率",
)
def cost_sensitive_error(y_true: Any, y_pred: Any, costs: Costs, *, sample_weight: Any = None) -> float:
    """Mean cost of the predictions.

    With a cost of 1 for every error it is the error rate.

    Book: section 2.3.4, (2.23) E = (sum over D+ of I(wrong) cost_01 + sum over D- of I(wrong) cost_10) / m, for two
    classes or more; with the probabilities of the examples as weights it is the error under a distribution.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_pred : array-like of shape (m,)
        Predicted labels.
    costs : CostMatrix, array-like of shape (n, n) or dict
        Costs. The rows of a plain matrix are the labels of `y_true` and `y_pred` together, sorted.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    float
        The mean cost, which may exceed 1.

    Examples
    --------
    >>> from lanatus.evaluation import cost_sensitive_error
    >>> cost_sensitive_error(["病", "病", "健", "健"], ["健", "病", "病", "健"], {("病", "健"): 5})
    1.5
    """
    each, weights = _each(y_true, y_pred, costs, sample_weight)
    return float(weights @ each / weights.sum())


@method(
    section="2.3.4",
    task="evaluation",
    kind="measure",
    en="Cost-sensitive accuracy",
    zh="代价敏感精度",
)
def cost_sensitive_accuracy(y_true: Any, y_pred: Any, costs: Costs, *, sample_weight: Any = None) -> float:
    """Share of the greatest possible cost that the predictions spared.

    With a cost of 1 for every error it is the accuracy.

    Book: section 2.3.4 names it without a formula. Here: 1 - sum cost[y_i, f(x_i)] / sum max over j of cost[y_i, j],
    which lies between 0 and 1 and depends on the ratios of costs only.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_pred : array-like of shape (m,)
        Predicted labels.
    costs : CostMatrix, array-like of shape (n, n) or dict
        Costs. The rows of a plain matrix are the labels of `y_true` and `y_pred` together, sorted.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    float
        The share; 1 where no error could cost anything.

    Examples
    --------
    >>> from lanatus.evaluation import CostMatrix, cost_sensitive_accuracy
    >>> cost_sensitive_accuracy([1, 1, 0, 0], [0, 1, 1, 0], CostMatrix.binary(fn=5))
    0.5
    """
    truth, predicted = pair_of_labels(y_true, y_pred)
    matrix = _matrix(costs, truth, predicted)
    each, weights = _each(truth, predicted, matrix, sample_weight)
    worst = weights @ matrix.costs.max(axis=1)[matrix.rows(truth)]
    return float(1 - weights @ each / worst) if worst > 0 else 1.0


@method(
    section="2.3.4",
    task="evaluation",
    kind="measure",
    en="Mean cost of the decisions of least expected cost",
    zh="期望总体代价",
)
def expected_cost(y_true: Any, y_proba: Any, costs: Costs, *, labels: Any = None, sample_weight: Any = None) -> float:
    """Mean cost of deciding by probabilities: each example gets the class of least expected cost.

    It judges probabilities by what the best decisions that they allow would have cost.

    Book: section 2.3.4, with the rule of Elkan (2001): predict argmin over j of sum over i of P(i | x) cost_ij.

    Parameters
    ----------
    y_true : array-like of shape (m,)
        True labels.
    y_proba : array-like of shape (m, n)
        Probability of each class.
    costs : CostMatrix, array-like of shape (n, n) or dict
        Costs. The rows of a plain matrix are the classes `labels`.
    labels : array-like of shape (n,), default=None
        Classes of the columns of `y_proba`; None is all classes sorted, as in ``predict_proba``.
    sample_weight : array-like of shape (m,), default=None
        Weights.

    Returns
    -------
    float
        The mean cost of the decisions; of classes that tie, the earlier column is decided for.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI.

    Examples
    --------
    >>> from lanatus.evaluation import CostMatrix, expected_cost
    >>> proba = [[0.7, 0.3], [0.7, 0.3], [0.9, 0.1]]
    >>> round(expected_cost([1, 0, 0], proba, CostMatrix.binary(fn=5)), 4)
    0.3333
    """
    truth = labels_of(y_true, "y_true")
    if labels is None or isinstance(costs, CostMatrix):
        matrix = _matrix(costs, truth, truth)
    else:
        matrix = CostMatrix(costs, labels)
    prob = probabilities_of(y_proba, truth, "y_proba")
    return cost_sensitive_error(truth, matrix.decide(prob, labels=labels), matrix, sample_weight=sample_weight)


def _each(y_true: Any, y_pred: Any, costs: Costs, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    """Cost and weight of each prediction."""
    truth, predicted = pair_of_labels(y_true, y_pred)
    weights = weights_of(sample_weight, truth)
    each = _matrix(costs, truth, predicted).of_each(truth, predicted)
    return each, np.ones(len(truth)) if weights is None else weights


def _matrix(costs: Costs, truth: np.ndarray, predicted: np.ndarray) -> CostMatrix:
    if isinstance(costs, CostMatrix):
        return costs
    labels = np.union1d(truth, predicted)
    if isinstance(costs, Mapping):
        return CostMatrix(costs, np.union1d(labels, _named_in(costs)))
    return CostMatrix(costs, labels)


def _named_in(costs: Mapping[Any, Any]) -> list[Any]:
    if not costs or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in costs):
        raise ValueError(f"got the keys {list(costs)[:3]} in costs, wanted pairs (true, predicted).")
    return sorted({label for pair in costs for label in pair})


def _table_of(costs: Mapping[Any, Any], labels: list[Any]) -> np.ndarray:
    unknown = set(_named_in(costs)) - set(labels)
    if unknown:
        raise ValueError(f"got costs for {sorted(unknown)}, wanted costs for the labels {labels} only.")
    table = np.ones((len(labels), len(labels))) - np.eye(len(labels))
    for (true, predicted), cost in costs.items():
        try:
            table[labels.index(true), labels.index(predicted)] = cost
        except (TypeError, ValueError):
            raise ValueError(f"got the cost {cost!r} of {(true, predicted)}, wanted a number.") from None
    return table
