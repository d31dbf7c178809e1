"""The checklist against the catalogue and the tests: ``python tools/coverage.py methods.csv [tests]``."""

import ast
import csv
import sys
from dataclasses import dataclass
from pathlib import Path

from lanatus import catalog


def tested_ids(tests: Path) -> set[str]:
    """Ids that some test under a folder says it proves, with ``@pytest.mark.covers(...)``."""
    found: set[str] = set()
    for file in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "covers":
                found |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
    return found


@dataclass(frozen=True)
class Coverage:
    """Rows of a ``methods.csv`` against the catalogue and the tests."""

    rows: list[dict[str, str]]
    catalogued: set[str]
    tested: set[str]

    @property
    def covered(self) -> list[str]:
        """Ids in the catalogue with a test."""
        return [row["id"] for row in self.rows if row["id"] in self.catalogued & self.tested]

    @property
    def missing(self) -> list[str]:
        """The other ids."""
        covered = set(self.covered)
        return [row["id"] for row in self.rows if row["id"] not in covered]

    @property
    def unknown(self) -> list[str]:
        """Ids that the catalogue or a test names, and the list does not have."""
        return sorted((self.catalogued | self.tested) - {row["id"] for row in self.rows})

    def by_package(self) -> dict[tuple[str, str], tuple[int, int, list[str]]]:
        """(package, tier) -> covered, total, missing ids."""
        covered = set(self.covered)
        out: dict[tuple[str, str], tuple[int, int, list[str]]] = {}
        for row in self.rows:
            key = (row["package"], row["tier"])
            have, total, lost = out.get(key, (0, 0, []))
            good = row["id"] in covered
            out[key] = (have + good, total + 1, lost if good else [*lost, row["id"]])
        return dict(sorted(out.items()))


def coverage(methods_csv: Path, tests: Path) -> Coverage:
    """Compare a ``methods.csv`` with the catalogue and the tests of a folder."""
    with methods_csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"id", "package", "tier"} <= set(rows[0]):
        raise ValueError(f"{methods_csv}: got no columns id, package and tier, wanted a methods.csv.")
    catalogued = {id_ for entry in catalog.entries() for id_ in entry.ids}
    return Coverage(rows, catalogued, tested_ids(tests))


def main(methods_csv: str, tests: str = "tests") -> None:
    """Print what is covered, package by package."""
    if not Path(tests).is_dir():
        raise SystemExit(f"no folder {tests}; say where the tests are.")
    result = coverage(Path(methods_csv), Path(tests))
    for (package, tier), (have, total, lost) in result.by_package().items():
        print(f"{package:12} tier {tier}  {have:3} / {total:3}  {', '.join(lost)}")
    print(f"{len(result.covered)} of {len(result.rows)} covered")
    if result.unknown:
        print(f"not in the list: {', '.join(result.unknown)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
