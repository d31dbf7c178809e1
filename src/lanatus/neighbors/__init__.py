"""Nearest neighbours and search trees (section 10.1)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
