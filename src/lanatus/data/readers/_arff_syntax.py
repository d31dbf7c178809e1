"""The small language of ARFF: quoted words, attribute declarations, rows, and Java's date patterns."""

import datetime
import re
from dataclasses import dataclass

_WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_VALUE = re.compile(rf"""[ ]*(?:({_WORD})|([^,\t'"{{}}%\s](?:[^,\t{{}}%]|(?<!\s)%)*))[ ]*""")
_BLANK_VALUE = re.compile(rf"""\s*(?:({_WORD})|([^\s'"{{}}%,]\S*))\s*""")
_SPARSE = re.compile(rf"""\s*(\d+)\s+(?:({_WORD})|([^,'"{{}}\s][^,{{}}]*))\s*""")
_ATTRIBUTE = re.compile(rf"""@attribute\s+({_WORD}|[^\s{{'"][^\s{{]*)\s*(.*)""", re.IGNORECASE)
_WEIGHT = re.compile(r"(.+?)[,\s]\s*\{\s*([0-9.eE+-]+)\s*\}\s*(?:%.*)?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
_BARE = re.compile(r"[\w.+:/-]+")
_UNSAFE = re.compile(r"""[\\'"%\x00-\x1f\x7f]""")
_JAVA = {
    "yyyy": "%Y", "y": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d",
    "d": "%d",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "SSS": "%f",
    "a": "%p", "EEEE": "%A", "EEE": "%a", "E": "%a", "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z",
}  # fmt: skip
_JAVA_TOKEN = re.compile(r"'((?:[^']|'')*)'|(" + "|".join(f"{c}+" for c in "yMdHhmsSaEZXDFwWkKzGuLYcBv") + ")|(.)")
ISO = "yyyy-MM-dd'T'HH:mm:ss"
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Malformed(Exception):
    """What is wrong in one line; the reader adds file and line number."""

    def __init__(self, got: str, expected: str, do: str) -> None:
        super().__init__(got)
        self.got, self.expected, self.do = got, expected, do


@dataclass(frozen=True)
class ArffAttribute:
    """One declared column."""

    name: str
    kind: str  # "numeric", "string", "date" or "nominal"
    categories: tuple[str, ...] = ()
    date_format: str = ""  # for strptime


def unquote(word: str) -> str:
    """The text of a word, quoted or not."""
    if word[:1] in ("'", '"'):
        return _ESCAPE.sub(lambda hit: _unescape(hit[1]), word[1:-1])
    return word


def _unescape(code: str) -> str:
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _LETTERS.get(code, code)


def quote(text: str) -> str:
    """The text as one ARFF word, in quotes unless it is plain letters, digits and a few signs."""
    if _BARE.fullmatch(text):
        return text
    return "'" + _UNSAFE.sub(lambda hit: _escape(hit[0]), text) + "'"


def _escape(sign: str) -> str:
    named = {"\n": "n", "\r": "r", "\t": "t"}.get(sign)
    if named:
        return "\\" + named
    return f"\\u{ord(sign):04x}" if ord(sign) < 32 or sign == "\x7f" else "\\" + sign


def parse_attribute(line: str) -> ArffAttribute:
    """Read one ``@attribute`` line."""
    hit = _ATTRIBUTE.fullmatch(line.strip())
    if not hit or not hit[2]:
        raise Malformed(f"the declaration {line.strip()!r}", "@attribute name type", "complete it")
    name, kind = unquote(hit[1]), hit[2]
    if kind.startswith("{"):
        return ArffAttribute(name, "nominal", _categories(kind))
    word = re.split(r"[\s%\[]", kind, maxsplit=1)[0].lower()
    if word in ("numeric", "real", "integer"):
        return ArffAttribute(name, "numeric")
    if word == "string":
        return ArffAttribute(name, "string")
    if word == "date":
        pattern = _VALUE.match(kind[4:].strip())
        return ArffAttribute(name, "date", date_format=_strptime(unquote(pattern[0].strip()) if pattern else ISO))
    if word == "relational":
        raise Malformed(
            f"the relational attribute {name!r}",
            "a flat table",
            "export the inner table to a file of its own",
        )
    raise Malformed(f"the type {word!r}", "numeric, string, date or {a, b, ...}", "correct the declaration")


def _categories(spec: str) -> tuple[str, ...]:
    found: list[str] = []
    at = 1
    while not re.compile(r"\s*\}").match(spec, at):
        hit = _VALUE.match(spec.replace("\t", " "), at)
        if not hit:
            raise Malformed(f"the values {spec!r}", "{a, b, ...} with a closing brace", "correct the declaration")
        found.append(unquote(hit[1] or hit[2].rstrip()))
        at = hit.end() + (spec[hit.end() : hit.end() + 1] == ",")
    if len(set(found)) < len(found):
        raise Malformed("a nominal value declared twice", "distinct values", "remove one")
    return tuple(found)


def _strptime(java: str) -> str:
    out = []
    for literal, letters, other in _JAVA_TOKEN.findall(java):
        if letters and letters not in _JAVA:
            raise Malformed(f"{letters!r} in the date format {java!r}", "letters among yMdHhmsSaEZX", "reformat")
        out.append(_JAVA[letters] if letters else (literal.replace("''", "'") or other).replace("%", "%%"))
    return "".join(out)


def milliseconds(text: str, date_format: str) -> int:
    """A date as milliseconds since 1970, in UTC when it names no zone."""
    moment = datetime.datetime.strptime(text.strip(), date_format)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return (moment - _EPOCH) // datetime.timedelta(milliseconds=1)


def split_weight(line: str) -> tuple[str, float | None]:
    """Take the instance weight ``{w}`` off the end of a row."""
    hit = _WEIGHT.fullmatch(line) if "{" in line else None
    if not hit:
        return line, None
    try:
        return hit[1].rstrip().removesuffix(","), float(hit[2])
    except ValueError:
        raise Malformed(f"the weight {hit[2]!r}", "a number", "correct it") from None


def split_dense(line: str, n_values: int) -> list[str | None]:
    """The values of a dense row; None where it has ``?``."""
    pattern, gaps = _VALUE, ",\t"
    if n_values > 1 and "," not in line and "\t" not in line:
        pattern, gaps = _BLANK_VALUE, ""
    values: list[str | None] = []
    at = 0
    while True:
        hit = pattern.match(line, at)
        if not hit:
            if line[at:].lstrip()[:1] in ("'", '"'):
                raise Malformed("a quote that is never closed", "a closing quote", "close it; was the file cut off?")
            raise Malformed(f"no value at {line[at : at + 20]!r}", "a value or ?", "write ? for a missing value")
        values.append(_word(hit[1], hit[2]))
        at = hit.end()
        if at >= len(line) or line[at] == "%":
            return values
        if gaps:
            if line[at] not in gaps:
                raise Malformed(f"{line[at : at + 20]!r} after a value", "a comma", "quote the value")
            at += 1


def _word(quoted: str | None, bare: str) -> str | None:
    if quoted is not None:
        return unquote(quoted)
    bare = bare.rstrip()
    return None if bare == "?" else bare


def split_sparse(line: str, n_values: int) -> dict[int, str | None]:
    """The values of a sparse row ``{index value, ...}`` by their index."""
    values: dict[int, str | None] = {}
    at = 1
    if re.fullmatch(r"\{\s*\}.*", line):
        return values
    while True:
        hit = _SPARSE.match(line, at)
        if not hit:
            raise Malformed(f"{line[at : at + 20]!r} in a sparse row", "index value, ...}", "correct the row")
        index = int(hit[1])
        if index >= n_values or index in values:
            what = "twice" if index in values else f"with {n_values} attributes"
            raise Malformed(f"index {index} {what}", f"distinct indices from 0 to {n_values - 1}", "correct the row")
        values[index] = _word(hit[2], hit[3])
        at = hit.end() + 1
        end = line[hit.end() : at]
        if end == "}":
            return values
        if end != ",":
            raise Malformed("a sparse row that is not closed", "a closing brace", "close it; was the file cut off?")
