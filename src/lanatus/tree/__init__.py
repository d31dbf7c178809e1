"""Decision trees: growing, pruning, reading and explaining them (chapter 4)."""

from lanatus._lazy import lazy

_HOME = {
    "_classifier": ["DecisionTreeClassifier"],
    "_explain": ["explain_path", "feature_importance", "partial_dependence", "permutation_importance", "tree_shap"],
    "_export": ["export_graphviz", "export_json", "export_rules", "export_text"],
    "_hoeffding": ["HoeffdingTreeClassifier"],
    "_incremental": ["ID4Classifier", "ID5RClassifier", "ITIClassifier"],
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
    "_picture": ["plot_tree"],
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
    "_tree": ["Tree"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
