"""Density estimation, mixtures and EM (chapters 7 and 9, cookbook 3 and 4)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
