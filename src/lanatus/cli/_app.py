"""The commands."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as RichTable

import lanatus
from lanatus import book as worked
from lanatus import catalog
from lanatus.book import Figure

app = typer.Typer(
    help="lanatus: every method in the machine-learning textbook.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _console() -> Console:
    return Console(highlight=False)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """lanatus: every method in the machine-learning textbook."""
    if version:
        typer.echo(f"lanatus {lanatus.__version__}")
        raise typer.Exit


@app.command()
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
    _console().print(table)


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
    console = _console()
    console.print(table)
    console.print(f"{len(result.covered)} of {len(result.rows)} covered")
    if result.unknown:
        console.print(f"[red]not in {path.name}: {', '.join(result.unknown)}[/]")


@app.command()
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
            _console().print(_figures_table(f"{one.section} {one.en}\n{one.zh}", figures))
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
    _console().print(table)


def _figures_table(title: str, figures: list[Figure]) -> RichTable:
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


@app.command()
def fit(
    data: Annotated[Path, typer.Argument(help="A CSV, Parquet, Arrow or ARFF file.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    out: Annotated[Path, typer.Option(help="Folder for the model and the report.")] = Path("out"),
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
) -> None:
    """Compare the classifiers on a table by cross-validation, keep the best, save it."""
    from lanatus.cli._fit import fit_file

    fit_file(_console(), data, target, out, seed)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the models and the picture.")] = Path("out"),
) -> None:
    """See it work: the book's k-means and naive Bayes, then a comparison, a saved model and a picture."""
    from lanatus.cli._demo import run

    run(_console(), out)
