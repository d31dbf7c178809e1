"""Coding matrices for many-vs-many: a row for each class, a column for each two-class learner."""

from dataclasses import dataclass
from itertools import combinations
from math import ceil, log2
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.params import check_integer

_MOST_CLASSES = 16  # an exhaustive code of more has over 32 767 columns


def checked_code(code: Any, n_classes: int | None = None) -> np.ndarray:
    """A coding matrix as int8, or a clear error."""
    matrix = np.asarray(code)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"a coding matrix has a row for each class and a column for each learner; got {matrix.shape}.")
    if not np.isin(matrix, (-1, 0, 1)).all():
        raise ValueError("a coding matrix holds -1, 0 (class not used) and +1 only.")
    if n_classes is not None and len(matrix) != n_classes:
        raise ValueError(f"the coding matrix has {len(matrix)} rows; wanted one for each of {n_classes} classes.")
    one_sided = [j for j in range(matrix.shape[1]) if not {-1, 1} <= set(matrix[:, j].tolist())]
    if one_sided:
        raise ValueError(f"columns {one_sided} of the coding matrix lack +1 or -1, so there is nothing to tell apart.")
    return matrix.astype(np.int8)


@method(
    "multiclass.pairwise-codes",
    section="3.5",
    task="classification",
    en="One-vs-rest as a code matrix",
    zh="OvR编码矩阵",
)
def one_vs_rest_code(n_classes: int) -> np.ndarray:
    """Coding matrix of one-vs-rest: each class against all others.

    Book: section 3.5: OvR is a special case of many-vs-many.

    Parameters
    ----------
    n_classes : int
        Number of classes N, at least 2.

    Returns
    -------
    ndarray of int8 of shape (N, N)

    Examples
    --------
    >>> from lanatus.multiclass import one_vs_rest_code
    >>> one_vs_rest_code(3).tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    """
    return (2 * np.eye(check_integer("n_classes", n_classes, 2)) - 1).astype(np.int8)


