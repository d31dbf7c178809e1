"""``lanatus demo``: what a newcomer sees first."""

from pathlib import Path

import pyarrow as pa
from rich.console import Console
from sklearn.datasets import load_breast_cancer

from lanatus import book, persist
from lanatus.cli._app import _figures_table
from lanatus.cli._fit import fit_table
from lanatus.cluster import KMeans
from lanatus.data import load_watermelon
from lanatus.plot import plot_clusters


def run(console: Console, out: Path) -> None:
    """The book's numbers, a clustering with its picture, and a comparison with a saved model."""
    out.mkdir(parents=True, exist_ok=True)
    for section in ("7.3", "9.4.1"):
        one = book.examples(section)[0]
        console.print(_figures_table(f"{one.section} {one.en}\n{one.zh}", list(one.run())))
    melons = load_watermelon("4.0", frame="pyarrow")
    model = KMeans(3, n_init=20, random_state=0).fit(melons.data)
    picture = out / "watermelon-kmeans.png"
    plot_clusters(model, melons.data).savefig(picture)
    persist.save(model, out / "watermelon-kmeans.skops")
    bunch = load_breast_cancer()
    table = pa.table(dict(zip(bunch.feature_names.tolist(), bunch.data.T, strict=True)))
    fit_table(console, table, bunch.target_names[bunch.target], "breast-cancer", out, 0)
    console.print(f"picture: {picture}", soft_wrap=True)
    console.print(
        "Next: [bold]lanatus methods[/] lists what there is, [bold]lanatus book 9.4.1[/] runs an example "
        "of the book,\n"
        "[bold]make run DATA=my.csv TARGET=column[/] does this with your own table."
    )
