"""Attributes with their parents: tables of counts, smoothed probabilities, scores of rows (7.21)."""

from typing import Any

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import class_codes
from lanatus.bayes._codes import Coding
from lanatus.bayes._posterior import logarithm
from lanatus.bayes.naive._counting import ClassCounts, class_mass
from lanatus.bayes.semi_naive._discretized import codes_of, smoothed_logs
from lanatus.bayes.semi_naive._pair_counts import MOST_CELLS, Slots, team
from lanatus.scale import Block, Sums


class Families:
    """For each column its parents, and tables over them.

    The table of column j with parents p, q has shape (values of p + 1, values of q + 1, values of j, classes); the last
    value of a parent stands for "whatever it is", and answers for rows where it is missing.

    Parameters
    ----------
    n_values : ndarray of shape (n_features,)
        Number of values of each column.
    parents : list of lists of int
        Parents of each column.
    """

    def __init__(self, n_values: np.ndarray, parents: list[list[int]]) -> None:
        self.n_values = np.ascontiguousarray(n_values, dtype=np.int64)
        self.parents = parents
        sizes = self.n_values.tolist()
        self.shapes = [(*(sizes[p] + 1 for p in above), sizes[j]) for j, above in enumerate(parents)]

    def layout(self, n_classes: int) -> kernels.Families:
        """What the kernels need to know: values, where parents begin, parents, where tables begin."""
        starts = np.concatenate([[0], np.cumsum([len(above) for above in self.parents])]).astype(np.int64)
        flat = np.array([p for above in self.parents for p in above], dtype=np.int64)
        cells = [int(np.prod(shape, dtype=object)) * n_classes for shape in self.shapes]
        if sum(cells) > MOST_CELLS:
            raise ValueError(
                f"the tables of all columns given their parents would have {sum(cells):.3g} cells; at most "
                f"{MOST_CELLS:.3g} are allowed. Choose fewer parents, or fewer values of each column (n_bins)."
            )
        ends = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
        return kernels.Families(self.n_values, starts, flat, ends)

    def split(self, table: np.ndarray) -> list[np.ndarray]:
        """The lines of all tables (n_lines, n_classes) as one array for each column."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        parts = np.split(table, ends[:-1])
        return [part.reshape(*shape, table.shape[1]) for part, shape in zip(parts, self.shapes, strict=True)]

    def with_margins(self, tables: list[np.ndarray]) -> list[np.ndarray]:
        """Tables of counts as the kernel gives them, with the sums over all values in the last place of each parent."""
        tables = [table.copy() for table in tables]
        for table in tables:
            for axis in range(table.ndim - 2):
                table[(slice(None),) * axis + (-1,)] = table.sum(axis=axis)
        return tables

    def of_pairs(self, pairs: np.ndarray) -> list[np.ndarray]:
        """Tables of counts for at most one parent each, cut out of the counts of all pairs."""
        slots = Slots(self.n_values)
        tables = []
        for j, above in enumerate(self.parents):
            alone = np.einsum("aac->ac", pairs[slots.of(j), slots.of(j)])
            tables.append(np.concatenate([pairs[slots.of(p), slots.of(j)] for p in above] + [alone[None]]))
            if not above:
                tables[-1] = alone.copy()
        return tables

    def scores(self, codes: np.ndarray, tables: list[np.ndarray], start: np.ndarray) -> np.ndarray:
        """Start plus the entries for the values of each row, (n_rows, n_classes)."""
        flat = np.concatenate([table.ravel() for table in tables]) if tables else np.empty(0)
        return kernels.family_scores(codes, self.layout(len(start)), flat, start, n_threads=team(codes))

    def left_out_right(
        self,
        codes: np.ndarray,
        y: np.ndarray,
        tables: list[np.ndarray],
        less: list[np.ndarray],
        start: np.ndarray,
        start_less: np.ndarray,
    ) -> np.ndarray:
        """Whether each row gets its class y, for which the numbers of `less` and `start_less` are taken."""
        flat = [np.concatenate([table.ravel() for table in some]) for some in (tables, less)]
        layout = self.layout(len(start))
        return kernels.left_out_right(codes, layout, *flat, start, start_less, y, n_threads=team(codes)).astype(bool)


def tally_families(classes: np.ndarray | None, coding: Coding, parents: list[list[int]], block: Block) -> ClassCounts:
    """Counts of a block over the tables of all families, (n_lines, n_classes)."""
    labels, y = class_codes(block.y, block.X, classes)
    layout = Families(coding.n_values, parents).layout(len(labels))
    codes = coding.codes(block.X)
    flat = kernels.count_families(codes, layout, y, block.weight, len(labels), n_threads=team(codes))
    return ClassCounts(labels, class_mass(y, block.weight, len(labels)), flat.reshape(-1, len(labels)))


def family_logs(tables: list[np.ndarray], alpha: float, smoothing: str, *, less: float = 0.0) -> list[np.ndarray]:
    r"""Logarithms of :math:`P(x_j \mid c, pa_j)`, smoothed (7.20).

    Counts `n` of a value among `N` become :math:`(n + \alpha) / (N + \alpha V)`, or with the m-estimate
    :math:`(n + \alpha p) / (N + \alpha)` where p is the share of the value in all rows. Where nothing is known,
    without smoothing, p is taken. `less` is the weight of a row to be left out, one that has the values of the cell.
    """
    out = []
    for table in tables:
        overall = table[(-1,) * (table.ndim - 2)].sum(axis=-1)
        p = overall / overall.sum() if overall.sum() > 0 else np.full(len(overall), 1 / len(overall))
        total = table.sum(axis=-2, keepdims=True)
        if less:
            table, total = np.maximum(table - less, 0.0), np.maximum(total - less, 0.0)
        out.append(smoothed_logs(table, total, p[:, None], len(p), alpha, smoothing))
    return out


# ---------------------------------------------------------------- classifiers with one structure


def set_tables(model: Any, parents: list[list[int]], counts: list[np.ndarray]) -> None:
    """Set `parents_`, the structure, and `log_prob_`, the smoothed logarithms of its counts."""
    model.parents_ = parents
    model.log_prob_ = family_logs(counts, model.alpha, model.smoothing)


def set_tables_of_counts(model: Any, parents: list[list[int]]) -> None:
    """The same from `counts_`, the lines of all tables as `tally_families` counts them."""
    families = Families(model.n_values_, parents)
    set_tables(model, parents, families.with_margins(families.split(model.counts_)))


def family_joint(model: Any, X: Any) -> np.ndarray:
    """Logarithm of (7.21) for each row and class."""
    families = Families(model.n_values_, model.parents_)
    return families.scores(codes_of(model, X), model.log_prob_, model._log_priors())


# ---------------------------------------------------------------- leaving one row out


class Unit:
    """The weight with which a row is left out: one, or that of the lightest row if less."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __add__(self, other: "Unit") -> "Unit":
        return Unit(min(self.weight, other.weight))


