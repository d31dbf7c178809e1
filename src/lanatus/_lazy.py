"""Packages whose public names load on first use.

The stub ``__init__.pyi`` beside a package's ``__init__.py`` is the one list of its names: this loader and every type
checker read the same lines, each ``from ._module import Name as Name``.
"""

import ast
import importlib
import sys
from collections.abc import Callable
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
        value = getattr(importlib.import_module(module), original)
        setattr(sys.modules[package], name, value)  # so that it is looked for once
        return value

    return names, get, lambda: names
