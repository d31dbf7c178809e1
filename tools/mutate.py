"""Change one operator or number of the sources at a time, run the tests that know the place, tell what none noticed.

    python tools/mutate.py --sample 200 --seed 1 src/lanatus/bayes src/lanatus/tree     so many changes, drawn
    python tools/mutate.py src/lanatus/evaluation/significance/_error_rate.py:128       all changes of a line
    python tools/mutate.py --sample 20 cpp/tree                                         C++, rebuilt each time

Python is changed as it is imported, so no file is touched. A C++ file is changed in place, the extension rebuilt, and
the file put back whatever happens. The tests of a file are those that name what it defines, or what is defined by the
files that import it; a change that these do not notice meets the conformance tests of the estimators among those names.
"""

import argparse
import ast
import contextlib
import functools
import importlib.machinery
import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES, TESTS = ROOT / "src" / "lanatus", ROOT / "tests"
SECONDS = 150  # a change that makes the tests run so long is noticed
MOST_FILES = 5  # of tests
WORD = r"\b({})\b"
MOST_SECOND = 2  # and of those that look at the same from elsewhere


@dataclass(frozen=True)
class Mutant:
    """One change: the line as it was and as it is, and the whole file with it."""

    path: Path
    line: int
    was: str
    now: str
    source: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}\n    - {self.was.strip()}\n    + {self.now.strip()}"


# ---------------------------------------------------------------- changes of Python

_OPERATORS: dict[type, tuple[type, str, str]] = {
    ast.Add: (ast.BinOp, "+", "-"),
    ast.Sub: (ast.BinOp, "-", "+"),
    ast.Mult: (ast.BinOp, "*", "/"),
    ast.Div: (ast.BinOp, "/", "*"),
    ast.Pow: (ast.BinOp, "**", "*"),
    ast.FloorDiv: (ast.BinOp, "//", "/"),
    ast.BitAnd: (ast.BinOp, "&", "|"),
    ast.BitOr: (ast.BinOp, "|", "&"),
    ast.Lt: (ast.Compare, "<", "<="),
    ast.LtE: (ast.Compare, "<=", "<"),
    ast.Gt: (ast.Compare, ">", ">="),
    ast.GtE: (ast.Compare, ">=", ">"),
    ast.Eq: (ast.Compare, "==", "!="),
    ast.NotEq: (ast.Compare, "!=", "=="),
    ast.And: (ast.BoolOp, "and", "or"),
    ast.Or: (ast.BoolOp, "or", "and"),
}
_NAMES = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "minimum": "maximum", "any": "all"}
_NAMES |= {"maximum": "minimum", "sum": "mean", "mean": "sum", "all": "any", "log": "exp", "cumsum": "cumprod"}
# What a message says, or a type, is not what a test of behaviour looks at.
_KEYWORDS = {"strict", "check_finite", "copy", "pure", "stacklevel", "n_threads", "dtype"}  # of no or rare consequence
_QUIET = (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)


def python_mutants(path: Path, source: str) -> Iterator[Mutant]:
    """Changes of operators, numbers, truth values and opposite functions in the bodies of functions."""
    lines = source.splitlines(keepends=True)

    def replaced(line: int, begin: int, end: int, text: str) -> Mutant:
        raw = lines[line - 1].encode()
        now = (raw[:begin] + text.encode() + raw[end:]).decode()
        return Mutant(path, line, lines[line - 1], now, "".join([*lines[: line - 1], now, *lines[line:]]))

    for node in _bodies(ast.parse(source)):
        if isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp):
            for left, operator, right in _operations(node):
                kind, old, new = _OPERATORS.get(type(operator), (None, "", ""))
                if kind is None or left.end_lineno != right.lineno:
                    continue
                gap = lines[right.lineno - 1].encode()[left.end_col_offset : right.col_offset].decode()
                at = re.search(rf"(?<!\w){re.escape(old)}(?!\w)" if old.isalpha() else re.escape(old), gap)
                if at:
                    begin = left.end_col_offset + len(gap[: at.start()].encode())
                    yield replaced(right.lineno, begin, begin + len(old), new)
        elif isinstance(node, ast.Constant) and node.lineno == node.end_lineno:
            if isinstance(node.value, bool):
                yield replaced(node.lineno, node.col_offset, node.end_col_offset or 0, str(not node.value))
            elif isinstance(node.value, int | float):
                new = repr(node.value + 1 if isinstance(node.value, int) else node.value * 2 + 1)
                yield replaced(node.lineno, node.col_offset, node.end_col_offset or 0, new)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield replaced(node.lineno, node.col_offset, node.operand.col_offset, "")
        elif isinstance(node, ast.Attribute) and node.attr in _NAMES and node.end_lineno == node.value.end_lineno:
            end = node.end_col_offset or 0
            yield replaced(node.end_lineno or 0, end - len(node.attr), end, _NAMES[node.attr])


