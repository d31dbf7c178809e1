"""Linear models (chapter 3, section 11.4): least squares, penalties, generalised linear models, discriminants."""

from lanatus._lazy import lazy

_HOME = {
    "_logistic": ["LogisticRegression"],
    "_logistic_functions": ["logistic", "logit", "odds", "unit_step"],
    "_discriminant": ["LinearDiscriminantAnalysis"],
    "_scatter": ["scatter_matrices"],
    "_fisher": ["fisher_criterion", "fisher_threshold", "generalized_rayleigh_quotient"],
    "_summary": ["Summary"],
    "_ridge": ["Ridge"],
    "_multi_response": ["MultiResponseLinearRegression"],
    "_log_linear": ["LogLinearRegression"],
    "_links": ["Link", "link_function"],
    "_least_squares": ["LinearRegression"],
    "_glm": ["GeneralizedLinearModel"],
    "_elastic_net": ["ElasticNet"],
    "_lasso": ["Lasso"],
    "_linear_model": ["LinearModel"],
    "_best_subset": ["BestSubsetRegression"],
    "_fused_lasso": ["FusedLasso"],
    "_group_lasso": ["GroupLasso"],
    "_lars": ["Lars", "LassoLars"],
    "_lasso_cv": ["ElasticNetCV", "LassoCV"],
    "_multi_task": ["MultiTaskElasticNet", "MultiTaskLasso"],
    "_multi_task_cv": ["MultiTaskElasticNetCV", "MultiTaskLassoCV"],
    "_proximal": ["ProximalGradient"],
    "_regularized": ["RegularizedLinearModel"],
    "_path": ["enet_path", "lasso_path"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
