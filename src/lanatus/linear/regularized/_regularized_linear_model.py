"""Regularised risk with any loss and penalty."""

from typing import Any, Self

import numpy as np
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted, check_positive_weight, class_codes, fitting
from lanatus.callbacks import CallbackSupportMixin
from lanatus.catalog import method
from lanatus.linear._linear_model import LinearModel
from lanatus.linear._rules import RULES, STRENGTH
from lanatus.linear._targets import single_target
from lanatus.linear.regularized._fit import Reporter, keep_solution
from lanatus.optimize.losses import Huber, Logistic, Loss, Poisson, Squared, SquaredHinge
from lanatus.optimize.penalties import L0, L1, L1L2, L2, Lp, NoPenalty, Penalty
from lanatus.optimize.solvers import Risk, Solution, solver_for
from lanatus.params import Choice, Nothing, Real, rules_for
from lanatus.scale import blockwise

LOSSES: dict[str, type[Loss]] = {kind.name: kind for kind in (Squared, Huber, Logistic, SquaredHinge, Poisson)}


_OWN = {
    "loss": Choice(*LOSSES),
    "penalty": Choice("l2", "l1", "elasticnet", "lp", "l0") | Nothing(),
    "C": Real(above=0) | Nothing(),
    "alpha": STRENGTH | Nothing(),
    "p": Real(above=0),
    "huber_width": Real(above=0),
    "solver": Choice("auto", "newton", "lbfgs", "proximal"),
}


def _tells_classes_apart(model: Any) -> bool:
    return bool(model._classifies())


