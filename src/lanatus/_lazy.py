"""Packages whose public names load on first use.

The stub ``__init__.pyi`` beside a package's ``__init__.py`` is the one list of its names: this loader and every type
checker read the same lines, each ``from ._module import Name as Name``.
"""

import ast
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def attach(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package whose stub lies beside `file`."""
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    home: dict[str, str] = {}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            parent = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            module = ".".join([*parent, *([node.module] if node.module else [])])
            home |= {alias.asname or alias.name: f"{module}:{alias.name}" for alias in node.names}
    names = sorted(home)

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, original = home[name].partition(":")
        return getattr(importlib.import_module(module), original)

    return names, get, lambda: names


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
