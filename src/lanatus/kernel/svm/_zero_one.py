"""The machine whose loss counts errors, minimised exactly on few rows."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array

from lanatus.catalog import method
from lanatus.kernel.svm._svc import SVC
from lanatus.params import check_integer, check_real

_CLOSE = 1e-6  # by which a row may fall short of its margin


class ZeroOneMachine(NamedTuple):
    """A plane w'x + b, the least objective, the rows that are paid for, and the problems that were solved."""

    w: np.ndarray
    b: float
    objective: float
    paid: np.ndarray
    n_problems: int


@method(
    "kernel.zero-one-loss-svm",
    section="6.4",
    task="classification",
    kind="function",
    en="0/1-loss SVM, exactly",
    zh="0/1损失支持向量机",
)
def zero_one_svm(X: Any, y: Any, C: float = 1.0, *, max_problems: int = 20_000) -> ZeroOneMachine:
    r"""The plane of least :math:`\frac12 \lVert w \rVert^2 + C \sum_i \ell_{0/1}(y_i (w^\top x_i + b) - 1)` (6.29).

    The objective is neither convex nor continuous, which is why the book replaces it by the hinge. Here it is minimised
    exactly by branch and bound: a row is either held to its margin or paid for, the hard margin of the rows that are
    held bounds all that follows, and the row that falls short most is decided next.

    Book: section 6.4. Cost: :math:`O(2^n)` hard margins at worst; with few errors a small share of that.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows, some tens of them.
    y : array-like of shape (n_samples,)
        Their classes, -1 or +1.
    C : float, default=1.0
        Price of a row that is not beyond its margin.
    max_problems : int, default=20000
        Most hard margins that are solved; an error says that they were not enough.

    Returns
    -------
    ZeroOneMachine
        ``w``, ``b``, ``objective``, ``paid`` (the rows that cost C) and ``n_problems``.

    Examples
    --------
    >>> from lanatus.kernel import zero_one_svm
    >>> found = zero_one_svm([[0.0], [2.0], [4.0], [6.0], [8.0]], [-1, -1, 1, 1, -1], C=1.0)
    >>> round(found.objective, 6), found.paid.tolist()
    (1.5, [4])
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    signs = np.asarray(y, dtype=np.float64)
    if signs.shape != (len(X),) or not np.isin(signs, (-1, 1)).all():
        raise ValueError(f"y must hold -1 or +1 for each of the {len(X)} rows; got {y!r}.")
    C = check_real("C", C, 0, above=True)
    check_integer("max_problems", max_problems, 1)
    best = min((_Plane(np.zeros(X.shape[1]), b) for b in (1.0, -1.0)), key=lambda plane: plane.cost(X, signs, C))
    least, solved = best.cost(X, signs, C), 0
    held = np.zeros(len(X), dtype=bool)
    stack = [(held, held)]  # rows that are held to their margins, rows that are paid for
    while stack:
        held, paid = stack.pop()
        if C * paid.sum() >= least:
            continue
        if solved == max_problems:
            raise ValueError(
                f"max_problems={max_problems} hard margins were not enough to be sure of the minimum, of {len(X)} "
                "rows; give more, or fewer rows."
            )
        solved += 1
        plane = _hard_margin(X, signs, held)
        if plane is None or 0.5 * plane.w @ plane.w + C * paid.sum() >= least * (1 - 1e-12):
            continue
        if (cost := plane.cost(X, signs, C)) < least:
            best, least = plane, cost
        short = np.where(held | paid, -np.inf, 1 - plane.margins(X, signs))
        worst = int(short.argmax())
        if short[worst] <= _CLOSE:
            continue  # no row is left to decide: the bound is met
        one = np.arange(len(X)) == worst
        stack += [(held, paid | one), (held | one, paid)]
    return ZeroOneMachine(best.w, best.b, least, np.flatnonzero(best.margins(X, signs) < 1 - _CLOSE), solved)


def zero_one_margin_loss(z: Any) -> np.ndarray:
    r"""The zero-one loss (6.30) of margins: 1 where z is below 0, else 0.

    Book: section 6.4, figure 6.5. Cost: O(1) a number.

    Parameters
    ----------
    z : array-like
        Margins, :math:`z = y f(x)` with y of -1 or +1.

    Returns
    -------
    ndarray
        The loss of each number.

    Examples
    --------
    >>> from lanatus.kernel import zero_one_margin_loss
    >>> zero_one_margin_loss([-1, 0, 2]).tolist()
    [1.0, 0.0, 0.0]
    """
    margins = np.asarray(z, dtype=np.float64)
    if np.isnan(margins).any():
        raise ValueError("z contains NaN; wanted margins, numbers of either sign.")
    return (margins < 0).astype(np.float64)


class _Plane(NamedTuple):
    w: np.ndarray
    b: float

    def margins(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        return np.asarray(signs * (X @ self.w + self.b))

    def cost(self, X: np.ndarray, signs: np.ndarray, C: float) -> float:
        """The objective (6.29)."""
        return 0.5 * float(self.w @ self.w) + C * float((self.margins(X, signs) < 1 - _CLOSE).sum())


def _hard_margin(X: np.ndarray, signs: np.ndarray, held: np.ndarray) -> _Plane | None:
    """The plane of least w that holds some rows to their margins; None where there is none."""
    classes = np.unique(signs[held])
    if len(classes) < 2:
        common = classes[0] if len(classes) else (1.0 if signs.sum() >= 0 else -1.0)
        return _Plane(np.zeros(X.shape[1]), float(common))
    try:
        model = SVC(C=np.inf, kernel="linear", tol=0.1 * _CLOSE).fit(X[held], signs[held])
    except ValueError:  # no plane separates these rows
        return None
    return _Plane(model.coef_[0], float(model.intercept_[0]))
