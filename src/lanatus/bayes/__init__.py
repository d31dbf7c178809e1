"""Bayes classifiers and decision rules (chapter 7, cookbook 2)."""

from lanatus._lazy import lazy

_HOME = {
    "_aode": ["AODE", "AnDE"],
    "_bernoulli_nb": ["BernoulliNB"],
    "_bayesian": ["BayesianClassifier"],
    "_categorical_nb": ["CategoricalNB"],
    "_complement_nb": ["ComplementNB"],
    "_cuts": ["gaussian_cut_points", "min_risk_cut", "neyman_pearson_cut"],
    "_decision": ["BayesDecision", "conditional_risk"],
    "_discriminant": ["QuadraticDiscriminantAnalysis"],
    "_error_rates": ["bayes_risk", "error_decomposition", "error_probability"],
    "_gaussian_nb": ["GaussianNB"],
    "_information": ["conditional_mutual_information"],
    "_joined": ["SemiNaiveBayes"],
    "_kdb": ["KDB"],
    "_lazy_rule": ["LBR"],
    "_multinomial_nb": ["MultinomialNB"],
    "_naive_bayes": ["NaiveBayes"],
    "_nbtree": ["NBTree"],
    "_ode": ["ODE", "SPODE"],
    "_optimal": ["BayesOptimalClassifier"],
    "_samples": ["samples_needed"],
    "_structure": ["StructureDisplay", "plot_structure"],
    "_tan": ["TAN"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
