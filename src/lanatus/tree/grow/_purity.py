"""Purity of labels and what an attribute tells about them (sections 4.2 and 4.4)."""

from typing import Any, Literal

import numpy as np

from lanatus.base import as_labels
from lanatus.catalog import method
from lanatus.table import is_missing


def _table(x: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, float]:
    """Weights by value of x and class of y where x is known, and the part of the weight that is."""
    labels = as_labels(y)
    weights = _weights(sample_weight, len(labels))
    values = np.asarray(x, dtype=object).ravel()
    if len(values) != len(labels):
        raise ValueError(f"x and y must have the same length; got {len(values)} and {len(labels)}.")
    known = np.array([not is_missing(value) for value in values], dtype=bool)
    _, classes = np.unique(labels, return_inverse=True)
    places = {value: i for i, value in enumerate(dict.fromkeys(values[known].tolist()))}
    table = np.zeros((len(places), int(classes.max()) + 1))
    rows = np.array([places[value] for value in values[known].tolist()], dtype=np.intp)
    np.add.at(table, (rows, classes[known]), weights[known])
    total = weights.sum()
    return table, float(weights[known].sum() / total) if total > 0 else 0.0


def _weights(sample_weight: Any, n: int) -> np.ndarray:
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, dtype=float).ravel()
    if len(weights) != n or not (weights >= 0).all():
        raise ValueError(f"sample_weight must hold {n} numbers from 0 on.")
    return weights


def _entropy(weights: np.ndarray, base: float = 2) -> np.ndarray:
    """Entropy of each row of class weights."""
    total = weights.sum(axis=-1, keepdims=True)
    p = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return np.asarray(-(p * logs).sum(axis=-1) / np.log(base)) + 0.0


def _gini(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=-1, keepdims=True)
    p = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return np.asarray(np.where(total[..., 0] > 0, 1 - (p**2).sum(axis=-1), 0.0))


def _mean_over_values(table: np.ndarray, impurity: np.ndarray) -> float:
    total = table.sum()
    return float(table.sum(axis=1) @ impurity / total) if total > 0 else 0.0


def _class_weights(y: Any, sample_weight: Any) -> np.ndarray:
    labels = as_labels(y)
    _, codes = np.unique(labels, return_inverse=True)
    return np.bincount(codes, _weights(sample_weight, len(labels)))


@method(
    "tree.entropy",
    section="4.2",
    task="evaluation",
    kind="measure",
    en="Information entropy",
    zh="信息熵",
    peers=["scipy:entropy"],
)
def entropy(y: Any, *, sample_weight: Any = None, base: float = 2) -> float:
    r"""Information entropy of labels (4.1): :math:`-\sum_k p_k \log_2 p_k`.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.
    base : float, default=2
        Base of the logarithm.

    Returns
    -------
    float
        0 for one class, ``log(n_classes)`` at most.

    Examples
    --------
    >>> from lanatus.tree import entropy
    >>> round(entropy(["good"] * 8 + ["bad"] * 9), 4)
    0.9975
    """
    return float(_entropy(_class_weights(y, sample_weight), base))


@method(
    "tree.information-gain",
    section="4.2.1",
    task="evaluation",
    kind="measure",
    en="Information gain",
    zh="信息增益",
    peers=["scikit-learn:mutual_info_classif"],
)
def information_gain(x: Any, y: Any, *, sample_weight: Any = None) -> float:
    r"""Information gain of a nominal attribute (4.2), in bits.

    :math:`\rho\,(Ent(\tilde D) - \sum_v \tilde r_v Ent(\tilde D^v))`, where :math:`\tilde D` are the rows that know the
    attribute and :math:`\rho` their part of the weight (4.12).

    Parameters
    ----------
    x : array of shape (n_samples,)
        Values of the attribute; None and NaN are missing.
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import information_gain
    >>> information_gain(["a", "a", "b", "b"], [0, 0, 1, 1])
    1.0
    """
    table, known = _table(x, y, sample_weight)
    gain = float(_entropy(table.sum(axis=0))) - _mean_over_values(table, _entropy(table))
    return max(0.0, known * gain)


@method(
    "tree.conditional-entropy",
    section="SL 4.2",
    task="evaluation",
    kind="measure",
    en="Conditional entropy",
    zh="条件熵",
)
def conditional_entropy(x: Any, y: Any, *, sample_weight: Any = None) -> float:
    r"""Entropy of the labels once the attribute is known, :math:`\sum_v \frac{|D^v|}{|D|} H(D^v)`, in bits.

    Parameters
    ----------
    x : array of shape (n_samples,)
        Values of the attribute; rows where it is missing are left out.
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import conditional_entropy
    >>> conditional_entropy(["a", "a", "b", "b"], [0, 1, 1, 1])
    0.5
    """
    table, _ = _table(x, y, sample_weight)
    return _mean_over_values(table, _entropy(table))


@method("tree.intrinsic-value", section="4.2.2", task="evaluation", kind="measure", en="Intrinsic value", zh="固有值")
def intrinsic_value(x: Any, *, sample_weight: Any = None) -> float:
    r"""Intrinsic value of an attribute (4.4): the entropy of its own values, in bits.

    Parameters
    ----------
    x : array of shape (n_samples,)
        Values; rows where it is missing are left out.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import intrinsic_value
    >>> round(intrinsic_value(range(17)), 4)
    4.0875
    """
    table, _ = _table(x, np.zeros(len(np.asarray(x, dtype=object))), sample_weight)
    return float(_entropy(table.sum(axis=1)))


