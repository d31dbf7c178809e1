"""Metric learning: distances that are learned from labels or pairs (section 10.6)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
