"""Packages whose public names load on first use.

The stub ``__init__.pyi`` beside a package's ``__init__.py`` is the one list of its names: this loader and every type
checker read the same lines, each ``from ._module import Name as Name``.
"""

import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any

# The stubs are formatted by ruff, so a pattern can read them: ast and pathlib would double what `import lanatus` takes.
_IMPORT = re.compile(r"^from (\.*)(\S*) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def attach(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package whose stub lies beside `file`."""
    with open(os.path.splitext(file)[0] + ".pyi", encoding="utf-8") as stub:
        lines = stub.read()
    home: dict[str, str] = {}
    for dots, module, several, one in _IMPORT.findall(lines):
        parent = package.split(".")[: package.count(".") + 2 - len(dots)] if dots else []
        where = ".".join([*parent, *([module] if module else [])])
        for name in filter(None, (name.strip() for name in (several or one).split(","))):
            original, _, public = name.partition(" as ")
            home[public or original] = f"{where}:{original}"
    names = sorted(home)

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, original = home[name].partition(":")
        value = getattr(importlib.import_module(module), original)
        setattr(sys.modules[package], name, value)  # so that it is looked for once
        return value

    return names, get, lambda: names
