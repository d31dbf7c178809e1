"""Decision trees: growing, pruning, reading and explaining them (chapter 4)."""

from lanatus._lazy import lazy

_HOME = {
    "_classifier": ["DecisionTreeClassifier"],
    "_dependence_picture": ["PartialDependenceDisplay"],
    "_explain": ["explain_path"],
    "_export": ["export_graphviz", "export_text"],
    "_export_json": ["export_json", "import_json"],
    "_export_rules": ["export_rules"],
    "_hoeffding": ["HoeffdingTreeClassifier"],
    "_importance": ["feature_importance", "permutation_importance"],
    "_incremental": ["ID5RClassifier", "ITIClassifier"],
    "_incremental_id4": ["ID4Classifier"],
    "_lazy_tree": ["LazyDecisionTreeClassifier"],
    "_leaf_models": ["LeafModelTree"],
    "_measures": [
        "best_threshold",
        "conditional_entropy",
        "entropy",
        "gain_ratio",
        "gini",
        "gini_index",
        "information_gain",
        "intrinsic_value",
        "training_error",
    ],
    "_oblique": ["ObliqueTreeClassifier"],
    "_partial_dependence": ["partial_dependence"],
    "_picture": ["TreeDisplay", "plot_tree"],
    "_presets": [
        "C45Classifier",
        "CARTClassifier",
        "CARTRegressor",
        "CLSClassifier",
        "DecisionStump",
        "ID3Classifier",
    ],
    "_pruning": ["cost_complexity_path"],
    "_regressor": ["DecisionTreeRegressor"],
    "_rules": ["C45Rules"],
    "_shap": ["tree_shap"],
    "_tree": ["Tree"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
