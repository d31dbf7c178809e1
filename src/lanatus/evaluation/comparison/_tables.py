"""A comparison as a table: in the terminal, as text, and as HTML."""

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lanatus.evaluation.comparison._comparison import Comparison

_STYLE = """
.lanatus-comparison { max-width: 100%; overflow-x: auto;
  font-family: system-ui, "Noto Sans SC", "Microsoft YaHei", "PingFang SC", sans-serif }
.lanatus-comparison table { border-collapse: collapse; margin: .5em 0 }
.lanatus-comparison caption { caption-side: top; text-align: left; font-weight: 600; padding: .3em 0 }
.lanatus-comparison :is(th, td) { padding: .25em .7em; border-bottom: 1px solid #8886; text-align: right }
.lanatus-comparison :is(th, td):first-child { text-align: left }
.lanatus-comparison .best { font-weight: 700 }
.lanatus-comparison .missing { color: #b00 }
.lanatus-comparison svg { max-width: 100%; height: auto; background: #fff }
"""


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table, and how it stands out."""

    text: str
    look: str = ""  # "best", "missing" or nothing


@dataclass(frozen=True)
class Grid:
    """A table with a title, before it becomes text or HTML."""

    title: str
    head: list[str]
    rows: list[list[Cell]] = field(default_factory=list)


def grids(result: "Comparison") -> list[Grid]:
    """One data set: learners by measures. Several: data sets by learners, for the first measure, with mean ranks."""
    return [_by_measure(result)] if len(result.data_sets) == 1 else [_by_data_set(result)]


def _by_measure(result: "Comparison") -> Grid:
    name = result.data_sets[0]
    splits = max(run.split for run in result.runs) + 1
    grid = Grid(
        f"{name}: mean ± deviation over {splits} splits" if splits > 1 else f"{name}: one split",
        ["learner", *(f"{one.name} {_arrow(one.greater_is_better)}" for one in result.measures), "fit, s"],
    )
    tables = [
        (result.means(one.name)[0], result.deviations(one.name)[0], result.ranks(one.name)[0])
        for one in result.measures
    ]
    seconds = result.seconds()[0]
    for j in np.argsort(result.ranks()[0], kind="stable"):
        cells = [_score(means[j], deviations[j], ranks[j] == ranks.min()) for means, deviations, ranks in tables]
        grid.rows.append([Cell(result.learners[j]), *cells, Cell(f"{seconds[j]:.3g}")])
    return grid


def _by_data_set(result: "Comparison") -> Grid:
    measure = result.measures[0]
    means, deviations, ranks = result.means(), result.deviations(), result.ranks()
    grid = Grid(
        f"{measure.name} {_arrow(measure.greater_is_better)}: mean ± deviation (rank)", ["data set", *result.learners]
    )
    for i, name in enumerate(result.data_sets):
        cells = [
            _score(means[i, j], deviations[i, j], ranks[i, j] == ranks[i].min(), ranks[i, j])
            for j in range(len(result.learners))
        ]
        grid.rows.append([Cell(name), *cells])
    mean_ranks = result.mean_ranks()
    best = mean_ranks.min()
    last = [Cell(f"{rank:.3g}", "best" if rank == best else "") for rank in mean_ranks]
    grid.rows.append([Cell("mean rank"), *last])
    return grid


def _arrow(greater_is_better: bool) -> str:
    return "↑" if greater_is_better else "↓"


def _score(mean: float, deviation: float, best: bool, rank: float | None = None) -> Cell:
    place = "" if rank is None else f" ({rank:g})"
    if np.isnan(mean):
        return Cell(f"–{place}", "missing")
    size = max(abs(mean), deviation)
    form = ".3g" if 0 < size < 0.01 or size >= 1e6 else ".3f" if abs(mean) < 100 else ".1f"
    return Cell(f"{mean:{form}} ± {deviation:{form}}{place}", "best" if best else "")


def remarks(result: "Comparison") -> list[str]:
    """What the table does not show: the verdict, and what went wrong."""
    said = [str(result.test())]
    failed = {(run.data_set, run.learner): run.error for run in reversed(result.failures)}
    for (data_set, learner), error in sorted(failed.items()):
        count = sum((run.data_set, run.learner) == (data_set, learner) for run in result.failures)
        said.append(f"{learner} failed on {data_set} ({count} of its fits): {_one_line(error)}")
    warned = {(run.learner, text) for run in result.runs for text in run.warnings}
    said += [f"{learner} warned: {_one_line(text)}" for learner, text in sorted(warned)[:5]]
    if len(warned) > 5:
        said.append(f"... and {len(warned) - 5} more warnings: see runs.")
    return said


def _one_line(text: str, width: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


# ---------------------------------------------------------------- terminal


def as_rich(result: "Comparison") -> Any:
    """Tables and remarks for a Rich console."""
    from rich.console import Group
    from rich.text import Text

    return Group(*(_rich_table(grid) for grid in grids(result)), *(Text(line) for line in remarks(result)))


def _rich_table(grid: Grid) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(grid.title), title_justify="left")
    for k, name in enumerate(grid.head):
        table.add_column(Text(name), justify="left" if k == 0 else "right", overflow="fold")
    style = {"best": "bold green", "missing": "red", "": ""}
    for row in grid.rows:
        table.add_row(*(Text(cell.text, style=style[cell.look]) for cell in row))
    return table


def as_text(result: "Comparison") -> str:
    """The same without colours, as wide as it needs."""
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=_width(grids(result)), color_system=None, force_terminal=False, legacy_windows=False).print(
        as_rich(result)
    )
    return out.getvalue().rstrip("\n")


def _width(tables: Sequence[Grid]) -> int:
    from rich.cells import cell_len

    def needed(grid: Grid) -> int:
        columns = zip(grid.head, *([cell.text for cell in row] for row in grid.rows), strict=True)
        return sum(max(map(cell_len, column)) + 3 for column in columns) + 1

    return max(100, *map(needed, tables)) if tables else 100


# ---------------------------------------------------------------- page


def as_html(result: "Comparison") -> str:
    """Tables, remarks and the picture, in one piece that needs nothing else."""
    parts = [_html_table(grid) for grid in grids(result)]
    parts += [f"<p>{html.escape(line)}</p>" for line in remarks(result)]
    parts.append(result.to_svg())
    return f'<div class="lanatus-comparison"><style>{_STYLE}</style>{"".join(parts)}</div>'


def _html_table(grid: Grid) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in grid.head)
    rows = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in grid.rows)
    caption = f"<caption>{html.escape(grid.title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cell(cell: Cell) -> str:
    look = f' class="{cell.look}"' if cell.look else ""
    return f"<td{look}>{html.escape(cell.text)}</td>"
