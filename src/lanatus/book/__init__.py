"""Worked examples of the books: ``lanatus book 9.4.1`` prints the book's figures beside the computed ones."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
