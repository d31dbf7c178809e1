"""The main job: a table in, an honest comparison, a model and a report out."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
