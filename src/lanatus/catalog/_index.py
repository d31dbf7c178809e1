"""An index of the catalogue, read off the source text: what there is, without importing any of it.

Every ``@method(...)``, ``borrow(...)`` and ``@savable`` is written with literals, so that the text of a module says
all that a search needs. A wheel brings the index that its build made (``python _index.py SOURCE OUT``); a checkout
makes its own, and again when a file has changed. Only the standard library is used, for a build has nothing else.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHIPPED = "index.json"


def read_index(package: Path) -> dict[str, Any]:
    """The index of the package in a folder: the one it was built with, a fresh one otherwise."""
    shipped = package / "catalog" / SHIPPED
    if shipped.is_file():
        return dict(json.loads(shipped.read_text(encoding="utf-8")))
    files = _files(package)
    fingerprint = _fingerprint(files)
    cached = package / "catalog" / "__pycache__" / SHIPPED
    try:
        index = json.loads(cached.read_text(encoding="utf-8"))
        if index["fingerprint"] == fingerprint:
            return dict(index)
    except (OSError, ValueError, KeyError):
        pass
    index = make_index(package) | {"fingerprint": fingerprint}
    try:
        cached.parent.mkdir(exist_ok=True)
        cached.write_text(json.dumps(index), encoding="utf-8")
    except OSError:  # a folder that cannot be written: it is made again next time
        pass
    return index


def make_index(package: Path) -> dict[str, Any]:
    """Entries and savable classes of all modules below a folder."""
    entries: list[dict[str, Any]] = []
    savable: list[str] = []
    for file in _files(package):
        text = file.read_text(encoding="utf-8")
        if "lanatus.catalog import" not in text:
            continue
        module = ".".join([package.name, *file.relative_to(package).with_suffix("").parts]).removesuffix(".__init__")
        tree = ast.parse(text)
        entries += [*_methods(tree, module, _local_name(tree, "method")), *_borrowed(tree)]
        savable += [f"{module}.{name}" for name in _savable(tree)]
    return {"entries": entries, "savable": savable}


def _local_name(tree: ast.Module, name: str) -> str:
    """What a module calls a name of the catalogue: some have a parameter `method` and import it under another name."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "lanatus.catalog":
            for alias in node.names:
                if alias.name == name:
                    return alias.asname or alias.name
    return name


def _savable(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        marks = node.decorator_list if isinstance(node, ast.ClassDef) else []
        if any(isinstance(mark, ast.Name) and mark.id == "savable" for mark in marks):
            yield str(getattr(node, "name", ""))


def _methods(tree: ast.Module, module: str, decorator: str) -> Iterator[dict[str, Any]]:
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == decorator:
                is_class = isinstance(node, ast.ClassDef)
                summary = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ").strip()
                facts: dict[str, Any] = {"kind": "estimator" if is_class else "function", "streams": False, "peers": []}
                yield (
                    facts
                    | _literals(mark)
                    | {
                        "name": node.name,
                        "module": module,
                        "is_class": is_class,
                        "summary": summary,
                        "home": "",
                    }
                )


def _borrowed(tree: ast.Module) -> Iterator[dict[str, Any]]:
    origin = {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "borrow":
            thing = call.args.pop(0)
            assert isinstance(thing, ast.Name), "borrow(thing, ...) names what it borrows"
            library = str(origin[thing.id]).partition(".")[0].replace("sklearn", "scikit-learn")
            yield (
                {"kind": "function", "streams": False}
                | _literals(call)
                | {
                    "name": thing.id,
                    "module": origin[thing.id],
                    "is_class": thing.id[0].isupper(),
                    "summary": f"{thing.id} of {library}, as it is.",
                    "peers": [f"{library}:{thing.id}"],
                }
            )


def _literals(call: ast.Call) -> dict[str, Any]:
    facts = {word.arg: word.value for word in call.keywords if word.arg and word.arg != "contender"}
    return {
        "ids": [ast.literal_eval(one) for one in call.args],
        "contends": any(word.arg == "contender" for word in call.keywords),
        **{name: ast.literal_eval(value) for name, value in facts.items()},
    }


def _files(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def _fingerprint(files: list[Path]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        status = file.stat()
        digest.update(f"{file}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(make_index(Path(sys.argv[1]))), encoding="utf-8")
