"""Fisher's criteria, and the thresholds on his direction."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lanatus.catalog import method


@method(
    "linear.rayleigh-quotient",
    section="3.4",
    task="classification",
    kind="theory",
    en="Generalised Rayleigh quotient",
    zh="广义瑞利商",
    peers=["scipy:eigh"],
)
def generalized_rayleigh_quotient(w: Any, A: Any, B: Any) -> float:
    r"""The quotient :math:`w^\top A w / w^\top B w` (3.35), between the least and largest eigenvalue of B⁻¹A.

    Parameters
    ----------
    w : array of shape (n_features,)
        A direction; its length does not matter.
    A, B : arrays of shape (n_features, n_features)
        Symmetric; B positive definite.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.linear import generalized_rayleigh_quotient
    >>> generalized_rayleigh_quotient([0.0, 3.0], [[1, 0], [0, 8]], [[1, 0], [0, 2]])
    4.0
    """
    w, A, B = np.asarray(w, float), _square(A, "A"), _square(B, "B")
    if w.shape != (len(A),) or A.shape != B.shape:
        raise ValueError(f"w, A and B do not fit: got shapes {w.shape}, {A.shape} and {B.shape}.")
    below = float(w @ B @ w)
    if not below > 0:
        raise ValueError(f"w'Bw must be positive, got {below:g}: w is zero or B is not positive definite.")
    return float(w @ A @ w) / below


@method(
    "linear.fisher-criteria",
    section="CB 7.3",
    task="evaluation",
    kind="measure",
    en="Multi-class Fisher criteria",
    zh="多类Fisher准则",
)
def fisher_criterion(W: Any, Sb: Any, Sw: Any, kind: str = "trace") -> float:
    r"""How well a projection W keeps classes apart.

    With :math:`\tilde S = W^\top S W`: ``"trace"`` is
    :math:`\operatorname{tr} \tilde S_b / \operatorname{tr} \tilde S_w` (3.44, the cookbook's :math:`J^{(2)}`),
    ``"diagonal"`` the ratio of the products of their diagonals (its :math:`J^{(1)}`), ``"determinant"`` that of their
    determinants, which rotating W within its span leaves alone.

    Parameters
    ----------
    W : array of shape (n_features, n_components) or (n_features,)
        Directions, as columns.
    Sb, Sw : arrays of shape (n_features, n_features)
        Scatter between and within classes.
    kind : {"trace", "diagonal", "determinant"}, default="trace"
        Which one.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.linear import fisher_criterion
    >>> fisher_criterion([[1, 0], [0, 1]], [[4, 0], [0, 6]], [[1, 0], [0, 4]])
    2.0
    """
    W = np.asarray(W, dtype=np.float64)
    W = W[:, None] if W.ndim == 1 else W
    between, within = W.T @ _square(Sb, "Sb") @ W, W.T @ _square(Sw, "Sw") @ W
    measures: dict[str, Callable[[np.ndarray], Any]] = {
        "trace": np.trace,
        "diagonal": lambda S: np.diag(S).prod(),
        "determinant": np.linalg.det,
    }
    if kind not in measures:
        raise ValueError(f"kind must be one of {', '.join(map(repr, measures))}, got {kind!r}.")
    below = float(measures[kind](within))
    if not below > 0:
        raise ValueError("the scatter within classes is zero along W; the criterion is not defined.")
    return float(measures[kind](between)) / below


@method(
    "linear.fisher-thresholds",
    section="CB 7.4",
    task="classification",
    kind="theory",
    en="Fisher thresholds",
    zh="Fisher判别阈值",
)
def fisher_threshold(
    m1: float, m2: float, n1: float, n2: float, rule: str = "balanced", priors: tuple[float, float] | None = None
) -> float:
    r"""Where to cut Fisher's direction :math:`w = S_w^{-1}(m_1 - m_2)`: class 1 lies above the threshold.

    ``"balanced"`` is the middle :math:`(\tilde m_1 + \tilde m_2) / 2`, maximum likelihood for classes of one size;
    ``"bayes"`` is :math:`(\tilde m_1 + \tilde m_2) / 2 - \ln(P_1 / P_2) / (n_1 + n_2 - 2)`; ``"unbalanced"`` is
    :math:`(n_2 \tilde m_1 + n_1 \tilde m_2) / (n_1 + n_2)`. The cookbook prints a plus in the second, which holds for
    the opposite direction, :math:`w = S_w^{-1}(m_2 - m_1)`; this one moves away from the likelier class as it must.

    Parameters
    ----------
    m1, m2 : float
        Projected means of the classes, m1 above m2.
    n1, n2 : float
        Numbers (or weights) of their rows.
    rule : {"balanced", "bayes", "unbalanced"}, default="balanced"
        Which one.
    priors : tuple of two floats, optional
        Probabilities of the classes, for "bayes"; None takes n1 and n2.

    Returns
    -------
    float

    Examples
    --------
    >>> from lanatus.linear import fisher_threshold
    >>> fisher_threshold(3.0, 1.0, 10, 30), fisher_threshold(3.0, 1.0, 10, 30, rule="unbalanced")
    (2.0, 2.5)
    """
    if n1 <= 0 or n2 <= 0:
        raise ValueError(f"n1 and n2 must be positive, got {n1} and {n2}.")
    if m1 < m2:
        raise ValueError(f"class 1 must lie above class 2 on the direction, got m1={m1:g} < m2={m2:g}.")
    middle = (m1 + m2) / 2
    if rule == "balanced":
        return middle
    if rule == "unbalanced":
        return (n2 * m1 + n1 * m2) / (n1 + n2)
    if rule != "bayes":
        raise ValueError(f"rule must be 'balanced', 'bayes' or 'unbalanced', got {rule!r}.")
    if n1 + n2 <= 2:
        raise ValueError(f"rule='bayes' needs more than 2 rows, got {n1 + n2}.")
    first, second = priors if priors is not None else (n1, n2)
    if first <= 0 or second <= 0:
        raise ValueError(f"priors must be positive, got {priors}.")
    return middle - float(np.log(first / second)) / (n1 + n2 - 2)


def _square(S: Any, name: str) -> np.ndarray:
    S = np.asarray(S, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1]:
        raise ValueError(f"{name} must be a square matrix, got shape {S.shape}.")
    return S
