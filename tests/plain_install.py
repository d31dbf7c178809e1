"""An environment as a plain install leaves it: what lanatus does not require cannot be imported."""

import importlib.metadata
import re
from pathlib import Path

from packaging.requirements import Requirement

# Refuses imports of named top-level modules, in this process and those that it starts.
_GUARD = """
import sys

_BANNED = frozenset({banned!r})


class _NotInstalled:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in _BANNED:
            raise ModuleNotFoundError(f"No module named {{name!r}} (not part of a plain install)", name=name)
        return None


sys.meta_path.insert(0, _NotInstalled)
"""


def required(extras: frozenset[str] = frozenset()) -> set[str]:
    """Distributions that ``pip install lanatus[extras]`` brings, by their canonical names."""
    found: set[str] = set()
    todo = [("lanatus", extras)]
    while todo:
        name, wanted = todo.pop()
        found.add(canonical(name))
        for line in importlib.metadata.requires(name) or []:
            one = Requirement(line)
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
                inner = frozenset(one.extras)
                if canonical(one.name) not in found or inner:
                    try:
                        importlib.metadata.distribution(one.name)
                    except importlib.metadata.PackageNotFoundError:
                        continue
                    if (one.name, inner) not in todo:
                        todo.append((one.name, inner))
    return found


def canonical(name: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def guard(folder: Path, extras: frozenset[str] = frozenset()) -> Path:
    """Write a ``sitecustomize`` into a folder that, on PYTHONPATH, hides what a plain install would not bring."""
    allowed = required(extras)
    owners = importlib.metadata.packages_distributions()
    banned = {module for module, names in owners.items() if not allowed & {canonical(name) for name in names}}
    (folder / "sitecustomize.py").write_text(_GUARD.format(banned=sorted(banned)), encoding="utf-8")
    return folder
