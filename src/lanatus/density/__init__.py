"""Density estimation, mixtures and EM (chapters 7 and 9, cookbook 3 and 4)."""

from lanatus._lazy import lazy

_HOME = {
    "_bayesian_mixture": ["BayesianGaussianMixture"],
    "_categorical": ["CategoricalDensity"],
    "_conjugate": ["conjugate_posterior", "map_estimate", "posterior_predictive"],
    "_criteria": ["aic", "bic"],
    "_em": ["EM", "LikelihoodFell", "em_lower_bound"],
    "_gaussian": ["GaussianDensity", "multivariate_normal_pdf"],
    "_gaussian_mean": ["BayesianGaussianMean"],
    "_histogram": ["HistogramDensity"],
    "_kernel_density": ["KernelDensity", "ParzenWindow"],
    "_mixture": ["GaussianMixture"],
    "_mle": ["mle"],
    "_k_neighbors": ["KNeighborsDensity"],
    "_product": ["ProductDensity"],
    "_quality": ["check_identifiability", "cramer_rao_bound", "estimator_bias_variance", "required_samples"],
    "_uniform": ["UniformDensity"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
