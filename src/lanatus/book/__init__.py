"""Worked examples of the books: ``lanatus book 9.4.1`` prints the book's figures beside the computed ones."""

from lanatus._lazy import lazy
from lanatus.book._registry import Example, Figure, example, examples

# Experiments that the exercises and claims of the books ask for; a chapter is loaded when one of them is used.
_HOME = {
    "_ch02_experiments": ["ex_2_2", "ex_2_3", "fig_2_9"],
    "_ch02_sizes": ["ex_2_10", "paired_t_inflation"],
    "_ch03": ["ex_3_4"],
    "_ch03_logistic": ["ex_3_2", "ex_3_6"],
    "_ch03_imbalance": ["oversampling_overfit"],
    "_ch03_linear": ["ex_3_1"],
    "_ch03_multiclass": ["ex_3_9"],
    "_ch11": ["ex_11_5", "ex_11_6"],
}

_experiments, __getattr__, __dir__ = lazy(__name__, _HOME)

__all__ = ["Example", "Figure", "example", "examples", *_experiments]
