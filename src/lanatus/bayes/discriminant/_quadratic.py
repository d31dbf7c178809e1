"""Quadratic and regularised discriminant analysis."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.base import clone

from lanatus.base import Floats, check_is_fitted, class_codes, fitting
from lanatus.bayes._posterior import BayesClassifier, logarithm
from lanatus.bayes._rules import RULES
from lanatus.bayes.discriminant._class_covariances import ClassCovariances, tally_covariances
from lanatus.catalog import Contender, method
from lanatus.linear import ledoit_wolf_covariances, shrunk_covariance
from lanatus.params import Choice, Flag, Nothing, Real, Satisfies, rules_for
from lanatus.scale import Engine, InMemory, blockwise, open_engine
from lanatus.spaces import Span


@method(
    "bayes.gaussian-discriminant",
    section="7.2",
    task="classification",
    en="Quadratic and regularised discriminant analysis",
    zh="生成式高斯分类器",
    streams=True,
    peers=["scikit-learn:QuadraticDiscriminantAnalysis"],
    contender=Contender(
        simplicity=3,
        starts=({"reg_param": 0.1}, {"reg_param": 0.5}),
        space={"reg_param": Span(0.001, 0.9)},
        most_columns=300,
    ),
)
class QuadraticDiscriminantAnalysis(BayesClassifier):
    r"""Bayes' rule for classes that are normal, each with a covariance of its own or all with one.

    Picks the class with the largest :math:`\log P(c) - \frac12 \log|\Sigma_c| - \frac12 (x - \mu_c)^\top \Sigma_c^{-1}
    (x - \mu_c)`, with the means and covariances of maximum likelihood (7.12, 7.13). One covariance for all classes
    makes the borders linear; Friedman's two shares, `pooling` and `isotropy`, lead from one to the other.

    Book: section 7.2, exercise 7.5. Kernel: ``cpp/linear/scatter.hpp``.
    Cost: one pass of :math:`O(nd^2)`, then :math:`O(kd^3)`; memory :math:`O(kd^2)`.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        As in scikit-learn; both lead to the same answers here, but only "eigen" takes `shrinkage` and
        `covariance_estimator`.
    shrinkage : float, "auto" or None, default=None
        Share of a multiple of the identity in each covariance: from 0 to 1, or after Ledoit and Wolf.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None takes them from the data.
    reg_param : float, default=0.0
        Share of the identity itself in each covariance; depends on the units of X.
    store_covariance : bool, default=False
        Whether to keep the covariances.
    tol : float, default=1e-9
        A direction in which a class varies by at most this share of all variance within classes is given that much,
        so that singular covariances have an inverse.
    covariance_estimator : estimator or None, default=None
        With a ``covariance_`` after ``fit``; used class by class instead of `shrinkage`, in memory only.
    shared_covariance : bool, default=False
        Whether all classes have the same covariance, that within classes; the same as ``pooling=1``.
    pooling : float, default=0.0
        Friedman's :math:`\lambda`: :math:`\Sigma_c(\lambda) = \frac{(1-\lambda) S_c + \lambda S}{(1-\lambda) n_c +
        \lambda n}` of the scatter of the class and that within all classes.
    isotropy : float, default=0.0
        Friedman's :math:`\gamma`: share of the mean variance times the identity in :math:`\Sigma_c(\lambda)`.
        It takes the columns as alike: scale them first.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    priors_ : ndarray of shape (n_classes,), their probabilities
    means_ : ndarray of shape (n_classes, n_features)
    covariance_ : list of ndarrays of shape (n_features, n_features); see `store_covariance`
    rotations_ : list of ndarrays of shape (n_features, n_features), principal axes of each class
    scalings_ : list of ndarrays of shape (n_features,), variances along them
    ranks_ : ndarray of shape (n_classes,), number of directions in which each class varies
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    scikit-learn refuses a singular covariance; here it is filled up, see `tol`: a row that lies off the plane of a
    class is then very unlikely to be of it. What is constant in all classes, such as the sum of the indicators of a
    nominal column, changes nothing. Where ``ranks_`` shows that classes have too few rows, set `pooling`, `isotropy`,
    `shrinkage` or `reg_param`.

    Examples
    --------
    >>> from lanatus.bayes import QuadraticDiscriminantAnalysis
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> model = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    >>> model.covariance_[1].round(5).tolist()  # of 是
    [[0.01461, 0.00898], [0.00898, 0.00891]]

    References
    ----------
    Friedman (1989), Regularized discriminant analysis.
    """

    _state: ClassVar = {"means_": Floats("classes", "columns"), "priors_": Floats("classes", low=0)}

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-9,
        covariance_estimator: Any = None,
        shared_covariance: bool = False,
        pooling: float = 0.0,
        isotropy: float = 0.0,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.shared_covariance = shared_covariance
        self.pooling = pooling
        self.isotropy = isotropy

    _params = rules_for(
        __init__,
        RULES,
        solver=Choice("svd", "eigen"),
        shrinkage=Choice("auto") | Real(0, 1) | Nothing(),
        reg_param=Real(0, 1),
        store_covariance=Flag(),
        covariance_estimator=Satisfies(lambda v: hasattr(v, "fit"), "an estimator of covariances") | Nothing(),
        shared_covariance=Flag(),
        pooling=Real(0, 1),
        isotropy=Real(0, 1),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        self._check_shrinkage()
        engine = open_engine(self, X, y, sample_weight)
        stats = engine.reduce(tally_covariances)
        self._check_classes(stats)
        self.classes_, self.means_ = stats.classes, stats.mean
        self.priors_ = self._checked_priors(stats.mass)
        covariances = self._covariances(engine, stats)
        if self.store_covariance:
            self.covariance_ = covariances
        total = float(np.trace(stats.scatter.sum(axis=0)) / stats.mass.sum())
        self._set_axes(covariances, max(self.tol * total, np.finfo(np.float64).tiny ** 0.5))
        return self

    def _covariances(self, engine: Engine, stats: ClassCovariances) -> list[np.ndarray]:
        """One for each class, regularised as asked."""
        if self.covariance_estimator is not None:
            covariances = _by_estimator(self.covariance_estimator, engine, stats.classes)
        elif isinstance(self.shrinkage, str):
            covariances = list(ledoit_wolf_covariances(engine, stats.classes, np.arange(len(stats.classes))))
        else:
            pooling = 1.0 if self.shared_covariance else self.pooling
            scatter = (1 - pooling) * stats.scatter + pooling * stats.scatter.sum(axis=0)
            mass = (1 - pooling) * stats.mass + pooling * stats.mass.sum()
            share = max(self.isotropy, self.shrinkage or 0.0)
            covariances = [shrunk_covariance(part / n, share) for part, n in zip(scatter, mass, strict=True)]
        unit = np.eye(len(covariances[0]))
        return [(1 - self.reg_param) * covariance + self.reg_param * unit for covariance in covariances]

    def _set_axes(self, covariances: list[np.ndarray], least: float) -> None:
        solved = [eigh(covariance) for covariance in covariances]
        self.ranks_ = np.array([np.count_nonzero(values > least) for values, _ in solved])
        self.scalings_ = [np.maximum(values[::-1], least) for values, _ in solved]
        self.rotations_ = [np.ascontiguousarray(axes[:, ::-1]) for _, axes in solved]

    def _check_shrinkage(self) -> None:
        if self.solver == "svd" and (self.shrinkage is not None or self.covariance_estimator is not None):
            raise ValueError("shrinkage and covariance_estimator are not supported with solver='svd'; take 'eigen'.")
        ways = [self.shrinkage is not None, self.covariance_estimator is not None, self.isotropy > 0]
        if sum(ways) > 1:
            raise ValueError(
                "shrinkage, covariance_estimator and isotropy are ways to the same; give only one of them."
            )
        if (self.pooling > 0 or self.shared_covariance) and (self.shrinkage == "auto" or ways[1]):
            raise ValueError("pooling and shared_covariance go with neither shrinkage='auto' nor covariance_estimator.")

    def _check_classes(self, stats: ClassCovariances) -> None:
        filled = int(np.count_nonzero(stats.mass > 0))
        if filled < 2:
            raise ValueError(f"The number of classes has to be greater than one. Got {filled} class.")
        if filled < len(stats.classes):
            raise ValueError(f"classes {stats.classes[stats.mass == 0].tolist()} have no row with a positive weight.")
        if not np.isfinite(stats.scatter).all():
            raise ValueError("the scatter overflows: X has values too large to square; scale it first.")

    def _checked_priors(self, mass: np.ndarray) -> np.ndarray:
        if self.priors is None:
            return mass / mass.sum()
        priors = np.array(self.priors, dtype=np.float64)  # a copy: the caller's may change
        if priors.shape != mass.shape:
            raise ValueError(f"priors must have one entry a class: got {priors.size}, wanted {len(mass)}.")
        if not ((priors >= 0).all() and 0 < priors.sum() < np.inf):
            raise ValueError(f"priors must be non-negative, and not all 0; got {priors.tolist()}.")
        return priors

    def _log_priors(self) -> np.ndarray:
        return logarithm(self.priors_)

    def _scores(self, X: Any) -> np.ndarray:
        """Joint log probabilities, but for the constant of the normal densities."""
        X = self._take(X, reset=False).astype(np.float64, copy=False)
        out = np.empty((len(X), len(self.classes_)))
        for c, (axes, values) in enumerate(zip(self.rotations_, self.scalings_, strict=True)):
            scaled = (X - self.means_[c]) @ (axes / np.sqrt(values))
            out[:, c] = -0.5 * (np.einsum("ij,ij->i", scaled, scaled) + np.log(values).sum())
        return out + self._log_priors()

    def _joint(self, X: Any) -> np.ndarray:
        return self._scores(X) - 0.5 * np.log(2 * np.pi) * self.means_.shape[1]

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Joint log probability of each class up to a constant; of two classes the second's less the first's."""
        check_is_fitted(self)
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores


def _by_estimator(estimator: Any, engine: Engine, classes: np.ndarray) -> list[np.ndarray]:
    if not isinstance(engine, InMemory):
        raise ValueError("covariance_estimator needs the data in memory; take shrinkage instead.")
    if engine.block.weight is not None:
        raise ValueError("covariance_estimator takes no sample_weight; take shrinkage instead.")
    codes = class_codes(engine.block.y, engine.block.X, classes)[1]
    return [np.asarray(clone(estimator).fit(engine.block.X[codes == c]).covariance_) for c in range(len(classes))]
