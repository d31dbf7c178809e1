"""The base of all estimators: declared intake, parameter rules, weights, tags."""

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.callback._callback_support import callback_management_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_sample_weight, _num_samples

from lanatus.base._arrays import LARGEST_MASS, LEAST_MASS, aligned, in_floats
from lanatus.base._collections import refuse_collection, refuse_mixed
from lanatus.base._intake import Intake, Numbers
from lanatus.base._state import StateRule, guard_answers, refuse_infinite
from lanatus.catalog import DOCS_URL, Takes
from lanatus.params import ParameterRule, check_params
from lanatus.table import Column, Schema, Table

F = TypeVar("F", bound=Callable[..., Any])


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
    """Some rows of a matrix, frame, table, list or column, in the order asked, in the container that came in."""
    if isinstance(X, Table):
        return Table(X.schema, X.numeric[rows], X.codes[rows])
    if sp.issparse(X) and X.format not in ("csr", "csc"):
        X = X.tocsr()
    elif hasattr(X, "to_pylist"):  # pyarrow
        return X.take(rows)
    return _safe_indexing(X, rows)


def take_columns(X: Any, at: np.ndarray) -> Any:
    """Some columns of a matrix, frame or table, in the order asked; one asked for again in a table gets a new name."""
    if not isinstance(X, Table):
        return _safe_indexing(X, at, axis=1)
    columns, names = [], set()
    for j in at:
        column, name = X.schema.columns[j], X.schema.columns[j].name
        while name in names:
            name += "'"
        names.add(name)
        columns.append(column if name == column.name else Column(name, column.kind, column.categories, column.dtype))
    numbers = [X.schema.numeric.index(j) for j in at if X.schema.columns[j].kind == "numeric"]
    coded = [X.schema.coded.index(j) for j in at if X.schema.columns[j].kind != "numeric"]
    schema = Schema(columns, named=X.schema.named)
    return Table(schema, np.ascontiguousarray(X.numeric[:, numbers]), np.ascontiguousarray(X.codes[:, coded]))


def n_rows(X: Any) -> int:
    """Rows of a matrix, frame, table or list."""
    return int(_num_samples(X))


def fitting(fit: F) -> F:
    """Wrap ``fit`` or ``partial_fit``: parameters checked, callbacks closed, no half-fitted or infinite model left."""

    @functools.wraps(fit)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_params(self)
        refuse_mixed(args, kwargs)
        before = dict(vars(self))
        try:
            with callback_management_context(self):
                fitted = fit(self, *args, **kwargs)
            refuse_infinite(self)
            return fitted
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return guarded  # type: ignore[return-value]


class Estimator(BaseEstimator):
    """Base of all lanatus estimators: scikit-learn's, with mixed tables at the door.

    A class declares what it can take in ``_takes``, as what it wants X in ``_wants``, the rules of its parameters in
    ``_params``, and those of what it has learned, for models that come out of a file, in ``_state``.
    """

    _takes: ClassVar[Takes] = Takes()
    _wants: ClassVar[Intake] = Numbers()
    _params: ClassVar[dict[str, ParameterRule]] = {}
    _state: ClassVar[Mapping[str, StateRule]] = {}

    _doc_link_module = "lanatus"
    _doc_link_template = DOCS_URL + "/api/{package}/#{path}"

    schema_: Schema
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        guard_answers(cls)

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        package = ".".join(type(self).__module__.split(".")[:2])
        return {"package": package.removeprefix("lanatus."), "path": f"{package}.{type(self).__name__}"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes.sparse
        tags.input_tags.allow_nan = self._takes.missing
        return tags

    def _take(self, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        """X as this class wants it, checked.

        ``reset=True`` learns names, kinds and categories; otherwise they are matched to what was learned.
        """
        refuse_collection(self, X)
        return self._wants.take(self, X, reset=reset, min_rows=min_rows)

    def _require_sound(self) -> None:
        """StateError if what came out of a file contradicts itself in a way that ``_state`` cannot say."""

    def _remember(self, schema: Schema) -> None:
        self.schema_ = schema
        self.n_features_in_ = len(schema)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _weights(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        """Weights as float64, or None where all are one."""
        if sample_weight is None:
            return None
        with in_floats("sample_weight"):
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        with np.errstate(over="ignore"):
            mass = weights.sum()
        if mass > LARGEST_MASS or 0 < mass < LEAST_MASS:  # infinity too
            raise ValueError(
                f"sample_weight sums to {mass:.3g}, which is too {'large' if mass > 1 else 'small'} to compute with; "
                f"wanted {LEAST_MASS:g} to {LARGEST_MASS:g}: divide the weights by their mean."
            )
        return np.asarray(aligned(weights))
