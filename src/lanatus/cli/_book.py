"""``lanatus book``: the worked examples."""

import json
from typing import Annotated, Any

import typer
from rich.table import Table as RichTable

from lanatus import book as worked
from lanatus.book import Figure
from lanatus.cli._console import console


def book(
    section: Annotated[str | None, typer.Argument(help="Such as 9.4.1, or 9 for a chapter.")] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the worked examples.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Run a worked example: the book's figures beside the computed ones."""
    found = worked.examples(section)
    if list_all or section is None:
        _list_examples(found, as_json)
        return
    ran = [(one, list(one.run())) for one in found]
    if as_json:
        typer.echo(json.dumps([_example_dict(one, figures) for one, figures in ran], ensure_ascii=False, indent=1))
    else:
        for one, figures in ran:
            console().print(figures_table(f"{one.section} {one.en}\n{one.zh}", figures))
    if not all(figure.agrees for _, figures in ran for figure in figures):
        raise typer.Exit(1)


def _list_examples(found: list[worked.Example], as_json: bool) -> None:
    if as_json:
        rows = [{"section": one.section, "en": one.en, "zh": one.zh} for one in found]
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    table = RichTable("section", "example", "例", title="lanatus book SECTION runs them")
    for one in found:
        table.add_row(one.section, one.en, one.zh)
    console().print(table)


def figures_table(title: str, figures: list[Figure]) -> RichTable:
    table = RichTable(title=title)
    for heading in ("figure", "the book", "computed", ""):
        table.add_column(heading, overflow="fold")
    for figure in figures:
        mark = "[green]✓[/]" if figure.agrees else "[bold red]✗[/]"
        note = f" [yellow]erratum:[/] {figure.erratum}" if figure.erratum else ""
        printed = "[dim]not printed[/]" if figure.printed is None else _shown(figure.printed, figure.digits)
        table.add_row(figure.what, printed, _shown(figure.computed, figure.digits), mark + note)
    return table


def _shown(value: Any, digits: int) -> str:
    if isinstance(value, str):
        return value
    if hasattr(value, "__iter__"):
        return "(" + ", ".join(_shown(part, digits) for part in value) + ")"
    return f"{float(value):.{digits}f}"


def _example_dict(one: worked.Example, figures: list[Figure]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        return value.tolist() if hasattr(value, "tolist") else value

    rows = [
        {
            "what": figure.what,
            "printed": plain(figure.printed),
            "computed": plain(figure.computed),
            "agrees": figure.agrees,
            "erratum": figure.erratum,
        }
        for figure in figures
    ]
    return {"section": one.section, "en": one.en, "zh": one.zh, "figures": rows}
