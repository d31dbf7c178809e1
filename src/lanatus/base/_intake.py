"""What comes in at an estimator's door: X as the class declares that it wants it.

A class says ``_wants = Numbers()``, or `Columns`, `Tables`, `NumbersOrTable`, or an intake of its own, and gets X that
way from ``self._take(X, reset=...)``, in ``fit`` and in ``predict``, in memory and block by block. What the method can
take, holes and sparse matrices, it declares in ``_takes``; the rest is refused here, in the same words for all.
"""

import functools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import assert_all_finite, validate_data

from lanatus._core import core as kernels
from lanatus.base._arrays import LARGEST, aligned, in_floats, n_threads
from lanatus.table import (
    Column,
    Schema,
    Table,
    as_frame,
    frame_of_dicts,
    is_list_of_dicts,
    is_missing,
    is_named,
    sound_sparse,
)

if TYPE_CHECKING:
    from lanatus.base._estimator import Estimator


class Intake:
    """How an estimator wants X."""

    def take(self, estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        """X, checked; `reset` learns names, kinds and categories, otherwise they are matched to those learned."""
        raise NotImplementedError


class Numbers(Intake):
    """A C-contiguous matrix, or CSR: ordinal columns as ranks, nominal ones as indicators.

    Parameters
    ----------
    dtypes : sequence of types, default=(float64, float32)
        The types that an array of plain numbers may keep; others become the first.
    bounded : bool, default=True
        Whether numbers too large to be squared are refused. Only a method that compares numbers, and does not compute
        with them, can do without.
    """

    def __init__(self, dtypes: Any = (np.float64, np.float32), *, bounded: bool = True) -> None:
        self.dtypes = dtypes
        self.bounded = bounded

    def take(self, estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        if is_plain(estimator, X, reset=reset):
            return take_plain(estimator, X, reset=reset, min_rows=min_rows, dtype=self.dtypes, bounded=self.bounded)
        table = take_table(estimator, X, reset=reset, min_rows=min_rows)
        if self.bounded:
            refuse_huge(table.numeric)
        return table.design_matrix(nan_for_missing=estimator._takes.missing)


class Columns(Intake):
    """One matrix with a column for each of the table's: numbers as they are, others as positions in their values.

    What is missing is NaN. Plain numbers stay as they are, CSR too where the method takes that.
    """

    def take(self, estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        if is_plain(estimator, X, reset=reset):
            return take_plain(estimator, X, reset=reset, min_rows=min_rows)
        return take_table(estimator, X, reset=reset, min_rows=min_rows).coded_matrix()


class Tables(Intake):
    """A `Table`."""

    def take(self, estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Table:
        return take_table(estimator, X, reset=reset, min_rows=min_rows)


class NumbersOrTable(Numbers):
    """Plain numbers as a matrix or CSR, everything else as a `Table`."""

    def take(self, estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        if is_plain_numbers(X):
            return super().take(estimator, X, reset=reset, min_rows=min_rows)
        return take_table(estimator, X, reset=reset, min_rows=min_rows)


# ---------------------------------------------------------------- plain numbers


def is_plain(estimator: "Estimator", X: Any, *, reset: bool) -> bool:
    """Whether X is numbers and nothing else, as all columns of ``fit`` were."""
    return is_plain_numbers(X) and (reset or estimator.schema_.all_numeric)


def is_plain_numbers(X: Any) -> bool:
    """Whether scikit-learn's own validation can take X: no strings, no categories, no dates, no frame."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "fiubc" or X.ndim != 2 or (X.dtype == object and _all_numbers(X))
    if sp.issparse(X):
        return True
    if isinstance(X, Table) or hasattr(X, "fragments") or as_frame(X) is not None:
        return False
    return not (isinstance(X, list | tuple) and any(map(_has_words, X)))


def _all_numbers(X: np.ndarray) -> bool:
    return all(isinstance(value, int | float | np.number | np.bool_) for value in X.ravel())


def _has_words(row: Any) -> bool:
    if isinstance(row, dict):
        return True
    return isinstance(row, list | tuple) and any(isinstance(value, str) or value is None for value in row)


def take_plain(
    estimator: "Estimator",
    X: Any,
    *,
    reset: bool,
    min_rows: int = 1,
    dtype: Any = (np.float64, np.float32),
    bounded: bool = False,
) -> Any:
    """X, numbers and nothing else, as a C-contiguous matrix (or CSR) of one of the types given."""
    with in_floats("X"):
        X = validate_data(
            estimator,
            _small_indices(X),
            reset=reset,
            accept_sparse="csr" if estimator._takes.sparse else False,
            accept_large_sparse=False,
            dtype=dtype if isinstance(dtype, str) else list(dtype),
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
        )
    if reset:
        named = hasattr(estimator, "feature_names_in_")
        names = tuple(map(str, estimator.feature_names_in_)) if named else X.shape[1]
        estimator.schema_ = _numbers_schema(names, X.dtype.name)
    X = _canonical(aligned(X))
    if X.dtype.kind == "f":
        _refuse_non_finite(estimator, X, bounded)
    return X


@functools.lru_cache(maxsize=16)
def _numbers_schema(names: tuple[str, ...] | int, dtype: str) -> Schema:
    """The schema of columns of numbers, by name or by how many there are; text has tens of thousands."""
    listed = [f"x{j}" for j in range(names)] if isinstance(names, int) else names
    columns = [Column(name, "numeric", (), dtype) for name in listed]
    return Schema(columns, named=not isinstance(names, int))


def _refuse_non_finite(estimator: "Estimator", X: Any, bounded: bool = False) -> None:
    """Refuse infinities, NaN where the method has no rule for it, and, for a method that is `bounded`, huge numbers."""
    allow = estimator._takes.missing
    if not _all_finite(X, allow_nan=allow, limit=LARGEST.get(X.dtype) if bounded else None):
        values = X.data if sp.issparse(X) else X
        with np.errstate(over="ignore", invalid="ignore"):  # it sums them
            assert_all_finite(values, allow_nan=allow, estimator_name=type(estimator).__name__, input_name="X")
        refuse_huge(X)


def refuse_huge(X: Any, name: str = "X") -> None:
    """ValueError if a number is too large to be squared and summed: the result would be infinite, then NaN."""
    values = X.data if sp.issparse(X) else X
    limit = LARGEST.get(values.dtype)
    if limit is None or kernels.all_finite(values, allow_nan=True, limit=limit, n_threads=n_threads()):
        return
    largest = values.ravel()[np.nanargmax(np.abs(values))]
    remedy = "convert it to float64, or scale it first" if values.dtype == np.float32 else "scale it first"
    raise ValueError(
        f"Input {name} contains {largest:.3g}, which is too large to square and sum as {values.dtype}; "
        f"wanted magnitudes up to {limit:g}: {remedy}."
    )


# ---------------------------------------------------------------- tables


def take_table(estimator: "Estimator", X: Any, *, reset: bool, min_rows: int = 1) -> Table:
    """X as a Table, its columns matched by name to those learned in ``fit``."""
    name = type(estimator).__name__
    if hasattr(X, "fragments"):
        raise TypeError(f"{name} takes a scanned source only in fit and predict; read it first.")
    if sp.issparse(X) and not estimator._takes.sparse:
        raise TypeError(f"Sparse data was passed for X, but {name} needs dense data. Use X.toarray().")
    if is_list_of_dicts(X):
        X = frame_of_dicts(X)
    elif hasattr(X, "__array__") and not isinstance(X, np.ndarray) and as_frame(X) is None:
        X = np.asarray(X)
    if not reset:
        X = match_columns(estimator, X)
    with in_floats("X"):
        table = Table.of(X, like=None if reset else estimator.schema_)
    table.numeric = aligned(table.numeric)
    if len(table) < min_rows:
        raise ValueError(f"Found array with {len(table)} sample(s) while a minimum of {min_rows} is required.")
    if not len(table.schema):
        raise ValueError(f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
    if reset:
        estimator._remember(table.schema)
    if not estimator._takes.missing and not (_all_finite(table.numeric) and (table.codes >= 0).all()):
        _refuse_holes(estimator, table.missing(), X, reset)
    _refuse_non_finite(estimator, table.numeric)
    return table


def _refuse_holes(estimator: "Estimator", holes: dict[str, int], X: Any, reset: bool) -> None:
    # A category unseen in fit (with its warning) has no indicator set, which a numeric method takes as it is.
    schema = estimator.schema_
    named = [name for name in holes if reset or schema[name].kind != "nominal" or _has_nulls(schema, X, name)]
    if named:
        listed = ", ".join(f"{name!r} ({holes[name]})" for name in named)
        raise ValueError(
            f"Input X contains NaN: {type(estimator).__name__} has no rule for missing values, got some in "
            f"columns {listed}. Fill them first, for example with "
            "sklearn.pipeline.make_pipeline(lanatus.preprocess.SimpleImputer(), ...)."
        )


def _has_nulls(schema: Schema, X: Any, name: str) -> bool:
    frame = as_frame(X)
    if frame is not None:
        return frame[name].null_count() > 0
    if isinstance(X, Table):
        return name in X.missing()
    return any(is_missing(value) for value in np.asarray(X, dtype=object)[:, schema.names.index(name)])


def match_columns(estimator: "Estimator", X: Any) -> Any:
    """A frame with its columns in the order of ``fit``; wrong sets of names raise scikit-learn's error."""
    frame, schema, who = as_frame(X), estimator.schema_, type(estimator).__name__
    if frame is None and schema.named and not isinstance(X, Table):
        warnings.warn(
            f"X does not have valid feature names, but {who} was fitted with feature names",
            stacklevel=5,
        )
    if frame is not None and schema.named:
        if set(frame.columns) != set(schema.names):
            raise _wrong_names(who, list(frame.columns), schema.names)
        return frame.select(schema.names).to_native()
    if frame is not None and len(frame.columns) == len(schema):
        if is_named(frame):
            warnings.warn(f"X has feature names, but {who} was fitted without feature names", stacklevel=5)
        return frame.rename(dict(zip(frame.columns, schema.names, strict=True))).to_native()
    if isinstance(X, Table):
        return X
    width = len(frame.columns) if frame is not None else np.shape(X)[1] if np.ndim(X) == 2 else None
    if width is not None and width != estimator.n_features_in_:
        raise ValueError(
            f"X has {width} features, but {who} is expecting {estimator.n_features_in_} features as input."
        )
    return X


def _wrong_names(who: str, got: list[str], wanted: list[str]) -> ValueError:
    lines = ["The feature names should match those that were passed during fit."]
    if unseen := sorted(set(got) - set(wanted)):
        lines += ["Feature names unseen at fit time:", *[f"- {name}" for name in unseen]]
    if lost := sorted(set(wanted) - set(got)):
        lines += ["Feature names seen at fit time, yet now missing:", *[f"- {name}" for name in lost]]
    lines += [f"{who} wants exactly these columns, in any order: {', '.join(wanted)}."]
    return ValueError("\n".join(lines))


# ---------------------------------------------------------------- arrays


def _small_indices(X: Any) -> Any:
    """X with indices of 32 bits, where it is a compressed sparse matrix that has others without need; sound."""
    if not sp.issparse(X):
        return X
    X = sound_sparse(X)
    if not (X.format in ("csr", "csc") and X.indices.dtype.itemsize > 4):
        return X
    if max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def _canonical(X: Any) -> Any:
    """X with one entry a place: a CSR matrix may hold several that are meant to be added."""
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _all_finite(X: Any, *, allow_nan: bool = False, limit: float | None = None) -> bool:
    """Whether all numbers are finite, or NaN where that is allowed, and none is beyond the limit."""
    values = X.data if sp.issparse(X) else X
    return bool(kernels.all_finite(values, allow_nan=allow_nan, limit=limit, n_threads=n_threads()))
