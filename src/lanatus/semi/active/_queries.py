"""Which rows of a pool to ask about, by what one learner says of them."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.extmath import safe_sparse_dot

from lanatus.base import n_rows
from lanatus.catalog import method
from lanatus.params import check_choice, check_integer, check_real

MEASURES = ("least-confident", "margin", "entropy")


@method(
    "semi.svm-margin-query",
    section="13.1",
    task="classification",
    kind="function",
    en="Query closest to the hyperplane",
    zh="SVM间隔查询策略",
    peers=["modAL:margin_sampling"],
)
def margin_query(estimator: Any, X_pool: Any, n: int = 1) -> np.ndarray:
    r"""Rows nearest to the border between classes: :math:`\arg\min_{x \in D_u} |w^\top x + b|` for a support vector
    machine.

    Of several classes the gap between the two largest scores counts; a learner without ``decision_function`` is asked
    for its probabilities.

    Book: section 13.1. Cost: a prediction of the pool.

    Parameters
    ----------
    estimator : fitted classifier
        The learner.
    X_pool : array, frame or sparse matrix of shape (n_pool, n_features)
        Rows that may be asked about.
    n : int, default=1
        How many.

    Returns
    -------
    ndarray of int
        Their places in the pool, the nearest first; of equal ones the first.

    Examples
    --------
    >>> from lanatus.kernel import SVC
    >>> from lanatus.semi import margin_query
    >>> machine = SVC(kernel="linear").fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> margin_query(machine, [[0.5], [2.4], [4.5], [3.0]], n=2).tolist()
    [1, 3]
    """
    return most_useful(-border_gaps(estimator, X_pool), n)


@method(
    section="13.1",
    task="classification",
    kind="function",
    en="Query of the least certain rows",
    zh="不确定性查询策略",
    peers=["modAL:uncertainty_sampling"],
)
def uncertainty_query(estimator: Any, X_pool: Any, n: int = 1, *, measure: str = "least-confident") -> np.ndarray:
    r"""Rows whose class the learner is least certain of, by its probabilities.

    "least-confident" takes the rows with the lowest :math:`\max_c P(c \mid x)`, "margin" those with the smallest gap
    between the two likeliest classes, "entropy" those with the largest :math:`-\sum_c P(c \mid x) \ln P(c \mid x)`. Of
    two classes the three say the same.

    Book: section 13.1. Cost: a prediction of the pool.

    Parameters
    ----------
    estimator : fitted classifier
        The learner; it must give probabilities.
    X_pool : array, frame or sparse matrix of shape (n_pool, n_features)
        Rows that may be asked about.
    n : int, default=1
        How many.
    measure : {"least-confident", "margin", "entropy"}, default="least-confident"
        What counts as uncertain.

    Returns
    -------
    ndarray of int
        Their places in the pool, the least certain first.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import uncertainty_query
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> uncertainty_query(model, [[0.5], [2.4], [4.5], [3.0]], n=2, measure="entropy").tolist()
    [1, 3]
    """
    return most_useful(uncertainty(estimator, X_pool, measure), n)


@method(
    section="13.1",
    task="classification",
    kind="function",
    en="Query by expected change of the model",
    zh="期望模型变化查询策略",
)
def expected_change_query(estimator: Any, X_pool: Any, n: int = 1) -> np.ndarray:
    r"""Rows whose label would, on average over what it may be, move a linear model the farthest.

    The log-loss of a row x of class c has the gradient :math:`(p - e_c)(x, 1)^\top` by the weights, p its
    probabilities; so that the expected length is :math:`\lVert (x, 1) \rVert \sum_c p_c \lVert p - e_c \rVert`.

    Book: section 13.1. Cost: a prediction of the pool.

    Parameters
    ----------
    estimator : fitted classifier
        A linear model that gives probabilities, such as ``LogisticRegression``.
    X_pool : array or sparse matrix of shape (n_pool, n_features)
        Rows that may be asked about, as numbers on scales that compare.
    n : int, default=1
        How many.

    Returns
    -------
    ndarray of int
        Their places in the pool, the largest change first.

    Examples
    --------
    >>> from lanatus.linear import LogisticRegression
    >>> from lanatus.semi import expected_change_query
    >>> model = LogisticRegression().fit([[0.0, 0], [1, 0], [4, 0], [5, 0]], [0, 0, 1, 1])
    >>> expected_change_query(model, [[2.5, 0.0], [2.5, 9.0], [9.0, 0.0]]).tolist()
    [1]
    """
    return most_useful(expected_change(estimator, X_pool, as_numbers(X_pool)), n)


@method(
    section="13.1",
    task="classification",
    kind="function",
    en="Query weighted by density",
    zh="密度加权查询策略",
    peers=["modAL:information_density"],
)
def density_query(
    estimator: Any, X_pool: Any, n: int = 1, *, measure: str = "entropy", beta: float = 1.0
) -> np.ndarray:
    r"""Rows that are uncertain and like many others: uncertainty times :math:`(\frac1u \sum_z \cos(x, z))^\beta`.

    The cosine is of rows less the mean of the pool, counted from 0 to 1; so that outliers, on which a learner is often
    uncertain, are not asked about.

    Book: section 13.1. Cost: a prediction of the pool, and :math:`O(u d)`.

    Parameters
    ----------
    estimator : fitted classifier
        The learner; it must give probabilities.
    X_pool : array or sparse matrix of shape (n_pool, n_features)
        Rows that may be asked about, as numbers on scales that compare.
    n : int, default=1
        How many.
    measure : {"least-confident", "margin", "entropy"}, default="entropy"
        What counts as uncertain.
    beta : float, default=1.0
        How much density counts, 0 for not at all.

    Returns
    -------
    ndarray of int
        Their places in the pool, the most useful first.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import density_query
    >>> model = GaussianNB().fit([[0.0, 0], [1, 1], [4, 0], [5, 1]], [0, 0, 1, 1])
    >>> density_query(model, [[2.5, 0.5], [2.6, 0.6], [2.4, 0.4], [2.5, -9.0]], n=3, beta=2.0).tolist()
    [0, 1, 2]

    References
    ----------
    Settles and Craven (2008), An analysis of active learning strategies for sequence labeling tasks.
    """
    beta = check_real("beta", beta, 0)
    return most_useful(uncertainty(estimator, X_pool, measure) * likeness(as_numbers(X_pool)) ** beta, n)


def most_useful(use: np.ndarray, n: int) -> np.ndarray:
    """Places of the largest numbers, the first of equal ones first; all places where fewer are there."""
    n = check_integer("n", n, 1)
    return np.argsort(-use, kind="stable")[:n]


def border_gaps(estimator: Any, X: Any) -> np.ndarray:
    """How far each row is from the border between its two likeliest classes, in the units of the learner."""
    if not n_rows(X):
        return np.empty(0)
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            return np.abs(scores)
    else:
        scores = probabilities(estimator, X)
    if scores.shape[1] == 1:
        return np.ones(len(scores))
    top = np.partition(scores, -2, axis=1)
    return np.asarray(top[:, -1] - top[:, -2])


def probabilities(estimator: Any, X: Any) -> np.ndarray:
    """Probabilities of the classes, or an error that says who gives none."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no predict_proba, by which this query measures uncertainty; "
            "take margin_query for a machine that gives scores only."
        )
    return np.asarray(estimator.predict_proba(X), dtype=np.float64)


