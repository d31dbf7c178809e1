"""Nearest neighbours and search trees (section 10.1)."""

from lanatus._lazy import lazy

_HOME = {
    "_kd_tree": ["KDTree", "grow_tree"],
    "_nearest": ["Neighbors", "nearest"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
