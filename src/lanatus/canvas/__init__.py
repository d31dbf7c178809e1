"""The ground of all pictures: axes to draw on, letters in both languages, SVG."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