def uncertainty(estimator: Any, X: Any, measure: str) -> np.ndarray:
    """How uncertain a learner is of each row, from 0 for a certain one."""
    check_choice("measure", measure, MEASURES)
    if not n_rows(X):
        return np.empty(0)
    proba = probabilities(estimator, X)
    if measure == "least-confident":
        return np.asarray(1 - proba.max(axis=1))
    if measure == "entropy":
        return entropy(proba)
    if proba.shape[1] == 1:
        return np.zeros(len(proba))
    top = np.partition(proba, -2, axis=1)
    return np.asarray(1 - (top[:, -1] - top[:, -2]))


def entropy(proba: np.ndarray) -> np.ndarray:
    """Entropy of each row of probabilities, in nats."""
    return -(proba * np.log(np.where(proba > 0, proba, 1.0))).sum(axis=-1)


def expected_change(estimator: Any, X: Any, values: Any) -> np.ndarray:
    """Expected length of the gradient that the label of each row would give."""
    if not n_rows(X):
        return np.empty(0)
    proba = probabilities(estimator, X)
    squares = (proba**2).sum(axis=1)
    # |p - e_c|^2 = |p|^2 - 2 p_c + 1
    lengths = np.sqrt(np.maximum(squares[:, None] - 2 * proba + 1, 0.0))
    square = values.power(2) if sp.issparse(values) else values**2
    norm = np.sqrt(np.asarray(square.sum(axis=1), dtype=np.float64).ravel() + 1)
    return np.asarray(norm * (proba * lengths).sum(axis=1))


def likeness(values: Any) -> np.ndarray:
    """Mean cosine of each row to all, about their mean, from 0 to 1."""
    if not values.shape[0]:
        return np.empty(0)
    middle = np.asarray(values.mean(axis=0), dtype=np.float64).ravel()
    square = values.power(2) if sp.issparse(values) else values**2
    # |x - m|^2 = |x|^2 - 2 x m + |m|^2 and so on: sparse rows stay sparse
    norms = np.asarray(square.sum(axis=1), dtype=np.float64).ravel() - 2 * safe_sparse_dot(values, middle)
    norms = np.sqrt(np.maximum(norms + middle @ middle, 0.0))
    inverse = np.where(norms > 1e-12 * max(float(norms.max()), 1e-300), 1 / np.where(norms > 0, norms, 1.0), 0.0)
    direction = np.asarray(values.T @ inverse).ravel() - inverse.sum() * middle
    cosines = inverse * (safe_sparse_dot(values, direction) - middle @ direction) / len(norms)
    return np.clip((1 + cosines) / 2, 0.0, 1.0)


def as_numbers(X: Any) -> Any:
    """Rows as numbers, or scikit-learn's error."""
    return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=0)
