"""Linear models (chapter 3, section 11.4): least squares, penalties, generalised linear models, discriminants."""

import importlib
from typing import Any

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
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
