"""lanatus: every method in the machine-learning textbook, as one fast library.

Public names load on first use, so ``import lanatus`` is quick.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "fit": "lanatus.auto",
    "load": "lanatus.persist",
    "save": "lanatus.persist",
    "scan": "lanatus.data",
}
_PACKAGES = (
    "auto",
    "base",
    "bayes",
    "book",
    "callbacks",
    "catalog",
    "cluster",
    "data",
    "density",
    "ensemble",
    "evaluation",
    "imbalance",
    "linear",
    "multiclass",
    "persist",
    "plot",
    "report",
    "scale",
    "tree",
    "wrapping",
)

__all__ = ["__version__", *_HOME, *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in _PACKAGES:
        return importlib.import_module(f"lanatus.{name}")
    raise AttributeError(f"module 'lanatus' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
