"""The main job: a table in, an honest comparison, a model and a report out."""

from lanatus._lazy import lazy

_HOME = {"_fit": ["fit"], "_run": ["Run"], "_runner": ["Progress"]}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
