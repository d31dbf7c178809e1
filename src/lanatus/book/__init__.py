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
    "_ch11": ["ex_11_5", "ex_11_6"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
