"""Files that are scanned block by block."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
