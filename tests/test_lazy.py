"""The loader reads of every stub what Python's own parser reads."""

import ast
from pathlib import Path

import pytest

import lanatus
from lanatus._lazy import attach

ROOT = Path(lanatus.__file__).parent
STUBS = sorted(ROOT.rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: ".".join(stub.relative_to(ROOT).parts[:-1]))
def test_names_of_a_stub(stub):
    package = ".".join(["lanatus", *stub.relative_to(ROOT).parts[:-1]])
    imports = [node for node in ast.parse(stub.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    wanted = {alias.asname or alias.name for node in imports for alias in node.names}
    names, get, _ = attach(package, str(stub))
    assert set(names) == wanted
    with pytest.raises(AttributeError, match="no attribute 'NoSuchThing'"):
        get("NoSuchThing")
