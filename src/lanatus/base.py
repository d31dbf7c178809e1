"""The estimator base: intake by declared abilities, parameter rules, labels, weights, tags.

This is the one door to scikit-learn's private names: nothing else in the package imports them.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.callback._callback_support import callback_management_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from lanatus._core import core as kernels
from lanatus.catalog import DOCS_URL, Takes
from lanatus.params import Rule, check_params
from lanatus.table import Column, Schema, Table, as_frame, frame_of_dicts, is_list_of_dicts, is_missing, is_named

__all__ = [
    "Estimator",
    "Takes",
    "aligned",
    "as_labels",
    "as_targets",
    "check_is_fitted",
    "check_positive_weight",
    "class_codes",
    "fitting",
    "n_rows",
    "n_threads",
    "output_library",
    "take_rows",
    "warn_unconverged",
]

F = TypeVar("F", bound=Callable[..., Any])


def n_threads() -> int:
    """Threads for a kernel call, obeying ``OMP_NUM_THREADS`` and ``threadpoolctl``."""
    return int(kernels.max_threads())


def warn_unconverged(estimator: Any) -> None:
    """Tell once that the iterations ran out."""
    warnings.warn(
        f"{type(estimator).__name__} did not converge in {estimator.max_iter} iterations; "
        "raise max_iter or tol, or scale the data.",
        ConvergenceWarning,
        stacklevel=3,
    )


def output_library(estimator: Any) -> str | None:
    """The frame library that ``set_output`` asks for, None for no wish."""
    wanted = str(_get_output_config("transform", estimator)["dense"])
    return None if wanted == "default" else wanted


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Some rows of a matrix, frame, table or list, in the order asked."""
    return Table(X.schema, X.numeric[rows], X.codes[rows]) if isinstance(X, Table) else _safe_indexing(X, rows)


def n_rows(X: Any) -> int:
    """Rows of a matrix, frame, table or list."""
    return int(_num_samples(X))


def fitting(fit: F) -> F:
    """Wrap ``fit`` or ``partial_fit``: parameters checked, callbacks closed, no half-fitted model left."""

    @functools.wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_params(self)
        before = dict(vars(self))
        try:
            with callback_management_context(self):
                return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return whole  # type: ignore[return-value]


