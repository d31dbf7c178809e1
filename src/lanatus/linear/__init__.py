"""Linear models (chapter 3, section 11.4): least squares, penalties, generalised linear models, discriminants."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
