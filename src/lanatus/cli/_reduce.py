"""``lanatus reduce``: the rows on a plane, as a picture and as a page that names them."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from rich.console import Console
from rich.markup import escape

from lanatus import catalog, data, preprocess
from lanatus.auto import Design
from lanatus.cli._reduce_page import write_page
from lanatus.reduce import PCA, Isomap, SpectralEmbedding, continuity, trustworthiness

_MOST_COLOURS = 10
_COMPARED = 1500  # rows up to which embeddings are compared with components
_LEAST = 20  # rows from which neighbourhoods say something
_BETTER = 0.02  # by which a curved embedding must keep more neighbourhoods than the plainest method


def reduce_file(console: Console, path: Path, target: str | None, out: Path, method: str = "auto") -> None:
    """Rows of a table on a plane: coordinates, a picture, and a page."""
    table = data.read(path)
    if target is not None and target not in table.column_names:
        raise ValueError(f"{path} has no column {target!r}; its columns are {', '.join(table.column_names)}.")
    X = table if target is None else table.drop_columns([target])
    cleaned = preprocess.TableCleaner().fit_transform(X)
    design = Design().fit(cleaned)
    points, shares, why = placed(design.transform(cleaned), method)
    out.mkdir(parents=True, exist_ok=True)
    columns = {"component_1": points[:, 0], "component_2": points[:, 1]}
    pa.csv.write_csv(pa.table(columns), out / "reduced.csv")
    labels = None if target is None else [str(value) for value in table.column(target).to_pylist()]
    scatter(points, shares, labels, out / "reduced.png", path.stem, target)
    numbers = _as_numbers(labels)
    write_page(out / "reduced.html", path.stem, table, points, labels, numbers, target, _sentence(why, shares, design))
    console.print(escape(_sentence(why, shares, design)), soft_wrap=True)
    for name in ("reduced.html", "reduced.csv", "reduced.png"):
        console.print(escape(str(out / name)), soft_wrap=True)


def _sentence(why: str, shares: np.ndarray | None, design: Design) -> str:
    if shares is None:
        return why
    return f"{why}; two components hold {shares.sum():.0%} of the variance of {len(design.names_)} columns"


# ---------------------------------------------------------------- which method


def placed(numbers: np.ndarray, method: str = "auto") -> tuple[np.ndarray, np.ndarray | None, str]:
    """Two coordinates of each row, the shares of the variance where they are components, and why it is this method."""
    if method not in ("auto", "PCA"):
        return _asked(numbers, method), None, f"{method}, as asked"
    points, shares = on_plane(numbers)
    if method == "PCA":
        return points, shares, "PCA, as asked"
    n = len(numbers)
    if not _LEAST <= n <= _COMPARED:
        few_or_many = "few" if n < _LEAST else "many"
        return points, shares, f"{n:,} rows, which are {few_or_many}: PCA"
    best, kept, name = points, _kept(numbers, points), "PCA"
    least = kept + _BETTER
    for other, model in _curved(n).items():
        with warnings.catch_warnings():  # a table may well be in parts, and is drawn as it is
            warnings.filterwarnings("ignore", "the graph of neighbours is in parts")
            found = np.asarray(model.fit_transform(numbers))
        if (score := _kept(numbers, found)) > max(least, kept):
            best, kept, name = found, score, other
    if name == "PCA":
        return points, shares, f"PCA, which keeps neighbours as well as any ({kept:.2f} of 1)"
    return best, None, f"{name} keeps most neighbours, {kept:.2f} of 1; PCA {least - _BETTER:.2f}"


def _curved(n: int) -> dict[str, Any]:
    k = max(5, min(15, n // 20))
    return {"Isomap": Isomap(n_neighbors=k), "SpectralEmbedding": SpectralEmbedding(n_neighbors=k)}


def _kept(numbers: np.ndarray, points: np.ndarray) -> float:
    """Mean of trustworthiness and continuity."""
    k = min(10, (len(numbers) - 1) // 2)
    return (trustworthiness(numbers, points, n_neighbors=k) + continuity(numbers, points, n_neighbors=k)) / 2


def _asked(numbers: np.ndarray, method: str) -> np.ndarray:
    entry = catalog.find(method)
    able = entry.is_estimator and entry.path.startswith("lanatus.reduce.")
    if not able or "n_components" not in entry.object().get_params():
        names = [one.name for one in catalog.entries() if one.is_estimator and one.path.startswith("lanatus.reduce.")]
        raise ValueError(f"{method} does not reduce rows to two columns; there are {', '.join(sorted(names))}.")
    model = entry.object().set_params(n_components=2)
    if model.__sklearn_tags__().target_tags.required:
        raise ValueError(f"{method} learns from labels or from two views; here it can be one that needs rows only.")
    points = np.asarray(model.fit_transform(numbers), dtype=np.float64)
    return np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))[:, :2]


def on_plane(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of each row, and the share of the variance that each holds."""
    k = min(2, *numbers.shape)
    pca = PCA(k).fit(numbers)
    points = np.pad(pca.transform(numbers), ((0, 0), (0, 2 - k)))
    return points, np.pad(pca.explained_variance_ratio_, (0, 2 - k)).astype(np.float64)


def scatter(
    points: np.ndarray,
    shares: np.ndarray | None,
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
        said = ("", "") if shares is None else tuple(f" ({share:.0%})" for share in shares)
        ax.set(title=title, xlabel=f"component 1{said[0]}", ylabel=f"component 2{said[1]}")
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
