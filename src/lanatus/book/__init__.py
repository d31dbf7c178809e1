"""Worked examples of the books: ``lanatus book 9.4.1`` prints the book's figures beside the computed ones."""

from lanatus._lazy import lazy

# The registry, and the experiments that exercises and claims ask for; a chapter is loaded when one of its own is used.
_HOME = {
    "_registry": ["Example", "Figure", "example", "examples"],
    "_ch02_experiments": ["ex_2_2", "ex_2_3", "fig_2_9"],
    "_ch02_sizes": ["ex_2_10", "paired_t_inflation"],
    "_ch03": ["ex_3_4"],
    "_ch03_logistic": ["ex_3_2", "ex_3_6"],
    "_ch03_imbalance": ["oversampling_overfit"],
    "_ch03_linear": ["ex_3_1"],
    "_ch03_multiclass": ["ex_3_9"],
    "_ch04_experiments": ["criteria_comparison", "ex_4_1", "gini_vs_gain", "many_valued_bias"],
    "_ch04_pictures": ["fig_4_11"],
    "_ch04_pruning_claims": ["pre_pruning_xor", "pruning_under_noise"],
    "_ch04_uci": ["ex_4_6"],
    "_ch07_decision": ["ex_7_5"],
    "_ch07_naive": ["ex_7_2", "nb_vs_logistic"],
    "_ch08": ["fig_8_2"],
    "_ch08_bagging": ["boosting_bagging_bias_variance", "ex_8_5", "ex_8_6", "ex_8_7", "fig_8_7"],
    "_ch08_boosting": ["boosting_margins", "ex_8_3"],
    "_ch08_combining": ["stacking_vs_bma"],
    "_ch11": ["ex_11_5", "ex_11_6"],
    "_pictures": ["draw_figure"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
