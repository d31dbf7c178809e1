"""lanatus: every method in the machine-learning textbook, as one fast library.

Public names load on first use, so ``import lanatus`` is quick.
"""

import importlib
from typing import Any

from lanatus._lazy import attach

__version__ = "0.1.0"

_names, _get, _ = attach(__name__, __file__)


def _packages() -> list[str]:
    import pkgutil  # asked for rarely, and a third of what `import lanatus` would take

    return [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if not name.startswith("_") and name not in _names and name in _packages():
        return importlib.import_module(f"lanatus.{name}")
    return _get(name)


def __dir__() -> list[str]:
    return sorted(["__version__", *_names, *_packages()])
