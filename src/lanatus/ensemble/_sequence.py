"""An ensemble as the sequence of its members, as in scikit-learn: methods of the classes that name them."""

from collections.abc import Iterator
from typing import Any

from lanatus.base import check_is_fitted

__all__ = ["base_learner", "each_member", "member", "member_count", "n_classes"]


def member_count(self: Any) -> int:
    """Number of members."""
    return len(self.estimators_)


def member(self: Any, index: Any) -> Any:
    """One of the members."""
    return self.estimators_[index]


def each_member(self: Any) -> Iterator[Any]:
    """The members."""
    return iter(self.estimators_)


def base_learner(self: Any) -> Any:
    """The learner that the members are clones of."""
    check_is_fitted(self)
    return self._learner()


def n_classes(self: Any) -> int:
    """Number of classes."""
    check_is_fitted(self)
    return len(self.classes_)
