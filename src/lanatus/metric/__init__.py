"""Distances between rows (section 9.3): of numbers, of numbers with holes, and of mixed tables."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
