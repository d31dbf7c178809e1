"""Sparse learning: dictionaries, compressed sensing, completion of matrices (sections 11.5 and 11.6)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
