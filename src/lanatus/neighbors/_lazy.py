"""Lazy against eager learning."""

from typing import Any

from sklearn.neighbors._base import NeighborsBase as ScikitNeighbors

from lanatus.catalog import method


@method(
    "neighbors.lazy-eager-tag",
    section="10.1",
    task="classification",
    kind="function",
    en="Lazy against eager learning",
    zh="懒惰学习与急切学习",
)
def is_lazy(estimator: Any) -> bool:
    """Whether an estimator only keeps the rows in ``fit``, and does its work when a query comes.

    Those by neighbours, ours and scikit-learn's, are lazy; a pipeline or a search is what its last estimator is. A
    class of your own says so by ``_lazy = True``.

    Book: section 10.1. Cost: O(1).

    Parameters
    ----------
    estimator : estimator or class
        What is asked about.

    Returns
    -------
    bool

    Examples
    --------
    >>> from lanatus.neighbors import KNeighborsClassifier, NearestCentroid, is_lazy
    >>> is_lazy(KNeighborsClassifier()), is_lazy(NearestCentroid())
    (True, False)
    """
    if hasattr(estimator, "steps"):
        return is_lazy(estimator.steps[-1][1])
    if not isinstance(estimator, type) and hasattr(estimator, "estimator") and not hasattr(estimator, "_lazy"):
        return is_lazy(estimator.estimator)
    cls = estimator if isinstance(estimator, type) else type(estimator)
    return bool(getattr(cls, "_lazy", False)) or issubclass(cls, ScikitNeighbors)
