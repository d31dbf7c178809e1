"""Growing trees (sections 4.1, 4.2, 4.4)."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
