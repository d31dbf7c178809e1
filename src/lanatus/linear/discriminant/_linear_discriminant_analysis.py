"""Linear discriminant analysis."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import lstsq, svd
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from lanatus.base import Floats, Takes, check_is_fitted, class_codes, fitting
from lanatus.catalog import Contender, method
from lanatus.linear._linear_classifier import LinearClassifier
from lanatus.linear._rules import RULES
from lanatus.linear.discriminant._covariance import pooled_covariance
from lanatus.linear.discriminant._scatter import ClassScatter, tally_scatter
from lanatus.linear.discriminant._whitening import whiten, whiten_rows
from lanatus.params import Array, Choice, Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import Block, Engine, InMemory, blockwise, open_engine

_OWN = {
    "solver": Choice("svd", "lsqr", "eigen"),
    "shrinkage": Choice("auto") | Real(0, 1) | Nothing(),
    "priors": Array(ndim=1) | Nothing(),
    "n_components": Integer(low=1) | Nothing(),
    "store_covariance": Flag(),
    "covariance_estimator": Satisfies(lambda v: hasattr(v, "fit"), "an estimator of covariances") | Nothing(),
    "scatter": Choice("sb/sw", "sb/st", "st/sw"),
}


@method(
    "linear.lda-binary",
    "linear.lda-multiclass",
    section="3.4",
    task="classification",
    en="Linear discriminant analysis",
    zh="线性判别分析",
    streams=True,
    peers=["scikit-learn:LinearDiscriminantAnalysis"],
    contender=Contender(simplicity=2, most_columns=1000),
)
class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, LinearClassifier):
    r"""Linear discriminant analysis: directions along which classes lie far apart and rows of a class close together.

    The directions W maximise :math:`\operatorname{tr}(W^\top S_b W) / \operatorname{tr}(W^\top S_w W)` (3.44), that is
    :math:`S_b W = \lambda S_w W` (3.45), for two classes :math:`w = S_w^{-1}(\mu_0 - \mu_1)` (3.39). As a classifier it
    is Bayes' rule for normal classes of one covariance; as a transformer it reduces to at most one dimension less
    than there are classes.

    Book: section 3.4. Kernel: ``cpp/linear/scatter.hpp``.
    Cost: one pass of :math:`O(nd^2)`, then :math:`O(d^3)`; memory :math:`O(d^2)`. With more columns than rows,
    ``"svd"`` takes :math:`O(n^2 d)` and no d by d matrix.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" leaves out directions without scatter within classes; "lsqr" solves for the classifier alone, by least
        squares; "eigen" solves (3.45). The last two take `shrinkage`.
    shrinkage : float, "auto" or None, default=None
        Share of a multiple of the identity in the covariance: from 0 to 1, or after Ledoit and Wolf.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None takes them from the data.
    n_components : int or None, default=None
        Dimensions to keep in ``transform``; None keeps all, at most classes less one.
    store_covariance : bool, default=False
        Whether "svd" keeps the covariance within classes; the others do anyway.
    tol : float, default=1e-4
        For "svd": a direction whose spread within classes is at most this is left out.
    covariance_estimator : estimator or None, default=None
        With a ``covariance_`` after ``fit``; used class by class instead of `shrinkage`, in memory only.
    scatter : {"sb/sw", "sb/st", "st/sw"}, default="sb/sw"
        The pair of scatters that ``transform`` compares. The directions are the same; their lengths and the shares
        in ``explained_variance_ratio_`` differ.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    priors_ : ndarray of shape (n_classes,), their probabilities
    means_ : ndarray of shape (n_classes, n_features)
    xbar_ : ndarray of shape (n_features,), mean of the class means, by their probabilities
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), the weights w
    intercept_ : ndarray of shape (1,) or (n_classes,), the constants
    covariance_ : ndarray of shape (n_features, n_features), within classes; see `store_covariance`
    scalings_ : ndarray of shape (n_features, n_directions), the directions W; not with "lsqr"
    explained_variance_ratio_ : ndarray of shape (n_components,), share of each; not with "lsqr"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Constant and collinear columns are left out ("svd", "eigen") or get the least weights that fit ("lsqr").
    Sources and Dask collections take one pass, more with `priors` or ``shrinkage="auto"``.

    Examples
    --------
    >>> from lanatus.linear import LinearDiscriminantAnalysis
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> int((model.predict(X) != y).sum())
    5

    References
    ----------
    Fisher (1936), The use of multiple measurements in taxonomic problems. Ledoit and Wolf (2004), Honey, I shrunk the
    sample covariance matrix.
    """

    _state: ClassVar = {
        "means_": Floats("classes", "columns"),
        "priors_": Floats("classes", low=0),
        "xbar_": Floats("columns"),
        "coef_": Floats("planes", "columns"),
        "intercept_": Floats("planes"),
        "scalings_": Floats("columns", "axes"),
    }

    _takes = Takes()

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        scatter: str = "sb/sw",
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.scatter = scatter

    _params = rules_for(__init__, RULES, **_OWN)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        self._check_shrinkage()
        engine = open_engine(self, X, y, sample_weight)
        wide = isinstance(engine, InMemory) and engine.n_columns > engine.n_rows and self.solver == "svd"
        stats = engine.reduce(_means_alone if wide else tally_scatter)
        self._check_classes(engine, stats)
        self.classes_, self.means_ = stats.classes, stats.mean
        self.priors_ = self._checked_priors(stats)
        self.xbar_ = self.priors_ @ self.means_
        if self.solver == "svd":
            self._solve_svd(engine, stats, wide)
        elif self.solver == "lsqr":
            self.covariance_ = pooled_covariance(self, engine, stats, self.priors_)
            self._set_coefficients(lstsq(self.covariance_, self.means_.T)[0].T)
        else:
            self._solve_eigen(engine, stats)
        self._keep_dtype(engine.dtype)
        return self

    def _solve_svd(self, engine: Engine, stats: ClassScatter, wide: bool) -> None:
        if self.store_covariance:
            if wide:
                stats = engine.reduce(tally_scatter)
            self.covariance_ = pooled_covariance(self, engine, stats, self.priors_)
        if wide and isinstance(engine, InMemory):
            codes = class_codes(engine.block.y, engine.block.X, stats.classes)[1]
            whitening = whiten_rows(engine.block.X - stats.mean[codes], engine.block.weight, self.tol)
        else:
            whitening = whiten(stats.within / stats.mass.sum(), self.tol)
        gaps = (self.means_ - self.xbar_) @ whitening
        _, sizes, axes = svd(np.sqrt(self.priors_)[:, None] * gaps, full_matrices=False)
        kept = sizes > self.tol * sizes.max(initial=0.0)
        directions = whitening @ axes[kept].T
        scores = (self.means_ - self.xbar_) @ directions
        self._set_coefficients(scores @ directions.T, -0.5 * (scores**2).sum(axis=1), shift=self.xbar_)
        self._set_directions(directions, sizes**2)

    def _solve_eigen(self, engine: Engine, stats: ClassScatter) -> None:
        self.covariance_ = pooled_covariance(self, engine, stats, self.priors_)
        total = pooled_covariance(self, engine, stats, None)
        # Directions without scatter within classes beyond rounding are left out.
        whitening = whiten(self.covariance_, np.sqrt(1e-13 * len(total)))
        values, axes = np.linalg.eigh(whitening.T @ (total - self.covariance_) @ whitening)
        directions = whitening @ axes[:, ::-1]
        self._set_coefficients(self.means_ @ directions @ directions.T)
        self._set_directions(directions, values[::-1])

    def _set_coefficients(
        self, coef: np.ndarray, constant: np.ndarray | None = None, shift: np.ndarray | None = None
    ) -> None:
        """Scores coef'x - mean'coef/2 + log prior of each class; for two classes, their difference."""
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors_)
        if constant is None:
            constant = -0.5 * (self.means_ * coef).sum(axis=1)
        intercept = constant + log_priors - (0.0 if shift is None else coef @ shift)
        if len(self.classes_) == 2:
            coef, intercept = np.diff(coef, axis=0), np.diff(intercept)
        self.coef_, self.intercept_ = coef, intercept

    def _set_directions(self, directions: np.ndarray, values: np.ndarray) -> None:
        """Keep directions for ``transform``; `values` are the ratios between / within along them."""
        kept = self._max_components
        if self.scatter == "sb/st":
            directions = directions / np.sqrt(1 + values[: directions.shape[1]])
        shown = {"sb/sw": values, "sb/st": values / (1 + values), "st/sw": 1 + values}[self.scatter]
        total = shown.sum()
        self.explained_variance_ratio_ = (shown / total if total > 0 else shown)[:kept]
        self.scalings_ = directions
        self._n_features_out = min(kept, directions.shape[1])

    def _check_shrinkage(self) -> None:
        if self.solver == "svd" and (self.shrinkage is not None or self.covariance_estimator is not None):
            raise ValueError("solver='svd' has no shrinkage and no covariance_estimator; take 'lsqr' or 'eigen'.")
        if self.shrinkage is not None and self.covariance_estimator is not None:
            raise ValueError("covariance_estimator and shrinkage are two ways to the same; give only one of them.")

    def _check_classes(self, engine: Engine, stats: ClassScatter) -> None:
        filled = int(np.count_nonzero(stats.mass > 0))
        if filled < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {filled} class with any weight.")
        if filled < len(stats.classes):
            raise ValueError(f"classes {stats.classes[stats.mass == 0].tolist()} have no row with a positive weight.")
        rows = engine.n_rows
        if isinstance(engine, InMemory) and engine.block.weight is not None:
            rows = int(np.count_nonzero(engine.block.weight))
        if not rows > len(stats.classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        if not np.isfinite(stats.within).all():
            raise ValueError("the scatter overflows: X has values too large to square; scale it first.")
        most = min(len(stats.classes) - 1, engine.n_columns)
        if self.n_components is not None and self.n_components > most:
            raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
        self._max_components = most if self.n_components is None else self.n_components

    def _checked_priors(self, stats: ClassScatter) -> np.ndarray:
        if self.priors is None:
            return stats.mass / stats.mass.sum()
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != stats.mass.shape:
            raise ValueError(f"priors must have one entry a class: got {priors.size}, wanted {len(stats.mass)}.")
        if (priors < 0).any():
            raise ValueError("priors must be non-negative")
        if not 0 < priors.sum() < np.inf:
            raise ValueError(f"priors must have a sum above zero; got {self.priors!r}.")
        if not np.isclose(priors.sum(), 1.0):
            warnings.warn(f"priors have the sum {priors.sum():.6g}, and are divided by it.", stacklevel=4)
        return priors / priors.sum()

    def _keep_dtype(self, dtype: Any) -> None:
        for name in ("coef_", "intercept_", "scalings_", "means_", "xbar_", "covariance_", "priors_"):
            if name in vars(self):
                setattr(self, name, np.ascontiguousarray(vars(self)[name], dtype=dtype))

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the rows along the directions that separate the classes best.

        Parameters
        ----------
        X : array, frame, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        X = self._take(X, reset=False)
        moved = X - self.xbar_ if self.solver == "svd" else X
        return np.asarray((moved @ self.scalings_)[:, : self._n_features_out])


def _means_alone(block: Block) -> ClassScatter:
    """Weights and means of the classes, without the scatter: for more columns than rows."""
    classes, codes = class_codes(block.y, block.X)
    weight = np.ones(len(block)) if block.weight is None else block.weight
    mass = np.bincount(codes, weight, len(classes))
    chosen = (codes == np.arange(len(classes))[:, None]) * weight
    mean = chosen @ block.X.astype(np.float64) / np.maximum(mass, np.finfo(float).tiny)[:, None]
    return ClassScatter(classes, mass, mean, np.zeros((1, 1)))
