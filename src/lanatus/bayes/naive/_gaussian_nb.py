"""Gaussian naive Bayes."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import Floats, Takes, aligned, check_is_fitted, class_codes, n_threads
from lanatus.bayes import _class_sums
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._posterior import BayesClassifier, checked_priors, logarithm
from lanatus.bayes._rules import RULES
from lanatus.catalog import method
from lanatus.params import rules_for
from lanatus.scale import Block, Moments, blockwise


@method(
    "bayes.gaussian-naive-bayes",
    section="7.3",
    task="classification",
    en="Gaussian naive Bayes",
    zh="高斯朴素贝叶斯",
    streams=True,
    peers=["scikit-learn:GaussianNB"],
)
class GaussianNB(BayesClassifier):
    r"""Naive Bayes with a normal density for each attribute in each class.

    Picks the class with the largest :math:`P(c) \prod_i p(x_i \mid c)` (7.15), where
    :math:`p(x_i \mid c) = \mathcal{N}(x_i; \mu_{c,i}, \sigma^2_{c,i})` (7.18). Needs the data once, as weighted
    counts, means and squared deviations; missing values are left out attribute by attribute.

    Book: section 7.3. Kernel: ``cpp/bayes/gaussian_nb.hpp``.
    Cost: :math:`O(nd)` time for ``fit``, :math:`O(ndk)` for ``predict``, :math:`O(dk)` memory.

    Parameters
    ----------
    priors : array of shape (n_classes,) or None, default=None
        Prior probabilities of the classes; None takes them from the data.
    var_smoothing : float, default=1e-9
        This share of the largest variance of all attributes is added to every variance.
    ddof : int, default=0
        Variances are divided by (weighted) count minus this: 0 is maximum likelihood (7.13), 1 gives the
        figures of the book's example. A class with no more values than this has the variance of the column.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_prior_ : ndarray of shape (n_classes,), their prior probabilities
    theta_ : ndarray of shape (n_classes, n_features), means
    var_ : ndarray of shape (n_classes, n_features), variances, smoothed
    epsilon_ : float, what was added to the variances
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("3.0a", return_X_y=True)
    >>> GaussianNB(ddof=1).fit(X, y).theta_.round(3).tolist()
    [[0.496, 0.154], [0.574, 0.279]]

    References
    ----------
    Chan, Golub and LeVeque (1979), Updating formulae and a pairwise algorithm for computing sample variances.
    """

    _state: ClassVar = {
        "class_prior_": Floats("classes", low=0),
        "theta_": Floats("classes", "columns"),
        "var_": Floats("classes", "columns", low=0),
    }

    _takes = Takes(missing=True)

    fit = _class_sums.fit
    partial_fit = _class_sums.partial_fit

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9, ddof: int = 0) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.ddof = ddof

    _params = rules_for(__init__, RULES)

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], Moments]:
        return partial(tally_moments, classes)

    def _learned(self) -> Moments:
        return self._moments

    def _absorb(self, stats: Moments) -> None:
        """The model that follows from the sums over all rows."""
        set_classes(self, stats.classes, stats.class_mass)
        self._moments = stats
        self.class_prior_ = self._checked_priors(stats)
        self.epsilon_ = self.var_smoothing * float(overall(stats)[2].max(initial=0.0))
        self.theta_, self.var_ = normal_parameters(stats, self.ddof, self.epsilon_)

    def _checked_priors(self, stats: Moments) -> np.ndarray:
        if self.priors is None:
            return stats.class_mass / stats.class_mass.sum()
        return checked_priors(self.priors, len(stats.classes))

    def _densities(self) -> dict[str, Any]:
        mean, var = aligned(self.theta_), aligned(self.var_)
        return {"mean": mean, "var": var, "log_prior": self._log_priors(), "n_threads": n_threads()}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return self.classes_[kernels.predict(self._take(X, reset=False), **self._densities())]

    def _joint(self, X: Any) -> np.ndarray:
        return kernels.joint_log_likelihood(self._take(X, reset=False), **self._densities())

    def _log_priors(self) -> np.ndarray:
        return logarithm(self.class_prior_)


def tally_moments(classes: np.ndarray | None, block: Block) -> Moments:
    """What one block of rows contributes: moments by class."""
    labels, codes = class_codes(block.y, block.X, classes)
    mass, mean, m2 = kernels.moments(block.X, codes, block.weight, len(labels), n_threads=n_threads())
    return Moments(labels, np.bincount(codes, block.weight, len(labels)).astype(np.float64), mass, mean, m2)


def overall(stats: Moments) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, mean and variance of each attribute over all classes."""
    mass, mean, m2 = stats.pooled()
    return mass, mean, np.divide(m2, mass, out=np.zeros_like(m2), where=mass > 0)


def normal_parameters(stats: Moments, ddof: int, epsilon: Any) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances by class, `epsilon` added to the latter.

    An attribute never seen in a class says nothing about it: all classes share its overall density. Where a class has
    too few values for a variance, it has that of all classes.
    """
    mass, mean, spread = overall(stats)
    spread = np.where(mass > 0, spread, 1.0)
    seen, degrees = stats.mass > 0, stats.mass - ddof
    theta = np.where(seen, stats.mean, mean)
    variance = np.broadcast_to(spread, stats.m2.shape).copy()
    variance = np.divide(stats.m2, degrees, out=variance, where=seen & (degrees > 0)) + epsilon
    if not np.isfinite(variance).all():
        raise ValueError("the variances overflow: X has values too large to square; scale it first.")
    # Constant columns, or as good as: a narrow density, not a division by 0 or by what has no digits.
    variance[variance < np.finfo(np.float64).tiny] = np.finfo(np.float64).eps
    return theta, variance
