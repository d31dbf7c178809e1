"""One random division of the rows into parts: a validation set, or three parts."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from lanatus.base import as_labels, n_rows, take_rows
from lanatus.catalog import method


@method(
    "evaluation.validation-split",
    section="2.2.4",
    task="splitting",
    en="Validation set split",
    zh="验证集划分",
    peers=["scikit-learn:train_test_split"],
)
def train_validation_split(
    X: Any,
    y: Any = None,
    *arrays: Any,
    validation_size: float | int = 0.25,
    stratify: Any = "auto",
    random_state: Any = None,
) -> list[Any]:
    """Split data into a training part and a validation part to tune on, at random.

    Every row goes to exactly one part, and with class labels each class is shared out in proportion.

    Book: section 2.2.4.

    Parameters
    ----------
    X : array-like, frame or sparse matrix
        Data.
    y : array-like or None, default=None
        Labels or target.
    *arrays : array-like
        More columns to split along, such as weights.
    validation_size : float or int, default=0.25
        Validation part: a fraction in (0, 1), rounded up to whole rows, or a number of rows.
    stratify : "auto", bool or array-like, default="auto"
        Whether classes keep their shares: ``"auto"`` does it where `y` holds classes (values that are not
        fractions, at most half as many as rows); labels to use instead of `y`.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    list
        ``X_train, X_validation, y_train, y_validation, ...``, each of the kind that was given.

    Notes
    -----
    A class with a single row is no error: it goes to one of the parts.

    Examples
    --------
    >>> from lanatus.evaluation import train_validation_split
    >>> X, y = list(range(8)), list("aaaabbbb")
    >>> X_train, X_validation, y_train, y_validation = train_validation_split(X, y, random_state=0)
    >>> sorted(y_validation), sorted(X_train + X_validation)
    (['a', 'b'], [0, 1, 2, 3, 4, 5, 6, 7])
    """
    data = _split_along(X, y, arrays)
    m = n_rows(X)
    n_held_out = row_count("validation_size", validation_size, m, up=True)
    parts = _deal(m, [m - n_held_out, n_held_out], _strata(y, stratify, m), check_random_state(random_state))
    return [take_rows(array, rows) for array in data for rows in parts]


@method(
    "evaluation.three-way-split",
    section="SL 4.2",
    task="splitting",
    en="Stratified three-way split",
    zh="三路划分",
)
def three_way_split(
    X: Any,
    y: Any = None,
    *arrays: Any,
    sizes: Sequence[float | int] = (0.6, 0.2, 0.2),
    stratify: Any = "auto",
    random_state: Any = None,
) -> list[Any]:
    """Split data into three parts: training, validation and test, or labelled, unlabelled and test.

    Every row goes to exactly one part, and with class labels each class is shared out in proportion.

    Book: section 2.2.4 and exercise 13.4.

    Parameters
    ----------
    X : array-like, frame or sparse matrix
        Data.
    y : array-like or None, default=None
        Labels or target.
    *arrays : array-like
        More columns to split along, such as weights.
    sizes : three floats or three ints, default=(0.6, 0.2, 0.2)
        Fractions that add up to 1, or numbers of rows that add up to all.
    stratify : "auto", bool or array-like, default="auto"
        Whether classes keep their shares, as in :func:`train_validation_split`.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    list
        ``X_1, X_2, X_3, y_1, y_2, y_3, ...``, each of the kind that was given.

    Examples
    --------
    >>> from lanatus.evaluation import three_way_split
    >>> parts = three_way_split(list(range(10)), list("aaaaabbbbb"), random_state=0)
    >>> [len(part) for part in parts], [sorted(part) for part in parts[4:]]
    ([6, 2, 2, 6, 2, 2], [['a', 'b'], ['a', 'b']])
    """
    data = _split_along(X, y, arrays)
    m = n_rows(X)
    parts = _deal(m, _three_sizes(sizes, m), _strata(y, stratify, m), check_random_state(random_state))
    return [take_rows(array, rows) for array in data for rows in parts]


def has_classes(y: Any) -> bool:
    """Whether a target holds classes: one column, no fractions, at most half as many values as rows."""
    if y is None or (np.ndim(y) == 2 and np.shape(y)[1] > 1):
        return False
    labels = as_labels(y)
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        return False
    return 2 * len(np.unique(labels)) <= len(labels)


def row_count(name: str, size: float | int, m: int, *, up: bool = False) -> int:
    """Rows in a fraction in (0, 1] of `m`, rounded down or up, or a number of rows as it is; at least one."""
    if isinstance(size, bool) or not isinstance(size, Real):
        raise ValueError(f"{name} must be a fraction or a number of rows; got {size!r}.")
    if isinstance(size, Integral):
        rows = int(size)
    elif 0 < float(size) <= 1:
        rows = (ceil if up else floor)(_exact(float(size)) * m)
    else:
        raise ValueError(f"{name} must be a fraction in (0, 1] or a whole number of rows; got {size!r}.")
    if rows < 1:
        raise ValueError(f"{name}={size!r} of {m} rows leaves no row; give a larger one.")
    return rows


def _exact(fraction: float) -> Fraction:
    """0.7 as 7/10: the binary float is a little less, and would lose a row of 10."""
    return Fraction(float(fraction)).limit_denominator(10**9)


def _three_sizes(sizes: Sequence[float | int], m: int) -> list[int]:
    wanted = list(sizes)
    whole = all(isinstance(size, Integral) for size in wanted)
    if len(wanted) != 3 or any(not isinstance(size, Real) or not float(size) > 0 for size in wanted):
        raise ValueError(f"sizes must be three positive numbers; got {sizes!r}.")
    total = sum(_exact(float(size)) for size in wanted)
    if abs(float(total) - (m if whole else 1)) > 1e-9:
        raise ValueError(f"sizes must be fractions that add up to 1, or rows that add up to all {m}; got {sizes!r}.")
    ends = [round(sum(map(_exact, wanted[:i])) * (1 if whole else m)) for i in range(4)]
    counts = [int(n) for n in np.diff(ends)]
    if min(counts) < 1:
        raise ValueError(f"sizes={sizes!r} of {m} rows gives the parts {counts}; give sizes that leave none empty.")
    return counts


def _split_along(X: Any, y: Any, arrays: tuple[Any, ...]) -> list[Any]:
    data = [X, *([] if y is None else [y]), *arrays]
    check_consistent_length(*data)
    return data


def _strata(y: Any, stratify: Any, m: int) -> np.ndarray | None:
    """Code of the class of each row, or None to take no notice of classes."""
    if isinstance(stratify, str):
        if stratify != "auto":
            raise ValueError(f"stratify must be 'auto', True, False or labels; got {stratify!r}.")
        stratify = has_classes(y)
    if stratify is None or stratify is False:
        return None
    labels = as_labels(y if stratify is True else stratify)
    if len(labels) != m:
        raise ValueError(f"stratify has {len(labels)} labels for {m} rows; give one for each row.")
    return np.unique(labels, return_inverse=True)[1]


def _deal(m: int, sizes: list[int], strata: np.ndarray | None, rng: np.random.RandomState) -> list[np.ndarray]:
    """Rows of each part, shuffled.

    Rows of one class lie side by side, and each part in turn takes its share at even steps along them: of any
    run of n rows it gets n times its share, rounded down or up.
    """
    if min(sizes) < 1:
        raise ValueError(f"got {m} rows for parts of {sizes} rows; wanted at least one row in each part.")
    rows = rng.permutation(m)
    if strata is not None:
        rows = rows[np.argsort(strata[rows], kind="stable")]
    parts = []
    for size in sizes[:-1]:
        n = len(rows)
        steps = (np.arange(n + 1) * size + rng.randint(n)) // n  # a random start makes every row as likely
        taken = np.diff(steps).astype(bool)
        parts.append(rng.permutation(rows[taken]))
        rows = rows[~taken]
    return [*parts, rng.permutation(rows)]
