"""Scaling of numeric columns (exercise 2.8)."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn import preprocessing

from lanatus.base import Floats, check_is_fitted, fitting, in_floats
from lanatus.callbacks import CallbackSupportMixin
from lanatus.catalog import method
from lanatus.params import Flag, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, in_order, passed_through, preserving_dtype
from lanatus.preprocess._inner import (
    adopt,
    fit_whole,
    forget,
    fresh,
    get_feature_names_out,
    has_kinds,
    in_memory,
    is_mixed,
    own_inner,
)
from lanatus.table import Table


class _Scaler(ColumnTransformer):
    """Scales the numeric columns with scikit-learn's scaler and leaves the others alone."""

    _inner_class: type
    _inner: Any
    _whole: bool
    get_feature_names_out = get_feature_names_out

    def _fit_rows(self, X: Any, *, again: bool, **rows: Any) -> Self:
        """Learn from rows, or, `again`, from more rows of the same columns."""
        again = again and hasattr(self, "_inner")
        if again:
            own_inner(self)
        else:
            forget(self)
            self._inner = fresh(self)
        with np.errstate(invalid="ignore"):  # of columns with no value
            if not is_mixed(X):
                fit_whole(self, X, verb="partial_fit", **rows)
            else:
                table = self._take(X, reset=not again)
                self._whole = False
                if table.schema.numeric:
                    self._inner.partial_fit(table.numeric, **rows)
                    adopt(self)
        self._refuse_overflow()
        return self

    def _refuse_overflow(self) -> None:
        """ValueError if numbers were too large; a column of which nothing is known has NaN, and stays unknown."""
        seen = getattr(self, "n_samples_seen_", 0)
        unknown = np.isnan(self.data_min_) if hasattr(self, "data_min_") else np.equal(seen, 0)
        for name in self._state:
            value = getattr(self, name, None)
            if value is not None and (np.isinf(value) | (np.isnan(value) & ~unknown)).any():
                raise ValueError(
                    f"{type(self).__name__} learned {name} that is NaN or infinite: numbers in X are too large to "
                    "compute with; divide them by a constant first."
                )

    def _learn(self, table: Table, y: Any) -> None:
        raise NotImplementedError  # `fit` is its own

    def _apply(self, table: Table) -> list[Output]:
        return self._mapped(table, "transform")

    def _map(self, X: Any, verb: str, **how: Any) -> Any:
        check_is_fitted(self)
        if self._whole and not has_kinds(X):
            with in_floats("X"):
                return getattr(self._inner, verb)(in_memory(self, X), **how)
        return self._assemble(self._mapped(self._take(X, reset=False), verb), X)

    def _mapped(self, table: Table, verb: str) -> list[Output]:
        names = [table.schema.columns[j].name for j in table.schema.numeric]
        columns = passed_through(table, set(names))
        if names:
            scaled = getattr(self._inner, verb)(table.numeric)
            columns |= {name: Output(name, scaled[:, at]) for at, name in enumerate(names)}
        return in_order(table, columns)

    def __sklearn_tags__(self) -> Any:
        return preserving_dtype(super().__sklearn_tags__())


