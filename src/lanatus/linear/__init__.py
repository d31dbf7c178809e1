"""Linear models (chapter 3, section 11.4): least squares, penalties, generalised linear models, discriminants."""

from lanatus._lazy import lazy

_HOME = {
    "_linear_model": ["LinearModel"],
    "lanatus.linear.least_squares._linear_regression": ["LinearRegression"],
    "lanatus.linear.least_squares._ridge": ["Ridge"],
    "lanatus.linear.least_squares._log_linear": ["LogLinearRegression"],
    "lanatus.linear.least_squares._multi_response": ["MultiResponseLinearRegression"],
    "lanatus.linear.least_squares._best_subset": ["BestSubsetRegression"],
    "lanatus.linear.least_squares._summary": ["Summary"],
    "lanatus.linear.glm._generalized_linear_model": ["GeneralizedLinearModel"],
    "lanatus.linear.glm._link": ["Link", "link_function"],
    "lanatus.linear.logistic_regression._logistic_regression": ["LogisticRegression"],
    "lanatus.linear.logistic_regression._functions": ["logistic", "logit", "odds", "unit_step"],
    "lanatus.linear.discriminant._linear_discriminant_analysis": ["LinearDiscriminantAnalysis"],
    "lanatus.linear.discriminant._scatter": ["scatter_matrices"],
    "lanatus.linear.discriminant._fisher": ["fisher_criterion", "fisher_threshold", "generalized_rayleigh_quotient"],
    "lanatus.linear.regularized._elastic_net": ["ElasticNet"],
    "lanatus.linear.regularized._lasso": ["Lasso"],
    "lanatus.linear.regularized._lasso_cv": ["ElasticNetCV", "LassoCV"],
    "lanatus.linear.regularized._multi_task": ["MultiTaskElasticNet", "MultiTaskLasso"],
    "lanatus.linear.regularized._multi_task_cv": ["MultiTaskElasticNetCV", "MultiTaskLassoCV"],
    "lanatus.linear.regularized._group_lasso": ["GroupLasso"],
    "lanatus.linear.regularized._fused_lasso": ["FusedLasso"],
    "lanatus.linear.regularized._lars": ["Lars", "LassoLars"],
    "lanatus.linear.regularized._path": ["enet_path", "lasso_path"],
    "lanatus.linear.regularized._proximal_gradient": ["ProximalGradient"],
    "lanatus.linear.regularized._regularized_linear_model": ["RegularizedLinearModel"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
