"""``lanatus cluster``: groups of rows, what is typical of each, a picture and a page."""

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from lanatus import catalog, data, persist, preprocess
from lanatus._files import atomic_write
from lanatus.auto import Design
from lanatus.cli._reduce import on_plane, scatter
from lanatus.cluster import silhouette_samples, silhouette_score, suggest_clusters
from lanatus.plot import plot_cluster_scores, plot_silhouettes
from lanatus.table import Table

_MOST = 10  # clusters looked at where their number is not given
_SAMPLE = 2000  # rows that a silhouette is taken of
_MANY = 100_000  # rows beyond which batches are enough
_COMPARED = 2000  # rows up to which several methods are compared
_TYPICAL = 6  # columns named for each cluster


def cluster_file(
    console: Console, path: Path, k: int | None, method: str, out: Path, seed: int, ignore: Sequence[str] = ()
) -> None:
    """Cluster the rows of a file; labels, model, picture and page go into a folder."""
    table = data.read(path)
    used = _without(table, ignore, path)
    cleaned = preprocess.TableCleaner().fit_transform(used)
    design = Design().fit(cleaned)
    numbers = design.transform(cleaned)
    if k is not None and k > len(numbers):
        raise ValueError(f"got k={k} for {len(numbers)} rows; wanted at most as many clusters as rows.")
    found = _found(method, cleaned, numbers, k, seed)
    labels = found["labels"]
    out.mkdir(parents=True, exist_ok=True)
    pa.csv.write_csv(table.append_column("cluster", pa.array(labels)), out / "clusters.csv")
    persist.save(found["model"], out / "clusters.skops")
    points, shares = on_plane(numbers)
    scatter(points, shares, [str(label) for label in labels], out / "clusters.png", path.stem)
    profile = profiles(Table.of(cleaned), labels)
    _write_page(out / "clusters.html", path.stem, found, numbers, profile, (out / "clusters.png").read_bytes(), seed)
    console.print(escape(found["why"]), soft_wrap=True)
    console.print(_typical(labels, profile))
    for name in ("clusters.html", "clusters.csv", "clusters.png", "clusters.skops"):
        console.print(escape(str(out / name)), soft_wrap=True)


def _without(table: Any, ignore: Sequence[str], path: Path) -> Any:
    for name in ignore:
        if name not in table.column_names:
            raise ValueError(f"{path} has no column {name!r}; its columns are {', '.join(table.column_names)}.")
    left = table.drop_columns(list(dict.fromkeys(ignore))) if ignore else table
    if not left.column_names:
        raise ValueError("all columns are ignored; wanted at least one to cluster by.")
    return left


# ---------------------------------------------------------------- which method, how many clusters


def _found(method: str, cleaned: Any, numbers: np.ndarray, k: int | None, seed: int) -> dict[str, Any]:
    """A fitted model, the labels, and in words why it is this one."""
    schema = Table.of(cleaned).schema
    if method == "auto":
        nominal = [column for column in schema.columns if column.kind == "nominal"]
        if len(nominal) == len(schema.columns):
            method, why = "KModes", "all columns are categories: k-modes"
        elif len(numbers) > _MANY:
            method, why = "MiniBatchKMeans", f"{len(numbers):,} rows: k-means on small batches"
        elif len(numbers) > _COMPARED:
            method, why = "KMeans", f"{len(numbers):,} rows: k-means"
        else:
            return _compared(numbers, k, seed)
    else:
        why = f"{method}, as asked"
    entry = catalog.find(method)
    if entry.task not in ("clustering", "density"):
        raise ValueError(f"{method} is for {entry.task}; `lanatus methods --task clustering` lists what clusters.")
    takes = entry.takes
    rows = cleaned if takes is not None and takes.nominal else numbers
    model, labels, score = _best_count(entry.object, rows, numbers, k, seed)
    count = len(np.unique(labels[labels >= 0]))
    how_many = f"{count} clusters" + ("" if k is not None or score is None else f", silhouette {score:.2f}")
    return {"model": model, "labels": labels, "why": f"{why}; {how_many}", "suggestion": None}


def _compared(numbers: np.ndarray, k: int | None, seed: int) -> dict[str, Any]:
    """The best of several methods by their silhouettes."""
    counts = [k] if k is not None else range(2, _MOST + 1)
    if k == 1 or len(np.unique(numbers, axis=0)) < 3:
        from lanatus.cluster import KMeans

        model = KMeans(1 if k is None else k, random_state=seed).fit(numbers)
        return {"model": model, "labels": model.labels_, "why": "k-means; nothing to choose from", "suggestion": None}
    suggestion = suggest_clusters(numbers, k_range=counts, sample=_SAMPLE, random_state=seed)
    best = np.nanmax(suggestion.scores[suggestion.name]) if suggestion.name in suggestion.scores else np.nan
    why = f"{suggestion.name} with {suggestion.n_clusters} clusters has the best silhouette, {best:.2f}"
    labels = np.asarray(suggestion.best.labels_)
    return {"model": suggestion.best, "labels": labels, "why": why, "suggestion": suggestion}


