"""``lanatus cluster``: groups of rows, what is typical of each, and a picture."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from sklearn.metrics import silhouette_score

from lanatus import catalog, data, persist, preprocess
from lanatus.auto import Design
from lanatus.cli._reduce import on_plane, scatter

_MOST = 10  # clusters looked at where their number is not given
_SAMPLE = 2000  # rows that a silhouette is taken of
_TYPICAL = 6  # columns named for each cluster


def cluster_file(console: Console, path: Path, k: int | None, method: str, out: Path, seed: int) -> None:
    """Cluster the rows of a file; labels, model and picture go into a folder."""
    entry = catalog.find(method)
    if entry.task not in ("clustering", "density"):
        raise ValueError(f"{method} is for {entry.task}; `lanatus methods --task clustering` lists what clusters.")
    table = data.read(path)
    cleaned = preprocess.TableCleaner().fit_transform(table)
    design = Design().fit(cleaned)
    numbers = design.transform(cleaned)
    if k is not None and k > len(numbers):
        raise ValueError(f"got k={k} for {len(numbers)} rows; wanted at most as many clusters as rows.")
    model, labels = _clustered(entry.object, numbers, k, seed)
    out.mkdir(parents=True, exist_ok=True)
    pa.csv.write_csv(table.append_column("cluster", pa.array(labels)), out / "clusters.csv")
    persist.save(model, out / "clusters.skops")
    points, shares = on_plane(numbers)
    scatter(points, shares, [str(label) for label in labels], out / "clusters.png", path.stem)
    console.print(_typical(numbers, labels, design.names_))
    for name in ("clusters.csv", "clusters.png", "clusters.skops"):
        console.print(escape(str(out / name)), soft_wrap=True)


def _clustered(kind: Any, numbers: np.ndarray, k: int | None, seed: int) -> tuple[Any, np.ndarray]:
    """A fitted model and the labels; of several numbers of clusters that of the best silhouette."""
    size = "n_components" if "n_components" in kind().get_params() else "n_clusters"
    rows = np.random.RandomState(seed).permutation(len(numbers))[:_SAMPLE]
    distinct = len(np.unique(numbers[rows], axis=0))
    tried = [k] if k is not None else list(range(2, min(_MOST, distinct - 1) + 1)) or [1]
    best: tuple[float, Any, np.ndarray] | None = None
    for count in tried:
        model = kind(**{size: count, "random_state": seed}).fit(numbers)
        labels = np.asarray(model.predict(numbers))
        apart = len(np.unique(labels[rows])) > 1
        score = float(silhouette_score(numbers[rows], labels[rows])) if apart and len(tried) > 1 else -1.0
        if best is None or score > best[0]:
            best = score, model, labels
    assert best is not None
    return best[1], best[2]


def _typical(numbers: np.ndarray, labels: np.ndarray, names: list[str]) -> RichTable:
    """For each cluster the columns whose mean is farthest from that of all rows, in deviations."""
    table = RichTable("cluster", "rows", "what is typical (in deviations from the mean of all)")
    spread = numbers.std(axis=0)
    spread[spread == 0] = 1.0
    for label in np.unique(labels):
        own = numbers[labels == label]
        off = (own.mean(axis=0) - numbers.mean(axis=0)) / spread
        most = np.argsort(-np.abs(off), kind="stable")[:_TYPICAL]
        said = ", ".join(f"{names[j]} {off[j]:+.1f}" for j in most if abs(off[j]) >= 0.1)
        table.add_row(str(label), f"{len(own):,}", escape(said))
    return table
