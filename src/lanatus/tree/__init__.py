"""Decision trees: growing, pruning and reading them (chapter 4)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
