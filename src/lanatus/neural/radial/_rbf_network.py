"""Networks of radial basis functions: centres, widths, and weights of a linear output."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus._typing import override
from lanatus.base import (
    Estimator,
    Floats,
    as_targets,
    check_is_fitted,
    check_positive_weight,
    coded_rows,
    fitting,
    warn_unconverged,
)
from lanatus.catalog import method
from lanatus.cluster import KMeans
from lanatus.metric import squared_euclidean
from lanatus.params import COMMON, Array, Choice, Flag, Integer, Nothing, ParameterRule, Real, rules_for
from lanatus.scale import blockwise

_OWN: dict[str, ParameterRule] = {
    **COMMON,
    "n_centers": Integer(low=1),
    "centers": Choice("kmeans", "random") | Array(ndim=2),
    "beta": Choice("auto") | Real(above=0) | Array(ndim=1),
    "training": Choice("two-phase", "three-phase"),
    "alpha": Real(low=0),
    "scaling": Choice("standard") | Nothing(),
    "fit_intercept": Flag(),
}


class _RadialBasis(Estimator):
    """Centres, widths and weights; the classes below say what the outputs are."""

    _state: ClassVar = {
        "centers_": Floats("centres", "columns"),
        "beta_": Floats("centres", low=0),
        "coef_": Floats("centres", "outputs"),
        "intercept_": Floats("outputs"),
        "shift_": Floats("columns"),
        "scale_": Floats("columns"),
    }

    centers_: np.ndarray
    beta_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    shift_: np.ndarray
    scale_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        n_centers: int = 20,
        *,
        centers: Any = "kmeans",
        beta: Any = "auto",
        training: str = "two-phase",
        alpha: float = 1e-3,
        fit_intercept: bool = True,
        scaling: str | None = "standard",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.beta = beta
        self.training = training
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.scaling = scaling
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, _OWN)

    def _learn(self, X: np.ndarray, target: np.ndarray, weight: np.ndarray | None) -> None:
        check_positive_weight(weight)
        heavy = np.ones(len(X)) if weight is None else weight
        Z = self._scaled(X, heavy)
        rng = check_random_state(self.random_state)
        centers = self._centres(Z, weight, rng)
        beta = self._widths(centers)
        coef = self._output_weights(Z, target, heavy, centers, beta)
        self.n_iter_ = 1
        if self.training == "three-phase":
            with threadpool_limits(1, user_api="blas"):  # matrices too small to share, and sums in one order
                centers, beta, coef = self._together(Z, target, heavy, centers, beta, coef)
        dtype = X.dtype if X.dtype == np.float32 else np.float64
        self.centers_, self.beta_ = centers.astype(dtype), beta.astype(dtype)
        self.coef_, self.intercept_ = coef[:-1].astype(dtype), coef[-1].astype(dtype)

    def _scaled(self, X: np.ndarray, heavy: np.ndarray) -> np.ndarray:
        self.shift_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if self.scaling is not None:
            self.shift_ = np.average(X, axis=0, weights=heavy).astype(np.float64)
            spread = np.sqrt(np.average((X - self.shift_) ** 2, axis=0, weights=heavy))
            self.scale_ = 1 / np.where(spread > 1e-12 * np.maximum(np.abs(self.shift_), 1e-280), spread, 1.0)
        return (X - self.shift_) * self.scale_

    def _centres(self, Z: np.ndarray, weight: np.ndarray | None, rng: np.random.RandomState) -> np.ndarray:
        """Phase one: rows drawn, the means of k-means, or those given (in the units of X)."""
        if not isinstance(self.centers, str):
            given = np.array(self.centers, dtype=np.float64)
            if given.shape[1] != Z.shape[1] or not len(given) or not np.isfinite(given).all():
                raise ValueError(f"centers must have {Z.shape[1]} columns of finite numbers; got shape {given.shape}.")
            return (given - self.shift_) * self.scale_
        seen = np.unique(Z if weight is None else Z[weight > 0], axis=0)
        q = min(self.n_centers, len(seen))
        if q == len(seen):
            return seen
        if self.centers == "random":
            return seen[np.sort(rng.choice(len(seen), q, replace=False))]
        seed = int(rng.randint(2**31 - 1))
        means = KMeans(q, n_init=1, random_state=seed).fit(Z, sample_weight=weight).cluster_centers_
        return np.asarray(means, dtype=np.float64)

    def _widths(self, centers: np.ndarray) -> np.ndarray:
        """1 / (2 s^2), s the mean distance to the two nearest centres, or that of all where larger; or those given."""
        if not isinstance(self.beta, str):
            given = np.asarray(self.beta, dtype=np.float64)
            if given.ndim == 1 and given.shape != (len(centers),):
                raise ValueError(f"beta must have one number a centre, {len(centers)}; got {len(given)}.")
            if not (np.isfinite(given).all() and (given > 0).all()):
                raise ValueError("beta must be above 0 and finite.")
            return np.broadcast_to(given, len(centers)).copy()
        if len(centers) == 1:
            return np.full(1, 0.5 / max(centers.shape[1], 1))
        near = np.sort(squared_euclidean(centers, centers), axis=1)[:, 1:3]
        spread = np.sqrt(near).mean(axis=1)
        spread = np.maximum(spread, spread.mean())  # two that stand close must not leave gaps around them
        return 0.5 / np.where(spread > 0, spread, 1.0) ** 2

    def _output_weights(
        self, Z: np.ndarray, target: np.ndarray, heavy: np.ndarray, centers: np.ndarray, beta: np.ndarray
    ) -> np.ndarray:
        """Phase two: least squares with a small penalty on all but the constant, whose row is the last."""
        hidden = _with_ones(_radial(Z, centers, beta))
        mean = heavy @ hidden / heavy.sum() if self.fit_intercept else np.zeros(hidden.shape[1])
        middle = heavy @ target / heavy.sum() if self.fit_intercept else np.zeros(target.shape[1])
        inner = (hidden - mean)[:, :-1]
        with threadpool_limits(1, user_api="blas"):  # the sums over rows in one order, whatever the number of threads
            normal = (inner.T * heavy) @ inner
            right = (inner.T * heavy) @ (target - middle)
        normal[np.diag_indices_from(normal)] += self.alpha
        solved = linalg.lstsq(normal, right)[0]
        return np.vstack([solved, middle - mean[:-1] @ solved])

    def _together(
        self,
        Z: np.ndarray,
        target: np.ndarray,
        heavy: np.ndarray,
        centers: np.ndarray,
        beta: np.ndarray,
        coef: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Phase three: centres, widths and weights go down the squared error together, by back-propagation."""
        from scipy.optimize import minimize

        (q, d), k = centers.shape, target.shape[1]
        cuts = np.cumsum([q * d, q])

        def parts(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            one, two, three = np.split(theta, cuts)
            return one.reshape(q, d), np.exp(two), three.reshape(q + 1, k)

        def error(theta: np.ndarray) -> tuple[float, np.ndarray]:
            c, b, w = parts(theta)
            squares = squared_euclidean(Z, c)
            phi = np.exp(-b * squares)
            apart = phi @ w[:-1] + w[-1] - target
            slope = heavy[:, None] * apart
            value = 0.5 * float(np.sum(slope * apart)) + 0.5 * self.alpha * float(np.sum(w[:-1] ** 2))
            back = (slope @ w[:-1].T) * phi
            of_centres = 2 * b[:, None] * (back.T @ Z - back.sum(axis=0)[:, None] * c)
            of_widths = -(back * squares).sum(axis=0) * b
            of_weights = np.vstack([phi.T @ slope + self.alpha * w[:-1], slope.sum(axis=0)])
            if not self.fit_intercept:
                of_weights[-1] = 0
            return value, np.concatenate([of_centres.ravel(), of_widths, of_weights.ravel()])

        start = np.concatenate([centers.ravel(), np.log(beta), coef.ravel()])
        options = {"maxiter": self.max_iter, "ftol": 0.1 * self.tol, "gtol": self.tol}
        found = minimize(error, start, jac=True, method="L-BFGS-B", options=options)
        self.n_iter_ = int(found.nit)
        if found.status == 1:
            warn_unconverged(self)
        return parts(found.x)

    def hidden(self, X: Any) -> np.ndarray:
        """What each centre says of each row: exp(-beta |x - c|^2).

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        Z = (self._take(X, reset=False) - self.shift_) * self.scale_
        return _radial(Z, self.centers_.astype(np.float64), self.beta_.astype(np.float64))

    def _said(self, X: Any) -> np.ndarray:
        return np.asarray(self.hidden(X) @ self.coef_ + self.intercept_)


def _radial(Z: np.ndarray, centers: np.ndarray, beta: np.ndarray) -> np.ndarray:
    return np.exp(-beta * squared_euclidean(np.asarray(Z, dtype=np.float64), centers))


def _with_ones(hidden: np.ndarray) -> np.ndarray:
    return np.hstack([hidden, np.ones((len(hidden), 1))])


@method(
    "neural.rbf-network",
    "neural.rbf-three-phase",
    section="5.5.1",
    task="regression",
    en="RBF network",
    zh="RBF网络",
)
class RBFNetwork(RegressorMixin, _RadialBasis):
    r"""Network of radial basis functions for numbers: a weighted sum of bells around centres.

    :math:`\varphi(x) = \sum_i w_i e^{-\beta_i \lVert x - c_i \rVert^2}` (5.18), (5.19). Centres are rows drawn or the
    means of k-means; the weights are the least squares; "three-phase" then moves centres, widths and weights together
    by back-propagation.

    Book: sections 5.5.1 and 5.7, exercise 5.7. Cost: O(n q d) a pass, O(n q^2) for the weights; memory O(n q).

    Parameters
    ----------
    n_centers : int, default=20
        Centres, *q*; no more than there are different rows.
    centers : {"kmeans", "random"} or array of shape (n_centers, n_features), default="kmeans"
        Where they come from.
    beta : "auto", float or array of shape (n_centers,), default="auto"
        Narrowness of the bells, in units after scaling; "auto" is 1 / (2 s^2), s being the mean distance to the two
        nearest centres, or the average of these distances where that is larger.
    training : {"two-phase", "three-phase"}, default="two-phase"
        Whether there is a third phase.
    alpha : float, default=1e-3
        Strength of the squared weights beside the sum of squares; 0 interpolates where it can.
    fit_intercept : bool, default=True
        Whether there is a constant; (5.18) has none.
    scaling : {"standard"} or None, default="standard"
        Whether columns are centred and divided by their spread.
    max_iter : int, default=2000
        Most iterations of the third phase.
    tol : float, default=1e-5
        It stops at slopes as small as this, or when the error falls by less than a tenth of it, as a share.
    random_state : int, RandomState or None, default=None
        Draws centres, and where k-means starts.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_columns), after scaling
    beta_ : ndarray of shape (n_centers,), narrowness of the bells
    coef_ : ndarray of shape (n_centers, n_outputs), the weights
    intercept_ : ndarray of shape (n_outputs,), the constants
    shift_, scale_ : ndarray of shape (n_columns,)
        Columns are (x - shift) * scale.
    n_iter_ : int, iterations of the third phase
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import RBFNetwork
    >>> X, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 1.0, 1.0, 0.0]
    >>> net = RBFNetwork(centers=[[0, 1], [1, 0]], beta=1.0, alpha=0.0, scaling=None).fit(X, xor)
    >>> net.coef_.ravel().round(4).tolist(), net.intercept_.round(4).tolist()
    ([2.5027, 2.5027], [-1.8413])

    References
    ----------
    Broomhead and Lowe (1988), Multivariable functional interpolation and adaptive networks. Schwenker, Kestler and Palm
    (2001), Three learning phases for radial-basis-function networks.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        rows = self._take(X, reset=True)
        values = as_targets(y, rows)
        self._one_column = values.ndim == 1
        columns = values.reshape(len(values), -1).astype(np.float64)
        self._learn(rows, columns, self._weights(sample_weight, rows))
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X, or numbers."""
        said = self._said(X)
        return said[:, 0] if self._one_column else said


@method(
    section="5.5.1",
    task="classification",
    en="RBF network for classes",
    zh="RBF网络(分类)",
)
class RBFNetworkClassifier(ClassifierMixin, _RadialBasis):
    r"""Network of radial basis functions for classes: one output a class, learned as an indicator.

    :math:`\varphi_k(x) = \sum_i w_{ik} e^{-\beta_i \lVert x - c_i \rVert^2}` (5.18), (5.19); the largest wins. As in
    :class:`RBFNetwork`.

    Book: sections 5.5.1 and 5.7, exercise 5.7. Cost: O(n q d) a pass, O(n q^2) for the weights; memory O(n q).

    Parameters
    ----------
    n_centers : int, default=20
        Centres, *q*; no more than there are different rows.
    centers : {"kmeans", "random"} or array of shape (n_centers, n_features), default="kmeans"
        Where they come from.
    beta : "auto", float or array of shape (n_centers,), default="auto"
        Narrowness of the bells, in units after scaling; "auto" is 1 / (2 s^2), s being the mean distance to the two
        nearest centres, or the average of these distances where that is larger.
    training : {"two-phase", "three-phase"}, default="two-phase"
        Whether there is a third phase.
    alpha : float, default=1e-3
        Strength of the squared weights beside the sum of squares.
    fit_intercept : bool, default=True
        Whether there is a constant.
    scaling : {"standard"} or None, default="standard"
        Whether columns are centred and divided by their spread.
    max_iter : int, default=2000
        Most iterations of the third phase.
    tol : float, default=1e-5
        It stops at slopes as small as this, or when the error falls by less than a tenth of it, as a share.
    random_state : int, RandomState or None, default=None
        Draws centres, and where k-means starts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    centers_ : ndarray of shape (n_centers, n_columns), after scaling
    beta_ : ndarray of shape (n_centers,), narrowness of the bells
    coef_ : ndarray of shape (n_centers, n_classes), the weights
    intercept_ : ndarray of shape (n_classes,), the constants
    shift_, scale_ : ndarray of shape (n_columns,)
        Columns are (x - shift) * scale.
    n_iter_ : int, iterations of the third phase
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import RBFNetworkClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> RBFNetworkClassifier(4).fit(X, y).predict(X).tolist()
    ['no', 'yes', 'yes', 'no']

    References
    ----------
    Broomhead and Lowe (1988), Multivariable functional interpolation and adaptive networks.
    """

    classes_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes = coded_rows(self, X, y, least=2)
        target = (codes[:, None] == np.arange(len(self.classes_))).astype(np.float64)
        self._learn(rows, target, self._weights(sample_weight, rows))
        return self

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Outputs cut at 0 and scaled to add up to 1, in the order of ``classes_``."""
        shares = np.maximum(self._said(X), 0.0)
        total = shares.sum(axis=1, keepdims=True)
        return np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / shares.shape[1])

    @override
    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._said(X).argmax(axis=1)])
