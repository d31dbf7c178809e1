"""``lanatus methods``: the catalogue."""

import json
from typing import Annotated

import typer
from rich.table import Table as RichTable

from lanatus import catalog
from lanatus.cli._console import console


def methods(
    text: Annotated[str | None, typer.Argument(help="Words to look for, in English or Chinese.")] = None,
    task: Annotated[str | None, typer.Option(help=f"What for: {', '.join(catalog.TASKS)}.")] = None,
    kind: Annotated[str | None, typer.Option(help=f"What it is: {', '.join(catalog.KINDS)}.")] = None,
    chapter: Annotated[str | None, typer.Option(help="Such as 9, or 'CB 5'.")] = None,
    can: Annotated[
        list[str] | None, typer.Option(help="An ability: nominal, missing, sparse, weights, streams, mixed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """List the methods."""
    if unknown := set(can or ()) - set(catalog.ABILITIES):
        raise ValueError(f"no ability {sorted(unknown)}; there are {', '.join(catalog.ABILITIES)}.")
    found = catalog.search(text, task=task, kind=kind, chapter=chapter, abilities=can or ())
    if as_json:
        typer.echo(json.dumps([entry.as_dict() for entry in found], ensure_ascii=False, indent=1))
        return
    table = RichTable(title=f"{len(found)} methods")
    for heading in ("section", "method", "名称", "task", "kind", "can take"):
        table.add_column(heading, overflow="fold")
    for entry in found:
        abilities = " ".join(name for name, has in entry.abilities().items() if has)
        path = entry.path.removeprefix("lanatus.")
        table.add_row(entry.section, f"[bold]{path}[/]\n{entry.en}", entry.zh, entry.task, entry.kind, abilities)
    console().print(table)