def _operations(node: ast.BinOp | ast.Compare | ast.BoolOp) -> Iterator[tuple[ast.expr, ast.AST, ast.expr]]:
    if isinstance(node, ast.BinOp):
        yield node.left, node.op, node.right
    elif isinstance(node, ast.BoolOp):
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield left, node.op, right
    else:
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            yield left, operator, right


def _bodies(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes inside functions, without signatures, docstrings, messages and parameters that are stored."""
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef) and outer.name != "__init__":
            stack: list[ast.AST] = [*outer.body]
            while stack:
                node = stack.pop()
                quiet = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                quiet = quiet or (isinstance(node, ast.keyword) and node.arg in _KEYWORDS)
                if quiet or isinstance(node, (*_QUIET, ast.FunctionDef)):
                    continue
                yield node
                children = ast.iter_child_nodes(node)
                skipped = node.annotation if isinstance(node, ast.AnnAssign) else None
                stack.extend(child for child in children if child is not skipped)


# ---------------------------------------------------------------- changes of C++

_CPP = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" <= ", " < "), (r" >= ", " > ")]
_CPP += [
    (r" < ", " <= "),
    (r" > ", " >= "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
]
_CPP += [(r" \+= ", " -= "), (r" -= ", " += "), (r"std::min\(", "std::max("), (r"std::max\(", "std::min(")]
_CPP += [(r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "2")]


def cpp_mutants(path: Path, source: str) -> Iterator[Mutant]:
    """Changes of operators, numbers and truth values outside comments, preprocessor lines and declarations."""
    lines = source.splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        code = line.split("//")[0]
        if re.match(r"\s*(#|template|using|static_assert|require|namespace|struct|class|\*)", code) or '"' in code:
            continue
        for pattern, new in _CPP:
            for found in re.finditer(pattern, code):
                now = line[: found.start()] + new + line[found.end() :]
                yield Mutant(path, number, line, now, "".join([*lines[: number - 1], now, *lines[number:]]))


# ---------------------------------------------------------------- which tests


@functools.cache
def _texts(folder: Path, ending: str) -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(folder.rglob(f"*{ending}"))}


def names_of(path: Path) -> set[str]:
    """What a source file defines for others."""
    body = ast.parse(path.read_text()).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


@functools.cache
def imported(file: Path) -> frozenset[str]:
    """What a test file imports from lanatus: a word alone, such as `draw`, may stand there for anything."""
    tree = ast.parse(_texts(TESTS, ".py")[file])
    found = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lanatus")
    )
    return frozenset(alias.name for node in found for alias in node.names)


def tests_of(path: Path) -> tuple[list[Path], set[str]]:
    """The test files that name what the file defines or, if there are none, what its importers do; and these names."""
    if path.suffix != ".py":
        words = {word.rstrip("s") for word in path.stem.split("_")}
        topic = path.relative_to(ROOT / "cpp").parts[0]
        return _naming(words, topic, r"\w*({})\w*"), set()
    names, seen = names_of(path), {path}
    package = path.relative_to(SOURCES).parts[0]
    for _ in range(3):
        if any(names & imported(file) for file in _texts(TESTS, ".py")):
            break
        modules = {file.stem for file in seen}
        importers = {
            file for file, text in _texts(SOURCES, ".py").items()
            if any(re.search(rf"import .*\b{stem}\b|\.{stem} import", text) for stem in modules)
        }  # fmt: skip
        seen |= importers
        names |= {name for file in importers for name in names_of(file)}
    return _naming(names, package), names


def _naming(names: set[str], package: str, form: str = WORD) -> list[Path]:
    """Test files that say the names, those of the package and of the kernels first, then those that say them most."""
    public = [name for name in names if not name.startswith("_")]
    if not public:
        return []
    word = re.compile(form.format("|".join(map(re.escape, public))))
    known = set(public)
    apart = {"conformance", "cli", "auto", "report", "fuzz", "tests"}
    count = {
        file: len(word.findall(text)) for file, text in _texts(TESTS, ".py").items()
        if file.name.startswith("test_") and file.parent.name not in apart and (form != WORD or known & imported(file))
    }  # fmt: skip
    near = {package, "kernels"}
    found = [file for file in count if count[file]] or [file for file in count if package in file.parts]
    chosen = sorted(found, key=lambda file: (near.isdisjoint(file.parts), -count[file]))[:MOST_FILES]
    # A peer, the book or an invariant may know what the package's own tests do not.
    second = [file for file in found if file not in chosen and file.parent.name in ("parity", "book", "properties")]
    return chosen + sorted(second, key=lambda file: -count[file])[:MOST_SECOND]


# ---------------------------------------------------------------- trying one


@functools.cache
def runs_of(path: Path) -> list[tuple[str, ...]]:
    """What pytest is given for a file: its tests, then the conformance tests of its estimators."""
    tests, names = tests_of(path)
    runs = [tuple(map(str, tests))] if tests else []
    estimators = sorted(name for name in names if name[0].isupper())
    if estimators:
        runs.append((str(TESTS / "conformance" / "test_ours.py"), "-k", " or ".join(estimators)))
    return runs


def survives(mutant: Mutant, runs: list[tuple[str, ...]]) -> bool | None:
    """Whether all tests pass with the change; those that fail without it say nothing, and None if none is left."""
    if mutant.path.suffix == ".py" and not any(map(passes_unchanged, runs)):
        return None
    if mutant.path.suffix == ".py":
        return all(_passes(run, mutant) for run in runs if passes_unchanged(run))
    original = mutant.path.read_text()
    try:
        mutant.path.write_text(mutant.source)
        sound = [run for run in runs if passes_unchanged(run)]
        return built() and all(_passes(run, None) for run in sound)  # what does not compile is noticed
    finally:
        mutant.path.write_text(original)


def built() -> bool:
    """Whether the extension can be made of the sources as they are."""
    done = subprocess.run(["make", "-s", ".venv/.stamp-core"], cwd=ROOT, capture_output=True, check=False)
    return done.returncode == 0


@functools.cache
def passes_unchanged(arguments: tuple[str, ...]) -> bool:
    """Whether these tests pass, and there are some, without any change: otherwise they would notice every one."""
    return _passes(arguments, None)


def _passes(arguments: tuple[str, ...], mutant: Mutant | None) -> bool:
    """Whether pytest passes, in a child that has what tests import from other libraries already."""
    child = os.fork()
    if child == 0:
        status = 3
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                status = _run(arguments, mutant)
            finally:
                os._exit(status)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run(arguments: tuple[str, ...], mutant: Mutant | None) -> int:
    import pytest

    if mutant is not None:
        plain = importlib.machinery.SourceFileLoader.get_code

        def changed(self: importlib.machinery.SourceFileLoader, name: str) -> object:
            if Path(self.path) == mutant.path:
                return compile(mutant.source, self.path, "exec")
            return plain(self, name)

        importlib.machinery.SourceFileLoader.get_code = changed  # type: ignore[assignment]
    os.chdir(ROOT)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    return int(pytest.main([*options, *arguments]))


# ---------------------------------------------------------------- many


def mutants_in(where: str) -> list[Mutant]:
    """All changes of a folder, a file, or one line of it, given as ``file:line``."""
    name, _, line = where.partition(":")
    path = (ROOT / name).resolve()
    files = [path] if path.is_file() else sorted([*path.rglob("*.py"), *path.rglob("*.cpp"), *path.rglob("*.hpp")])
    found = []
    for file in files:
        make = python_mutants if file.suffix == ".py" else cpp_mutants
        found += [each for each in make(file, file.read_text()) if not line or each.line == int(line)]
    return found


def drawn(mutants: list[Mutant], count: int, rng: random.Random) -> list[Mutant]:
    """One change each of so many lines, up to six a file, whose tests must pass unchanged first, which takes time."""
    rng.shuffle(mutants)
    lines = {(mutant.path, mutant.line): mutant for mutant in mutants}
    by_file: dict[Path, list[Mutant]] = {}
    for mutant in lines.values():
        by_file.setdefault(mutant.path, []).append(mutant)
    return [mutant for group in by_file.values() for mutant in group[:6]][:count]


def main() -> None:
    """Try the changes asked for, and exit with 1 if some survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", nargs="+", help="folders, files, or file:line")
    parser.add_argument("--sample", type=int, help="how many changes to draw, one a line; all by default")
    parser.add_argument("--tests", nargs="+", help="what pytest is given, instead of the tests that know a file")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw")
    asked = parser.parse_args()
    found = [mutant for where in asked.where for mutant in mutants_in(where)]
    if asked.sample is not None:
        found = drawn(found, asked.sample, random.Random(asked.seed))
    given = [tuple(asked.tests)] if asked.tests else []
    for name in ("numpy", "pandas", "scipy.stats", "sklearn.ensemble"):  # once for all children
        importlib.import_module(name)
    compiled = [mutant for mutant in found if mutant.path.suffix != ".py"]
    for mutant in compiled:
        list(map(passes_unchanged, given or runs_of(mutant.path)))  # as long as the extension is that of the sources
    alive, untried = [], 0
    for count, mutant in enumerate(found, start=1):
        begin = time.monotonic()
        outcome = survives(mutant, given or runs_of(mutant.path))
        if outcome:
            alive.append(mutant)
        said = {True: "SURVIVED", False: "killed", None: "not tried: no tests that pass unchanged"}[outcome]
        untried += outcome is None
        print(f"[{count}/{len(found)}] {said} in {time.monotonic() - begin:.0f} s  {mutant}", flush=True)
    if compiled:
        built()
    print(f"{len(found) - untried} changes, {len(found) - untried - len(alive)} noticed, {len(alive)} survived")
    sys.exit(bool(alive))


if __name__ == "__main__":
    main()
