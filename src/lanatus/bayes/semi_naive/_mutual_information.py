"""How much attributes tell about each other and about the class (section 7.4)."""

from typing import Any

import numpy as np

from lanatus.base import Estimator, class_codes
from lanatus.bayes.semi_naive._pair_counts import Slots, pairs_of_codes
from lanatus.catalog import method
from lanatus.table import is_missing


@method(
    "bayes.conditional-mutual-information",
    section="7.4",
    task="evaluation",
    kind="measure",
    en="Conditional mutual information",
    zh="条件互信息",
    peers=["pyitlib:information_mutual_conditional"],
)
def conditional_mutual_information(
    xi: Any, xj: Any, y: Any, weighting: str = "joint", sample_weight: Any = None
) -> float:
    r"""What two attributes tell about each other once the class is known, in nats.

    :math:`I(x_i, x_j \mid y) = \sum_{x_i, x_j, c} P(x_i, x_j, c)
    \ln \frac{P(x_i, x_j \mid c)}{P(x_i \mid c) P(x_j \mid c)}` with frequencies for probabilities; a cell without
    rows adds nothing. The book's (7.22) has :math:`P(x_i, x_j \mid c)` before the logarithm, which leaves out how
    frequent the classes are.

    Book: section 7.4, (7.22). Kernel: ``cpp/bayes/pairs.hpp``. Cost: :math:`O(n + V_i V_j k)`.

    Parameters
    ----------
    xi, xj : arrays of shape (n_samples,)
        Values of two attributes, of any type; rows where one is missing are left out.
    y : array of shape (n_samples,)
        The classes.
    weighting : {"joint", "book"}, default="joint"
        Whether cells weigh :math:`P(x_i, x_j, c)` or, as printed in (7.22), :math:`P(x_i, x_j \mid c)`.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
        From 0, for attributes that are independent within every class.

    Examples
    --------
    >>> from lanatus.bayes import conditional_mutual_information
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> round(conditional_mutual_information(X["根蒂"], X["脐部"], y), 6)
    0.597535
    """
    if weighting not in ("joint", "book"):
        raise ValueError(f"weighting must be 'joint' or 'book', got {weighting!r}.")
    columns = [_codes_of(values) for values in (xi, xj)]
    _, classes = class_codes(y, columns[0])
    if len(columns[0]) != len(columns[1]):
        raise ValueError(f"xi and xj must be equally long, got {len(columns[0])} and {len(columns[1])} values.")
    codes = np.ascontiguousarray(np.column_stack(columns))
    weight = Estimator()._weights(sample_weight, codes)
    n_values = np.maximum(codes.max(axis=0, initial=0).astype(np.int64) + 1, 1)
    n_classes = int(classes.max(initial=0)) + 1
    slots = Slots(n_values)
    pairs = pairs_of_codes("conditional_mutual_information", codes, slots, classes, weight, n_classes)
    return float(conditional_information(pairs, slots, weighting)[0, 1])


def _codes_of(values: Any) -> np.ndarray:
    column = np.asarray(values, dtype=object)
    if column.ndim != 1:
        raise ValueError(f"attributes must be given as one column each, got {column.ndim} dimensions.")
    known = np.array([not is_missing(value) for value in column], dtype=bool)
    places: dict[Any, int] = {}
    codes = np.full(len(column), -1, dtype=np.int32)
    codes[known] = [places.setdefault(value, len(places)) for value in column[known]]
    return codes


def conditional_information(pairs: np.ndarray, slots: Slots, weighting: str = "joint") -> np.ndarray:
    """Conditional mutual information of every two columns (n_features, n_features), from their pair counts.

    A pair is judged by the rows that have both values; the diagonal has the entropy given the class.
    """
    # Column by column: the logarithms of all pairs at once would take as much room as the counts.
    columns = [_xlogx(pairs[slots.of(j)]).sum(axis=0) for j in range(len(slots.n_values))]
    cells = slots.sums(np.array(columns), 1)
    lines = slots.sums(pairs, 1)  # rows with a value of one column and any of the other
    margins = slots.sums(_xlogx(lines), 0)
    totals = slots.sums(lines, 0)
    inside = cells - margins - margins.transpose(1, 0, 2) + _xlogx(totals)
    with np.errstate(invalid="ignore"):
        shares = inside.sum(axis=2) / totals.sum(axis=2) if weighting == "joint" else _summed(inside, totals)
    return np.maximum(np.nan_to_num(shares), 0.0)


def _summed(inside: np.ndarray, totals: np.ndarray) -> np.ndarray:
    return np.divide(inside, totals, out=np.zeros_like(inside), where=totals > 0).sum(axis=2)


def class_information(counts: np.ndarray, slots: Slots) -> np.ndarray:
    """Mutual information of each column and the class (n_features,), from the counts of single values."""
    values, classes = _xlogx(counts.sum(axis=1)), _xlogx(slots.sums(counts, 0))
    totals = slots.sums(counts, 0).sum(axis=1)
    inside = slots.sums(_xlogx(counts).sum(axis=1) - values, 0) - classes.sum(axis=1) + _xlogx(totals)
    return np.maximum(np.divide(inside, totals, out=np.zeros_like(inside), where=totals > 0), 0.0)


def _xlogx(x: np.ndarray) -> np.ndarray:
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)


def without_noise(information: np.ndarray) -> np.ndarray:
    """Information to twelve digits of the largest: what differs by rounding alone is a tie."""
    top = information.max(initial=0.0)
    return np.round(information / top, 12) if top > 0 else information
