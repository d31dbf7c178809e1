"""Probabilistic graphical models (section 7.5 and chapter 14)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
