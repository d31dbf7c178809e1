"""Packages whose public names load on first use."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy(
    package: str, home: Mapping[str, Sequence[str]]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    `home` maps a module to the names that it holds: a module of the package, or with a dot inside one from elsewhere.
    """
    of = {name: module if "." in module else f"{package}.{module}" for module, names in home.items() for name in names}
    names = sorted(of)

    def get(name: str) -> Any:
        if name not in of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(of[name]), name)

    return names, get, lambda: names
