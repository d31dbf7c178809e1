"""Rules of the parameters that Bayes classifiers share by name."""

from lanatus.params import COMMON, Array, Choice, Flag, Integer, Nothing, ParameterRule, Real

RULES: dict[str, ParameterRule] = {
    **COMMON,
    "alpha": Real(low=0),
    "class_prior": Array(ndim=1) | Nothing(),
    "ddof": Integer(low=0),
    "discretize": Choice("mdl", "quantile") | Nothing(),
    "fit_prior": Flag(),
    "force_alpha": Flag(),
    "min_count": Real(low=0),
    "n_bins": Integer(low=2),
    "priors": Array(ndim=1) | Nothing(),
    "smoothing": Choice("lidstone", "m-estimate"),
    "var_smoothing": Real(low=0),
}
