"""The commands, each with the words of its help; what they do is loaded when one is called."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

import lanatus
from lanatus.cli._book import book
from lanatus.cli._console import console
from lanatus.cli._methods import methods as catalogue

app = typer.Typer(
    help="lanatus: every method in the machine-learning textbook.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

Data = Annotated[Path, typer.Argument(help="A CSV, Parquet, Arrow, ARFF or LIBSVM file.", show_default=False)]
Model = Annotated[Path, typer.Argument(help="A .skops file that lanatus wrote.", show_default=False)]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.", show_default=False)]
Speech = Annotated[Literal["en", "zh"], typer.Option("--language", help="Of what is printed and of the report.")]
Seed = Annotated[int, typer.Option(help="Seed of splits, trials and fits.")]
Budget = Annotated[float, typer.Option(help="Seconds to spend, about.", min=1.0)]

Task = Annotated[
    str | None, typer.Option(help="classification, two-class, many-class or regression; else told by the target.")
]
Methods = Annotated[
    list[str], typer.Option("--methods", "-m", help="Methods, with commas or one by one.", show_default=False)
]


def _listed(methods: list[str] | None) -> list[str] | None:
    """Names given one by one, or with commas between them."""
    return [name.strip() for one in methods for name in one.split(",")] if methods else None


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback where something goes wrong.")] = False,
) -> None:
    """lanatus: every method in the machine-learning textbook."""
    if debug:
        os.environ["LANATUS_DEBUG"] = "1"
    if version:
        typer.echo(f"lanatus {lanatus.__version__}")
        raise typer.Exit


@app.command()
def fit(
    data: Data,
    target: Target,
    budget: Budget = 60.0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the model and the report.")] = Path("out"),
    task: Task = None,
    measure: Annotated[
        str | None, typer.Option(help="What decides: auc, accuracy, f1, log_loss, ... or r2, rmse, mae.")
    ] = None,
    cost: Annotated[str | None, typer.Option(help="'fn=5,fp=1', or a CSV file with a row for each true class.")] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", "-m", help="Try these, with commas or one by one."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[int | None, typer.Option(help="Worker processes; all cores by default.", min=1)] = None,
    unlabelled: Annotated[
        Literal["leave", "use"],
        typer.Option(help="Rows without a target: leave them out, or use them where that is better for certain."),
    ] = "leave",
    force: Annotated[
        bool, typer.Option("--force", help="Replace results of other data, or of another target, in the folder.")
    ] = False,
    language: Speech = "en",
) -> None:
    """Learn to predict a column: an honest comparison, a model and a report.

    Ctrl-C ends the search and keeps the best so far. A run that was killed goes on where it was when the same command
    is given again.

    Examples:

    `lanatus fit melons.csv --target 好瓜`

    `lanatus fit loans.parquet -t default --cost "fn=5,fp=1" --budget 300 -o loans`

    `lanatus fit houses.csv -t price --methods Ridge,GradientBoosting --language zh`
    """
    from lanatus.cli._fit import fit_and_save

    fit_and_save(
        console(), data, target, out, language,
        budget=budget, task=task, measure=measure, cost=cost, methods=_listed(methods), seed=seed, n_jobs=jobs,
        unlabelled=unlabelled, force=force,
    )  # fmt: skip


@app.command()
def predict(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="A .csv or .parquet file.")] = Path("predictions.csv"),
    proba: Annotated[bool, typer.Option("--proba", help="Probabilities of the classes, too.")] = False,
) -> None:
    """Answer for the rows of a file with a saved model; a file of any size is read and written in blocks.

    Example:

    `lanatus predict out/model.skops new.csv --proba -o answers.csv`
    """
    from lanatus.cli._predict import predict_file

    predict_file(console(), model, data, out, proba)


@app.command()
def evaluate(
    model: Model,
    data: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The true answers; else what it was made for."),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of the intervals.", min=0.5, max=0.9999)] = 0.95,
) -> None:
    """Score a saved model on rows with known answers, with intervals.

    Example:

    `lanatus evaluate out/model.skops test.csv --target 好瓜`
    """
    from lanatus.cli._evaluate import evaluate_file

    evaluate_file(console(), model, data, target, level)


@app.command()
def explain(
    model: Model,
    data: Annotated[Path | None, typer.Argument(help="Rows to explain it by.", show_default=False)] = None,
    row: Annotated[int | None, typer.Option(help="Explain the answer for this row, the first being 0.", min=0)] = None,
) -> None:
    """Say what a saved model is made of; with rows what it goes by; with one row why it answers so.

    Examples:

    `lanatus explain out/model.skops`

    `lanatus explain out/model.skops melons.csv --row 3`
    """
    from lanatus.cli._explain import explain_model

    explain_model(console(), model, data, row)


@app.command()
def compare(
    data: Data,
    target: Target,
    methods: Methods,
    task: Task = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.", min=2)] = 10,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Also write an HTML page.")] = None,
) -> None:
    """Compare methods as they come on one table by cross-validation, with the right test.

    Example:

    `lanatus compare melons.csv -t 好瓜 --methods C45,NaiveBayes,RandomForest`
    """
    from lanatus.cli._compare import compare_methods

    compare_methods(console(), data, target, _listed(methods), task=task, folds=folds, seed=seed, out=out)


@app.command()
def cluster(
    data: Data,
    k: Annotated[int | None, typer.Option("-k", help="Clusters; else as many as stand apart best.", min=1)] = None,
    method: Annotated[
        str,
        typer.Option("--method", "-m", help="`auto`: by the data; see `lanatus methods --task clustering`."),
    ] = "auto",
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for labels, picture and page.")] = Path("clusters"),
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", help="A column that says nothing, such as an id; may be repeated."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Find groups of rows: labels, what is typical of each, a picture and a page.

    Example:

    `lanatus cluster customers.csv --ignore id -k 4`
    """
    from lanatus.cli._cluster import cluster_file

    cluster_file(console(), data, k, method, out, seed, ignore or ())


@app.command()
def reduce(
    data: Data,
    target: Annotated[str | None, typer.Option("--target", "-t", help="Colour the rows by this column.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for coordinates, picture and page.")] = Path(
        "reduced"
    ),
    method: Annotated[
        str, typer.Option("--method", "-m", help="PCA, Isomap, KernelPCA and so on; auto looks at size and kind.")
    ] = "auto",
) -> None:
    """Draw the rows on a plane, such that neighbours stay neighbours; the page shows each row where the mouse is.

    Example:

    `lanatus reduce melons.csv --target 好瓜`
    """
    from lanatus.cli._reduce import reduce_file

    reduce_file(console(), data, target, out, method)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the models and the report.")] = Path("out"),
    budget: Budget = 30.0,
    language: Speech = "en",
) -> None:
    """See it work: the book's k-means and naive Bayes, then the main job on a built-in data set."""
    from lanatus.cli._demo import run

    run(console(), out, budget, language)


app.command("methods")(catalogue)
app.command()(book)
