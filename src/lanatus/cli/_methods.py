"""``lanatus methods``: the catalogue."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as RichTable

from lanatus import catalog
from lanatus.cli._console import console


def methods(
    text: Annotated[str | None, typer.Argument(help="Words to look for, in English or Chinese.")] = None,
    task: Annotated[str | None, typer.Option(help="Such as classification, clustering, transform, dataset.")] = None,
    chapter: Annotated[str | None, typer.Option(help="Such as 9, or 'CB 5'.")] = None,
    can: Annotated[
        list[str] | None, typer.Option(help="An ability: nominal, missing, sparse, weights, streams, mixed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    coverage: Annotated[Path | None, typer.Option(help="Compare with a methods.csv.")] = None,
    tests: Annotated[Path, typer.Option(help="Where the tests are, for --coverage.")] = Path("tests"),
) -> None:
    """List the methods, or compare them with a checklist."""
    if coverage is not None:
        _coverage(coverage, tests, as_json)
        return
    if unknown := set(can or ()) - set(catalog.ABILITIES):
        raise ValueError(f"no ability {sorted(unknown)}; there are {', '.join(catalog.ABILITIES)}.")
    found = catalog.search(text, task=task, chapter=chapter, abilities=can or ())
    if as_json:
        typer.echo(json.dumps([entry.as_dict() for entry in found], ensure_ascii=False, indent=1))
        return
    table = RichTable(title=f"{len(found)} methods")
    for heading in ("section", "method", "名称", "task", "can take"):
        table.add_column(heading, overflow="fold")
    for entry in found:
        abilities = " ".join(name for name, has in entry.abilities().items() if has)
        path = entry.path.removeprefix("lanatus.")
        table.add_row(entry.section, f"[bold]{path}[/]\n{entry.en}", entry.zh, entry.task, abilities)
    console().print(table)


def _coverage(path: Path, tests: Path, as_json: bool) -> None:
    if not tests.is_dir():
        raise ValueError(f"no folder {tests}; say with --tests where the tests are.")
    result = catalog.coverage(path, tests)
    if as_json:
        typer.echo(json.dumps({"covered": result.covered, "missing": result.missing}, ensure_ascii=False))
        return
    table = RichTable("package", "tier", "covered", "missing", title="Coverage: in the catalogue, and with a test")
    for (package, tier), (have, total, lost) in result.by_package().items():
        shown = ", ".join(lost[:4]) + (f", ... {len(lost) - 4} more" if len(lost) > 4 else "")
        table.add_row(package, tier, f"{have} / {total}", shown)
    terminal = console()
    terminal.print(table)
    terminal.print(f"{len(result.covered)} of {len(result.rows)} covered")
    if result.unknown:
        terminal.print(f"[red]not in {path.name}: {', '.join(result.unknown)}[/]")
