"""What a run found, as plain data and as a page: ``Facts`` and ``write_report``."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