@method(
    "linear.regularized-linear-model",
    "linear.lp-regularization",
    section="6.4",
    task="regression",
    en="General regularised risk: any loss and penalty",
    zh="正则化问题",
    peers=["scikit-learn:SGDClassifier", "skglm:GeneralizedLinearEstimator"],
)
class RegularizedLinearModel(CallbackSupportMixin, LinearModel):
    r"""A linear model with a loss and a penalty of your choice: regularised risk.

    Minimises :math:`\Omega(w) + C\sum_i v_i\,\ell(y_i, w^T x_i + b)` (6.42). It is a classifier of two classes with the
    losses "logistic" and "squared_hinge", a regressor with the others.

    Book: sections 6.4 and 11.4.

    Parameters
    ----------
    loss : {"squared", "huber", "logistic", "squared_hinge", "poisson"}, default="squared"
        The loss :math:`\ell`: half the squared error, the same but linear from `huber_width` on, log loss (3.27),
        squared hinge, :math:`e^\eta - y\eta` for counts. Losses with a kink (hinge, absolute) are refused: no solver
        here takes them.
    penalty : {"l2", "l1", "elasticnet", "lp", "l0", None}, default="l2"
        :math:`\Omega`: :math:`\frac12\lVert w\rVert^2`, :math:`\lVert w\rVert_1`, their mixture,
        :math:`\sum_j|w_j|^p`, the number of weights that are not zero, or nothing. The bias is free.
    C : float or None, default=1.0
        Strength of the loss against the penalty.
    alpha : float or None, default=None
        If given, replaces C: the objective is then the mean loss plus alpha times the penalty.
    l1_ratio : float, default=0.5
        Share of the L1 part of "elasticnet".
    p : float, default=1.5
        Power of "lp", above 0. From 1 on the problem is convex and solved; below 1, as with "l0", it is not, and what
        is returned is a point that no proximal gradient step can better, found from zero weights.
    huber_width : float, default=1.35
        Where the loss "huber" becomes linear.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    solver : {"auto", "newton", "lbfgs", "proximal"}, default="auto"
        "newton": proximal Newton with coordinate descent, for "l1", "l2", "elasticnet" and None; "lbfgs": for "l2" and
        None; "proximal": accelerated proximal gradient, for all. "auto" takes the first that can.
    max_iter : int, default=1000
        Most rounds.
    tol : float, default=1e-8
        "newton" stops once a round gains less than this share of the objective, the others once the (proximal) gradient
        is below this share of the first.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,), weights
    intercept_ : float, bias
    classes_ : ndarray of shape (2,), the labels of a classifier
    objective_ : float, the objective at the solution
    violation_ : float, largest distance of a coordinate from optimality (of a local minimum for "l0" and "lp" below 1)
    n_iter_ : int, rounds used
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Cost: :math:`O(nd)` a round of "proximal" and "lbfgs"; for "newton" one lasso a round. Memory :math:`O(n + d)`
    beside X, for "newton" what the lasso needs. Columns of very different scale make "proximal" slow: standardise them.

    Examples
    --------
    >>> from lanatus.linear import RegularizedLinearModel
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = RegularizedLinearModel("logistic", "l1", C=10).fit(X, y)
    >>> model.predict([[0.5], [2.5]]).tolist()
    [0, 1]

    References
    ----------
    Beck and Teboulle (2009), A fast iterative shrinkage-thresholding algorithm for linear inverse problems. Friedman,
    Hastie and Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent.
    """

    def __init__(
        self,
        loss: str = "squared",
        penalty: str | None = "l2",
        C: float | None = 1.0,
        *,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        p: float = 1.5,
        huber_width: float = 1.35,
        fit_intercept: bool = True,
        solver: str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-8,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.p = p
        self.huber_width = huber_width
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, RULES, **_OWN)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if self._classifies():
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(multi_class=False)
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
            tags.target_tags.positive_only = self.loss == "poisson"
        return tags

    def _classifies(self) -> bool:
        return self.loss in LOSSES and LOSSES[self.loss].classifies

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn weights and bias.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            Numbers, or the labels of two classes for a loss that classifies.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        if self.C is None and self.alpha is None:
            raise ValueError("C and alpha are both None; give one of them.")
        X = self._take(X, reset=True)
        weight = self._weights(sample_weight, X)
        check_positive_weight(weight)
        loss = Huber(self.huber_width) if self.loss == "huber" else LOSSES[self.loss]()
        normalizer = 1 / self.C if self.C is not None and self.alpha is None else None
        risk = Risk(loss, X, self._target(loss, X, y), weight, normalizer, self.fit_intercept)
        penalty = self._penalty(1.0 if self.alpha is None else self.alpha)
        solution = self._minimise(risk, penalty)
        keep_solution(self, risk, solution)
        self.violation_ = float(penalty.violation(solution.w, risk.gradient(solution.w, solution.b)[0]).max())
        return self

    def _target(self, loss: Loss, X: Any, y: Any) -> np.ndarray:
        if not loss.classifies:
            target = single_target(y, X)
            loss.check(target)
            self.__dict__.pop("classes_", None)
            return target
        self.classes_, codes = class_codes(y, X)
        if len(self.classes_) != 2:
            raise ValueError(
                f"loss={self.loss!r} tells two classes apart; got {len(self.classes_)} class(es). "
                "Only binary classification is supported; see LogisticRegression for more classes."
            )
        return codes.astype(np.float64)

    def _penalty(self, alpha: float) -> Penalty:
        return {
            "l2": lambda: L2(alpha),
            "l1": lambda: L1(alpha),
            "elasticnet": lambda: L1L2(alpha, self.l1_ratio),
            "lp": lambda: Lp(alpha, self.p),
            "l0": lambda: L0(alpha),
            None: NoPenalty,
        }[self.penalty]()

    def _minimise(self, risk: Risk, penalty: Penalty) -> Solution:
        kind = solver_for(risk.loss, penalty, self.solver)
        reporter = Reporter(self, risk)
        # A problem that is not convex gains nothing by momentum, which could leave the valley that it is in.
        extra = {"accelerated": penalty.convex} if kind.name == "proximal" else {}
        solution = kind(self.tol, self.max_iter, reporter, **extra).solve(risk, penalty)
        reporter.finish(solution)
        return solution

    @available_if(_tells_classes_apart)
    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """w'x + b of each row."""
        return self._linear(X)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Labels of a classifier, else the expected y."""
        eta = self._linear(X)
        if self._classifies():
            return np.asarray(self.classes_[(eta > 0).astype(np.intp)])
        return LOSSES[self.loss]().inverse_link(eta)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of a classifier, else the coefficient of determination."""
        from sklearn.metrics import accuracy_score, r2_score

        check_is_fitted(self)
        measure = accuracy_score if self._classifies() else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))
