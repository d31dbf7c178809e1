"""Random subspaces."""

from typing import Any

from lanatus.catalog import method
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.bagging._bagged_answers import BaggedClassifier, BaggedRegressor
from lanatus.ensemble.bagging._projected import ProjectedLearner
from lanatus.params import Choice, rules_for

_SUBSPACES = Choice("columns", "projection")


def _max_features(ensemble: Any) -> Any:
    """What bagging calls `n_features`: all columns go to learners of directions."""
    return ensemble.n_features if ensemble.subspace == "columns" else 1.0


def _seen_by(ensemble: Any, learner: Any) -> Any:
    return learner if ensemble.subspace == "columns" else ProjectedLearner(learner, ensemble.n_features)


@method(
    "ensemble.random-subspace",
    section="8.5.3",
    task="classification",
    en="Random subspace",
    zh="随机子空间",
    peers=["scikit-learn:BaggingClassifier"],
)
class RandomSubspaceClassifier(BaggedClassifier):
    r"""Learners on random parts of the columns, all with all rows, and their vote.

    Each of T learners gets d' of the d columns, :math:`h_t = \mathfrak{L}(\mathrm{Map}_{F_t}(D))`, and the answer is
    :math:`H(x) = \arg\max_y \sum_t \mathbb{I}(h_t(\mathrm{Map}_{F_t}(x)) = y)`. For many
    columns that say much the same. Instead of columns, random directions can be taken.

    Book: section 8.5.3, figure 8.11.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=50
        Number of learners, *T*.
    n_features : int or float, default=0.5
        Columns (or directions) that a learner gets, *d'*: a number, or a share.
    voting : {"soft", "hard"}, default="soft"
        Mean probabilities where the learners have any, or votes. Ties of votes go to the class that the learners are
        surest of, then to the one that sorts first.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws columns or directions, and seeds the learners.
    subspace : {"columns", "projection"}, default="columns"
        Some of the columns, or as many random directions, along which all columns are seen as numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted learners
        Their classes are places in `classes_`.
    estimators_features_ : list of arrays
        The columns of each learner; all of them for directions, which are in its ``directions_``.

    Notes
    -----
    Cost: T fits to d' columns, and T predictions for an answer.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import RandomSubspaceClassifier
    >>> X = [[float(v), 1.0 - v, v % 3] for v in range(20)]
    >>> model = RandomSubspaceClassifier(GaussianNB(), random_state=0).fit(X, ["no"] * 10 + ["yes"] * 10)
    >>> model.predict([[2.0, -1.0, 2.0]]).tolist(), {len(columns) for columns in model.estimators_features_}
    (['no'], {1})

    References
    ----------
    Ho (1998), The random subspace method for constructing decision forests.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        n_features: Any = 0.5,
        *,
        voting: str = "soft",
        n_jobs: int | None = None,
        random_state: Any = None,
        subspace: str = "columns",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_features = n_features
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.subspace = subspace

    _params = rules_for(__init__, RULES, subspace=_SUBSPACES)

    max_features = property(_max_features)

    def _learner(self) -> Any:
        return _seen_by(self, super()._learner())


@method(
    section="8.5.3",
    task="regression",
    en="Random subspace for regression",
    zh="随机子空间回归",
    peers=["scikit-learn:BaggingRegressor"],
)
class RandomSubspaceRegressor(BaggedRegressor):
    r"""Regressors on random parts of the columns, all with all rows, and their mean.

    Each of T learners gets d' of the d columns; the answer is
    :math:`H(x) = \frac{1}{T} \sum_t h_t(\mathrm{Map}_{F_t}(x))`.

    Book: section 8.5.3, figure 8.11.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=50
        Number of learners, *T*.
    n_features : int or float, default=0.5
        Columns (or directions) that a learner gets, *d'*: a number, or a share.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws columns or directions, and seeds the learners.
    subspace : {"columns", "projection"}, default="columns"
        Some of the columns, or as many random directions, along which all columns are seen as numbers.

    Attributes
    ----------
    estimators_ : list of fitted learners
    estimators_features_ : list of arrays
        The columns of each learner; all of them for directions, which are in its ``directions_``.

    Notes
    -----
    Cost: T fits to d' columns, and T predictions for an answer.

    Examples
    --------
    >>> from lanatus.ensemble import RandomSubspaceRegressor
    >>> X = [[float(v), -v, 3.0 * v] for v in range(20)]
    >>> model = RandomSubspaceRegressor(random_state=0).fit(X, [v[2] for v in X])
    >>> float(model.predict([[4.0, -4.0, 12.0]])[0])
    12.0

    References
    ----------
    Ho (1998), The random subspace method for constructing decision forests.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        n_features: Any = 0.5,
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
        subspace: str = "columns",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_features = n_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.subspace = subspace

    _params = rules_for(__init__, RULES, subspace=_SUBSPACES)

    max_features = property(_max_features)

    def _learner(self) -> Any:
        return _seen_by(self, super()._learner())
