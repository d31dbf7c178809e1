"""Graphs: spanning trees and their directions."""

from lanatus._lazy import lazy

_HOME = {"_spanning_tree": ["maximum_spanning_tree", "parents_from_root"]}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
