"""Gaussian naive Bayes."""

from functools import partial
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin

from lanatus._core import bayes as kernels
from lanatus.base import Estimator, Takes, aligned, check_is_fitted, class_codes, fitting, n_threads
from lanatus.catalog import method
from lanatus.params import Array, Integer, Nothing, Real
from lanatus.scale import Block, Moments, blockwise, open_engine


@method(
    "bayes.gaussian-naive-bayes",
    section="7.3",
    task="classification",
    en="Gaussian naive Bayes",
    zh="高斯朴素贝叶斯",
    streams=True,
    peers=["scikit-learn:GaussianNB"],
)
class GaussianNB(ClassifierMixin, Estimator):
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
        figures of the book's example.

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

    _takes = Takes(missing=True)
    _params = {
        "priors": Array(ndim=1) | Nothing(),
        "var_smoothing": Real(low=0),
        "ddof": Integer(low=0),
    }

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9, ddof: int = 0) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.ddof = ddof

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            Labels of any type; None where X is a source that has its own target.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        engine = open_engine(self, X, y, sample_weight)
        return self._absorb(engine.reduce(partial(tally_moments, None)))

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from some more rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels.
        classes : array of shape (n_classes,), optional
            All labels there will be; needed in the first call.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(f"classes={classes!r} is not the same as on the first call: {known.tolist()}.")
        numbers = self._numbers(X, reset=first)
        stats = tally_moments(known, Block(numbers, y, self._weights(sample_weight, numbers), 0))
        return self._absorb(stats if first else self._moments + stats)

    def _absorb(self, stats: Moments) -> Self:
        """The model that follows from the sums over all rows."""
        if not stats.class_mass.sum() > 0:
            raise ValueError("sample_weight leaves no row with a positive weight; wanted at least one.")
        self._moments = stats
        self.classes_ = stats.classes
        self.class_count_ = stats.class_mass
        self.class_prior_ = self._checked_priors(stats)
        mass, mean, m2 = stats.pooled()
        spread = np.divide(m2, mass, out=np.zeros_like(m2), where=mass > 0)
        self.epsilon_ = self.var_smoothing * float(spread.max(initial=0.0))
        degrees = stats.mass - self.ddof
        variance = np.divide(stats.m2, degrees, out=np.zeros_like(stats.m2), where=degrees > 0)
        # An attribute never seen in a class says nothing about it: all classes share its overall density.
        seen = stats.mass > 0
        self.theta_ = np.where(seen, stats.mean, mean)
        self.var_ = np.where(seen, variance, np.where(mass > 0, spread, 1.0)) + self.epsilon_
        if not np.isfinite(self.var_).all():
            raise ValueError("the variances overflow: X has values too large to square; scale it first.")
        self.var_[self.var_ == 0] = np.finfo(np.float64).eps  # constant columns: a narrow density, not a division by 0
        return self

    def _checked_priors(self, stats: Moments) -> np.ndarray:
        if self.priors is None:
            return stats.class_mass / stats.class_mass.sum()
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != stats.classes.shape:
            raise ValueError(
                f"Number of priors must match number of classes: got {priors.size}, wanted {len(stats.classes)}."
            )
        if (priors < 0).any() or not np.isclose(priors.sum(), 1.0):
            raise ValueError(f"The sum of the priors should be 1 and none negative, got {priors.tolist()}.")
        return priors

    def _densities(self) -> dict[str, Any]:
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        mean, var = aligned(self.theta_), aligned(self.var_)
        return {"mean": mean, "var": var, "log_prior": log_prior, "n_threads": n_threads()}

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Most probable class of each row."""
        check_is_fitted(self)
        return self.classes_[kernels.predict(self._numbers(X, reset=False), **self._densities())]

    @blockwise
    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of prior times density, for each row and class."""
        check_is_fitted(self)
        return kernels.joint_log_likelihood(self._numbers(X, reset=False), **self._densities())

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the posterior probability of each class."""
        joint = self.predict_joint_log_proba(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Posterior probability of each class."""
        return np.exp(self.predict_log_proba(X))


def tally_moments(classes: np.ndarray | None, block: Block) -> Moments:
    """What one block of rows contributes: moments by class."""
    known, codes = class_codes(block.y, block.X, classes)
    mass, mean, m2 = kernels.moments(block.X, codes, block.weight, len(known), n_threads=n_threads())
    return Moments(known, np.bincount(codes, block.weight, len(known)).astype(np.float64), mass, mean, m2)
