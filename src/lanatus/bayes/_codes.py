"""How a counting classifier sees a table: every column as codes 0, 1, ..., with -1 for what is missing."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import Estimator, Intake, is_plain, n_threads, take_plain, take_table
from lanatus.table import Schema, UnseenCategoryWarning

OPEN = -1  # a number of values


class Coding:
    """How the columns of a table become codes.

    A nominal or ordinal column is coded by its declared values, a number by the interval between its cuts that it lies
    in or, where there are none, by itself: such columns must hold whole numbers from 0 on.

    Parameters
    ----------
    names : sequence of str
        The columns, for messages.
    n_values : ndarray of shape (n_features,), int64
        Number of values of each column; -1 where that is open, in a column of whole numbers before ``fit``.
    cuts : sequence of (ndarray or None), optional
        For each column the sorted cut points, or None; a code is the number of cuts that are at most the value.
    numeric : ndarray of shape (n_features,), bool, optional
        The columns of numbers, in which one below 0 is a mistake; in others it stands for a missing value. By default
        those that are open.
    """

    def __init__(
        self,
        names: Sequence[str],
        n_values: np.ndarray,
        cuts: Sequence[np.ndarray | None] | None = None,
        numeric: np.ndarray | None = None,
    ) -> None:
        self.names = list(names)
        self.n_values = np.ascontiguousarray(n_values, dtype=np.int64)
        self.cuts = [None] * len(self.names) if cuts is None else list(cuts)
        self.numeric = self.n_values == OPEN if numeric is None else numeric

    @classmethod
    def of(cls, schema: Schema, cuts: Sequence[np.ndarray | None] | None = None) -> "Coding":
        """The coding that a schema declares; `cuts`, one entry a column, tells how to cut numbers."""
        n_values = [OPEN if column.kind == "numeric" else len(column.categories) for column in schema.columns]
        for j, edges in enumerate(cuts or ()):
            if edges is not None and schema.columns[j].kind == "numeric":
                n_values[j] = len(edges) + 1
        return cls(schema.names, np.array(n_values), cuts)

    def codes(self, X: np.ndarray) -> np.ndarray:
        """Rows of `CodedColumns` as codes, in the smallest of int8, int16 and int32 that holds them.

        A code beyond the values of a closed column is missing, with a warning.
        """
        cut = [(j, edges) for j, edges in enumerate(self.cuts) if edges is not None]
        if cut:
            X = np.array(X, dtype=np.float64)
            for j, edges in cut:
                known = ~np.isnan(X[:, j])
                X[known, j] = np.searchsorted(edges, X[known, j], side="right")
        X = _known_type(X)
        least, largest, unfit = kernels.survey_codes(X, n_threads=n_threads())
        is_open = self.n_values == OPEN
        self._refuse(self.numeric & (least < 0), unfit > 0)
        self._warn(X, ~is_open & (largest >= self.n_values))
        n_values = np.where(is_open, largest + 1, self.n_values).astype(np.int64)
        top = n_values.max(initial=1) - 1
        narrow = (
            kernels.narrow_int8
            if top <= np.iinfo(np.int8).max
            else kernels.narrow_int16
            if top <= np.iinfo(np.int16).max
            else kernels.narrow_int32
        )
        return narrow(X, n_values, n_threads=n_threads())

    def _refuse(self, low: np.ndarray, unfit: np.ndarray) -> None:
        if low.any():
            raise ValueError(
                f"Negative values in data passed to a classifier that counts: columns {self._named(low)}; wanted codes "
                "from 0 on."
            )
        if unfit.any():
            raise ValueError(
                f"columns {self._named(unfit)} hold numbers that are no codes; wanted whole numbers from 0 on. "
                "Cut them into intervals with lanatus.preprocess.KBinsDiscretizer, or take lanatus.bayes.NaiveBayes."
            )

    def _warn(self, X: np.ndarray, beyond: np.ndarray) -> None:
        for j in np.flatnonzero(beyond):
            unseen = X[:, j][X[:, j] >= self.n_values[j]]
            shown = ", ".join(str(int(value)) for value in np.unique(unseen)[:5])
            warnings.warn(
                f"column {self.names[j]!r} has {len(unseen)} value(s) not seen in fit ({shown}); they are treated as "
                "missing.",
                UnseenCategoryWarning,
                stacklevel=4,
            )

    def _named(self, chosen: np.ndarray) -> str:
        return ", ".join(repr(self.names[j]) for j in np.flatnonzero(chosen)[:5])


def _known_type(X: np.ndarray) -> np.ndarray:
    """X in a type that the kernels know; others are rare."""
    if X.dtype.name in ("int8", "int16", "int32", "int64", "float32", "float64"):
        return np.ascontiguousarray(X)
    return np.ascontiguousarray(X, dtype={"bool": np.int8, "uint8": np.int16}.get(X.dtype.name, np.float64))


class CodedColumns(Intake):
    """One matrix with a column for each of the table's, for `Coding.codes`.

    Numbers stay as they are, an array of them in its own type; nominal and ordinal columns become positions in their
    values, with NaN, or -1 where there are no numbers, for what is missing.
    """

    def take(self, estimator: Estimator, X: Any, *, reset: bool, min_rows: int = 1) -> np.ndarray:
        if is_plain(estimator, X, reset=reset):
            return np.asarray(take_plain(estimator, X, reset=reset, min_rows=min_rows, dtype="numeric"))
        table = take_table(estimator, X, reset=reset, min_rows=min_rows)
        if not table.schema.numeric:
            return table.codes
        if not table.schema.coded:
            return np.asarray(table.numeric)
        return table.coded_matrix()


class MixedColumns(CodedColumns):
    """The same as floats: numbers as they are, other columns as codes, NaN for what is missing."""

    def take(self, estimator: Estimator, X: Any, *, reset: bool, min_rows: int = 1) -> np.ndarray:
        rows = super().take(estimator, X, reset=reset, min_rows=min_rows)
        if rows.dtype in (np.float32, np.float64):
            return rows
        floats = rows.astype(np.float64)
        return floats if estimator.schema_.all_numeric else np.where(floats < 0, np.nan, floats)


class OpenCodes(CodedColumns):
    """Columns as codes, open where the schema declares no values."""

    def take(self, estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> np.ndarray:
        rows = super().take(estimator, X, reset=reset, min_rows=min_rows)
        return Coding.of(estimator.schema_).codes(rows)
