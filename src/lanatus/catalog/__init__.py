"""The catalogue: one registry of every method, what it is, what it can take, where the books tell it."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