@method(
    section="3.5",
    task="classification",
    en="One-vs-one as a code matrix",
    zh="OvO编码矩阵",
)
def one_vs_one_code(n_classes: int) -> np.ndarray:
    """Coding matrix of one-vs-one: each class against each other one, the rest unused.

    Book: section 3.5: OvO is a special case of many-vs-many, with a code of three values.

    Parameters
    ----------
    n_classes : int
        Number of classes N, at least 2.

    Returns
    -------
    ndarray of int8 of shape (N, N (N - 1) / 2)

    Examples
    --------
    >>> from lanatus.multiclass import one_vs_one_code
    >>> one_vs_one_code(3).tolist()
    [[-1, -1, 0], [1, 0, -1], [0, 1, 1]]
    """
    n = check_integer("n_classes", n_classes, 2)
    code = np.zeros((n, n * (n - 1) // 2), dtype=np.int8)
    for column, (a, b) in enumerate(combinations(range(n), 2)):
        code[a, column], code[b, column] = -1, 1
    return code


@method(
    "multiclass.ecoc-exhaustive-code",
    section="3.5",
    task="classification",
    en="Exhaustive code matrix",
    zh="穷举编码",
)
def exhaustive_code(n_classes: int) -> np.ndarray:
    """Coding matrix of all two-way splits of the classes: 2^(N-1) - 1 columns.

    No two columns split alike, and none is the complement of another; the first class is always positive.

    Book: section 3.5.

    Parameters
    ----------
    n_classes : int
        Number of classes N, from 2 to 16.

    Returns
    -------
    ndarray of int8 of shape (N, 2^(N-1) - 1)

    Examples
    --------
    >>> from lanatus.multiclass import exhaustive_code
    >>> exhaustive_code(3).tolist()
    [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]]

    References
    ----------
    T. G. Dietterich, G. Bakiri: Solving multiclass learning problems via error-correcting output codes. JAIR 2 (1995).
    """
    n = check_integer("n_classes", n_classes, 2, _MOST_CLASSES)
    splits = np.arange(2 ** (n - 1) - 1)
    rest = (splits >> np.arange(n - 1)[::-1, None]) & 1
    return np.vstack([np.ones_like(splits), 2 * rest - 1]).astype(np.int8)


@method(
    "multiclass.ecoc-random-codes",
    section="3.5",
    task="classification",
    en="Random dense and random sparse code matrices",
    zh="随机稠密、稀疏编码",
)
def random_code(
    n_classes: int,
    length: int | None = None,
    *,
    sparse: bool = False,
    n_tries: int = 1000,
    random_state: Any = None,
) -> np.ndarray:
    """Random coding matrix: of many drawn, the one whose two nearest rows are farthest apart.

    Dense codes draw -1 and +1 alike; sparse ones leave each class unused with probability one half.

    Book: section 3.5.

    Parameters
    ----------
    n_classes : int
        Number of classes, at least 2.
    length : int or None, default=None
        Number of columns; 10 log2(N) for dense and 15 log2(N) for sparse codes by default, but no more than there are
        different splits.
    sparse : bool, default=False
        Whether classes may be unused.
    n_tries : int, default=1000
        Matrices to draw.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    ndarray of int8 of shape (n_classes, length)

    Examples
    --------
    >>> from lanatus.multiclass import code_quality, random_code
    >>> code_quality(random_code(4, 7, random_state=0)).row_distance
    4.0

    References
    ----------
    E. L. Allwein, R. E. Schapire, Y. Singer: Reducing multiclass to binary. JMLR 1 (2000), 113-141.
    """
    n = check_integer("n_classes", n_classes, 2)
    if length is None:
        length = max(1, min(ceil((15 if sparse else 10) * log2(n)), 2 ** min(n - 1, 30) - 1))
    m, tries = check_integer("length", length, 1), check_integer("n_tries", n_tries, 1)
    rng = check_random_state(random_state)
    best, quality = None, -1.0
    for _ in range(tries):
        code = rng.choice([-1, 0, 0, 1] if sparse else [-1, 1], size=(n, m)).astype(np.int8)
        _make_two_sided(code, rng)
        found = float(row_distances(code).min())
        if found > quality:
            best, quality = code, found
    assert best is not None
    return best


def _make_two_sided(code: np.ndarray, rng: np.random.RandomState) -> None:
    """Give columns that lack +1 or -1 one of each."""
    lacking = ~((code == 1).any(axis=0) & (code == -1).any(axis=0))
    for column in np.flatnonzero(lacking):
        first, second = rng.choice(len(code), 2, replace=False)
        code[first, column], code[second, column] = 1, -1


@method(
    "multiclass.ecoc-optimal-code",
    section="ex 3.7",
    task="classification",
    en="Optimal ECOC code by Hamming distance",
    zh="最优ECOC编码",
)
def optimal_code(n_classes: int, length: int) -> np.ndarray:
    """Binary code of a given length whose two nearest rows are as far apart as can be.

    How often each two-way split of the classes is used is the solution of an integer program; splits may repeat.

    Book: exercise 3.7.

    Parameters
    ----------
    n_classes : int
        Number of classes, from 2 to 10.
    length : int
        Number of columns.

    Returns
    -------
    ndarray of int8 of shape (n_classes, length)

    Notes
    -----
    Cost: an integer program with 2^(N-1) unknowns and N (N - 1) / 2 conditions; seconds up to 7 classes or so.

    Examples
    --------
    >>> from lanatus.multiclass import code_quality, optimal_code
    >>> [int(code_quality(optimal_code(4, length)).row_distance) for length in range(2, 10)]
    [1, 2, 2, 3, 4, 4, 5, 6]
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n, m = check_integer("n_classes", n_classes, 2, 10), check_integer("length", length, 1)
    splits = exhaustive_code(n)
    apart = np.array([splits[a] != splits[b] for a, b in combinations(range(n), 2)], dtype=float)
    columns = splits.shape[1]
    # Unknowns: how often each split is used, and last the least distance, which is made as large as can be.
    conditions = [
        LinearConstraint(np.column_stack([apart, -np.ones(len(apart))]), lb=0),
        LinearConstraint(np.append(np.ones(columns), 0.0), lb=m, ub=m),
    ]
    solution = milp(
        np.append(np.zeros(columns), -1.0),
        constraints=conditions,
        integrality=np.ones(columns + 1),
        bounds=Bounds(0, m),
    )
    if not solution.success:
        raise RuntimeError(f"no code of {n} classes and length {m} was found: {solution.message}")
    return np.repeat(splits, np.round(solution.x[:-1]).astype(int), axis=1)


# ---------------------------------------------------------------- quality


@dataclass(frozen=True)
class CodeQuality:
    """How good a coding matrix is.

    Attributes
    ----------
    row_distance : float
        Least Hamming distance of two rows; an unused class counts one half.
    mean_row_distance : float
        Mean over all pairs of rows.
    column_distance : float
        Least Hamming distance of a column to another, or to its complement: learners that are alike err alike.
    correctable : int
        Wrong learners that a binary code always makes up for: (row_distance - 1) / 2, rounded down.
    """

    row_distance: float
    mean_row_distance: float
    column_distance: float
    correctable: int


def row_distances(code: np.ndarray) -> np.ndarray:
    """Hamming distance of each pair of rows; an unused class is half a difference."""
    whole_rows = code.astype(np.float64)
    a, b = np.triu_indices(len(code), 1)
    return ((1 - whole_rows[a] * whole_rows[b]) / 2).sum(axis=1)


def code_quality(code: Any) -> CodeQuality:
    """Distances between the rows, and between the columns, of a coding matrix.

    Rows far apart correct errors; columns far apart make the errors independent.

    Parameters
    ----------
    code : array-like of shape (n_classes, length)
        Coding matrix of -1, 0 and +1.

    Returns
    -------
    CodeQuality

    Examples
    --------
    >>> from lanatus.multiclass import code_quality, exhaustive_code
    >>> code_quality(exhaustive_code(4))
    CodeQuality(row_distance=4.0, mean_row_distance=4.0, column_distance=1.0, correctable=1)
    """
    matrix = checked_code(code)
    rows = row_distances(matrix)
    if matrix.shape[1] > 1:
        near = row_distances(matrix.T)
        columns = float(np.minimum(near, len(matrix) - near).min())
    else:
        columns = float("nan")
    least = float(rows.min())
    return CodeQuality(least, float(rows.mean()), columns, max(0, int((least - 1) // 2)))
