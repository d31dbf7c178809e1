"""Several learners on several data sets, by the same splits."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
