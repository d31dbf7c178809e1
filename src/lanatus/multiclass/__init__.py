"""Multi-class and multi-label learning over any two-class learner (section 3.5)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
