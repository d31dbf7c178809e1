"""Bagging."""

from typing import Any, Self

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.ensemble._routing import routed, router
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.bagging._bagged_answers import BaggedClassifier, BaggedRegressor
from lanatus.ensemble.bagging._resampled import fit_bagged, sample_of
from lanatus.params import Choice, Nothing, rules_for


def get_metadata_routing(self: Any) -> Any:
    """Which metadata of ``fit`` goes on to the learners."""
    return router(self, {"estimator": self._learner()}, fit="fit")


@method(
    "ensemble.bagging",
    "ensemble.bagging-oob-estimate",
    "ensemble.oob-uses",
    section="8.3.1",
    task="classification",
    en="Bagging",
    zh="Bagging (自助聚合)",
    peers=["scikit-learn:BaggingClassifier"],
)
class BaggingClassifier(BaggedClassifier):
    r"""Bagging: learners on bootstrap samples of the rows, and their vote.

    Each of T learners gets n rows drawn with replacement, and the answer is
    :math:`H(x) = \arg\max_y \sum_{t} \mathbb{I}(h_t(x) = y)`, or the mean of their probabilities. The rows that a
    learner did not see (about 36.8 % of them) estimate the error without a test set.

    Book: section 8.3.1, figure 8.5.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=10
        Number of learners, *T*.
    max_samples : int, float or None, default=None
        Rows that a learner gets: a number, or a share, more than there are if they are put back; None is as many.
    max_features : int or float, default=1.0
        Columns that a learner gets: a number, or a share.
    bootstrap : bool, default=True
        Whether rows are put back.
    bootstrap_features : bool, default=False
        Whether columns are put back.
    oob_score : bool or callable, default=False
        Whether the rows left out judge the ensemble: accuracy, or ``oob_score(y_true, y_pred)``.
    oob_use : {"prune", "posterior", "early_stopping"} or None, default=None
        What else they are used for: to prune each tree, to estimate the class shares of its leaves, or to stop adding
        learners once they no longer help.
    n_iter_no_change : int, default=10
        With ``oob_use="early_stopping"``: learners without a lower out-of-bag error that end the fit.
    warm_start : bool, default=False
        Whether ``fit`` adds to the learners that there are, up to `n_estimators`.
    voting : {"soft", "hard"}, default="soft"
        Mean probabilities where the learners have any, or votes. Ties of votes go to the class that the learners are
        surest of, then to the one that sorts first.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws rows and columns, and seeds the learners.
    verbose : int, default=0
        News of the learners as they are fitted, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_classes_ : int
        Their number.
    estimators_ : list of fitted learners
        Their classes are places in `classes_`. The ensemble has a length, and gives them by number.
    estimator_ : classifier
        The learner.
    estimators_samples_ : list of arrays
        The rows of each learner.
    estimators_features_ : list of arrays
        The columns of each learner.
    oob_score_ : float
        Score of the answers below, on the rows that have one.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Mean answer to each row of the learners that did not see it; NaN where all have seen it.

    Notes
    -----
    Rows are drawn by their weights; with ``bootstrap=False`` the learner is given the weights instead. Rows of weight
    zero are left out. Where a learner cannot learn from a bag that holds one class, its member always says that class.
    Cost: T fits, and T predictions for an answer.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import BaggingClassifier
    >>> X = [[float(v)] for v in range(20)]
    >>> model = BaggingClassifier(GaussianNB(), 50, oob_score=True, random_state=0).fit(X, ["no"] * 10 + ["yes"] * 10)
    >>> model.predict([[2.0], [18.5]]).tolist(), round(model.oob_score_, 2)
    (['no', 'yes'], 0.95)

    References
    ----------
    Breiman (1996), Bagging predictors. Wolpert and Macready (1999), An efficient method to estimate bagging's
    generalization error.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        oob_use: str | None = None,
        n_iter_no_change: int = 10,
        warm_start: bool = False,
        voting: str = "soft",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.oob_use = oob_use
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    _params = rules_for(__init__, RULES, oob_use=Nothing() | Choice("prune", "posterior", "early_stopping"))

    get_metadata_routing = get_metadata_routing

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts, the rest is routed."""
        more = routed(self, fit_params, ["estimator"])["estimator"]
        fit_bagged(self, sample_of(self, X, y, sample_weight, **more))
        return self


@method(
    section="8.3.1",
    task="regression",
    en="Bagging for regression",
    zh="Bagging回归",
    peers=["scikit-learn:BaggingRegressor"],
)
class BaggingRegressor(BaggedRegressor):
    r"""Bagging: regressors on bootstrap samples of the rows, and their mean.

    Each of T learners gets n rows drawn with replacement, and the answer is
    :math:`H(x) = \frac{1}{T} \sum_{t} h_t(x)`. The rows that a learner did not see estimate the error.

    Book: section 8.3.1, figure 8.5.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The learner; None is a decision tree.
    n_estimators : int, default=10
        Number of learners, *T*.
    max_samples : int, float or None, default=None
        Rows that a learner gets: a number, or a share, more than there are if they are put back; None is as many.
    max_features : int or float, default=1.0
        Columns that a learner gets: a number, or a share.
    bootstrap : bool, default=True
        Whether rows are put back.
    bootstrap_features : bool, default=False
        Whether columns are put back.
    oob_score : bool or callable, default=False
        Whether the rows left out judge the ensemble: R squared, or ``oob_score(y_true, y_pred)``.
    oob_use : {"prune", "early_stopping"} or None, default=None
        What else they are used for: to prune each tree, or to stop adding learners once they no longer help.
    n_iter_no_change : int, default=10
        With ``oob_use="early_stopping"``: learners without a lower out-of-bag error that end the fit.
    warm_start : bool, default=False
        Whether ``fit`` adds to the learners that there are, up to `n_estimators`.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws rows and columns, and seeds the learners.
    verbose : int, default=0
        News of the learners as they are fitted, as in joblib.

    Attributes
    ----------
    estimators_ : list of fitted learners; the ensemble has a length, and gives them by number
    estimator_ : regressor
        The learner.
    n_outputs_ : int
        Number of targets.
    estimators_samples_ : list of arrays
        The rows of each learner.
    estimators_features_ : list of arrays
        The columns of each learner.
    oob_score_ : float
        Score of the answers below, on the rows that have one.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Mean answer to each row of the learners that did not see it; NaN where all have seen it.

    Notes
    -----
    Rows are drawn by their weights; with ``bootstrap=False`` the learner is given the weights instead. Rows of weight
    zero are left out. Cost: T fits, and T predictions for an answer.

    Examples
    --------
    >>> from lanatus.ensemble import BaggingRegressor
    >>> X = [[float(v)] for v in range(20)]
    >>> model = BaggingRegressor(random_state=0).fit(X, [2 * v[0] for v in X])
    >>> bool(15 < model.predict([[9.0]])[0] < 21)
    True

    References
    ----------
    Breiman (1996), Bagging predictors.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        oob_use: str | None = None,
        n_iter_no_change: int = 10,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.oob_use = oob_use
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    _params = rules_for(__init__, RULES, oob_use=Nothing() | Choice("prune", "early_stopping"))

    get_metadata_routing = get_metadata_routing

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts, the rest is routed."""
        more = routed(self, fit_params, ["estimator"])["estimator"]
        fit_bagged(self, sample_of(self, X, y, sample_weight, **more))
        return self
