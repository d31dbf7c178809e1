"""Trees as JSON, and back."""

import json
import math
from typing import Any

import numpy as np

from lanatus.tree.grow._tree import LEAF, SUBSET, THRESHOLD, Tree
from lanatus.tree.read._named_tree import read

_KINDS = {THRESHOLD: "threshold", 2: "values", SUBSET: "subset"}
_CODES = {name: code for code, name in _KINDS.items()}
_FORMAT = "lanatus.tree"


def export_json(tree: Any, *, feature_names: Any = None, class_names: Any = None, indent: int | None = None) -> str:
    """A tree as JSON that other programs can read, and `import_json` again, to the last digit.

    The text holds ``columns`` (name, kind, categories), ``classes`` (a list for each output, or null) and ``nodes``,
    which name their children by number, so that deep trees are no deep text. A node has ``column``, ``test``
    ("threshold", "values" or "subset"), ``threshold`` or the ``codes`` that go to the first child, ``children``,
    ``missing`` (place of the child that takes missing values, -1 for all), ``share``, ``weight``, ``rows``,
    ``impurity``, ``gain`` and ``value``. Numbers that JSON lacks are the words "inf", "-inf" and "nan".

    Book: section 4.1. Cost: linear in the nodes.

    Parameters
    ----------
    tree : fitted tree estimator, or Tree
        What to write.
    feature_names, class_names
        As in `export_text`.
    indent : int, optional
        Blanks a level; None writes one line.

    Returns
    -------
    str

    Examples
    --------
    >>> import json
    >>> from lanatus.tree import DecisionStump, export_json, import_json
    >>> stump = DecisionStump().fit([[1.0], [2.0]], ["no", "yes"])
    >>> text = export_json(stump)
    >>> json.loads(text)["nodes"][0]["threshold"], len(import_json(text))
    (1.5, 3)
    """
    reading = read(tree, feature_names, class_names)
    grown = reading.tree
    content = {
        "format": _FORMAT,
        "version": 1,
        "columns": [
            {"name": c.name, "kind": c.kind, "categories": [_plain(value) for value in c.categories]}
            for c in reading.columns
        ],
        "classes": reading.classes,
        "nodes": [_node(grown, node) for node in range(len(grown))],
        "surrogates": None if grown.surrogates is None else {k: _list(v) for k, v in grown.surrogates.items()},
    }
    return json.dumps(content, ensure_ascii=False, indent=indent, allow_nan=False)


def _node(tree: Tree, node: int) -> dict[str, Any]:
    about = {
        "share": _plain(float(tree.share[node])),
        "weight": _plain(float(tree.weight[node])),
        "rows": int(tree.n_rows[node]),
        "impurity": _plain(float(tree.impurity[node])),
        "value": _list(tree.outputs[node]),
    }
    if tree.kind[node] == LEAF:
        return about | {"missing": int(tree.missing[node])}
    kind = int(tree.kind[node])
    test: dict[str, Any] = {"column": int(tree.feature[node]), "test": _KINDS[kind]}
    if kind == THRESHOLD:
        test["threshold"] = _plain(float(tree.threshold[node]))
    if kind == SUBSET:
        test["codes"] = tree.categories(node).tolist()
        test["words"] = int(tree.subset_start[node + 1] - tree.subset_start[node])
    return test | {
        "children": [*tree.children(node)],
        "missing": int(tree.missing[node]),
        "gain": _plain(float(tree.gain[node])),
        **about,
    }


def import_json(text: str | dict[str, Any]) -> Tree:
    """The tree that `export_json` wrote.

    Parameters
    ----------
    text : str or dict
        The JSON, or what ``json.loads`` made of it.

    Returns
    -------
    Tree
        Equal to the one written; names are in the text only.

    Examples
    --------
    >>> from lanatus.tree import DecisionStump, export_json, export_text, import_json
    >>> stump = DecisionStump().fit([[1.0], [2.0]], ["no", "yes"])
    >>> print(export_text(import_json(export_json(stump)), feature_names=["length"], class_names=["no", "yes"]))
    length <= 1.5: no (1)
    length > 1.5: yes (1)
    """
    content = json.loads(text) if isinstance(text, str) else text
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError("wanted what export_json wrote; this is something else.")
    nodes = content["nodes"]
    parent = np.full(len(nodes), -1)
    for i, node in enumerate(nodes):
        children = node.get("children", [])
        if any(not i < child < len(nodes) for child in children) or children != [*range(*_span(children))]:
            raise ValueError(f"the children of node {i} must stand side by side behind it; got {children}.")
        parent[children] = i
    subsets = [_words(node) for node in nodes]
    more = content.get("surrogates")
    return Tree(
        feature=[node.get("column", -1) for node in nodes],
        kind=[_CODES.get(node.get("test"), LEAF) for node in nodes],
        threshold=[float(node.get("threshold", "nan")) for node in nodes],
        first_child=[node["children"][0] if "children" in node else -1 for node in nodes],
        n_children=[len(node.get("children", [])) for node in nodes],
        parent=parent,
        missing=[node["missing"] for node in nodes],
        share=[float(node["share"]) for node in nodes],
        weight=[float(node["weight"]) for node in nodes],
        n_rows=[node["rows"] for node in nodes],
        impurity=[float(node["impurity"]) for node in nodes],
        gain=[float(node.get("gain", 0.0)) for node in nodes],
        outputs=np.array([[float(value) for value in node["value"]] for node in nodes]),
        subset_start=np.cumsum([0, *map(len, subsets)]),
        subset=np.concatenate([np.zeros(0, np.uint32), *subsets]),
        surrogates=None if more is None else {name: np.array(v, dtype=np.float64) for name, v in more.items()},
    )


def _span(children: list[int]) -> tuple[int, int]:
    return (children[0], children[0] + len(children)) if children else (0, 0)


def _words(node: dict[str, Any]) -> np.ndarray:
    """Bits of the codes of a subset test."""
    words = np.zeros(int(node.get("words", 0)), dtype=np.uint32)
    for code in node.get("codes", []):
        words[code // 32] |= np.uint32(1 << (code % 32))
    return words


def _plain(value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str) else str(value)


def _list(values: np.ndarray) -> list[Any]:
    return [_plain(value) for value in values.tolist()]
