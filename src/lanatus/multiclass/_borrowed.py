"""What scikit-learn has for several labels a row, offered from here as it is."""

from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from lanatus.catalog import borrow

__all__ = ["ClassifierChain", "MultiOutputClassifier"]

borrow(
    MultiOutputClassifier,
    "multiclass.multi-label",
    home="lanatus.multiclass",
    section="3.7",
    task="classification",
    kind="estimator",
    en="Multi-label learning by binary relevance",
    zh="多标记学习",
)
borrow(
    ClassifierChain,
    home="lanatus.multiclass",
    section="3.7",
    task="classification",
    kind="estimator",
    en="Multi-label learning by a chain of classifiers",
    zh="多标记学习的分类器链",
)