def unit_of(block: Block) -> Unit:
    """The unit of a block of rows."""
    if block.weight is None or not (block.weight > 0).any():
        return Unit(1.0)
    return Unit(min(1.0, float(block.weight[block.weight > 0].min())))


class LeftOut:
    """One model, asked about rows it was learned from with each of them left out.

    Nothing is learned again: the row is taken off the counts of its own class and values, which is the same.

    Parameters
    ----------
    families : Families
        The structure.
    counts : list of ndarrays
        Its tables of counts.
    mass : ndarray of shape (n_classes,)
        Weights of the classes.
    alpha, smoothing : float, str
        The smoothing; the shares of values in all rows, of the m-estimate, stay as they are.
    unit : float
        The weight with which a row is left out.
    """

    def __init__(
        self, families: Families, counts: list[np.ndarray], mass: np.ndarray, alpha: float, smoothing: str, unit: float
    ) -> None:
        self.families = families
        self.tables = family_logs(counts, alpha, smoothing)
        self.tables_less = family_logs(counts, alpha, smoothing, less=unit)
        # The total weight is the same for all classes, so that it can stay as it is.
        each = alpha if smoothing == "lidstone" else alpha / len(mass)
        self.start = logarithm(mass + each)
        self.start_less = logarithm(np.maximum(mass - unit, 0) + each)

    def is_right(self, codes: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Whether each row, left out, gets its own class."""
        return self.families.left_out_right(codes, y, self.tables, self.tables_less, self.start, self.start_less)


def tally_right(coding: Coding, classes: np.ndarray, models: list[LeftOut], block: Block) -> Sums:
    """Weight of the rows of a block that each model gets right when they are left out."""
    _, y = class_codes(block.y, block.X, classes)
    codes, weight = coding.codes(block.X), np.ones(len(y)) if block.weight is None else block.weight
    return Sums(right=np.array([weight[model.is_right(codes, y)].sum() for model in models]))
