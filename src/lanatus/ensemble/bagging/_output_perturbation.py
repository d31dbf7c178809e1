"""Ensembles whose members learn perturbed targets: flipped labels, smeared indicators, smeared numbers."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags

from lanatus.base import check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.ensemble._committee import one_hot
from lanatus.ensemble._one_learner import fit_one, seeded
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.bagging._bagged_answers import BaggedClassifier, BaggedRegressor
from lanatus.ensemble.bagging._resampled import Sample, fit_bagged, mean_answer, rows_of_members, sample_of
from lanatus.params import Real, rules_for
from lanatus.scale import blockwise
from lanatus.tree import DecisionTreeRegressor
from lanatus.wrapping import Wrapper


@method("ensemble.flipping-output", section="8.5.3", task="classification", en="Flipping output", zh="翻转法")
class FlippingOutputClassifier(BaggedClassifier):
    r"""Learners on all rows with some labels changed at random, and their vote.

    A label j becomes i with probability :math:`w\, p_i`, where :math:`p` are the shares of the classes and
    :math:`w = r / (1 - \sum_c p_c^2)`: a share r of the labels changes, and the shares of the classes stay as they are.

    Book: section 8.5.3.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=100
        Number of learners.
    rate : float, default=0.2
        Share of the labels that change, *r*, from 0 to 1.
    voting : {"soft", "hard"}, default="soft"
        Mean probabilities where the learners have any, or votes. Ties of votes go to the class that the learners are
        surest of, then to the one that sorts first.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Changes the labels, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted learners
        Their classes are places in `classes_`.
    rate_ : float
        The share that changes: less than `rate` where that many cannot change with the shares kept.

    Notes
    -----
    With uneven classes at most :math:`(1 - \sum_c p_c^2) / (1 - \min_c p_c)` of the labels can change;
    the shares are by weight where rows have weights.
    Cost: n_estimators fits to all rows.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import FlippingOutputClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = FlippingOutputClassifier(GaussianNB(), 20, random_state=0).fit(X, ["no"] * 10 + ["yes"] * 10)
    >>> model.predict([[2.0], [18.5]]).tolist(), round(model.rate_, 3)
    (['no', 'yes'], 0.2)

    References
    ----------
    Breiman (2000), Randomizing outputs to increase prediction accuracy.
    """

    rate_: float

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        rate: float = 0.2,
        *,
        voting: str = "soft",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.rate = rate
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES, rate=Real(low=0, high=1))

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        sample = sample_of(self, X, y, sample_weight)
        total = len(sample.target) if sample.weight is None else sample.weight.sum()
        share = np.bincount(sample.target, sample.weight, len(self.classes_)) / total
        mixed = 1 - float((share**2).sum())
        rarest = float(share[share > 0].min())
        pull = min(self.rate / mixed, 1 / (1 - rarest)) if mixed > 1e-12 else 0.0
        self.rate_ = pull * mixed
        fit_bagged(self, sample, partial(_fit_flipped, share=share, pull=pull))
        return self


def _fit_flipped(ensemble: Any, sample: Sample, seed: int, *, share: np.ndarray, pull: float) -> Any:
    """A member on all rows, with some labels changed."""
    model = seeded(ensemble._learner(), np.random.RandomState([seed, 2]))
    return fit_one(model, sample.rows, flip_labels(sample.target, share, pull, seed), sample.draw.known, sample.weight)


def flip_labels(codes: np.ndarray, share: np.ndarray, pull: float, seed: int) -> np.ndarray:
    """Codes of which each is changed with chance `pull` times the share of the other classes, to one of those."""
    rng = np.random.RandomState([seed, 3])
    flips = rng.random_sample(len(codes)) < pull * (1 - share[codes])
    flipped = codes.copy()
    for c in np.unique(codes[flips]):
        own = np.flatnonzero(flips & (codes == c))
        others = np.where(np.arange(len(share)) == c, 0, share)
        flipped[own] = rng.choice(len(others), len(own), p=others / others.sum())
    return flipped


def _fit_smeared(ensemble: Any, sample: Sample, seed: int) -> Any:
    """A member that learns numbers with noise: of a row's own draw, as wide as sigma standard deviations."""
    target, weight = sample.target, sample.weight
    given = np.ones(len(target)) if weight is None else weight
    spread = np.sqrt(np.average((target - np.average(target, axis=0, weights=given)) ** 2, axis=0, weights=given))
    noise = np.random.RandomState([seed, 3]).standard_normal(target.shape)
    model = seeded(ensemble._learner(), np.random.RandomState([seed, 2]))
    if target.ndim == 2 and not get_tags(model).target_tags.multi_output:
        model = MultiOutputRegressor(model)
    return fit_one(model, sample.rows, target + ensemble.sigma * spread * noise, sample.draw.known, weight)


