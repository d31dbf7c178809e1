"""The mean of a normal density under a prior."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.density.parametric._conjugate_priors import mean_posterior
from lanatus.density.parametric._gaussian import LOG_2PI
from lanatus.params import Real


@method(
    "density.map-gaussian-mean",
    section="CB 3.3.1",
    task="density",
    en="Bayesian estimate of a Gaussian mean",
    zh="高斯均值的贝叶斯估计(MAP)",
)
class BayesianGaussianMean(Density):
    r"""Normal columns of known variance, whose means have normal priors.

    The posterior of a mean is normal with
    :math:`\mu_N = \frac{N\sigma_0^2}{N\sigma_0^2+\sigma^2} m_N + \frac{\sigma^2}{N\sigma_0^2+\sigma^2} \mu_0` and
    :math:`\sigma_N^2 = \frac{\sigma^2\sigma_0^2}{N\sigma_0^2+\sigma^2}`; its mode, the MAP estimate, is its mean.

    Cookbook: section 3.3.1 (which prints :math:`\sigma_N` for :math:`\sigma_N^2`). Cost: :math:`O(nd)` time.

    Parameters
    ----------
    mu0 : float, default=0.0
        Mean of the prior.
    sigma0 : float, default=1.0
        Deviation of the prior.
    sigma : float, default=1.0
        Known deviation of the values.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,), posterior means
    variance_ : ndarray of shape (n_features,), posterior variances of the means
    n_samples_ : float, (weighted) number of rows
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.density import BayesianGaussianMean
    >>> model = BayesianGaussianMean().fit([[1.0], [2.0], [3.0]])
    >>> model.mean_.tolist(), model.variance_.tolist()
    ([1.5], [0.25])
    """

    _state: ClassVar = {"mean_": Floats("columns"), "variance_": Floats("columns", low=0)}

    _params = {"mu0": Real(), "sigma0": Real(above=0), "sigma": Real(above=0)}

    def __init__(self, *, mu0: float = 0.0, sigma0: float = 1.0, sigma: float = 1.0) -> None:
        self.mu0 = mu0
        self.sigma0 = sigma0
        self.sigma = sigma

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        weight = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=np.float64)
        prior = {"mean": self.mu0, "variance": self.sigma0**2}
        posteriors = [mean_posterior(prior, column.astype(np.float64), weight, self.sigma**2) for column in rows.T]
        self.mean_ = np.array([post["mean"] for post in posteriors])
        self.variance_ = np.array([post["variance"] for post in posteriors])
        self.n_samples_ = float(weight.sum())
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Log density of each row as a new observation, the means integrated out."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        variance = self.variance_ + self.sigma**2
        return -0.5 * (LOG_2PI + np.log(variance) + (rows - self.mean_) ** 2 / variance).sum(axis=1)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw new observations, the means integrated out."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        return rng.normal(self.mean_, np.sqrt(self.variance_ + self.sigma**2), (n_samples, len(self.mean_)))
