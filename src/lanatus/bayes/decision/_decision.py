"""Decisions from posterior probabilities: least error, least risk, rejection, a bound on one error."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.params import Array, Nothing, Real, Satisfies
from lanatus.scale import blockwise
from lanatus.wrapping import Wrapper

_LABEL = Satisfies(lambda v: isinstance(v, str | int | float | np.generic), "a label (a string or a number)")
_GIVES_PROBABILITIES = Satisfies(
    lambda v: not isinstance(v, type) and (hasattr(v, "fit") or hasattr(v, "predict_proba")),
    "an estimator object such as GaussianNB(), or a classifier that needs no fit",
)


@method(
    "bayes.conditional-risk",
    section="7.1",
    task="classification",
    kind="theory",
    en="Conditional risk and minimum-risk decision",
    zh="条件风险、贝叶斯判定准则",
)
def conditional_risk(posterior: Any, loss_matrix: Any = None) -> np.ndarray:
    r"""Expected loss of each decision, given the posterior probabilities of the classes.

    :math:`R(c_i \mid x) = \sum_j \lambda_{ij} P(c_j \mid x)` (7.1), where :math:`\lambda_{ij}` is the loss of deciding
    for i where j is true: rows are decisions, columns truths, the other way round than cost matrices in section 2.3.
    Bayes' rule takes the decision of the smallest risk (7.3).

    Parameters
    ----------
    posterior : array of shape (n_samples, n_classes) or (n_classes,)
        Probabilities.
    loss_matrix : array of shape (n_decisions, n_classes) or None, default=None
        Losses; None is 0 for the right class and 1 for others (7.4), so that the risk is 1 - P (7.5).

    Returns
    -------
    ndarray of shape (n_samples, n_decisions) or (n_decisions,)

    Examples
    --------
    >>> from lanatus.bayes import conditional_risk
    >>> conditional_risk([0.9, 0.1]).round(3).tolist()
    [0.1, 0.9]
    >>> conditional_risk([0.9, 0.1], [[0, 20], [1, 0]]).round(3).tolist()  # missing the second class is dear
    [2.0, 0.9]
    """
    shares = np.asarray(posterior, dtype=np.float64)
    if shares.ndim not in (1, 2) or not np.isfinite(shares).all() or (shares < 0).any():
        raise ValueError(f"posterior must be one row or several of probabilities; got shape {shares.shape}.")
    return np.asarray(shares @ losses(loss_matrix, shares.shape[-1]).T)


def losses(loss_matrix: Any, n_classes: int) -> np.ndarray:
    """A loss matrix as floats, checked; None is the 0/1 loss."""
    if loss_matrix is None:
        return 1.0 - np.eye(n_classes)
    loss = np.asarray(loss_matrix, dtype=np.float64)
    if loss.ndim != 2 or loss.shape[1] != n_classes or not np.isfinite(loss).all():
        raise ValueError(
            f"loss_matrix must have a row for each decision and a column for each of {n_classes} classes, all finite; "
            f"got shape {loss.shape}."
        )
    return loss


def square_losses(loss_matrix: Any, n_classes: int) -> np.ndarray:
    """A loss matrix with a decision for each class and no other."""
    loss = losses(loss_matrix, n_classes)
    if len(loss) != n_classes:
        raise ValueError(
            f"loss_matrix must be square, got shape {loss.shape}; BayesDecision has reject_loss for the decision not "
            "to decide."
        )
    return loss


def least_risk(posterior: np.ndarray, loss_matrix: Any, reject_loss: float | None) -> np.ndarray:
    """Decision of the smallest risk of each row, the first on ties; -1 where rejecting costs less."""
    risks = conditional_risk(posterior, loss_matrix)
    decisions = risks.argmin(axis=1)
    if reject_loss is not None:
        decisions[risks.min(axis=1) > reject_loss] = -1
    return decisions


@method(
    "bayes.minimum-error-rule",
    section="CB 2.2.1",
    task="classification",
    en="Bayes decision rules over any classifier",
    zh="最小错误率准则",
)
class BayesDecision(ClassifierMixin, Wrapper):
    r"""Decides by Bayes' rule on the probabilities of any classifier.

    By default the class of the largest posterior, the least error; with losses that of the least risk
    :math:`\sum_j \lambda_{ij} P(c_j \mid x)` (7.3); none at all where even that exceeds the loss of rejecting; or, of
    two classes, with the error of one bounded (Neyman and Pearson).

    Book: section 7.1, cookbook 2.2. Cost: that of the learner, and :math:`O(nk^2)` a prediction.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        The learner; one that needs no ``fit``, such as `BayesOptimalClassifier`, is used as it is.
    loss_matrix : array of shape (n_classes, n_classes) or None, default=None
        Loss of deciding for the row's class where the column's is true, in the order of the sorted labels.
    reject_loss : float or None, default=None
        Loss of not deciding; with the 0/1 loss, rows are rejected whose largest posterior is below 1 less this.
    reject_label : label or None, default=None
        What is answered for rejected rows; needed with `reject_loss`.
    bounded_class : label or None, default=None
        The class of two whose rows may be missed at most at the rate `max_error`; losses then do not count.
    max_error : float, default=0.05
        That rate, among the rows of ``fit``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    estimator_ : the fitted learner
    threshold_ : float, with `bounded_class`: rows are taken from that class where the logarithm of the other class's
        posterior over its own is above this
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.bayes import BayesDecision, GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["well", "well", "well", "ill", "ill", "ill"]
    >>> BayesDecision(GaussianNB()).fit(X, y).predict([[2.2]]).tolist()
    ['well']
    >>> dear = [[0, 1], [30, 0]]  # to say "well" of the ill costs 30
    >>> BayesDecision(GaussianNB(), loss_matrix=dear).fit(X, y).predict([[2.2]]).tolist()
    ['ill']
    >>> unsure = BayesDecision(GaussianNB(), reject_loss=0.2, reject_label="?")
    >>> unsure.fit(X, y).predict([[0.0], [2.4], [5.0]]).tolist()
    ['well', '?', 'ill']

    References
    ----------
    Chow (1970), On optimum recognition error and reject tradeoff.
    """

    _params = {
        "estimator": _GIVES_PROBABILITIES,
        "loss_matrix": Array(ndim=2) | Nothing(),
        "reject_loss": Real(low=0) | Nothing(),
        "reject_label": _LABEL | Nothing(),
        "bounded_class": _LABEL | Nothing(),
        "max_error": Real(low=0, high=1),
    }

    def __init__(
        self,
        estimator: Any,
        *,
        loss_matrix: Any = None,
        reject_loss: float | None = None,
        reject_label: Any = None,
        bounded_class: Any = None,
        max_error: float = 0.05,
    ) -> None:
        self.estimator = estimator
        self.loss_matrix = loss_matrix
        self.reject_loss = reject_loss
        self.reject_label = reject_label
        self.bounded_class = bounded_class
        self.max_error = max_error

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows = self._take(X, reset=True)
        self.classes_, codes = class_codes(y, rows)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_.tolist()[0]!r}; wanted at least 2 classes.")
        square_losses(self.loss_matrix, len(self.classes_))
        self._check_rejection()
        weight = self._weights(sample_weight, rows)
        known = not hasattr(self.estimator, "fit")
        self.estimator_ = self.estimator if known else self._fitted(rows, self.classes_[codes], None, weight)
        if not hasattr(self.estimator_, "predict_proba"):
            raise TypeError(f"estimator {type(self.estimator_).__name__} has no predict_proba; calibrate it first.")
        if not np.array_equal(np.asarray(self.estimator_.classes_), self.classes_):
            raise ValueError(f"estimator has classes {list(self.estimator_.classes_)}, y {self.classes_.tolist()}.")
        if self.bounded_class is not None:
            here = codes == self._bounded()
            self.threshold_ = _bound(self._ratio(rows)[here], None if weight is None else weight[here], self.max_error)
        return self

    def _check_rejection(self) -> None:
        if self.reject_loss is None:
            return
        if self.reject_label is None:
            raise ValueError("reject_loss needs a reject_label, what to answer for rejected rows.")
        if self.reject_label in self.classes_.tolist():
            raise ValueError(f"reject_label={self.reject_label!r} is a class of y; wanted a label of its own.")
        if self.bounded_class is not None:
            raise ValueError("reject_loss does not go with bounded_class, which decides for every row.")

    def _bounded(self) -> int:
        """Place of the class whose error is bounded."""
        if len(self.classes_) != 2:
            raise ValueError(f"bounded_class is for two classes; y has {len(self.classes_)}.")
        if self.bounded_class not in self.classes_.tolist():
            raise ValueError(f"bounded_class={self.bounded_class!r} is not a class of y: {self.classes_.tolist()}.")
        return self.classes_.tolist().index(self.bounded_class)

    def _ratio(self, rows: Any) -> np.ndarray:
        """Logarithm of the other class's posterior over that of the bounded one."""
        if hasattr(self.estimator_, "predict_log_proba"):
            logs = np.asarray(self.estimator_.predict_log_proba(rows))
        else:
            with np.errstate(divide="ignore"):
                logs = np.log(np.asarray(self.estimator_.predict_proba(rows)))
        own = self._bounded()
        with np.errstate(invalid="ignore"):
            return np.asarray(logs[:, 1 - own] - logs[:, own])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if self.bounded_class is not None:
            own = self._bounded()
            return np.asarray(self.classes_[np.where(self._ratio(rows) > self.threshold_, 1 - own, own)])
        decisions = least_risk(np.asarray(self.estimator_.predict_proba(rows)), self.loss_matrix, self.reject_loss)
        if self.reject_loss is None:
            return np.asarray(self.classes_[decisions])
        rejected = np.asarray([self.reject_label])
        # Labels of another type stay what they are: 1 does not become "1" beside "?".
        same = (rejected.dtype.kind in "iuf") == (self.classes_.dtype.kind in "iuf") and self.classes_.dtype.kind != "b"
        answers = np.concatenate([self.classes_, rejected] if same else [self.classes_.astype(object), rejected])
        return np.asarray(answers[decisions])  # the last for -1

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self._take(X, reset=False)))


def _bound(ratios: np.ndarray, weight: np.ndarray | None, max_error: float) -> float:
    """The least threshold above which lie at most a share `max_error` of the ratios."""
    mass = np.ones(len(ratios)) if weight is None else weight
    if not mass.sum() > 0:
        raise ValueError("the bounded class has no row with a positive weight; wanted at least one.")
    order = np.argsort(ratios)[::-1]
    above = np.cumsum(mass[order]) - mass[order]  # what lies above the threshold if it is put at this row
    lowest = np.flatnonzero(above <= max_error * mass.sum() * (1 + 1e-12))[-1]
    return -np.inf if max_error >= 1 else float(ratios[order[lowest]])
