"""Networks in files: BIF, XMLBIF and Hugin's NET, and Graphviz's dot."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from lanatus._files import atomic_write
from lanatus.graphical.networks._bayesian_network import BayesianNetwork

_MOST_BYTES = 1 << 28


class Token(NamedTuple):
    """A piece of a file, and the line where it stands."""

    text: str
    line: int


class NetworkFileError(ValueError):
    """A file of a network is damaged, or none."""


def read_network(path: str | Path) -> BayesianNetwork:
    """Read a Bayesian network from a ``.bif``, ``.xml`` (XMLBIF) or ``.net`` (Hugin) file.

    Parameters
    ----------
    path : str or Path
        The file; its ending says the format.

    Returns
    -------
    BayesianNetwork

    Examples
    --------
    >>> import os, tempfile
    >>> from lanatus.graphical import load_watermelon_network, read_network, write_network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_network(load_watermelon_network(), os.path.join(folder, "melon.bif"))
    ...     read_network(path).edges
    [('好瓜', '敲声'), ('好瓜', '色泽'), ('甜度', '色泽'), ('甜度', '根蒂')]
    """
    path = Path(path)
    readers = {".bif": _read_bif, ".xml": _read_xmlbif, ".xmlbif": _read_xmlbif, ".net": _read_net}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path.name}: wanted a file that ends in {', '.join(readers)}.")
    if path.stat().st_size > _MOST_BYTES:
        raise NetworkFileError(f"{path.name} has {path.stat().st_size} bytes, at most {_MOST_BYTES} are read.")
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return readers[path.suffix.lower()](text)
    except NetworkFileError as error:
        raise NetworkFileError(f"{path.name}: {error}") from None
    except ValueError as error:
        raise NetworkFileError(f"{path.name}: {error}") from None


def write_network(network: BayesianNetwork, path: str | Path) -> Path:
    """Write a network to a ``.bif``, ``.xml`` (XMLBIF), ``.net`` (Hugin) or ``.dot`` (Graphviz) file.

    Parameters
    ----------
    network : BayesianNetwork
        The network; a ``.dot`` file has the graph alone.
    path : str or Path
        Where to; its ending says the format.

    Returns
    -------
    Path
    """
    path = Path(path)
    writers = {".bif": _bif, ".xml": _xmlbif, ".xmlbif": _xmlbif, ".net": _net, ".dot": _dot}
    if path.suffix.lower() not in writers:
        raise ValueError(f"{path.name}: wanted a name that ends in {', '.join(writers)}.")
    text = writers[path.suffix.lower()](network)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))
    return path


# ---------------------------------------------------------------- tokens

_BIF_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}()\[\]|;,]|[^\s{}()\[\]|;,"]+')
_NET_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}()\[\]|;,=]|[^\s{}()\[\]|;,="]+')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|%[^\n]*", re.DOTALL)


def _tokens(text: str, *, net: bool) -> Iterator[Token]:
    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith("%") and not net:
            return found
        return "\n" * found.count("\n")

    text = _COMMENT.sub(blank, text)
    line, last = 1, 0
    for match in (_NET_TOKEN if net else _BIF_TOKEN).finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        yield Token(match.group(), line)


class _Reader:
    """Tokens one after the other, with errors that name the line."""

    def __init__(self, text: str, *, net: bool = False) -> None:
        self._tokens = list(_tokens(text, net=net))
        self._at = 0

    def more(self) -> bool:
        return self._at < len(self._tokens)

    def peek(self) -> str:
        return self._tokens[self._at].text if self.more() else ""

    def next(self) -> str:
        if not self.more():
            raise NetworkFileError("the file ends in the middle.")
        self._at += 1
        return self._tokens[self._at - 1].text

    def name(self) -> str:
        text = self.next()
        if text in ("{", "}", "(", ")", "[", "]", "|", ";", ","):
            self.fail(f"wanted a name, got {text!r}")
        return text[1:-1].replace('\\"', '"') if text.startswith('"') else text

    def expect(self, *wanted: str) -> str:
        text = self.next()
        if text not in wanted:
            self.fail(f"wanted {' or '.join(wanted)}, got {text!r}")
        return text

    def number(self) -> float:
        text = self.next()
        try:
            return float(text)
        except ValueError:
            self.fail(f"wanted a number, got {text!r}")
        raise AssertionError

    def names_until(self, end: str) -> list[str]:
        """Names with commas or without, up to a sign."""
        found = []
        while self.peek() != end:
            if self.peek() == ",":
                self.next()
                continue
            found.append(self.name())
        self.next()
        return found

    def skip_block(self) -> None:
        """Past a block in braces."""
        self.expect("{")
        depth = 1
        while depth:
            text = self.next()
            depth += (text == "{") - (text == "}")

    def skip_statement(self) -> None:
        """Past the next semicolon."""
        while self.next() != ";":
            pass

    def fail(self, why: str) -> None:
        raise NetworkFileError(f"line {self._tokens[self._at - 1].line}: {why}.")


class _Draft:
    """What a file has said so far."""

    def __init__(self) -> None:
        self.states: dict[str, list[str]] = {}
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, np.ndarray] = {}

    def shape(self, name: str, parents: list[str]) -> tuple[int, ...]:
        for one in (*parents, name):
            if one not in self.states:
                raise NetworkFileError(f"{one!r} has probabilities and is no variable before them.")
        shape = tuple(len(self.states[one]) for one in (*parents, name))
        if np.prod([float(k) for k in shape]) > 1 << 26:
            raise NetworkFileError(f"the table of {name!r} has {np.prod([float(k) for k in shape]):.3g} entries.")
        return shape

    def put(self, name: str, parents: list[str], values: list[float], *, child_first: bool = False) -> None:
        shape = self.shape(name, parents)
        if len(values) != int(np.prod(shape)):
            raise NetworkFileError(f"{name!r} has {len(values)} probabilities, wanted {int(np.prod(shape))}.")
        table = np.array(values)
        table = np.moveaxis(table.reshape(shape[-1], *shape[:-1]), 0, -1) if child_first else table.reshape(shape)
        self.parents[name], self.tables[name] = parents, table

    def network(self) -> BayesianNetwork:
        if missing := [name for name in self.states if name not in self.tables]:
            raise NetworkFileError(f"{missing[0]!r} has no probabilities.")
        if not self.states:
            raise NetworkFileError("there is no variable in it.")
        tables = {name: _rounded_rows(self.tables[name]) for name in self.states}
        parents = {name: self.parents[name] for name in self.states}
        return BayesianNetwork(parents, tables, states=self.states, nodes=list(self.states))


def _rounded_rows(table: np.ndarray) -> np.ndarray:
    """Rows that sum to 1 but for the few digits that files keep."""
    total = table.sum(axis=-1, keepdims=True)
    return np.where(np.abs(total - 1) < 0.01, table / np.where(total > 0, total, 1.0), table)


# ---------------------------------------------------------------- BIF


def _read_bif(text: str) -> BayesianNetwork:
    reader, draft = _Reader(text), _Draft()
    while reader.more():
        word = reader.expect("network", "variable", "probability")
        if word == "network":
            if reader.peek() != "{":
                reader.name()
            reader.skip_block()
        elif word == "variable":
            _bif_variable(reader, draft)
        else:
            _bif_probability(reader, draft)
    return draft.network()


def _bif_variable(reader: _Reader, draft: _Draft) -> None:
    name = reader.name()
    reader.expect("{")
    while reader.peek() != "}":
        if reader.name() != "type":
            reader.skip_statement()
            continue
        reader.expect("discrete")
        reader.expect("[")
        count = int(reader.number())
        reader.expect("]")
        reader.expect("{")
        states = reader.names_until("}")
        reader.expect(";")
        if len(states) != count or len(set(states)) != count:
            reader.fail(f"{name!r} has {len(states)} states, wanted {count} different ones")
        draft.states[name] = states
    reader.next()
    if name not in draft.states:
        reader.fail(f"{name!r} has no states")


def _bif_probability(reader: _Reader, draft: _Draft) -> None:
    reader.expect("(")
    name, parents = reader.name(), list[str]()
    if reader.expect("|", ")") == "|":
        parents = reader.names_until(")")
    shape = draft.shape(name, parents)
    table = np.full(shape, np.nan)
    reader.expect("{")
    while (word := reader.next()) != "}":
        if word == "table":
            draft.put(name, parents, _bif_numbers(reader), child_first=True)
            table = draft.tables[name]
        elif word == "default":
            table[np.isnan(table).any(axis=-1)] = _row(reader, _bif_numbers(reader), shape[-1])
        elif word == "(":
            given = reader.names_until(")")
            if len(given) != len(parents) or any(s not in draft.states[p] for s, p in zip(given, parents, strict=True)):
                reader.fail(f"{given} are no states of {parents}")
            at = tuple(draft.states[p].index(s) for s, p in zip(given, parents, strict=True))
            table[at] = _row(reader, _bif_numbers(reader), shape[-1])
        else:
            reader.skip_statement()
    if np.isnan(table).any():
        reader.fail(f"{name!r} lacks probabilities for some states of its parents")
    draft.parents[name], draft.tables[name] = parents, table


def _bif_numbers(reader: _Reader) -> list[float]:
    found = []
    while reader.peek() != ";":
        if reader.peek() == ",":
            reader.next()
            continue
        found.append(reader.number())
    reader.next()
    return found


def _row(reader: _Reader, values: list[float], k: int) -> list[float]:
    if len(values) != k:
        reader.fail(f"{len(values)} probabilities, wanted {k}")
    return values


def _word(text: Any) -> str:
    """A name as it may stand in a file."""
    text = str(text)
    return text if re.fullmatch(r"[\w.+-]+", text) else '"' + text.replace("\\", "").replace('"', '\\"') + '"'


def _bif(network: BayesianNetwork) -> str:
    lines = ["network unknown {", "}"]
    for name in network.variables:
        states = ", ".join(_word(state) for state in network.states[name])
        lines += [f"variable {_word(name)} {{", f"  type discrete [ {len(network.states[name])} ] {{ {states} }};", "}"]
    for name in network.variables:
        parents, table = network.parents[name], network.cpt(name).values
        given = f" | {', '.join(map(_word, parents))}" if parents else ""
        lines.append(f"probability ( {_word(name)}{given} ) {{")
        for at in np.ndindex(table.shape[:-1]):
            row = ", ".join(repr(float(value)) for value in table[at])
            states = ", ".join(_word(network.states[p][i]) for p, i in zip(parents, at, strict=True))
            lines.append(f"  ({states}) {row};" if parents else f"  table {row};")
        lines.append("}")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- XMLBIF


def _read_xmlbif(text: str) -> BayesianNetwork:
    if "<!ENTITY" in text:
        raise NetworkFileError("it declares entities, which are not read.")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise NetworkFileError(f"it is no XML ({error}).") from None
    draft = _Draft()
    for variable in root.iter("VARIABLE"):
        name = (variable.findtext("NAME") or "").strip()
        draft.states[name] = [(value.text or "").strip() for value in variable.iter("OUTCOME")]
        draft.states[name] = draft.states[name] or [(value.text or "").strip() for value in variable.iter("VALUE")]
    for definition in root.iter("DEFINITION"):
        name = (definition.findtext("FOR") or "").strip()
        parents = [(given.text or "").strip() for given in definition.iter("GIVEN")]
        try:
            values = [float(word) for word in (definition.findtext("TABLE") or "").split()]
        except ValueError as error:
            raise NetworkFileError(f"the table of {name!r}: {error}.") from None
        draft.put(name, parents, values)
    return draft.network()


def _xmlbif(network: BayesianNetwork) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>network</NAME>"]
    for name in network.variables:
        outcomes = "".join(f"<OUTCOME>{escape(str(state))}</OUTCOME>" for state in network.states[name])
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{escape(name)}</NAME>{outcomes}</VARIABLE>')
    for name in network.variables:
        given = "".join(f"<GIVEN>{escape(parent)}</GIVEN>" for parent in network.parents[name])
        table = " ".join(repr(float(value)) for value in network.cpt(name).values.ravel())
        lines.append(f"<DEFINITION><FOR>{escape(name)}</FOR>{given}<TABLE>{table}</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


# ---------------------------------------------------------------- NET


def _read_net(text: str) -> BayesianNetwork:
    reader, draft = _Reader(text, net=True), _Draft()
    while reader.more():
        word = reader.next()
        if word == "net":
            reader.skip_block()
        elif word == "node":
            name = reader.name()
            reader.expect("{")
            while reader.peek() != "}":
                key = reader.name()
                reader.expect("=")
                if key != "states":
                    reader.skip_statement()
                    continue
                reader.expect("(")
                draft.states[name] = reader.names_until(")")
                reader.expect(";")
            reader.next()
        elif word == "potential":
            _net_potential(reader, draft)
        else:
            reader.fail(f"wanted net, node or potential, got {word!r}")
    return draft.network()


def _net_potential(reader: _Reader, draft: _Draft) -> None:
    reader.expect("(")
    name, parents = reader.name(), list[str]()
    if reader.expect("|", ")") == "|":
        parents = reader.names_until(")")
    reader.expect("{")
    values: list[float] = []
    while reader.peek() != "}":
        key = reader.name()
        reader.expect("=")
        if key != "data":
            reader.skip_statement()
            continue
        while reader.peek() != ";":
            if reader.peek() in "(),":
                reader.next()
            else:
                values.append(reader.number())
        reader.next()
    reader.next()
    draft.put(name, parents, values)


def _net(network: BayesianNetwork) -> str:
    lines = ["net", "{", "}"]
    for name in network.variables:
        states = " ".join('"' + str(state).replace('"', "") + '"' for state in network.states[name])
        lines += [f"node {_word(name)}", "{", f"  states = ( {states} );", "}"]
    for name in network.variables:
        parents = " ".join(map(_word, network.parents[name]))
        lines += [f"potential ( {_word(name)}{' | ' + parents if parents else ''} )", "{"]
        lines += [f"  data = {_nested(network.cpt(name).values)};", "}"]
    return "\n".join(lines) + "\n"


def _nested(values: np.ndarray) -> str:
    if values.ndim == 1:
        return "( " + " ".join(repr(float(value)) for value in values) + " )"
    return "( " + " ".join(_nested(part) for part in values) + " )"


def _dot(network: BayesianNetwork) -> str:
    nodes = [f"  {quoteattr(name)};" for name in network.variables]
    edges = [f"  {quoteattr(parent)} -> {quoteattr(child)};" for parent, child in network.edges]
    return "\n".join(["digraph network {", *nodes, *edges, "}"]) + "\n"
