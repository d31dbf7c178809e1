"""Voting of classifiers."""

import zlib
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from lanatus._typing import override
from lanatus.base import Floats, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.ensemble._committee import (
    WEIGHTS,
    Committee,
    class_shares,
    default_classifiers,
    given_weights,
    of_kind,
    of_own_type,
)
from lanatus.ensemble._routing import routed
from lanatus.ensemble._rules import RULES
from lanatus.params import Choice, Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.tree.grow import target_columns

_LABEL = Nothing() | Flag() | Integer() | Real() | Satisfies(lambda value: isinstance(value, str), "a label")


def _is_soft(model: "VotingClassifier") -> bool:
    if model.voting != "soft":
        raise AttributeError(f"predict_proba is not available when voting={model.voting!r}")
    return True


@method(
    "ensemble.simple-vote-binary",
    "ensemble.majority-voting",
    "ensemble.plurality-voting",
    "ensemble.weighted-voting",
    "ensemble.hard-and-soft-voting",
    section="8.4.2",
    task="classification",
    en="Voting",
    zh="投票法",
    peers=["scikit-learn:VotingClassifier"],
)
class VotingClassifier(ClassifierMixin, TransformerMixin, Committee):
    r"""Several classifiers, fitted to the same rows, that vote.

    Plurality: :math:`H(x) = c_{\arg\max_j \sum_i w_i h_i^j(x)}` (8.25, 8.26), with :math:`h_i^j` 1 for the class that
    learner i says (hard) or its probability of class j (soft). Majority (8.24) wants more than half of all votes, and
    may reject the row otherwise.

    Book: sections 8.1 and 8.4.2.

    Parameters
    ----------
    estimators : list of (str, classifier) or None, default=None
        The learners; "drop" instead of one leaves it out. None is naive Bayes, linear discriminants and logistic
        regression.
    voting : {"hard", "soft", "majority"}, default="hard"
        The most votes win; the largest mean probability wins; more than half of the votes win.
    weights : array of shape (n_estimators,) or None, default=None
        Weights of the votes, 0 or more.
    reject : label or None, default=None
        What ``predict`` says of a row without a majority, for ``voting="majority"``: a label of your own, or True for
        None. By default nothing is rejected, and the most votes win.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    flatten_transform : bool, default=True
        Whether ``transform`` gives one row a sample for ``voting="soft"``, or an array by learner.
    verbose : bool, default=False
        Whether a line tells of each learner that is fitted.
    random_state : int, RandomState or None, default=None
        Settles ties by chance, the same way for the same votes; by default a tie goes to the class that sorts first.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted classifiers
        The learners; their classes are places in `classes_`.
    named_estimators_ : Bunch
        The same by name.
    weights_ : ndarray of shape (n_estimators,)
        Weights, adding up to 1.
    le_ : LabelEncoder
        Which place each label has.
    tie_seed_ : int or None
        What ties are settled with.

    Notes
    -----
    Labels and probabilities are never mixed in one vote. Scores that are no probabilities (of a support vector
    machine, say) should be calibrated first with `CalibratedClassifierCV`. Cost: that of the learners.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import VotingClassifier
    >>> from lanatus.linear import LogisticRegression
    >>> model = VotingClassifier([("bayes", GaussianNB()), ("logistic", LogisticRegression())], voting="soft")
    >>> model.fit([[0.0], [1.0], [4.0], [5.0]], ["否", "否", "是", "是"]).predict([[1.5], [4.5]]).tolist()
    ['否', '是']
    """

    _state: ClassVar = {"weights_": Floats("members")}

    classes_: np.ndarray
    weights_: np.ndarray
    tie_seed_: int | None

    def __init__(
        self,
        estimators: Any = None,
        *,
        voting: str = "hard",
        weights: Any = None,
        reject: Any = None,
        n_jobs: int | None = None,
        flatten_transform: bool = True,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.reject = reject
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose
        self.random_state = random_state

    _params = rules_for(
        __init__,
        RULES,
        voting=Choice("hard", "soft", "majority"),
        weights=WEIGHTS,
        reject=_LABEL,
        flatten_transform=Flag(),
    )

    def _default(self) -> list[tuple[str, Any]]:
        return default_classifiers()

    def __sklearn_tags__(self) -> Any:
        return of_own_type(super().__sklearn_tags__())

    @property
    def le_(self) -> LabelEncoder:
        """Which place in `classes_` each label has, as the learners see it."""
        check_is_fitted(self)
        encoder = LabelEncoder()
        encoder.classes_ = self.classes_
        return encoder

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts, the rest is routed."""
        more = routed(self, fit_params, [name for name, _ in self._members()])
        if len(target_columns(y)) > 1:
            raise NotImplementedError("Multilabel and multi-output classification is not supported: a vote has one y.")
        of_kind(self._models(), regressors=False, who="VotingClassifier")
        given = given_weights(self, self.weights)
        rows, codes = coded_rows(self, X, y)
        self._fit_members(rows, codes, self._weights(sample_weight, rows), more)
        self.weights_ = np.full(len(self.estimators_), 1 / len(self.estimators_)) if given is None else given
        drawn = None if self.random_state is None else check_random_state(self.random_state)
        self.tie_seed_ = None if drawn is None else int(drawn.randint(2**31 - 1))
        return self

    def _shares(self, X: Any) -> np.ndarray:
        """What each learner gives to each class, of shape (learners, rows, classes)."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        if self.voting == "soft":
            for model in self.estimators_:
                if not hasattr(model, "predict_proba"):
                    raise AttributeError(f'voting="soft" wants probabilities, which {type(model).__name__} has not.')
        hard = self.voting != "soft"
        return np.stack([class_shares(model, rows, len(self.classes_), hard=hard) for model in self.estimators_])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The class that wins, or `reject` where none has a majority."""
        shares = self._shares(X)
        votes = np.average(shares, axis=0, weights=self.weights_)
        answers = np.asarray(self.classes_[self._winners(votes, shares)])
        if self.voting != "majority" or self.reject is None:
            return answers
        # Weights add up to 1: more than half is a majority. Thirds and the like round, hence the margin.
        lost = votes.max(axis=1) <= 0.5 + 1e-12
        value = None if self.reject is True else self.reject
        if isinstance(value, str) != (answers.dtype.kind == "U") or value is None:
            answers = answers.astype(object)
        elif answers.dtype.kind in "iub" and not isinstance(value, int | np.integer):
            answers = answers.astype(np.float64)
        elif answers.dtype.kind == "U":
            answers = answers.astype(np.result_type(answers.dtype, np.array(value).dtype))
        answers[lost] = value
        return answers

    def _winners(self, votes: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Place of the most votes; of a tie the first, or one drawn by the seed and the votes themselves."""
        room = 0.0 if self.voting == "soft" else 1e-12  # sums of the same weights, in another order, are a tie
        tied = votes >= votes.max(axis=1, keepdims=True) - room
        winners = tied.argmax(axis=1)
        if self.tie_seed_ is not None:
            for row in np.flatnonzero(tied.sum(axis=1) > 1):
                drawn = np.random.RandomState(zlib.crc32(shares[:, row].tobytes(), self.tie_seed_))
                winners[row] = drawn.choice(np.flatnonzero(tied[row]))
        return winners

    @override
    @available_if(_is_soft)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean probability of each class, for ``voting="soft"``: an array of shape (n_samples, n_classes)."""
        return np.asarray(np.average(self._shares(X), axis=0, weights=self.weights_))

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """What each learner says: places in `classes_` for votes, probabilities for ``voting="soft"``.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators), or (n_samples, n_estimators * n_classes)
            Or (n_estimators, n_samples, n_classes) if not `flatten_transform`.
        """
        shares = self._shares(X)
        if self.voting != "soft":
            return np.asarray(shares.argmax(axis=2).T)
        return np.hstack(list(shares)) if self.flatten_transform else shares

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of ``transform``.

        Parameters
        ----------
        input_features : ignored
            For scikit-learn's sake.
        """
        check_is_fitted(self)
        if self.voting == "soft" and not self.flatten_transform:
            raise ValueError(
                "get_feature_names_out is not supported when `voting='soft'` and `flatten_transform=False`: what "
                "transform gives then has no columns."
            )
        head = type(self).__name__.lower()
        names = [name for name, _ in self._members()]
        if self.voting == "soft":
            names = [f"{name}{c}" for name in names for c in range(len(self.classes_))]
        return np.array([f"{head}_{name}" for name in names], dtype=object)
