"""What a run found, as plain data and as a page: ``Facts`` and ``write_report``."""

from lanatus._lazy import lazy

_HOME = {
    "_facts": [
        "ColumnFacts", "Dependence", "Estimate", "Facts", "Finding", "Importance", "Profile", "Readable", "Standing",
        "Task", "Words",
    ],
    "_page": ["report_html", "write_report"],
    "_profile": ["profile"],
}  # fmt: skip

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
