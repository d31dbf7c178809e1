"""Self-training."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted, fitting, take_rows
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.params import COMMON, Choice, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised
from lanatus.wrapping import LEARNER, Wrapper


def _inner_has(verb: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), verb))


@method(
    "semi.self-training",
    section="ex 13.8",
    task="classification",
    en="Self-training",
    zh="自训练",
    peers=["scikit-learn:SelfTrainingClassifier"],
)
class SelfTrainingClassifier(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Wrapper):
    r"""A learner labels the rows that it is sure of, and learns from them too, round after round.

    A row without a label gets the class :math:`\hat y = \arg\max_c P(c \mid x)` once :math:`P(\hat y \mid x)` is above
    a threshold, or among the k largest of the round; a label once given is never taken back, so that early mistakes
    stay and grow (exercise 13.8).

    Book: exercise 13.8. Cost: a fit of the learner a round; one with coefficients goes on from those of the round
    before.

    Parameters
    ----------
    estimator : classifier
        The learner; it must give probabilities.
    threshold : float, default=0.75
        Above which a row is labelled, from 0 on and below 1.
    criterion : {"threshold", "k_best"}, default="threshold"
        Which rows are labelled in a round.
    k_best : int, default=10
        Rows a round, of "k_best".
    max_iter : int or None, default=10
        Most rounds; None goes on until all rows are labelled, or none more are.
    verbose : bool, default=False
        Whether each round is told.

    Attributes
    ----------
    estimator_ : fitted learner
        The learner, fitted to all rows that have a label in the end.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    transduction_ : ndarray of shape (n_samples,)
        Labels in the end; -1, or None among words, where there is none.
    labeled_iter_ : ndarray of shape (n_samples,)
        Round in which each row was labelled: 0 by y, -1 never.
    n_iter_ : int
        Rounds.
    termination_condition_ : {"max_iter", "no_change", "all_labeled"}
        Why it ended.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.semi import SelfTrainingClassifier
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> model = SelfTrainingClassifier(GaussianNB()).fit(X, [0, 0, -1, -1, 1, 1])
    >>> model.transduction_.tolist(), model.labeled_iter_.tolist()
    ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0])

    References
    ----------
    Yarowsky (1995), Unsupervised word sense disambiguation rivaling supervised methods.
    """

    estimator_: Any
    labeled_iter_: np.ndarray
    n_iter_: int
    termination_condition_: str

    def __init__(
        self,
        estimator: Any,
        threshold: float = 0.75,
        criterion: str = "threshold",
        k_best: int = 10,
        max_iter: int | None = 10,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.criterion = criterion
        self.k_best = k_best
        self.max_iter = max_iter
        self.verbose = verbose

    _params = rules_for(
        __init__,
        COMMON,
        estimator=LEARNER,
        threshold=Real(low=0, below=1),
        criterion=Choice("threshold", "k_best"),
        k_best=Integer(low=1),
        max_iter=Integer(low=0) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Label the rows without a label, as far as the learner is sure of them.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        since = np.where(codes >= 0, 0, -1)
        most = len(codes) + 1 if self.max_iter is None else self.max_iter
        progress = Progress(self, X, max_iter=most)
        model, n_iter, ended = None, 0, "max_iter"
        for iteration in progress.iterations():
            asked = np.flatnonzero(codes < 0)
            if not len(asked):
                break
            model = self._learnt(model, rows, codes)
            n_iter = iteration.number + 1
            labelled, labels = self._chosen(model, rows, asked)
            codes[labelled], since[labelled] = labels, n_iter
            if self.verbose:
                tell(f"End of iteration {n_iter}, added {len(labelled)} new labels.")
            iteration.done(state=dict, attributes=partial(self._learned, model, codes.copy(), since.copy(), n_iter))
            if not len(labelled) or iteration.stop:
                ended = "no_change"
                break
        if (codes >= 0).all():
            ended = "all_labeled"
        for name, value in self._learned(self._learnt(model, rows, codes), codes, since, n_iter).items():
            setattr(self, name, value)
        self.termination_condition_ = ended
        progress.finish({**self._learned(self.estimator_, codes, since, n_iter), "termination_condition_": ended})
        return self

    def _learnt(self, before: Any, rows: Any, codes: np.ndarray) -> Any:
        """The learner, fitted to the rows that have a label; linear ones go on from what they were."""
        known = np.flatnonzero(codes >= 0)
        part = rows if len(known) == len(codes) else take_rows(rows, known)
        model = clone(self.estimator)
        if before is not None and hasattr(before, "coef_") and "warm_start" in model.get_params(deep=False):
            asked = model.warm_start
            model = before.set_params(warm_start=True).fit(part, self.classes_[codes[known]])
            return model.set_params(warm_start=asked)
        return model.fit(part, self.classes_[codes[known]])

    def _chosen(self, model: Any, rows: Any, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows that get a label in this round, and which."""
        if not hasattr(model, "predict_proba"):
            raise ValueError(
                f"estimator ({type(self.estimator).__name__}) should be a fitted classifier with predict_proba, "
                "which self-training asks how sure it is."
            )
        proba = np.asarray(model.predict_proba(take_rows(rows, asked)))
        best = proba.argmax(axis=1)
        sure = proba[np.arange(len(asked)), best]
        if self.criterion == "threshold":
            taken = np.flatnonzero(sure > self.threshold)
        else:
            taken = np.sort(np.argsort(-sure, kind="stable")[: self.k_best])
        return asked[taken], np.asarray(best[taken], dtype=np.int32)

    def _learned(self, model: Any, codes: np.ndarray, since: np.ndarray, n_iter: int) -> dict[str, Any]:
        named = self.classes_[codes]
        numbers = named.dtype.kind in "iuf"
        labels = named.copy() if numbers else named.astype(object)
        labels[codes < 0] = -1 if numbers else None
        return {"estimator_": model, "transduction_": labels, "labeled_iter_": since, "n_iter_": n_iter}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(self._take(X, reset=False)))

    @_inner_has("predict_proba")
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, by the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self._take(X, reset=False)))

    @_inner_has("predict_log_proba")
    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities, by the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_log_proba(self._take(X, reset=False)))

    @_inner_has("decision_function")
    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision function of the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(self._take(X, reset=False)))
