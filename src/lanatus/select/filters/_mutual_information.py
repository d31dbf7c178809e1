"""Mutual information of each column with the target."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, check_random_state

from lanatus._core import select as kernels
from lanatus.base import as_targets, class_codes, threads_of
from lanatus.base import n_threads as team
from lanatus.catalog import method
from lanatus.params import check_integer

_NOISE = 1e-10  # of the size of a column, so that no two numbers are the same


@method(
    section="11.2",
    task="transform",
    kind="measure",
    en="Mutual information of columns with classes",
    zh="互信息过滤(分类)",
    peers=["scikit-learn:mutual_info_classif"],
)
def mutual_info_classif(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Mutual information of each column with the classes, in nats; 0 where a column says nothing of them.

    A column of codes is counted: :math:`\sum_{v,c} p_{vc} \ln \frac{p_{vc}}{p_v p_c}`, the information gain of section
    4.2.1. For a column of numbers it is estimated by the `n_neighbors` nearest rows of the same class: how many of all
    rows are as near (Ross 2014).

    Book: section 11.2, as a filter. Kernel: ``cpp/select/mutual_information.hpp``. Cost: :math:`O(n \log n)` a column.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows, numbers.
    y : array of shape (n_samples,)
        The classes.
    discrete_features : {"auto"}, bool, mask or array of int, default="auto"
        Which columns are codes; "auto" is none of a dense X and all of a sparse one.
    n_neighbors : int, default=3
        Neighbours; more of them vary less, and are a little too low.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never written to.
    random_state : int, RandomState or None, default=None
        Draws the noise, 1e-10 of a column's size, that tells equal numbers apart.
    n_jobs : int or None, default=None
        Threads; None means all.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import mutual_info_classif
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> int(mutual_info_classif(X, X[:, 1] > 0, random_state=0).argmax())
    1

    References
    ----------
    Ross (2014), Mutual information between discrete and continuous data sets.
    """
    rows, codes_of = _rows(X, discrete_features)
    target = class_codes(y, rows)[1].astype(np.int32)
    k = check_integer("n_neighbors", n_neighbors, 1)
    numbers = _untied(rows, ~codes_of, check_random_state(random_state))
    found = np.empty(rows.shape[1])
    with threads_of(n_jobs):
        how = {"n_classes": int(target.max()) + 1, "k": k, "n_threads": team()}
        found[~codes_of] = kernels.mutual_information_discrete(numbers, target, **how)
    for j in np.flatnonzero(codes_of).tolist():
        found[j] = _counted(_column(rows, j), target)
    return found


@method(
    section="11.2",
    task="transform",
    kind="measure",
    en="Mutual information of columns with numbers",
    zh="互信息过滤(回归)",
    peers=["scikit-learn:mutual_info_regression"],
)
def mutual_info_regression(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Mutual information of each column with a target of numbers, in nats.

    For two columns of numbers by how many rows are nearer in each of them than the k-th nearest in both (Kraskov,
    Stoegbauer and Grassberger 2004); for a column of codes as `mutual_info_classif`, with the roles changed.

    Book: section 11.2, as a filter. Kernel: ``cpp/select/mutual_information.hpp``. Cost: :math:`O(n \log n)` a column,
    and a window of near rows for each.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows, numbers.
    y : array of shape (n_samples,)
        The targets.
    discrete_features : {"auto"}, bool, mask or array of int, default="auto"
        Which columns are codes; "auto" is none of a dense X and all of a sparse one.
    n_neighbors : int, default=3
        Neighbours; more of them vary less, and are a little too low.
    copy : bool, default=True
        Taken for scikit-learn's sake; X is never written to.
    random_state : int, RandomState or None, default=None
        Draws the noise, 1e-10 of a column's size, that tells equal numbers apart.
    n_jobs : int or None, default=None
        Threads; None means all.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import mutual_info_regression
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> int(mutual_info_regression(X, X[:, 2] ** 2, random_state=0).argmax())
    2

    References
    ----------
    Kraskov, Stoegbauer and Grassberger (2004), Estimating mutual information.
    """
    rows, codes_of = _rows(X, discrete_features)
    target = np.asarray(as_targets(y, rows), dtype=np.float64)
    k = check_integer("n_neighbors", n_neighbors, 1)
    rng = check_random_state(random_state)
    numbers = _untied(rows, ~codes_of, rng)
    told = np.ascontiguousarray(_untied(target[:, None], np.array([True]), rng)[0])
    found = np.empty(rows.shape[1])
    with threads_of(n_jobs):
        found[~codes_of] = kernels.mutual_information_continuous(numbers, told, k=k, n_threads=team())
        for j in np.flatnonzero(codes_of).tolist():
            codes = np.unique(_column(rows, j), return_inverse=True)[1].astype(np.int32)
            how = {"n_classes": int(codes.max()) + 1, "k": k, "n_threads": 1}
            found[j] = kernels.mutual_information_discrete(told[None], codes, **how)[0]
    return found


def _rows(X: Any, discrete: Any) -> tuple[Any, np.ndarray]:
    """X, checked, and which of its columns are codes."""
    rows = check_array(X, accept_sparse="csc", dtype=np.float64, input_name="X")
    d = rows.shape[1]
    if isinstance(discrete, str):
        if discrete != "auto":
            raise ValueError(f"discrete_features must be 'auto', a bool, a mask or columns; got {discrete!r}.")
        discrete = sp.issparse(rows)
    places = np.asarray(discrete)
    mask = np.zeros(d, dtype=bool)
    if places.dtype == bool and places.shape not in ((), (d,)):
        raise ValueError(f"discrete_features is a mask of shape {places.shape}; X has {d} columns.")
    if places.dtype == bool:
        mask[:] = places
    else:
        mask[places] = True
    if sp.issparse(rows) and not mask.all():
        raise ValueError("Sparse matrix `X` can't have continuous features.")
    return rows, mask


def _column(rows: Any, j: int) -> np.ndarray:
    return np.asarray(rows[:, [j]].toarray().ravel() if sp.issparse(rows) else rows[:, j])


def _untied(rows: Any, chosen: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """The chosen columns as rows, over their deviations, with a little noise."""
    if not chosen.any():
        return np.empty((0, rows.shape[0]))
    Z = rows[:, chosen]
    size = Z.std(axis=0)
    Z = Z / np.where(size > 10 * np.finfo(np.float64).eps * np.abs(Z).max(axis=0), size, 1.0)
    Z += _NOISE * np.maximum(1, np.abs(Z).mean(axis=0)) * rng.standard_normal(size=Z.shape)
    return np.ascontiguousarray(Z.T)


def _counted(values: np.ndarray, target: np.ndarray) -> float:
    """Mutual information of two columns of codes."""
    codes = np.unique(values, return_inverse=True)[1]
    width = int(target.max()) + 1
    table = np.bincount(codes * width + target, minlength=(int(codes.max()) + 1) * width).reshape(-1, width)
    share = table / table.sum()
    both = share > 0
    apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
    return max(float(np.sum(share[both] * np.log(share[both] / apart[both]))), 0.0)