@method(
    "data.min-max-scaler",
    section="2.3.4",
    task="transform",
    en="Min-max normalisation",
    zh="规范化 (min-max)",
    peers=["scikit-learn:MinMaxScaler"],
)
class MinMaxScaler(_Scaler):
    r"""Min-max normalisation of the numeric columns.

    Maps :math:`x` to :math:`x'_{min} + (x - x_{min}) / (x_{max} - x_{min}) \cdot (x'_{max} - x'_{min})`
    (2.43); a constant column becomes :math:`x'_{min}`. Ordinal and nominal columns pass through.

    Book: section 2.3.4, exercise 2.8. Cost: :math:`O(nd)`.

    Parameters
    ----------
    feature_range : tuple (min, max), default=(0, 1)
        The new range.
    copy : bool, default=True
        False lets an array of floats be scaled where it is.
    clip : bool, default=False
        Whether new values beyond the range seen in ``fit`` are cut off at its ends.

    Attributes
    ----------
    data_min_, data_max_ : ndarrays of shape (n_numeric,), the range seen
    scale_, min_ : ndarrays of shape (n_numeric,), the map is ``x * scale_ + min_``

    Examples
    --------
    >>> from lanatus.preprocess import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[1.0], [2.0], [5.0]]).ravel().tolist()
    [0.0, 0.25, 1.0]
    """

    _inner_class = preprocessing.MinMaxScaler
    _state: ClassVar = {
        name: Floats("numeric", finite=False) for name in ("data_min_", "data_max_", "data_range_", "scale_", "min_")
    }
    _params = {
        "feature_range": Satisfies(
            lambda value: isinstance(value, tuple | list) and len(value) == 2 and value[0] < value[1],
            "a pair (min, max) with min < max",
        ),
        "copy": Flag(),
        "clip": Flag(),
    }

    def __init__(self, feature_range: tuple[float, float] = (0, 1), *, copy: bool = True, clip: bool = False) -> None:
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the range of each numeric column."""
        return self._fit_rows(X, again=False)

    @fitting
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Widen the ranges by more rows."""
        return self._fit_rows(X, again=True)

    def transform(self, X: Any) -> Any:
        """The rows of X with their numeric columns in the new range."""
        return self._map(X, "transform")

    def inverse_transform(self, X: Any) -> Any:
        """The rows in their first units again."""
        return self._map(X, "inverse_transform")


@method(
    "data.z-score-scaler",
    section="2.3.4",
    task="transform",
    en="z-score normalisation",
    zh="z-score规范化",
    peers=["scikit-learn:StandardScaler"],
)
class StandardScaler(CallbackSupportMixin, _Scaler):
    r"""z-score normalisation of the numeric columns.

    Maps :math:`x` to :math:`(x - \bar x) / \sigma_x` (2.44); a constant column becomes 0. Ordinal and nominal
    columns pass through.

    Book: section 2.3.4, exercise 2.8. Cost: :math:`O(nd)`.

    Parameters
    ----------
    copy : bool, default=True
        False lets an array of floats be scaled where it is.
    with_mean : bool, default=True
        Whether to subtract the mean.
    with_std : bool, default=True
        Whether to divide by the standard deviation.

    Attributes
    ----------
    mean_, var_, scale_ : ndarrays of shape (n_numeric,)

    Examples
    --------
    >>> from lanatus.preprocess import StandardScaler
    >>> StandardScaler().fit_transform([[1.0], [3.0]]).ravel().tolist()
    [-1.0, 1.0]
    """

    _inner_class = preprocessing.StandardScaler
    _state: ClassVar = {name: Floats("numeric", finite=False) for name in ("mean_", "var_", "scale_")}
    _params = {"copy": Flag(), "with_mean": Flag(), "with_std": Flag()}

    def __init__(self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn mean and variance of each numeric column, rows counting by their weights."""
        return self._told(X, again=False, sample_weight=sample_weight)

    @fitting
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Carry means and variances on by more rows."""
        return self._told(X, again=True, sample_weight=sample_weight)

    def _told(self, X: Any, *, again: bool, sample_weight: Any) -> Self:
        """Learn from rows, callbacks being told that the one task begins and ends."""
        task = self._init_callback_context()
        task.call_on_fit_task_begin(estimator=self, X=X, y=None, metadata={"sample_weight": sample_weight})
        self._fit_rows(X, again=again, sample_weight=sample_weight)
        task.call_on_fit_task_end(
            estimator=self, X=X, y=None, metadata={"sample_weight": sample_weight}, reconstruction_attributes={}
        )
        return self

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """The rows of X with their numeric columns scaled; `copy` overrules the parameter for an array."""
        return self._map(X, "transform", copy=copy)

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Any:
        """The rows in their first units again; `copy` overrules the parameter for an array."""
        return self._map(X, "inverse_transform", copy=copy)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_mean  # centred rows are not sparse
        return tags
