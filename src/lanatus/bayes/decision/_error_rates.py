"""How often a rule errs on classes of known distributions, what that costs, and why."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from lanatus.bayes.decision._decision import losses
from lanatus.bayes.decision._known_densities import (
    DecisionRule,
    Shares,
    TooCoarse,
    checked_shares,
    draw,
    matrix_of,
    shares_by_sampling,
    shares_on_line,
    shares_on_plane,
)
from lanatus.bayes.decision._optimal import BayesOptimalClassifier
from lanatus.catalog import method


class ErrorProbability(NamedTuple):
    """How often a rule errs: on all rows, on those of each class, and the standard error of the first."""

    error: float
    class_errors: np.ndarray
    standard_error: float


@method(
    "bayes.two-class-error-rate",
    section="CB 2.2.1",
    task="classification",
    kind="theory",
    en="Error rate of a decision rule on known distributions",
    zh="两类与多类错误率",
)
def error_probability(
    densities: Any,
    priors: Any = None,
    regions: Any = None,
    *,
    how: str = "auto",
    n_samples: int = 100_000,
    n_grid: int = 1001,
    random_state: Any = None,
) -> ErrorProbability:
    r"""Probability that a rule errs, on classes of known densities.

    :math:`P(e) = \sum_i P(c_i) \sum_{j \ne i} P(x \in R_j \mid c_i)`, where the rule decides for class j in region
    :math:`R_j`.

    Parameters
    ----------
    densities : sequence of distributions
        One a class, as in `BayesOptimalClassifier`.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None for all the same.
    regions : classifier, callable or None, default=None
        The rule: a fitted classifier of classes 0, 1, ..., or a function of rows that gives them; None is Bayes' rule.
    how : {"auto", "integral", "sampling"}, default="auto"
        "integral" is for one or two attributes: on a line the ends of the regions are found to the last digit and
        masses are exact where the densities have a ``cdf``, and whole numbers are summed one by one; on a plane a
        grid is summed. "sampling" draws from the classes. "auto" takes the integral where there is one, unless the
        grid is too coarse for a density.
    n_samples : int, default=100000
        Rows to draw from each class.
    n_grid : int, default=1001
        Points of the grid along each axis; on a line as many more for each density, where its mass is. A region
        between two of them may be overlooked.
    random_state : int, RandomState or None, default=None
        For sampling.

    Returns
    -------
    ErrorProbability
        ``error``, ``class_errors`` and ``standard_error``, which is 0 for integrals.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from lanatus.bayes import error_probability
    >>> round(error_probability([norm(0, 1), norm(2, 1)]).error, 6)
    0.158655
    """
    shares = checked_shares(priors, len(densities))
    rule = _rule(densities, shares, regions)
    regions = _decided(densities, rule, how, n_samples, n_grid, random_state)
    right = np.arange(len(densities))
    errors = 1 - regions.decided[right, right]
    spread = float(np.sqrt(((shares * regions.standard_error[right, right]) ** 2).sum()))
    return ErrorProbability(float(shares @ errors), errors, spread)


@method(section="7.1", task="classification", kind="theory", en="Bayes risk of known distributions", zh="贝叶斯风险")
def bayes_risk(
    densities: Any,
    priors: Any = None,
    loss_matrix: Any = None,
    *,
    how: str = "auto",
    n_samples: int = 100_000,
    n_grid: int = 1001,
    random_state: Any = None,
) -> float:
    r"""Risk of Bayes' rule on classes of known densities, which no rule can beat.

    :math:`R(h^*) = \mathbb{E}_x \min_c R(c \mid x)` (7.2, 7.3); with the 0/1 loss, the least possible error.

    Parameters
    ----------
    densities : sequence of distributions
        One a class, as in `BayesOptimalClassifier`.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None for all the same.
    loss_matrix : array of shape (n_classes, n_classes) or None, default=None
        Loss of deciding for the row's class where the column's is true; None is 0 and 1.
    how : {"auto", "integral", "sampling"}, default="auto"
        As in `error_probability`.
    n_samples : int, default=100000
        Rows to draw from each class.
    n_grid : int, default=1001
        Points of the grid along each axis.
    random_state : int, RandomState or None, default=None
        For sampling.

    Returns
    -------
    float

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from lanatus.bayes import bayes_risk
    >>> round(bayes_risk([norm(0, 1), norm(2, 1)], loss_matrix=[[0, 2], [1, 0]]), 6)
    0.217429
    """
    rule = BayesOptimalClassifier(densities, priors, loss_matrix=loss_matrix)
    sampling = {"how": how, "n_samples": n_samples, "n_grid": n_grid, "random_state": random_state}
    return overall_risk(densities, rule, priors, loss_matrix, **sampling)


@method(
    section="7.1",
    task="classification",
    kind="theory",
    en="Overall risk of a decision rule",
    zh="总体风险",
)
def overall_risk(
    densities: Any,
    regions: Any,
    priors: Any = None,
    loss_matrix: Any = None,
    *,
    how: str = "auto",
    n_samples: int = 100_000,
    n_grid: int = 1001,
    random_state: Any = None,
) -> float:
    r"""Risk of any decision rule on classes of known densities.

    :math:`R(h) = \mathbb{E}_x R(h(x) \mid x)` (7.2), the conditional risk (7.1) of what the rule decides, on average.
    No rule is below `bayes_risk`; with the 0/1 loss it is the error of the rule.

    Book: section 7.1. Cost: one decision of the rule for each point of the grid, or row drawn.

    Parameters
    ----------
    densities : sequence of distributions
        One a class, as in `BayesOptimalClassifier`.
    regions : classifier or callable
        The rule: a fitted classifier of classes 0, 1, ..., or a function of rows that gives them.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None for all the same.
    loss_matrix : array of shape (n_classes, n_classes) or None, default=None
        Loss of deciding for the row's class where the column's is true; None is 0 and 1.
    how : {"auto", "integral", "sampling"}, default="auto"
        As in `error_probability`.
    n_samples : int, default=100000
        Rows to draw from each class.
    n_grid : int, default=1001
        Points of the grid along each axis.
    random_state : int, RandomState or None, default=None
        For sampling.

    Returns
    -------
    float

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from lanatus.bayes import overall_risk
    >>> halfway = lambda rows: (rows[:, 0] > 1).astype(int)
    >>> round(overall_risk([norm(0, 1), norm(2, 1)], halfway, loss_matrix=[[0, 2], [1, 0]]), 6)
    0.237983
    """
    shares = checked_shares(priors, len(densities))
    decided = _decided(densities, _rule(densities, shares, regions), how, n_samples, n_grid, random_state).decided
    return float((losses(loss_matrix, len(densities)) * decided[:-1] * shares).sum())


class ErrorDecomposition(NamedTuple):
    """The error of a classifier as a sum: what none can avoid, what its family cannot, what few rows cost."""

    bayes_error: float
    model_error: float
    estimation_error: float

    @property
    def total(self) -> float:
        """Error of the classifier."""
        return self.bayes_error + self.model_error + self.estimation_error


@method(
    "bayes.classifier-error-decomposition",
    section="CB 3.5.1",
    task="classification",
    kind="theory",
    en="Bayes, model and estimation error of a classifier",
    zh="分类器误差分解",
)
def error_decomposition(
    model: Any,
    densities: Any,
    X: Any,
    y: Any,
    *,
    priors: Any = None,
    n_large: int = 100_000,
    how: str = "auto",
    n_samples: int = 100_000,
    n_grid: int = 1001,
    random_state: Any = None,
) -> ErrorDecomposition:
    """Where the error of a classifier comes from, on classes of known densities.

    The Bayes error is that of the optimal rule. The model error is what the same classifier adds to it when it has rows
    without end to learn from: its family is wrong. The estimation error is what it adds when it learns from X and y
    alone; it may be negative by luck.

    Parameters
    ----------
    model : classifier
        The learner; clones of it are fitted.
    densities : sequence of distributions
        One a class, as in `BayesOptimalClassifier`.
    X : array of shape (n_samples, n_features)
        The rows to learn from.
    y : array of shape (n_samples,)
        Their classes, as positions in `densities`.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None for all the same.
    n_large : int, default=100000
        Rows to draw in place of rows without end.
    how : {"auto", "integral", "sampling"}, default="auto"
        As in `error_probability`.
    n_samples : int, default=100000
        Rows to draw from each class to measure an error by sampling.
    n_grid : int, default=1001
        Points of the grid along each axis.
    random_state : int, RandomState or None, default=None
        For the rows drawn.

    Returns
    -------
    ErrorDecomposition
        ``bayes_error``, ``model_error``, ``estimation_error`` and their sum ``total``.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from lanatus.bayes import GaussianNB, error_decomposition
    >>> X, y = [[-0.1], [0.4], [1.8], [2.9]], [0, 0, 1, 1]
    >>> parts = error_decomposition(GaussianNB(), [norm(0, 1), norm(2, 1)], X, y, random_state=0)
    >>> round(parts.bayes_error, 4), round(parts.model_error, 3), parts.estimation_error > 0
    (0.1587, 0.0, True)
    """
    random = check_random_state(random_state)
    shares = checked_shares(priors, len(densities))
    counts = random.multinomial(n_large, shares)
    large = np.vstack([draw(density, n, random) for density, n in zip(densities, counts, strict=True)])
    labels = np.repeat(np.arange(len(densities)), counts)
    options = {"how": how, "n_samples": n_samples, "n_grid": n_grid, "random_state": random.randint(2**31 - 1)}
    best = error_probability(densities, shares, **options).error
    limit = error_probability(densities, shares, clone(model).fit(large, labels), **options).error
    fitted = error_probability(densities, shares, clone(model).fit(matrix_of(X), np.asarray(y)), **options).error
    return ErrorDecomposition(best, limit - best, fitted - limit)


def _positions(predict: Any) -> DecisionRule:
    """A rule that gives positions of classes, checked."""

    def rule(rows: np.ndarray) -> np.ndarray:
        decisions = np.asarray(predict(rows))
        if decisions.shape != (len(rows),) or decisions.dtype.kind not in "iub":
            raise ValueError("a rule must give the position of a class, 0, 1, ..., for each row.")
        return decisions.astype(np.intp)

    return rule


def _rule(densities: Any, shares: np.ndarray, regions: Any) -> DecisionRule:
    if regions is None:
        return _positions(BayesOptimalClassifier(densities, shares).predict)
    return _positions(regions.predict if hasattr(regions, "predict") else regions)


def _decided(densities: Any, rule: DecisionRule, how: str, n_samples: int, n_grid: int, random_state: Any) -> Shares:
    """How often each class is decided to be which, by the way asked."""
    if how not in ("auto", "integral", "sampling"):
        raise ValueError(f"how must be 'auto', 'integral' or 'sampling'; got {how!r}.")
    width = draw(densities[0], 2, 0).shape[1]
    if how == "sampling" or (how == "auto" and width > 2):
        return shares_by_sampling(densities, rule, n_samples, random_state)
    if width > 2:
        raise ValueError(f"how='integral' is for one or two attributes; the densities have {width}. Take 'sampling'.")
    try:
        return (shares_on_line if width == 1 else shares_on_plane)(densities, rule, n_grid)
    except TooCoarse:
        if how == "integral":
            raise
        return shares_by_sampling(densities, rule, n_samples, random_state)
