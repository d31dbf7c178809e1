"""Naive Bayes by EM, some rows' classes unknown."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin, clone

from lanatus.base import check_is_fitted, fitting, take_rows, warn_unconverged
from lanatus.bayes import GaussianNB
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import COMMON, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised, require_weight_of_classes
from lanatus.wrapping import LEARNER, Wrapper


@method(
    "semi.ss-naive-bayes",
    section="ex 13.2",
    task="classification",
    en="Semi-supervised naive Bayes",
    zh="半监督朴素贝叶斯",
)
class SemiSupervisedNB(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""Naive Bayes, or any model of rows and classes together, learned by EM from rows with and without a class.

    Maximises :math:`\sum_{D_l} \ln P(x, y) + \lambda \sum_{D_u} \ln \sum_c P(x, c)`, with the priors that the learner
    smooths its counts by: each row without a class counts for every class, as much as its probability (the E step), and
    the learner is fitted to the rows so weighted (the M step).

    Book: exercise 13.2. Cost: a fit of the learner to :math:`l + uk` rows a round.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; it must take weights and give ``predict_joint_log_proba``. None is ``GaussianNB()``.
    unlabelled_weight : float, default=1.0
        How much a row without a class counts, :math:`\lambda`.
    tol : float, default=1e-4
        Stop once no probability of a class in a row changes by more.
    max_iter : int, default=200
        Most rounds.

    Attributes
    ----------
    estimator_ : fitted learner
        The learner.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    transduction_ : ndarray of shape (n_samples,)
        Classes of the rows of ``fit``, those that were known as they were.
    log_likelihood_ : float
        The sum above, at the end.
    n_iter_ : int
        Rounds.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Examples
    --------
    >>> from lanatus.semi import SemiSupervisedNB
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> SemiSupervisedNB().fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    References
    ----------
    Nigam, McCallum, Thrun and Mitchell (2000), Text classification from labeled and unlabeled documents using EM.
    """

    _default_learner: ClassVar[Any] = GaussianNB

    estimator_: Any
    transduction_: np.ndarray
    log_likelihood_: float
    n_iter_: int

    def __init__(
        self, estimator: Any = None, *, unlabelled_weight: float = 1.0, tol: float = 1e-4, max_iter: int = 200
    ) -> None:
        self.estimator = estimator
        self.unlabelled_weight = unlabelled_weight
        self.tol = tol
        self.max_iter = max_iter

    _params = rules_for(__init__, COMMON, estimator=LEARNER | Nothing(), unlabelled_weight=Real(low=0, below=np.inf))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X, of which some have a class.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The classes; -1 or a missing value where there is none.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        weights = self._weights(sample_weight, rows)
        known, asked = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
        if weights is not None:
            require_weight_of_classes(codes, weights, len(self.classes_))
        table = self._table(rows, codes, known, asked, np.ones(len(codes)) if weights is None else weights)
        # Rows without a class weigh nothing at first, but what values there are is learned from them too.
        model = table.fitted(clone(self._learner()), np.zeros((len(asked), len(self.classes_))))
        if not hasattr(model, "predict_joint_log_proba"):
            raise ValueError(
                f"{type(model).__name__} has no predict_joint_log_proba, which EM asks; take a naive Bayes."
            )
        progress = Progress(self, X, weights, max_iter=self.max_iter)
        shares, likelihood = self._expected(model, rows, codes, table.weight)
        converged = not len(asked) or self.unlabelled_weight == 0
        n_iter = 1
        if not converged:
            for iteration in progress.iterations():
                model = table.fitted(clone(self._learner()), shares[asked])
                before = shares
                shares, likelihood = self._expected(model, rows, codes, table.weight)
                n_iter = iteration.number + 1
                iteration.done(state=dict, attributes=partial(self._learned, model, shares, codes, likelihood, n_iter))
                converged = iteration.stop or float(np.abs(shares - before).max()) <= self.tol
                if converged:
                    break
        if not converged:
            warn_unconverged(self)
        learned = self._learned(model, shares, codes, likelihood, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _table(
        self, rows: Any, codes: np.ndarray, known: np.ndarray, asked: np.ndarray, weight: np.ndarray
    ) -> "_Repeated":
        weight = weight.copy()
        weight[asked] *= self.unlabelled_weight
        return _Repeated(rows, self.classes_, codes, known, asked, weight)

    def _expected(self, model: Any, rows: Any, codes: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
        """Probabilities of the classes in each row, and the likelihood."""
        joint = np.asarray(model.predict_joint_log_proba(rows))
        total = logsumexp(joint, axis=1)
        own = joint[np.arange(len(codes)), np.maximum(codes, 0)]
        return np.exp(joint - total[:, None]), float(weight @ np.where(codes >= 0, own, total))

    def _learned(
        self, model: Any, shares: np.ndarray, codes: np.ndarray, likelihood: float, n_iter: int
    ) -> dict[str, Any]:
        guess = shares.argmax(axis=1)
        return {
            "estimator_": model,
            "transduction_": self.classes_[np.where(codes >= 0, codes, guess)],
            "log_likelihood_": likelihood,
            "n_iter_": n_iter,
        }

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class for each row of X."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self._take(X, reset=False)))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row of X."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]


class _Repeated:
    """Labelled rows once, and all others once for each class."""

    def __init__(
        self,
        rows: Any,
        classes: np.ndarray,
        codes: np.ndarray,
        known: np.ndarray,
        asked: np.ndarray,
        weight: np.ndarray,
    ) -> None:
        k = len(classes)
        self.weight, self._known, self._asked = weight, known, asked
        self._rows = take_rows(rows, np.concatenate([known, np.tile(asked, k)]))
        self._y = classes[np.concatenate([codes[known], np.repeat(np.arange(k), len(asked))])]

    def fitted(self, model: Any, shares: np.ndarray) -> Any:
        """A learner, fitted to them: those without a class count as much as it is likely."""
        weight = np.concatenate([self.weight[self._known], (self.weight[self._asked, None] * shares).T.ravel()])
        return model.fit(self._rows, self._y, sample_weight=weight)