@method("ensemble.output-smearing", section="8.5.3", task="classification", en="Output smearing", zh="输出调制法")
class OutputSmearingClassifier(ClassifierMixin, Wrapper):
    r"""Regressors of the classes' indicators with noise added, and the class of the largest mean.

    Classification becomes regression: the targets of a learner are
    :math:`\mathbb{I}(y = c) + \sigma\, s_c\, z` for each class c, with :math:`s_c` the standard deviation of the
    indicator and z drawn from the standard normal for each row, class and learner.

    Book: section 8.5.3.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner; None is a regression tree.
    n_estimators : int, default=100
        Number of learners.
    sigma : float, default=1.0
        Width of the noise, in standard deviations of the target.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the noise, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted regressors
        They answer with a number for each class.

    Notes
    -----
    A learner that takes one target only is fitted once for each class. Probabilities are the means, none below zero,
    as shares of their sum. Cost: n_estimators fits to all rows and targets.

    Examples
    --------
    >>> from lanatus.ensemble import OutputSmearingClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = OutputSmearingClassifier(random_state=0).fit(X, ["no"] * 10 + ["yes"] * 10)
    >>> model.predict([[2.0], [18.5]]).tolist()
    ['no', 'yes']

    References
    ----------
    Breiman (2000), Randomizing outputs to increase prediction accuracy.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        sigma: float = 1.0,
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sigma = sigma
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES)

    _default_learner = DecisionTreeRegressor

    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    estimators_samples_ = property(rows_of_members)
    _seeds: list[int]
    _draw: dict[str, Any]

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        if is_classifier(self._learner()):
            raise TypeError(f"OutputSmearingClassifier wants a regressor; {self.estimator!r} is a classifier.")
        fit_bagged(self, sample_of(self, X, y, sample_weight), _fit_smeared)
        return self

    def _targets(self, y: Any, rows: Any) -> np.ndarray:
        self.classes_, codes = class_codes(y, rows)
        return one_hot(codes, len(self.classes_)).astype(np.float64)

    def _width(self) -> tuple[int, ...]:
        return (len(self.classes_),)

    def _answer(self, model: Any, rows: Any) -> np.ndarray:
        return np.asarray(model.predict(rows), dtype=np.float64).reshape(-1, len(self.classes_))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[mean_answer(self, self._take(X, reset=False)).argmax(axis=1)])

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        means = np.maximum(mean_answer(self, self._take(X, reset=False)), 1e-12)
        return means / means.sum(axis=1, keepdims=True)


@method(section="8.5.3", task="regression", en="Output smearing for regression", zh="输出调制法回归")
class OutputSmearingRegressor(BaggedRegressor):
    r"""Regressors of the target with noise added, and their mean.

    The target of a learner is :math:`y + \sigma\, s_y\, z`, with :math:`s_y` the standard deviation of y and z drawn
    from the standard normal for each row and learner.

    Book: section 8.5.3.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner; None is a regression tree.
    n_estimators : int, default=100
        Number of learners.
    sigma : float, default=1.0
        Width of the noise, in standard deviations of the target.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the noise, and seeds the learners.

    Attributes
    ----------
    estimators_ : list of fitted learners

    Notes
    -----
    Cost: n_estimators fits to all rows.

    Examples
    --------
    >>> from lanatus.ensemble import OutputSmearingRegressor
    >>> X = [[float(v)] for v in range(20)]
    >>> model = OutputSmearingRegressor(random_state=0).fit(X, [2 * v[0] for v in X])
    >>> bool(12 < model.predict([[9.0]])[0] < 24)
    True

    References
    ----------
    Breiman (2000), Randomizing outputs to increase prediction accuracy.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        sigma: float = 1.0,
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sigma = sigma
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        fit_bagged(self, sample_of(self, X, y, sample_weight), _fit_smeared)
        return self
