"""``lanatus demo``: what a newcomer sees first."""

from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.markup import escape
from sklearn.datasets import load_breast_cancer

from lanatus import book, persist
from lanatus.cli._book import figures_table
from lanatus.cli._fit import fit_and_save
from lanatus.cluster import KMeans
from lanatus.data import load_watermelon
from lanatus.plot import plot_clusters
from lanatus.table import Language


def run(console: Console, out: Path, budget: float, language: Language) -> None:
    """The book's numbers, a clustering with its picture, and the main job on a built-in data set."""
    out.mkdir(parents=True, exist_ok=True)
    for section in ("7.3", "9.4.1"):
        one = book.examples(section)[0]
        console.print(figures_table(f"{one.section} {one.en}\n{one.zh}", list(one.run())))
    melons = load_watermelon("4.0", frame="pyarrow")
    model = KMeans(3, n_init=20, random_state=0).fit(melons.data)
    picture = out / "watermelon-kmeans.png"
    plot_clusters(model, melons.data).savefig(picture)
    persist.save(model, out / "watermelon-kmeans.skops")
    console.print(f"     picture: {escape(str(picture))}", soft_wrap=True)
    bunch = load_breast_cancer()
    table = pa.table(dict(zip(bunch.feature_names.tolist(), bunch.data.T, strict=True)))
    table = table.append_column("diagnosis", pa.array(bunch.target_names[bunch.target].tolist()))
    fit_and_save(console, table, "diagnosis", out, language, budget=budget, name="breast-cancer")
    console.print(
        "Next: open the report; [bold]lanatus methods[/] lists what there is, [bold]lanatus book 9.4.1[/] runs an "
        "example of the book,\n[bold]make run DATA=my.csv TARGET=column[/] does this with your own table."
    )
