"""Model files with one array, or one number of their description, changed."""

import functools
import io
import json
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from conformance.cases import ALL, OF_PAIRS, build, mixed

import lanatus
from fuzz.asking import Verdict, asked, judged
from fuzz.mutations import mutated
from fuzz.subjects import MODELS, SUBJECTS, rows_for

NAMES = MODELS
_NUMBERS = (-(2**63), -(2**31), -3, -1, 0, 1, 2, 3, 7, 1000, 2**31, 2**62)


@functools.lru_cache(maxsize=4)
def _saved(name: str, of_mixed: bool) -> tuple[dict[str, bytes], Any]:
    """The parts of a saved model, and rows to ask it about."""
    entry = SUBJECTS[name]
    X, y = mixed(entry, 60) if of_mixed and entry in ALL and name not in OF_PAIRS else rows_for(name)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        path = lanatus.save(build(entry).fit(X, y), Path(folder) / "model.skops")
        with zipfile.ZipFile(path) as archive:
            return {part: archive.read(part) for part in archive.namelist()}, X


def _leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in a description numbers stand that skops keeps as JSON."""
    if isinstance(node, dict):
        if node.get("__loader__") == "JsonNode" and isinstance(node.get("content"), str):
            return [(*path, "content")]
        return [leaf for key, value in node.items() for leaf in _leaves(value, (*path, key))]
    if isinstance(node, list):
        return [leaf for place, value in enumerate(node) for leaf in _leaves(value, (*path, place))]
    return []


def _spoil_number(parts: dict[str, bytes], rng: np.random.Generator) -> str:
    """Change one number of the description in place; says which."""
    schema = json.loads(parts["schema.json"])
    leaves = _leaves(schema)
    for _ in range(20):
        if not leaves:
            break
        path = leaves[rng.integers(len(leaves))]
        node = functools.reduce(lambda inner, key: inner[key], path[:-1], schema)
        value = json.loads(node["content"])
        if isinstance(value, int | float) and not isinstance(value, bool):
            node["content"] = json.dumps(_NUMBERS[rng.integers(len(_NUMBERS))])
            parts["schema.json"] = json.dumps(schema).encode()
            return "/".join(map(str, path))
    return ""


def _spoil_array(parts: dict[str, bytes], rng: np.random.Generator) -> str:
    """Change one array in place; says which and how."""
    arrays = [part for part in parts if part.endswith(".npy")]  # in the order in which they were met: names are random
    if not arrays:
        return _spoil_number(parts, rng)
    part = arrays[rng.integers(len(arrays))]
    array, how = mutated(np.load(io.BytesIO(parts[part])), rng)
    written = io.BytesIO()
    np.save(written, array)
    parts[part] = written.getvalue()
    return f"{part} ({how})"


def case(name: str, number: int) -> Verdict:
    """Run one case."""
    rng = np.random.default_rng([number, *name.encode()])
    kept, X = _saved(name, of_mixed=bool(number % 2))
    parts = dict(kept)
    where = _spoil_number(parts, rng) if rng.random() < 0.15 else _spoil_array(parts, rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        with zipfile.ZipFile(path, "w") as archive:
            for part, content in parts.items():
                archive.writestr(part, content)
        try:
            model = lanatus.load(path)
        except Exception as error:
            return judged(error, f"{where}: load: ")
    verdict = asked(model, X, nan_is_wrong=False)  # a model whose weights were made NaN may say NaN
    return Verdict(verdict.how, f"{where}: {verdict.what}")