def _best_count(
    kind: Any, rows: Any, numbers: np.ndarray, k: int | None, seed: int
) -> tuple[Any, np.ndarray, float | None]:
    """A fitted model and the labels; of several numbers of clusters that of the best silhouette."""
    given = kind().get_params()
    size = next((name for name in ("n_clusters", "n_components") if name in given), None)
    if size is None and k is not None:
        raise ValueError(f"{kind.__name__} finds the number of clusters itself; leave -k out, or take another method.")
    some = np.random.RandomState(seed).permutation(len(numbers))[:_SAMPLE]
    distinct = len(np.unique(numbers[some], axis=0))
    tried: list[int | None] = [k] if k is not None else list(range(2, min(_MOST, distinct - 1) + 1)) or [1]
    best: tuple[float, Any, np.ndarray] | None = None
    for count in tried if size is not None else [None]:
        how = {} if size is None else {size: count}
        model = kind(**how, **({"random_state": seed} if "random_state" in given else {})).fit(rows)
        labels = np.asarray(model.labels_ if hasattr(model, "labels_") else model.predict(rows))
        apart = 1 < len(np.unique(labels[some])) < len(some)
        score = float(silhouette_score(numbers[some], labels[some])) if apart else -1.0
        if best is None or score > best[0]:
            best = score, model, labels
    assert best is not None
    return best[1], best[2], best[0] if best[0] > -1 else None


# ---------------------------------------------------------------- what is typical


def profiles(table: Table, labels: np.ndarray) -> dict[Any, list[str]]:
    """For each cluster what sets it apart, in words, the most telling first."""
    found = {}
    numbers = np.asarray(table.numeric, dtype=np.float64)
    columns = {kind: [c for c in table.schema.columns if (c.kind == "numeric") == kind] for kind in (True, False)}
    for label in np.unique(labels):
        own = labels == label
        said = [*_about_numbers(columns[True], numbers, own), *_about_values(columns[False], table.codes, own)]
        found[label.item()] = [words for _, words in sorted(said, key=lambda one: -one[0])[:_TYPICAL]]
    return found


def _about_numbers(columns: list[Any], numbers: np.ndarray, own: np.ndarray) -> list[tuple[float, str]]:
    said = []
    for column, values in zip(columns, numbers.T, strict=True):
        spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
        if not spread or not np.isfinite(values[own]).any():
            continue
        here, all_ = float(np.nanmean(values[own])), float(np.nanmean(values))
        off = (here - all_) / spread
        if abs(off) >= 0.2:
            word = ("much " if abs(off) >= 1 else "") + ("higher" if off > 0 else "lower")
            said.append((abs(off), f"{column.name} is {word}: {here:.3g} on average, {all_:.3g} of all"))
    return said


def _about_values(columns: list[Any], codes: np.ndarray, own: np.ndarray) -> list[tuple[float, str]]:
    said = []
    for column, values in zip(columns, codes.T, strict=True):
        width = len(column.categories)
        if not width or not (values[own] >= 0).any():
            continue
        here, all_ = (
            np.bincount(part[part >= 0], minlength=width) / max((part >= 0).sum(), 1) for part in (values[own], values)
        )
        top = int(np.argmax(here - all_))
        gain = float(here[top] - all_[top])
        if gain >= 0.1:
            name = column.categories[top]
            said.append((3 * gain, f"{column.name} is {name} in {here[top]:.0%}, {all_[top]:.0%} of all"))
    return said


def _shares(codes: np.ndarray, width: int) -> np.ndarray:
    """Share of each value among those that are there."""
    seen = codes[codes >= 0]
    return np.bincount(seen, minlength=width) / max(len(seen), 1)


def _typical(labels: np.ndarray, profile: dict[Any, list[str]]) -> RichTable:
    table = RichTable("cluster", "rows", "what is typical")
    for label, said in profile.items():
        name = "noise" if label == -1 else str(label)
        table.add_row(name, f"{int((labels == label).sum()):,}", escape("; ".join(said) or "like all rows"))
    return table


# ---------------------------------------------------------------- the page

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "img{max-width:100%}table{border-collapse:collapse}td,th{border-bottom:1px solid #ddd;padding:.4rem .8rem;"
    "text-align:left;vertical-align:top}"
)


def _write_page(
    path: Path,
    title: str,
    found: dict[str, Any],
    numbers: np.ndarray,
    profile: dict[Any, list[str]],
    picture: bytes,
    seed: int,
) -> None:
    """One page that needs nothing else: how it came about, the picture, each cluster in words, silhouettes."""
    labels = found["labels"]
    said = html.escape
    rows = [
        f"<tr><td>{'noise' if label == -1 else said(str(label))}</td><td>{int((labels == label).sum()):,}</td>"
        f"<td>{'<br>'.join(map(said, words)) or 'like all rows'}</td></tr>"
        for label, words in profile.items()
    ]
    parts = [
        f"<h1>Clusters of {said(title)}</h1><p>{said(found['why'])}.</p>",
        _image(picture, "rows on their first two principal components, coloured by cluster"),
        "<h2>What is typical</h2><table><tr><th>cluster</th><th>rows</th><th>what sets it apart</th></tr>",
        *rows,
        "</table>",
    ]
    if found["suggestion"] is not None:
        parts += ["<h2>What was tried</h2>", _image(_png(plot_cluster_scores(found["suggestion"])), "silhouettes")]
    some = np.random.RandomState(seed).permutation(len(numbers))[:_SAMPLE]
    if 1 < len(np.unique(labels[some])) < len(some):
        bars = plot_silhouettes(silhouette_samples(numbers[some], labels[some]), labels[some])
        parts += ["<h2>How well rows fit their clusters</h2>", _image(_png(bars), "silhouettes of the rows")]
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Clusters of {said(title)}</title>'
    page += f"<style>{_STYLE}</style><body>{''.join(parts)}</body></html>"
    with atomic_write(path) as file:
        file.write(page.encode())


def _png(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _image(png: bytes, words: str) -> str:
    return f'<img alt="{html.escape(words)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
