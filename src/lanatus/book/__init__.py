"""Worked examples of the books: ``lanatus book 9.4.1`` prints the book's figures beside the computed ones."""

from lanatus.book._registry import Example, Figure, example, examples

__all__ = ["Example", "Figure", "example", "examples"]