@method("tree.gain-ratio", section="4.2.2", task="evaluation", kind="measure", en="Gain ratio", zh="增益率")
def gain_ratio(x: Any, y: Any, *, sample_weight: Any = None) -> float:
    """Gain ratio of a nominal attribute (4.3): its information gain over its intrinsic value, 0 if it has one value.

    Parameters
    ----------
    x : array of shape (n_samples,)
        Values of the attribute; None and NaN are missing.
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import gain_ratio
    >>> gain_ratio(["a", "a", "b", "b"], [0, 0, 1, 1])
    1.0
    """
    value = intrinsic_value(x, sample_weight=sample_weight)
    return information_gain(x, y, sample_weight=sample_weight) / value if value > 0 else 0.0


@method(
    "tree.gini",
    section="4.2.3",
    task="evaluation",
    kind="measure",
    en="Gini value and Gini index",
    zh="基尼值与基尼指数",
)
def gini(y: Any, *, sample_weight: Any = None) -> float:
    r"""Gini value of labels (4.5): :math:`1 - \sum_k p_k^2`, the chance that two rows drawn at random differ.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import gini
    >>> gini(["good", "bad"])
    0.5
    """
    return float(_gini(_class_weights(y, sample_weight)))


def gini_index(x: Any, y: Any, *, sample_weight: Any = None) -> float:
    r"""Gini index of a nominal attribute (4.6): :math:`\sum_v \frac{|D^v|}{|D|} Gini(D^v)`, smaller is purer.

    Parameters
    ----------
    x : array of shape (n_samples,)
        Values of the attribute; rows where it is missing are left out.
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import gini_index
    >>> gini_index(["a", "a", "b", "b"], [0, 1, 1, 1])
    0.25
    """
    table, _ = _table(x, y, sample_weight)
    return _mean_over_values(table, _gini(table))


def training_error(x: Any, y: Any, *, sample_weight: Any = None) -> float:
    """Share of rows that are wrong when each value of a nominal attribute says its heaviest class (exercise 4.2).

    Parameters
    ----------
    x : array of shape (n_samples,)
        Values of the attribute; rows where it is missing are left out.
    y : array of shape (n_samples,)
        Labels.
    sample_weight : array of shape (n_samples,), optional
        Weights.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.tree import training_error
    >>> training_error(["a", "a", "b", "b"], [0, 1, 1, 1])
    0.25
    """
    table, _ = _table(x, y, sample_weight)
    total = table.sum()
    return float((total - table.max(axis=1).sum()) / total) if total > 0 else 0.0


def best_threshold(
    x: Any,
    y: Any,
    *,
    criterion: Literal["entropy", "gini"] = "entropy",
    sample_weight: Any = None,
    threshold: Literal["midpoint", "observed"] = "midpoint",
) -> tuple[float, float]:
    """The threshold of a number that gains most, by bi-partition (4.7, 4.8).

    Parameters
    ----------
    x : array of shape (n_samples,)
        Numbers; NaN is missing.
    y : array of shape (n_samples,)
        Labels.
    criterion : {"entropy", "gini"}, default="entropy"
        What the gain is measured in.
    sample_weight : array of shape (n_samples,), optional
        Weights.
    threshold : {"midpoint", "observed"}, default="midpoint"
        Half-way between two values, or the largest value up to there.

    Returns
    -------
    threshold, gain : float
        NaN and 0 if there are no two values.

    Examples
    --------
    >>> from lanatus.tree import best_threshold
    >>> best_threshold([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
    (2.5, 1.0)
    """
    if criterion not in ("entropy", "gini") or threshold not in ("midpoint", "observed"):
        raise ValueError(f"No criterion {criterion!r} or no threshold {threshold!r}.")
    values, labels = np.asarray(x, dtype=float).ravel(), as_labels(y)
    weights = _weights(sample_weight, len(labels))
    if len(values) != len(labels):
        raise ValueError(f"x and y must have the same length; got {len(values)} and {len(labels)}.")
    known = ~np.isnan(values)
    _, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(values[known], kind="stable")
    sorted_values = values[known][order]
    running = np.zeros((len(order), int(codes.max()) + 1))
    running[np.arange(len(order)), codes[known][order]] = weights[known][order]
    below = running.cumsum(axis=0)
    cuts = np.flatnonzero(np.diff(sorted_values))
    if not len(cuts):
        return float("nan"), 0.0
    impurity = _entropy if criterion == "entropy" else _gini
    total = below[-1]
    left, right = below[cuts], total - below[cuts]
    after = (left.sum(axis=1) * impurity(left) + right.sum(axis=1) * impurity(right)) / total.sum()
    gains = float(impurity(total)) - after
    best = int(np.flatnonzero(gains >= gains.max() - 1e-12)[0])
    low, high = sorted_values[cuts[best]], sorted_values[cuts[best] + 1]
    middle = low / 2 + high / 2
    at = middle if threshold == "midpoint" else sorted_values[sorted_values <= middle].max()
    return float(at), float(gains[best] * weights[known].sum() / weights.sum())
