"""Distances between rows (section 9.3): of numbers, of numbers with holes, and of mixed tables."""

from lanatus._lazy import lazy

_HOME = {
    "_blocks": ["blocks"],
    "_euclidean": ["squared_euclidean"],
    "_minkowski": ["EUCLIDEAN", "MINKOWSKI_NAMES", "Minkowski", "minkowski_named"],
    "_missing": ["nan_euclidean"],
    "_table_space": ["TableSpace", "overlap_space", "smote_nc_space", "value_difference_space"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