class Estimator(BaseEstimator):
    """Base of all lanatus estimators: scikit-learn's, with mixed tables at the door.

    A class declares what it can take in ``_takes`` and the rules of its parameters in ``_params``.
    """

    _takes: ClassVar[Takes] = Takes()
    _params: ClassVar[dict[str, Rule]] = {}

    _doc_link_module = "lanatus"
    _doc_link_template = DOCS_URL + "/api/{package}/#{path}"

    schema_: Schema
    n_features_in_: int

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        package = ".".join(type(self).__module__.split(".")[:2])
        return {"package": package.removeprefix("lanatus."), "path": f"{package}.{type(self).__name__}"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes.sparse
        tags.input_tags.allow_nan = self._takes.missing
        return tags

    # ------------------------------------------------------------ intake

    def _numbers(self, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        """X as a C-contiguous float matrix (or CSR) of the columns that a numeric method sees.

        ``reset=True`` learns names, kinds and categories; otherwise they are matched to what was learned.
        """
        if self._is_plain(X, reset=reset):
            return self._plain(X, reset=reset, min_rows=min_rows)
        table = self._table(X, reset=reset, min_rows=min_rows)
        return table.design_matrix(nan_for_missing=self._takes.missing)

    def _is_plain(self, X: Any, *, reset: bool) -> bool:
        """Whether X is numbers and nothing else, as all columns of ``fit`` were."""
        return _is_plain_numbers(X) and (reset or self.schema_.all_numeric)

    def _plain(self, X: Any, *, reset: bool, min_rows: int = 1, dtype: Any = (np.float64, np.float32)) -> Any:
        """X, numbers and nothing else, as a C-contiguous matrix (or CSR) of one of the types given."""
        X = validate_data(
            self,
            _small_indices(X),
            reset=reset,
            accept_sparse="csr" if self._takes.sparse else False,
            accept_large_sparse=False,
            dtype=dtype if isinstance(dtype, str) else list(dtype),
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
        )
        if reset:
            named = hasattr(self, "feature_names_in_")
            names = tuple(map(str, self.feature_names_in_)) if named else X.shape[1]
            self.schema_ = _numbers_schema(names, X.dtype.name)
        X = _canonical(aligned(X))
        if X.dtype.kind == "f":
            self._refuse_non_finite(X)
        return X

    def _block(self, X: Any) -> Any:
        """A block of rows, after ``fit`` knows its columns, as the kernels of this estimator see it."""
        return self._numbers(X, reset=False)

    def _table(self, X: Any, *, reset: bool, min_rows: int = 1) -> Table:
        """X as a Table, its columns matched by name to those learned in ``fit``."""
        if hasattr(X, "fragments"):
            raise TypeError(f"{type(self).__name__} takes a scanned source only in fit and predict; read it first.")
        if sp.issparse(X) and not self._takes.sparse:
            raise TypeError(
                f"Sparse data was passed for X, but {type(self).__name__} needs dense data. Use X.toarray()."
            )
        if is_list_of_dicts(X):
            X = frame_of_dicts(X)
        elif hasattr(X, "__array__") and not isinstance(X, np.ndarray) and as_frame(X) is None:
            X = np.asarray(X)
        if not reset:
            X = self._matched(X)
        table = Table.of(X, like=None if reset else self.schema_)
        table.numeric = aligned(table.numeric)
        if len(table) < min_rows:
            raise ValueError(f"Found array with {len(table)} sample(s) while a minimum of {min_rows} is required.")
        if not len(table.schema):
            raise ValueError(f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
        if reset:
            self._remember(table.schema)
        if not self._takes.missing and not (_all_finite(table.numeric) and (table.codes >= 0).all()):
            self._refuse_holes(table.missing(), X, reset)
        self._refuse_non_finite(table.numeric)
        return table

    def _refuse_holes(self, holes: dict[str, int], X: Any, reset: bool) -> None:
        # A category unseen in fit (with its warning) has no indicator set, which a numeric method takes as it is.
        named = [name for name in holes if reset or self.schema_[name].kind != "nominal" or self._has_nulls(X, name)]
        if named:
            listed = ", ".join(f"{name!r} ({holes[name]})" for name in named)
            raise ValueError(
                f"Input X contains NaN: {type(self).__name__} has no rule for missing values, got some in "
                f"columns {listed}. Fill them first, for example with "
                "sklearn.pipeline.make_pipeline(lanatus.preprocess.SimpleImputer(), ...)."
            )

    def _has_nulls(self, X: Any, name: str) -> bool:
        frame = as_frame(X)
        if frame is not None:
            return frame[name].null_count() > 0
        if isinstance(X, Table):
            return name in X.missing()
        return any(is_missing(value) for value in np.asarray(X, dtype=object)[:, self.schema_.names.index(name)])

    def _remember(self, schema: Schema) -> None:
        self.schema_ = schema
        self.n_features_in_ = len(schema)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _matched(self, X: Any) -> Any:
        """A frame with its columns in the order of ``fit``; wrong sets of names raise scikit-learn's error."""
        frame = as_frame(X)
        if frame is None and self.schema_.named and not isinstance(X, Table):
            warnings.warn(
                f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names",
                stacklevel=4,
            )
        if frame is not None and self.schema_.named:
            names = self.schema_.names
            if set(frame.columns) != set(names):
                raise _wrong_names(self, list(frame.columns), names)
            return frame.select(names).to_native()
        if frame is not None and len(frame.columns) == len(self.schema_):
            if is_named(frame):
                warnings.warn(
                    f"X has feature names, but {type(self).__name__} was fitted without feature names",
                    stacklevel=4,
                )
            return frame.rename(dict(zip(frame.columns, self.schema_.names, strict=True))).to_native()
        if isinstance(X, Table):
            return X
        width = len(frame.columns) if frame is not None else np.shape(X)[1] if np.ndim(X) == 2 else None
        if width is not None and width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        return X

    def _refuse_non_finite(self, X: Any) -> None:
        if not _all_finite(X, allow_nan=self._takes.missing):
            values = X.data if sp.issparse(X) else X
            assert_all_finite(values, allow_nan=self._takes.missing, estimator_name=type(self).__name__, input_name="X")

    def _weights(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        """Weights as float64, or None where all are one."""
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return np.asarray(aligned(weights))


def check_positive_weight(weights: Any) -> None:
    """Refuse weights of rows, or their sum, of which nothing is above zero; None means that all are one."""
    if weights is not None and not np.sum(weights) > 0:
        raise ValueError("sample_weight leaves no row with a positive weight; wanted at least one.")


def class_codes(y: Any, X: Any, classes: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct labels, sorted, and each row's position among them as int32."""
    labels = as_labels(y)
    check_consistent_length(X, labels)
    if labels.dtype.kind not in "iubU":
        check_classification_targets(labels)
    found, codes = _distinct(labels)
    if classes is None:
        return found, codes
    place = np.minimum(np.searchsorted(classes, found), len(classes) - 1)
    known = classes[place] == found
    if not known.all():
        raise ValueError(f"The target label(s) {found[~known]} in y do not exist in the initial classes {classes}")
    return classes, place.astype(np.int32)[codes]


def _distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted distinct values and each one's position, by counting or hashing where that spares the sort."""
    if labels.dtype.kind in "iub" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < max(1024, len(labels)) and high < 2**62:
            shifted = labels.astype(np.intp, copy=False) - low if low else labels.astype(np.intp, copy=False)
            counts = np.bincount(shifted)
            place = (np.cumsum(counts > 0) - 1).astype(np.int32)
            return (np.flatnonzero(counts) + low).astype(labels.dtype), place[shifted]
    if labels.dtype.kind == "U" and len(labels) > 1000:
        import pyarrow as pa

        coded = pa.array(labels).dictionary_encode()
        values = np.array(coded.dictionary.to_pylist(), dtype=labels.dtype)
        order = np.argsort(values)
        return values[order], np.argsort(order).astype(np.int32)[coded.indices.to_numpy()]
    found, codes = np.unique(labels, return_inverse=True)
    return found, codes.astype(np.int32)


def as_labels(y: Any) -> np.ndarray:
    """A target column of any kind as a one-dimensional array without holes."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not isinstance(y, np.ndarray) and hasattr(y, "to_pylist"):  # pyarrow
        y = np.array(y.to_pylist())
    labels = column_or_1d(np.asarray(y), warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    elif labels.dtype == object:
        if any(value is None or value != value for value in labels):
            raise ValueError("Input y contains missing labels (None or NaN); drop those rows or fill them.")
        kinds = {type(value) for value in labels}
        if len(kinds) == 1 and kinds <= {str, int, bool}:
            labels = np.array(labels.tolist())
    return labels


def as_targets(y: Any, X: Any) -> np.ndarray:
    """Numbers to predict, one column or several, as floats without holes and as many as X has rows."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if not isinstance(y, np.ndarray) and hasattr(y, "to_pylist"):  # pyarrow
        y = np.array(y.to_pylist())
    values = check_array(y, ensure_2d=False, dtype=[np.float64, np.float32], input_name="y", ensure_min_samples=0)
    if values.ndim not in (1, 2) or (values.ndim == 2 and not values.shape[1]):
        raise ValueError(f"y must have one or two dimensions and at least one column; got shape {values.shape}.")
    check_consistent_length(X, values)
    return np.asarray(aligned(values))


def aligned(X: Any) -> Any:
    """X, row by row, with its memory aligned: what comes out of a message between workers may begin at any byte."""
    if sp.issparse(X):
        X.data, X.indices, X.indptr = (np.require(part, requirements="A") for part in (X.data, X.indices, X.indptr))
        return X
    return np.require(X, requirements=["C_CONTIGUOUS", "ALIGNED"])


@functools.lru_cache(maxsize=16)
def _numbers_schema(names: tuple[str, ...] | int, dtype: str) -> Schema:
    """The schema of columns of numbers, by name or by how many there are; text has tens of thousands."""
    listed = [f"x{j}" for j in range(names)] if isinstance(names, int) else names
    columns = [Column(name, "numeric", (), dtype) for name in listed]
    return Schema(columns, named=not isinstance(names, int))


def _small_indices(X: Any) -> Any:
    """X with indices of 32 bits, where it is a compressed sparse matrix that has others without need."""
    if not (sp.issparse(X) and X.format in ("csr", "csc") and X.indices.dtype.itemsize > 4):
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


def _all_finite(X: Any, *, allow_nan: bool = False) -> bool:
    values = X.data.reshape(1, -1) if sp.issparse(X) else X
    return bool(kernels.all_finite(values, allow_nan=allow_nan, n_threads=n_threads()))


def _is_plain_numbers(X: Any) -> bool:
    """Whether scikit-learn's own validation can take X: no strings, no categories, no dates."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "fiubc" or X.ndim != 2 or (X.dtype == object and _all_numbers(X))
    if sp.issparse(X):
        return True
    if isinstance(X, Table) or hasattr(X, "fragments"):
        return False
    if as_frame(X) is not None:
        return False
    if isinstance(X, list | tuple):
        return not any(
            isinstance(value, str) or value is None
            for row in X
            for value in (row.values() if isinstance(row, dict) else row if isinstance(row, list | tuple) else ())
        ) and not any(isinstance(row, dict) for row in X)
    return True


def _all_numbers(X: np.ndarray) -> bool:
    return all(isinstance(value, int | float | np.number | np.bool_) for value in X.ravel())


def _wrong_names(estimator: Any, got: list[str], wanted: list[str]) -> ValueError:
    lines = ["The feature names should match those that were passed during fit."]
    if unseen := sorted(set(got) - set(wanted)):
        lines += ["Feature names unseen at fit time:", *[f"- {name}" for name in unseen]]
    if lost := sorted(set(wanted) - set(got)):
        lines += ["Feature names seen at fit time, yet now missing:", *[f"- {name}" for name in lost]]
    lines += [f"{type(estimator).__name__} wants exactly these columns, in any order: {', '.join(wanted)}."]
    return ValueError("\n".join(lines))
