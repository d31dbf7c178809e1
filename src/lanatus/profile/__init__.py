"""What a table holds, and what is odd about it."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
