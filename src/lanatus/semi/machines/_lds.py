"""Low density separation."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, Floats, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import COMMON, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised
from lanatus.semi.machines._machine import Task
from lanatus.semi.machines._s3vm import descended, labelled_part

_STEEP = 3.0
_FIRST = 2.0**-10  # of the price of an unlabelled row, which doubles up to 1


@method(
    "semi.lds",
    section="13.3",
    task="classification",
    en="Low density separation (LDS)",
    zh="低密度分离 (LDS)",
)
class LDS(SemiSupervised, ClassifierMixin, Estimator):
    r"""A plane through a gap between rows, in a space where rows are far apart if no dense path joins them.

    The distance of two rows is :math:`\frac{1}{\rho^2} \ln^2 (1 + \min \sum (e^{\rho d} - 1))` over paths of edges of
    length d between them: for large rho that of the longest edge on the best path. In coordinates with these distances
    gradient descent minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_{i \le l} \max(0, 1 - y_i f(x_i))^2 + C^*
    \sum_{i > l} e^{-3 f(x_i)^2}` with the mean of f on unlabelled rows that of the labels, :math:`C^*` doubling up to
    :math:`C_u`.

    Book: section 13.3. Cost: :math:`O(n^2 \ln n + n^3)`, memory :math:`24 n^2` bytes; a prediction :math:`O(n d)`.

    Parameters
    ----------
    rho : float, default=4.0
        How much gaps count, in units of the median distance to the nearest row; 0 for lengths of paths.
    C : float, default=10.0
        Price of a labelled row beyond its margin.
    C_unlabelled : float or None, default=None
        Of an unlabelled one near the plane, :math:`C_u`; None is `C`.
    n_neighbors : int or None, default=None
        Edges go to so many nearest rows and from them back; None joins all rows.
    n_components : int or None, default=None
        Most coordinates; None is all that there are.
    max_iter : int, default=1000
        Most steps of one descent.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_samples, n_features), the rows
    paths_ : ndarray of shape (n_samples, n_samples), least sums over paths
    dual_coef_ : ndarray of shape (n_machines, n_samples), the planes as sums over rows
    intercept_ : ndarray of shape (n_machines,), the constants
    scale_ : float, the unit of distances
    transduction_ : ndarray of shape (n_samples,), classes of the rows of ``fit``, those that were known as they were
    classes_ : ndarray of shape (n_classes,), the labels
    n_iter_ : int, steps
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A new row begins every path with its edge to a row of ``fit``. Parts of a graph of neighbours that no edge joins are
    joined at the largest distance that there is. Of several classes each is parted from the rest.

    Examples
    --------
    >>> from lanatus.semi import LDS
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> LDS().fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Chapelle and Zien (2005), Semi-supervised classification by low density separation.
    """

    _takes = Takes()
    _state: ClassVar = {
        "X_fit_": Floats("rows", "columns"),
        "paths_": Floats("rows", "rows"),
        "dual_coef_": Floats("machines", "rows"),
        "intercept_": Floats("machines"),
    }

    X_fit_: np.ndarray
    paths_: np.ndarray
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    scale_: float
    transduction_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        rho: float = 4.0,
        C: float = 10.0,
        *,
        C_unlabelled: float | None = None,
        n_neighbors: int | None = None,
        n_components: int | None = None,
        max_iter: int = 1000,
    ) -> None:
        self.rho = rho
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        COMMON,
        rho=Real(low=0, high=100),
        C=Real(above=0, below=np.inf),
        C_unlabelled=Real(above=0, below=np.inf) | Nothing(),
        n_neighbors=Integer(low=1) | Nothing(),
        n_components=Integer(low=1) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X, of which some have a class.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The classes; -1 or a missing value where there is none.
        """
        X = self._take(X, reset=True)
        codes = self._learn_labels(y, X, least=2)
        self.X_fit_ = np.array(X, dtype=np.float64)
        away = cdist(self.X_fit_, self.X_fit_)
        if not np.isfinite(away).all():
            raise ValueError("distances between rows are infinite; scale the columns.")
        nearest = np.where(np.eye(len(away), dtype=bool), np.inf, away).min(axis=1)
        self.scale_ = float(np.median(nearest)) or float(away[away > 0].min(initial=np.inf))
        self.scale_ = self.scale_ if np.isfinite(self.scale_) else 1.0
        self.paths_ = self._paths(away)
        squares = self._squares(self.paths_)
        inner = _inner(squares)
        values, vectors = eigh(inner)
        used = values > 1e-9 * max(float(values[-1]), 1e-300)
        if self.n_components is not None:
            used[: -self.n_components] = False
        Z = np.ascontiguousarray(vectors[:, used] * np.sqrt(values[used]))
        unit = float(np.sqrt((Z**2).sum(axis=1).mean())) or 1.0
        sides = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        coefs, constants, steps = [], [], 0
        for side in sides:
            signs = np.where(codes >= 0, np.where(codes == side, 1.0, -1.0), 0.0)
            w, b, taken = self._descent(Z / unit, Task(signs, np.where(codes >= 0, self.C, 0.0)))
            # f = sum beta_i <z_i, z> + b, beta the coefficients that give w
            coefs.append((vectors[:, used] / np.sqrt(values[used])) @ (w / unit))
            constants.append(b)
            steps += taken
        self.dual_coef_, self.intercept_, self.n_iter_ = np.ascontiguousarray(coefs), np.array(constants), max(steps, 1)
        guess = self._codes(inner @ self.dual_coef_.T + self.intercept_)
        self.transduction_ = self.classes_[np.where(codes >= 0, codes, guess)]
        return self

    def _lengths(self, away: np.ndarray) -> np.ndarray:
        """What an edge adds to the sum over a path."""
        unit = away / self.scale_
        if self.rho == 0:
            return unit
        return np.expm1(np.minimum(self.rho * unit, 600.0))

    def _paths(self, away: np.ndarray) -> np.ndarray:
        length = self._lengths(away)
        n = len(away)
        if self.n_neighbors is not None and self.n_neighbors < n - 1:
            order = np.argsort(np.where(np.eye(n, dtype=bool), np.inf, away), axis=1, kind="stable")
            kept = np.zeros((n, n), dtype=bool)
            np.put_along_axis(kept, order[:, : self.n_neighbors], True, axis=1)
            length = np.where(kept | kept.T, length, np.inf)
        # scipy takes 0 in a dense graph for no edge, so twins are joined by the least number there is
        graph = np.where(np.eye(n, dtype=bool), 0.0, np.maximum(length, 1e-300))
        found = np.asarray(dijkstra(np.ma.masked_invalid(graph) if np.isinf(graph).any() else graph, directed=False))
        joined = np.isfinite(found)
        return np.where(joined, found, found[joined].max(initial=0.0))

    def _squares(self, paths: np.ndarray) -> np.ndarray:
        return paths**2 if self.rho == 0 else (np.log1p(paths) / self.rho) ** 2

    def _descent(self, Z: np.ndarray, task: Task) -> tuple[np.ndarray, float, int]:
        known, asked = np.flatnonzero(task.signs), task.asked
        signs, prices = task.signs[known], task.prices[known]
        b = float(signs.mean())
        about = Z[asked].mean(axis=0) if len(asked) else Z.mean(axis=0)
        mine, others = Z[known] - about, Z[asked] - about
        price = self.C if self.C_unlabelled is None else self.C_unlabelled

        def sum_at(w: np.ndarray, now: float) -> tuple[float, np.ndarray]:
            value, gradient = labelled_part(w, mine, b, signs, prices)
            f = others @ w + b
            loss = now * np.exp(-_STEEP * f**2)
            return value + float(loss.sum()), gradient - others.T @ (2 * _STEEP * f * loss)

        w, steps = np.zeros(Z.shape[1]), 0
        for now in [0.0, *(price * np.geomspace(_FIRST, 1.0, 11) if len(asked) else ())]:
            w, taken, _, _ = descended(partial(sum_at, now=now), w, self.max_iter)
            steps += taken
        return w, b - float(about @ w), steps

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """How far on the side of the second of two classes each row is; of several classes, of each."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        first = self._lengths(cdist(np.asarray(X, dtype=np.float64), self.X_fit_))
        paths = np.empty_like(first)
        for i, edges in enumerate(first):
            paths[i] = (edges[:, None] + self.paths_).min(axis=0)
        old = self._squares(self.paths_)
        squares = self._squares(paths)
        inner = -0.5 * (squares - squares.mean(axis=1, keepdims=True) - old.mean(axis=0) + old.mean())
        scores = inner @ self.dual_coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    @staticmethod
    def _codes(scores: np.ndarray) -> np.ndarray:
        return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[self._codes(scores.reshape(len(scores), -1))]


def _inner(squares: np.ndarray) -> np.ndarray:
    """Inner products about the mean, from squared distances."""
    row = squares.mean(axis=1)
    return np.asarray(-0.5 * (squares - row[:, None] - row[None, :] + row.mean()))
