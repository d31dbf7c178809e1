"""What a network makes of the columns of a table: scaled numbers, indicators of holes, embeddings of nominal values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import core
from lanatus._core import neural as kernels
from lanatus.base import Intake, StateError, is_plain, take_plain, take_table
from lanatus.catalog import savable
from lanatus.table import MISSING_CODE, Table

if TYPE_CHECKING:
    from lanatus.base import Estimator

_FEW = 6  # nominal values that are told by indicators rather than by an embedding
_SAMPLE = 100_000  # rows that quantiles are taken of


class NetworkInput(Intake):
    """Plain numbers as a matrix or CSR, everything else as a `Table`; holes stay."""

    def take(self, estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        if is_plain(estimator, X, reset=reset):
            return take_plain(estimator, X, reset=reset, min_rows=min_rows, bounded=True)
        return take_table(estimator, X, reset=reset, min_rows=min_rows)


def default_width(n_values: int) -> int:
    """Width of the embedding of a column: 1.6 k^0.56, as fast.ai takes it, at most 32."""
    return int(min(32, round(1.6 * n_values**0.56)))


@savable
@dataclass
class Inputs:
    """How rows become inputs of a network, as learned in ``fit``.

    Parameters
    ----------
    shift, scale : ndarray of shape (n_numbers,) or None
        Numbers become (x - shift) * scale.
    holes : ndarray of int32
        Columns of numbers whose holes have an indicator.
    embedded : ndarray of int64
        Coded columns that are embedded, by their place among the coded ones.
    widths : ndarray of int64 of shape (n_embedded, 2)
        Number of values and width of each embedding.
    squash : bool
        Whether scaled numbers z become z / sqrt(1 + (z/3)^2).
    """

    shift: np.ndarray | None
    scale: np.ndarray | None
    holes: np.ndarray
    embedded: np.ndarray
    widths: np.ndarray
    squash: bool = False

    @property
    def embeddings(self) -> list[tuple[int, int]]:
        """Number of values and width of each embedding."""
        return [(int(values), int(width)) for values, width in self.widths]

    def n_numbers(self, X: Any) -> int:
        """Inputs that are no embeddings, for such rows."""
        return int(split(X, self.embedded)[0].shape[1] + len(self.holes))

    def rows(self, X: Any) -> Any:
        """Rows as the kernels take them."""
        numbers, codes = split(X, self.embedded)
        if sp.issparse(numbers):
            return kernels.Rows(core.csr(numbers), codes, None, self.scale, None)
        return kernels.Rows(numbers, codes, self.shift, self.scale, self.holes, self.squash)

    def require_sound(self, tables: list[tuple[int, ...]]) -> None:
        """StateError if the parts do not fit together."""
        if self.widths.ndim != 2 or self.widths.shape != (len(self.embedded), 2):
            raise StateError("inputs_ has widths that do not fit the embedded columns")
        if [(values + 1, width) for values, width in self.embeddings] != tables:
            raise StateError("tables_ do not fit the widths of inputs_")
        if (self.shift is None) != (self.scale is None) or (
            self.scale is not None and self.shift is not None and self.shift.shape != self.scale.shape
        ):
            raise StateError("inputs_ must have a shift and a scale for each number")


def split(X: Any, embedded: np.ndarray) -> tuple[Any, np.ndarray | None]:
    """Numbers (ranks and indicators too), and the codes of the columns that are embedded."""
    if not isinstance(X, Table):
        if not sp.issparse(X) and X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        return X, None
    parts = [X.numeric]
    for place, column in enumerate(X.schema.columns[j] for j in X.schema.coded):
        codes = X.codes[:, place]
        if column.kind == "ordinal":
            parts.append(np.where(codes == MISSING_CODE, np.nan, codes)[:, None])
        elif place not in embedded:
            parts.append((codes[:, None] == np.arange(column.width)).astype(np.float64))
    looked_up = np.ascontiguousarray(X.codes[:, embedded]) if len(embedded) else None
    return np.ascontiguousarray(np.hstack(parts)), looked_up


def learn_inputs(X: Any, weight: np.ndarray | None, scaling: str | None, embedding: Any) -> Inputs:
    """Scales, columns with holes and columns to embed."""
    embedded, widths = _to_embed(X, embedding)
    numbers, _ = split(X, embedded)
    holes = np.empty(0, np.int32)
    if not sp.issparse(numbers):
        holes = np.flatnonzero(np.isnan(numbers).any(axis=0)).astype(np.int32)
    shift = scale = None
    if scaling is not None:
        shift, scale = learn_scales(numbers, weight, scaling)
        if isinstance(X, Table):
            indicators = _indicators(X, embedded)
            shift[indicators], scale[indicators] = 0.0, 1.0
    squash = scaling == "robust" and not sp.issparse(numbers)
    return Inputs(shift, scale, holes, embedded, widths, squash)


def _indicators(X: Table, embedded: np.ndarray) -> np.ndarray:
    """Which of the numbers are indicators of nominal values."""
    kinds = [False] * X.numeric.shape[1]
    for place, column in enumerate(X.schema.columns[j] for j in X.schema.coded):
        if column.kind == "ordinal":
            kinds.append(False)
        elif place not in embedded:
            kinds += [True] * column.width
    return np.array(kinds, dtype=bool)


def _to_embed(X: Any, embedding: Any) -> tuple[np.ndarray, np.ndarray]:
    """Coded columns to embed, and number of values and width of each."""
    none = np.empty(0, np.int64), np.empty((0, 2), np.int64)
    if embedding is None or not isinstance(X, Table):
        return none
    coded = [X.schema.columns[j] for j in X.schema.coded]
    least = _FEW + 1 if embedding == "auto" else 1
    places = [p for p, column in enumerate(coded) if column.kind == "nominal" and column.width >= least]
    if not places:
        return none
    widths = [
        (coded[p].width, default_width(coded[p].width) if embedding == "auto" else int(embedding)) for p in places
    ]
    return np.array(places, np.int64), np.array(widths, np.int64)


def learn_scales(numbers: Any, weight: np.ndarray | None, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """What is taken off each column, and what it is then multiplied with; of sparse columns nothing is taken off."""
    if sp.issparse(numbers):
        mass = float(numbers.shape[0]) if weight is None else float(weight.sum())
        squares = numbers.multiply(numbers)
        total = np.asarray(squares.sum(axis=0) if weight is None else weight @ squares).ravel().astype(np.float64)
        spread = np.sqrt(total / max(mass, 1e-300))
        return np.zeros(len(spread)), 1 / np.where(spread > 0, spread, 1.0)
    if scaling == "robust" and len(numbers) > 1:
        return _quantile_scales(numbers, weight)
    return _moment_scales(numbers, weight)


def _moment_scales(numbers: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    values = np.asarray(numbers, dtype=np.float64)
    known = ~np.isnan(values)
    w = known.astype(np.float64) if weight is None else known * weight[:, None]
    mass = np.maximum(w.sum(axis=0), 1e-300)
    filled = np.where(known, values, 0.0)
    shift = (w * filled).sum(axis=0) / mass
    apart = np.where(known, values - shift, 0.0)
    spread = np.sqrt((w * apart**2).sum(axis=0) / mass)
    return shift, 1 / _sound(spread, shift)


def _quantile_scales(numbers: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Median, and the distance of the quartiles over that of a normal distribution; spread where that is nothing."""
    every = max(1, len(numbers) // _SAMPLE)
    sample = np.asarray(numbers[::every], dtype=np.float64)
    heavy = None if weight is None else weight[::every]
    shift, scale = _moment_scales(sample, heavy)
    for j in range(sample.shape[1]):
        known = ~np.isnan(sample[:, j]) if heavy is None else ~np.isnan(sample[:, j]) & (heavy > 0)
        if not known.any():
            continue
        share = None if heavy is None else heavy[known]
        low, middle, high = np.quantile(sample[known, j], [0.25, 0.5, 0.75], method="inverted_cdf", weights=share)
        width = (high - low) / 1.349
        if width > 1e-6 / scale[j]:
            shift[j], scale[j] = middle, 1 / width
    return shift, scale


def _sound(spread: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Spreads, 1 where a column is constant to rounding."""
    return np.where(spread > 1e-12 * np.maximum(np.abs(shift), 1e-280), spread, 1.0)
