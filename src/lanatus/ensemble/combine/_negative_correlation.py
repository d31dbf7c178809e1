"""Negative correlation learning: networks trained together, to be right together and different apart."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Estimator, Floats, check_is_fitted, coded_rows, fitting, warn_unconverged
from lanatus.catalog import Takes, method
from lanatus.ensemble._committee import one_hot, one_target
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.combine._networks import answers_of, start, train
from lanatus.ensemble.combine._standardised import learn_scales, mean_and_spread, one_order, scaled, single_blas
from lanatus.params import Integer, Real, rules_for
from lanatus.scale import blockwise


class _Networks(Estimator):
    """What both share: scales, networks, training."""

    _state: ClassVar = {"weights_": Floats("weights"), "_scales": Floats(3, "columns", finite=False)}

    _takes = Takes()

    weights_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        n_estimators: int = 5,
        lam: float = 0.5,
        *,
        hidden: int = 10,
        alpha: float = 1e-4,
        max_iter: int = 1000,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.lam = lam
        self.hidden = hidden
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, RULES, lam=Real(low=0, high=1), hidden=Integer(low=1))

    def _train(self, X: np.ndarray, target: np.ndarray) -> None:
        order = one_order(X, target)
        X, target = X[order], target[order]
        rng = check_random_state(self.random_state)
        with single_blas():
            self._scales = learn_scales(X)
            self._shape = (self.n_estimators, X.shape[1], self.hidden, target.shape[1])
            self.weights_, report = train(
                start(*self._shape, rng),
                self._shape,
                scaled(X, self._scales),
                target,
                lam=self.lam,
                alpha=self.alpha,
                max_iter=self.max_iter,
                tol=self.tol,
            )
        self.n_iter_ = int(report.nit)
        if not np.isfinite(report.fun):
            raise ValueError("the networks ran out of the range of numbers; scale X.")
        if report.status == 1:
            warn_unconverged(self)

    def predict_each(self, X: Any) -> np.ndarray:
        """What each network says."""
        raise NotImplementedError

    def _each(self, X: Any) -> np.ndarray:
        """Outputs of each network, of shape (networks, rows, outputs)."""
        check_is_fitted(self)
        X = self._take(X, reset=False)
        with single_blas():
            return answers_of(self.weights_, self._shape, scaled(X, self._scales))


@method(
    "ensemble.negative-correlation",
    section="8.5.3",
    task="classification",
    en="Negative correlation learning",
    zh="负相关法",
)
class NegativeCorrelationEnsemble(ClassifierMixin, _Networks):
    r"""Small networks trained together, with a term that drives each away from their mean: classification.

    Network i goes down :math:`E_i = \frac{1}{m} \sum_x \frac{1}{2} (F_i - y)^2 + \lambda (F_i - \bar F) \sum_{j \ne i}
    (F_j - \bar F)`, of which the slope is :math:`(F_i - y) - \lambda (F_i - \bar F)`. All of them together go down
    :math:`\frac{1}{2} (\bar E - \lambda \bar A)`, error less ambiguity (8.36): with 0 they learn alone, with 1 only
    their mean counts. The targets are indicators of the classes.

    Book: section 8.5.3.

    Parameters
    ----------
    n_estimators : int, default=5
        Number of networks.
    lam : float, default=0.5
        Strength of the term, from 0 to 1.
    hidden : int, default=10
        Hidden units of a network (tanh).
    alpha : float, default=1e-4
        Weight decay, 0 or more.
    max_iter : int, default=1000
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        Stop once an iteration gains less than this.
    random_state : int, RandomState or None, default=None
        Draws the starting weights.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    weights_ : ndarray
        Weights of all networks.
    n_iter_ : int
        Iterations used.

    Notes
    -----
    Columns are scaled first. Probabilities are the mean outputs, cut at 0 and scaled to add up to 1. Cost: O(m d h) a
    network and iteration.

    Examples
    --------
    >>> from lanatus.ensemble import NegativeCorrelationEnsemble
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "yes", "yes", "no"]
    >>> NegativeCorrelationEnsemble(hidden=4, random_state=0).fit(X, y).predict(X).tolist()
    ['no', 'yes', 'yes', 'no']

    References
    ----------
    Liu and Yao (1999), Ensemble learning via negative correlation.
    """

    classes_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        X, codes = coded_rows(self, X, y)
        self._train(X, one_hot(codes, len(self.classes_)).astype(np.float64))
        return self

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        mean = self._each(X).mean(axis=0)
        shares = np.maximum(mean, 0.0)
        none = shares.sum(axis=1) == 0
        shares[none] = one_hot(mean[none].argmax(axis=1), shares.shape[1])
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._each(X).mean(axis=0).argmax(axis=1)])

    @override
    @blockwise
    def predict_each(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return np.asarray(self.classes_[self._each(X).argmax(axis=2).T])


@method(
    section="8.5.3",
    task="regression",
    en="Negative correlation learning of numbers",
    zh="负相关法(回归)",
)
class NegativeCorrelationRegressor(RegressorMixin, _Networks):
    r"""Small networks trained together, with a term that drives each away from their mean: regression.

    As in :class:`NegativeCorrelationEnsemble`: all networks together go down
    :math:`\frac{1}{2} (\bar E - \lambda \bar A)`, the mean error less the ambiguity (8.36).

    Book: section 8.5.3.

    Parameters
    ----------
    n_estimators : int, default=5
        Number of networks.
    lam : float, default=0.5
        Strength of the term, from 0 to 1.
    hidden : int, default=10
        Hidden units of a network (tanh).
    alpha : float, default=1e-4
        Weight decay, 0 or more.
    max_iter : int, default=1000
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        Stop once an iteration gains less than this, for targets scaled to spread 1.
    random_state : int, RandomState or None, default=None
        Draws the starting weights.

    Attributes
    ----------
    weights_ : ndarray
        Weights of all networks.
    n_iter_ : int
        Iterations used.

    Notes
    -----
    Columns and targets are scaled first. Cost: O(m d h) a network and iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.ensemble import NegativeCorrelationRegressor
    >>> X = np.linspace(-3, 3, 60)[:, None]
    >>> model = NegativeCorrelationRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.1)
    True

    References
    ----------
    Liu and Yao (1999), Ensemble learning via negative correlation.
    """

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with numbers y."""
        X = self._take(X, reset=True)
        target = one_target(y, X)
        self._middle, self._spread = mean_and_spread(target)
        self._train(X, ((target - self._middle) / (self._spread or 1.0))[:, None])
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X."""
        return np.asarray(self.predict_each(X).mean(axis=1))

    @override
    @blockwise
    def predict_each(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return np.asarray(self._middle + self._spread * self._each(X)[:, :, 0].T)
