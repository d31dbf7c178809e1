"""Tables of mixed attributes: columns, schemas, and the frames that people bring."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
