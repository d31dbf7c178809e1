"""Independent component analysis by fixed-point iteration."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Array, Choice, Flag, Function, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.reduce._reducer import Reducer, upright
from lanatus.reduce.linear._linear_reducer import coordinates
from lanatus.reduce.linear._scatter import scatter_of
from lanatus.scale import blockwise

Contrast = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@method(
    section="10.3",
    task="transform",
    en="Independent component analysis (FastICA)",
    zh="独立成分分析ICA",
    peers=["scikit-learn:FastICA"],
)
class FastICA(CallbackSupportMixin, Reducer):
    r"""Independent component analysis: the sources of which the columns are mixtures, as far from normal as can be.

    Maximises :math:`\lvert E\, G(w^\top z) - E\, G(\nu) \rvert` of whitened rows z, by
    :math:`w \leftarrow E\, z g(w^\top z) - w\, E\, g'(w^\top z)` and making the w orthonormal.

    Book: section 10.3, next to PCA, which only takes correlations away. Cost: one pass for whitening,
    :math:`O(nd^2)`, and :math:`O(nk^2)` a round.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of sources; None is the smaller of rows and columns.
    algorithm : {"parallel", "deflation"}, default="parallel"
        All sources at once, or one after the other.
    whiten : {"unit-variance", "arbitrary-variance"} or False, default="unit-variance"
        Whether sources have variance 1, or their mixture is orthogonal; False takes rows that are white.
    fun : {"logcosh", "exp", "cube"} or callable, default="logcosh"
        The contrast G; a function gives g and the means of its derivative by row.
    fun_args : dict or None, default=None
        Arguments of the contrast; "alpha" from 1 to 2 of "logcosh".
    max_iter : int, default=200
        Most rounds, for each source with "deflation".
    tol : float, default=0.0001
        It stops when no direction turns by more.
    w_init : array of shape (n_components, n_components) or None, default=None
        Where the directions begin; None draws them.
    whiten_solver : {"svd", "eigh"}, default="svd"
        Taken for scikit-learn's sake: both are eigenvectors of the covariance here.
    random_state : int, RandomState or None, default=None
        Draws the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), what gives the sources
    mixing_ : ndarray of shape (n_features, n_components), what gives the columns back
    mean_ : ndarray of shape (n_features,), the mean; zeros with ``whiten=False``
    whitening_ : ndarray of shape (n_components, n_features), what makes rows white; not there with ``whiten=False``
    n_iter_ : int, rounds; the most of any source with "deflation"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The order of sources says nothing; each has its entry of `components_` of largest magnitude above zero. Directions
    without variance are left out, with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.reduce import FastICA
    >>> t = np.linspace(0, 8, 400)
    >>> sources = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t))])
    >>> found = FastICA(2, random_state=0).fit_transform(sources @ [[1.0, 1.0], [0.5, 2.0]])
    >>> bool(np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=1).min() > 0.99)
    True

    References
    ----------
    Hyvärinen and Oja (2000), Independent component analysis: algorithms and applications.
    """

    _state: ClassVar = {
        "components_": Floats("components", "columns"),
        "mixing_": Floats("columns", "components"),
        "mean_": Floats("columns"),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        algorithm: str = "parallel",
        whiten: Any = "unit-variance",
        fun: Any = "logcosh",
        fun_args: dict[str, Any] | None = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        w_init: Any = None,
        whiten_solver: str = "svd",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.whiten = whiten
        self.fun = fun
        self.fun_args = fun_args
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init
        self.whiten_solver = whiten_solver
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_components=Integer(low=1) | Nothing(),
        algorithm=Choice("parallel", "deflation"),
        whiten=Choice("unit-variance", "arbitrary-variance") | Flag(),
        fun=Choice("logcosh", "exp", "cube") | Function(),
        fun_args=Nothing() | Satisfies(lambda value: isinstance(value, dict), "a dict of the contrast's arguments"),
        max_iter=Integer(low=1),
        tol=Real(low=0),
        w_init=Array(ndim=2) | Nothing(),
        whiten_solver=Choice("svd", "eigh"),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the sources.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        contrast = self._contrast()
        X = self._take(X, reset=True)
        if self.whiten is True:
            raise ValueError("whiten=True says no variance; take 'unit-variance', 'arbitrary-variance' or False.")
        rows, lift, mean, root = self._whitened(np.asarray(X, dtype=np.float64))
        k = rows.shape[1]  # none, if no direction has any variance
        start = self._start(k)
        found = _nothing if k == 0 else self._together if self.algorithm == "parallel" else self._one_by_one
        W, self.n_iter_, converged = found(rows, start, contrast)
        if not converged:
            warnings.warn(
                f"FastICA did not converge in {self.max_iter} rounds; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        components = W if lift is None else W @ lift
        if lift is not None and self.whiten == "arbitrary-variance":
            components = components / root
        self.components_ = np.ascontiguousarray(upright(components.T).T, dtype=X.dtype)
        self.mixing_ = np.linalg.pinv(self.components_)
        self.mean_ = mean.astype(X.dtype)
        self.__dict__.pop("whitening_", None)
        if lift is not None:
            self.whitening_ = lift.astype(X.dtype)
        return self

    def _whitened(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None, np.ndarray, float]:
        """White rows, what made them white, the mean, and the root of the number of rows."""
        n, d = X.shape
        root = float(np.sqrt(n))
        if self.whiten is False:
            if self.n_components is not None and self.n_components != d:
                warnings.warn("n_components is not looked at with whiten=False.", stacklevel=4)
            return X, None, np.zeros(d), root
        k = min(n, d) if self.n_components is None else self.n_components
        if k > min(n, d):
            warnings.warn(f"n_components={k} is too large: it is {min(n, d)}.", stacklevel=4)
            k = min(n, d)
        sums = scatter_of(X)
        values, vectors = np.linalg.eigh(sums.scatter / n)
        values, vectors = values[::-1][:k], upright(vectors[:, ::-1][:, :k])
        kept = values > np.finfo(np.float64).eps * d * max(float(values[0]), 0.0) * 10
        if self.n_components is not None and not kept.all():
            warnings.warn(
                f"{int(kept.sum())} of {k} directions have any variance; there are no more components.", stacklevel=4
            )
        lift = (vectors[:, kept] / np.sqrt(values[kept])).T
        return (X - sums.mean) @ lift.T, lift, sums.mean, root

    def _start(self, k: int) -> np.ndarray:
        if self.w_init is None:
            return np.asarray(check_random_state(self.random_state).normal(size=(k, k)))
        given = np.array(self.w_init, dtype=np.float64)
        if given.shape != (k, k):
            raise ValueError(f"w_init must have shape {(k, k)}; got {given.shape}.")
        return given

    def _together(self, Z: np.ndarray, W: np.ndarray, contrast: Contrast) -> tuple[np.ndarray, int, bool]:
        n, last, turn = len(Z), 0, 0.0
        W = _orthonormal(W)
        progress = Progress(self, Z, max_iter=self.max_iter)
        for iteration in progress.iterations():
            last = iteration.number + 1
            g, slope = contrast((Z @ W.T).T)
            new = _orthonormal(g @ Z / n - slope[:, None] * W)
            turn = float(np.abs(np.abs((new * W).sum(axis=1)) - 1).max(initial=0.0))
            W = new
            iteration.done(state=lambda W=W: {"W": W}, attributes=lambda W=W: {"components_": W})  # type: ignore[misc]
            if turn < self.tol or iteration.stop:
                break
        progress.finish({"components_": W})
        return W, last, turn < self.tol

    def _one_by_one(self, Z: np.ndarray, start: np.ndarray, contrast: Contrast) -> tuple[np.ndarray, int, bool]:
        n, k = len(Z), len(start)
        W, most, converged = np.zeros((k, k)), 0, True
        progress = Progress(self, Z, restarts=k, max_iter=self.max_iter)
        for j in range(k):
            w, turn = _beside(start[j], W[:j]), np.inf
            for iteration in progress.iterations():
                most = max(most, iteration.number + 1)
                g, slope = contrast((Z @ w)[None])
                new = _beside(g[0] @ Z / n - slope[0] * w, W[:j])
                turn, w = float(np.abs(np.abs(new @ w) - 1)), new
                W[j] = w
                iteration.done(state=lambda: {"W": W}, attributes=lambda: {"components_": W.copy()})
                if turn < self.tol or iteration.stop:
                    break
            W[j] = w
            converged = converged and turn < self.tol
        progress.finish({"components_": W})
        return W, most, converged

    def _contrast(self) -> Contrast:
        arguments = self.fun_args or {}
        if callable(self.fun):
            function = self.fun

            def own(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                g, slope = function(x, **arguments)
                slope = np.asarray(slope, dtype=np.float64)
                return np.asarray(g, dtype=np.float64), slope if slope.ndim == 1 else slope.mean(axis=-1)

            return own
        if self.fun == "logcosh":
            alpha = arguments.get("alpha", 1.0)
            if not 1 <= alpha <= 2:
                raise ValueError(f"alpha must be in [1,2]; got fun_args={self.fun_args!r}.")
            return lambda x: _logcosh(x, float(alpha))
        return _exp if self.fun == "exp" else _cube

    @blockwise
    def transform(self, X: Any, copy: bool = True) -> np.ndarray:
        """Sources of each row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        copy : bool, default=True
            Taken for scikit-learn's sake; X is never written to.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._take(X, reset=False)
        return np.asarray((X - self.mean_) @ self.components_.T).astype(X.dtype, copy=False)

    @blockwise
    def inverse_transform(self, X: Any, copy: bool = True) -> np.ndarray:
        """Rows that are mixed of these sources.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            The sources.
        copy : bool, default=True
            Taken for scikit-learn's sake; X is never written to.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(coordinates(X, self.mixing_.shape[1]) @ self.mixing_.T + self.mean_)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _nothing(Z: np.ndarray, W: np.ndarray, contrast: Contrast) -> tuple[np.ndarray, int, bool]:
    """Rows that are all alike have no sources."""
    return W, 1, True


def _logcosh(x: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    g = np.tanh(x if alpha == 1 else alpha * x)
    return g, alpha * (1 - np.einsum("ij,ij->i", g, g) / x.shape[1])


def _exp(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    square = x**2
    e = np.exp(-square / 2)
    return x * e, ((1 - square) * e).mean(axis=-1)


def _cube(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x**3, (3 * x**2).mean(axis=-1)


def _orthonormal(W: np.ndarray) -> np.ndarray:
    """The orthonormal rows nearest to those of W."""
    U, _, V = np.linalg.svd(W, full_matrices=False)
    return np.asarray(U @ V)


def _beside(w: np.ndarray, W: np.ndarray) -> np.ndarray:
    """w at right angles to the rows of W, of length 1."""
    w = w - W.T @ (W @ w)
    w = w - W.T @ (W @ w)
    size = float(np.linalg.norm(w))
    return np.asarray(w / size) if size > 0 else w
