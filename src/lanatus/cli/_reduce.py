"""``lanatus reduce``: the rows on a plane."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from rich.console import Console
from rich.markup import escape

from lanatus import data, preprocess
from lanatus.auto import Design

_MOST_COLOURS = 10


def reduce_file(console: Console, path: Path, target: str | None, out: Path) -> None:
    """Principal components of a table: coordinates and a picture."""
    table = data.read(path)
    if target is not None and target not in table.column_names:
        raise ValueError(f"{path} has no column {target!r}; its columns are {', '.join(table.column_names)}.")
    X = table if target is None else table.drop_columns([target])
    cleaned = preprocess.TableCleaner().fit_transform(X)
    design = Design().fit(cleaned)
    points, shares = on_plane(design.transform(cleaned))
    out.mkdir(parents=True, exist_ok=True)
    columns = {"component_1": points[:, 0], "component_2": points[:, 1]}
    pa.csv.write_csv(pa.table(columns), out / "reduced.csv")
    labels = None if target is None else [str(value) for value in table.column(target).to_pylist()]
    scatter(points, shares, labels, out / "reduced.png", path.stem, target)
    console.print(f"two components hold {shares.sum():.0%} of the variance of {len(design.names_)} columns")
    for name in ("reduced.csv", "reduced.png"):
        console.print(escape(str(out / name)), soft_wrap=True)


def on_plane(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of each row, and the share of the variance that each holds."""
    centred = numbers - numbers.mean(axis=0)
    variance, axes = np.linalg.eigh(centred.T @ centred)
    first = np.argsort(-variance)[:2]
    points = centred @ axes[:, first]
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(len(points))])
    total = max(float(variance.sum()), 1e-300)
    return points, np.resize(np.append(variance[first].clip(min=0) / total, 0.0), 2)


def scatter(
    points: np.ndarray,
    shares: np.ndarray,
    labels: Sequence[str] | None,
    path: Path,
    title: str,
    legend: str | None = None,
) -> None:
    """Draw points by the colours of their labels; numbers with many values get a scale of colours."""
    import matplotlib.pyplot as plt

    from lanatus.canvas import use_chinese

    with use_chinese():
        figure, ax = plt.subplots(figsize=(7, 5.5), layout="constrained")
        size = float(np.clip(4000 / len(points), 3, 30))
        values = _as_numbers(labels)
        if labels is None or values is not None:
            drawn = ax.scatter(points[:, 0], points[:, 1], s=size, c=values, cmap="viridis", alpha=0.8, linewidths=0)
            if values is not None:
                figure.colorbar(drawn, label=legend)
        else:
            names, codes = np.unique(labels, return_inverse=True)
            order = np.argsort(-np.bincount(codes), kind="stable")
            for rank, code in enumerate(order):
                colour = f"C{rank}" if rank < _MOST_COLOURS - 1 else "0.7"
                named = names[code] if rank < _MOST_COLOURS else None
                x, y = points[codes == code].T
                ax.scatter(x, y, s=size, color=colour, label=named, alpha=0.8, linewidths=0)
            ax.legend(title=legend, loc="best", framealpha=0.6)
        ax.set(title=title, xlabel=f"component 1 ({shares[0]:.0%})", ylabel=f"component 2 ({shares[1]:.0%})")
        figure.savefig(path, dpi=150)
        plt.close(figure)


def _as_numbers(labels: Sequence[str] | None) -> np.ndarray | None:
    """Labels as numbers where they are many different ones."""
    if labels is None or len(set(labels)) <= _MOST_COLOURS:
        return None
    try:
        return np.array([float(label) if label != "None" else np.nan for label in labels])
    except ValueError:
        return None
