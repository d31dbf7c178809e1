"""Numbers for ordinal and nominal columns (section 3.2)."""

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn import preprocessing

from lanatus.base import check_is_fitted, fitting, output_library
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Function, Integer, Nothing, Real, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, passed_through
from lanatus.preprocess._inner import adopt, fit_whole, forget, fresh, get_feature_names_out, has_kinds, in_memory
from lanatus.preprocess._values import domains_of, raw_columns, warn_of_unseen
from lanatus.table import Table, UnseenCategoryWarning, as_frame


def is_type_of_numbers(value: Any) -> bool:
    """Whether NumPy knows a value as a type of numbers."""
    try:
        return np.dtype(value).kind in "fiub"
    except TypeError:
        return False


_CATEGORIES = Choice("auto") | Satisfies(
    lambda value: hasattr(value, "keys") or isinstance(value, list | tuple | np.ndarray),
    "a mapping of column name to values, or one list of values a column",
)
_DTYPE = Satisfies(is_type_of_numbers, "a type of numbers")
_FREQUENCY = Integer(low=1) | Real(above=0, below=1) | Nothing()


class _Encoder(ColumnTransformer):
    """scikit-learn's encoder inside: for all columns of an array, and for those of a frame that are no numbers."""

    _inner_class: type
    _inner: Any
    _whole: bool
    get_feature_names_out = get_feature_names_out

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the values of the columns to encode."""
        forget(self)
        if has_kinds(X):
            self._learn(self._take(X, reset=True), X)
            self._refuse_twice()
            return self
        X = in_memory(self, X)
        categories = self.categories
        if hasattr(categories, "keys"):
            X = np.asarray(X) if hasattr(X, "dtype") else np.asarray(X, dtype=object)
            categories = [
                list(categories[f"x{j}"]) if f"x{j}" in categories else np.unique(X[:, j]) for j in range(X.shape[1])
            ]
        self._inner = fresh(self, categories=categories, **self._for_unknown())
        fit_whole(self, X)
        return self

    def _learn(self, table: Table, y: Any) -> None:
        """Learn from a table; `y` is the frame that it was made of, whose values are encoded as they are."""
        domains = domains_of(self.categories, table)
        self._encoded = list(domains)
        self._inner = fresh(self, categories=list(domains.values()), **self._for_unknown())
        self._inner.fit(raw_columns(self, y, self._encoded))
        self._whole = False
        adopt(self)

    @property
    def infrequent_categories_(self) -> Any:
        """The values of each encoded column that are encoded together."""
        return self._inner.infrequent_categories_

    def _for_unknown(self) -> dict[str, Any]:
        """Parameters of scikit-learn's encoder that say what becomes of unknown values."""
        return {}

    def transform(self, X: Any) -> Any:
        """The rows of X with the columns that this is for encoded."""
        check_is_fitted(self)
        X = in_memory(self, X)
        if self._whole:
            encoded = self._encode(X)
            dense = sp.issparse(encoded) and output_library(self) is not None
            return encoded.toarray() if dense else encoded
        values = raw_columns(self, X, self._encoded)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)  # told of below, as `handle_unknown` says
            table = self._take(X, reset=False)
        with warnings.catch_warnings():
            if self.handle_unknown == "warn":
                warnings.simplefilter("ignore", UnseenCategoryWarning)
            encoded = self._encode(values)
        if self.handle_unknown == "warn":
            warn_of_unseen(values, self._inner.categories_, self._encoded)
        return self._assemble(self._placed(table, encoded.toarray() if sp.issparse(encoded) else encoded), X)

    def _encode(self, X: Any) -> Any:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                encoded = self._inner.transform(X)
            except ValueError as error:
                if "unknown categories" not in str(error):
                    raise
                raise ValueError(f"{error}, not seen in fit. Give handle_unknown to allow them.") from None
        for one in told:
            unseen = "unknown categories" in str(one.message)
            warnings.warn(str(one.message), UnseenCategoryWarning if unseen else one.category, stacklevel=4)
        return encoded

    def _apply(self, table: Table) -> list[Output]:
        raise NotImplementedError  # `transform` is its own

    def _placed(self, table: Table, encoded: np.ndarray) -> list[Output]:
        """Encoded columns in the places of those that they were made of."""
        columns = {name: [one] for name, one in passed_through(table, set(self._encoded)).items()}
        names, end = self._inner.get_feature_names_out(self._encoded), 0
        for name, width in zip(self._encoded, self._widths(), strict=True):
            end += width
            columns[name] = [Output(str(names[at]), encoded[:, at]) for at in range(end - width, end)]
        return [one for name in table.schema.names for one in columns[name]]

    def _widths(self) -> list[int]:
        """Number of columns for each encoded one."""
        return [1] * len(self._encoded)

    def _names_out(self) -> list[str]:
        names, widths, end = self._inner.get_feature_names_out(self._encoded), self._widths(), 0
        made: dict[str, list[str]] = {}
        for name, width in zip(self._encoded, widths, strict=True):
            end += width
            made[name] = [str(one) for one in names[end - width : end]]
        return [out for name in self.schema_.names for out in made.get(name, [name])]

    def inverse_transform(self, X: Any) -> Any:
        """The values that encoded rows stand for, as an array; None where that cannot be told."""
        check_is_fitted(self)
        frame = as_frame(X)
        X = frame.to_numpy() if frame is not None else in_memory(self, X)
        if self._whole:
            return self._inner.inverse_transform(X)
        X = X.toarray() if sp.issparse(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != len(self._names_out()):
            raise ValueError(f"Shape of X is {X.shape}, wanted {len(self._names_out())} columns, as transform gives.")
        widths = dict(zip(self._encoded, self._widths(), strict=True))
        ends = np.cumsum([widths.get(name, 1) for name in self.schema_.names])
        of_name = dict(zip(self.schema_.names, np.split(X, ends[:-1], axis=1), strict=True))
        values = self._inner.inverse_transform(np.hstack([of_name[name] for name in self._encoded]).astype(float))
        for at, name in enumerate(self._encoded):
            of_name[name] = values[:, [at]]
        return np.hstack([of_name[name].astype(object) for name in self.schema_.names])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


@method(
    "data.ordinal-encoder",
    section="3.2",
    task="transform",
    en="Ordered attribute to equally spaced reals",
    zh="有序属性连续化",
    peers=["scikit-learn:OrdinalEncoder"],
)
class OrdinalEncoder(_Encoder):
    """Ordered values as equally spaced numbers.

    {tall, medium, short} becomes {1, 0.5, 0} with ``scale="unit"``, and ranks 0, 1, 2, ... without. Of a frame the
    columns that are no numbers are encoded (all, where there are none), and numbers pass through; an array has one
    type, so that all of its columns are encoded.

    Book: section 3.2. Cost: O(n) for each column.

    Parameters
    ----------
    categories : "auto", mapping of column name to values, or list of lists, default="auto"
        The values from lowest to highest; "auto" takes the order of an ordered column, else that of sorting.
    dtype : type, default=float64
        Type of the numbers.
    handle_unknown : {"warn", "error", "use_encoded_value"}, default="error"
        What to do with values not seen in ``fit``: NaN with a warning, an error, or ``unknown_value``. Where the
        type has no NaN, "warn" is an error too.
    unknown_value : int, NaN or None, default=None
        Number for unknown values with ``handle_unknown="use_encoded_value"``.
    encoded_missing_value : int or NaN, default=NaN
        Number for missing values.
    min_frequency : int, float or None, default=None
        Values with fewer rows, or a smaller share of them, are encoded as one, after the others.
    max_categories : int or None, default=None
        Most numbers for a column; the least frequent values are encoded as one.
    scale : {"rank", "unit"}, default="rank"
        Ranks from 0, or numbers from 0 to 1.

    Attributes
    ----------
    categories_ : list of ndarrays, the values of each encoded column in order; what is missing last, if any was
    infrequent_categories_ : list of ndarrays or None, the values of each column that are encoded as one

    Examples
    --------
    >>> from lanatus.preprocess import OrdinalEncoder
    >>> encoder = OrdinalEncoder(categories=[["short", "medium", "tall"]], scale="unit")
    >>> encoder.fit_transform([["tall"], ["medium"], ["short"]]).ravel().tolist()
    [1.0, 0.5, 0.0]
    """

    _inner_class = preprocessing.OrdinalEncoder
    _params = {
        "categories": _CATEGORIES,
        "dtype": _DTYPE,
        "handle_unknown": Choice("warn", "error", "use_encoded_value"),
        "unknown_value": Satisfies(lambda value: isinstance(value, int | float | np.number), "a number") | Nothing(),
        "encoded_missing_value": Satisfies(lambda value: isinstance(value, int | float | np.number), "a number"),
        "min_frequency": _FREQUENCY,
        "max_categories": Integer(low=1) | Nothing(),
        "scale": Choice("rank", "unit"),
    }

    def __init__(
        self,
        *,
        categories: Any = "auto",
        dtype: Any = np.float64,
        handle_unknown: str = "error",
        unknown_value: Any = None,
        encoded_missing_value: Any = np.nan,
        min_frequency: Any = None,
        max_categories: int | None = None,
        scale: str = "rank",
    ) -> None:
        self.categories = categories
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.encoded_missing_value = encoded_missing_value
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.scale = scale

    def _for_unknown(self) -> dict[str, Any]:
        as_floats = np.dtype(self.dtype).kind == "f" and np.isnan(self.encoded_missing_value)
        if self.scale == "unit" and not as_floats:
            raise ValueError("scale='unit' wants a dtype of floats and encoded_missing_value=nan: got others.")
        if self.handle_unknown != "warn":
            return {}
        if np.dtype(self.dtype).kind != "f":
            return {"handle_unknown": "error"}
        return {"handle_unknown": "use_encoded_value", "unknown_value": np.nan}

    def _encode(self, X: Any) -> Any:
        codes = super()._encode(X)
        if self._whole and self.handle_unknown == "warn" and np.dtype(self.dtype).kind == "f" and np.isnan(codes).any():
            warn_of_unseen(np.asarray(X, dtype=object), self._inner.categories_, self.schema_.names)
        return codes / self._tops() if self.scale == "unit" else codes

    def _encoded_names(self) -> list[str]:
        return self.schema_.names if self._whole else self._encoded

    def _tops(self) -> np.ndarray:
        """The last rank of each column, at least 1."""
        known = [sum(value is not None and value == value for value in values) for values in self._inner.categories_]
        rare = getattr(self._inner, "infrequent_categories_", [None] * len(known))
        grouped = [n if few is None else n - len(few) + 1 for n, few in zip(known, rare, strict=True)]
        return np.maximum(np.array(grouped) - 1, 1).astype(self.dtype)

    def inverse_transform(self, X: Any) -> Any:
        """The values that numbers stand for; None where that cannot be told."""
        if self.scale == "rank":
            return super().inverse_transform(X)
        check_is_fitted(self)
        frame = as_frame(X)
        ranks = np.array(frame.to_numpy() if frame is not None else X, dtype=np.float64)
        at = [self.schema_.names.index(name) for name in self._encoded_names()]
        ranks[:, at] = np.round(ranks[:, at] * self._tops())
        return super().inverse_transform(ranks)


@method(
    "data.one-hot-encoder",
    section="3.2",
    task="transform",
    en="One-hot encoding of unordered attributes",
    zh="独热编码",
    peers=["scikit-learn:OneHotEncoder"],
)
class OneHotEncoder(_Encoder):
    """A nominal column of k values as k indicator columns.

    {watermelon, pumpkin, cucumber} becomes (1,0,0), (0,1,0), (0,0,1). Missing values that ``fit`` sees are a value of
    their own. Of a frame the columns that are no numbers are encoded (all, where there are none), numbers pass
    through, and a frame comes out; an array has one type, so that all of its columns are encoded.

    Book: section 3.2. Cost: O(nk) for each column; of an array, O(n) as CSR.

    Parameters
    ----------
    categories : "auto", mapping of column name to values, or list of lists, default="auto"
        The values, in the order of the indicators; "auto" takes those seen in ``fit``.
    drop : {"first", "if_binary"}, array of one value a column, or None, default=None
        Leave out the indicator of the first value, always or for columns of two values, or of the values given.
    sparse_output : bool, default=True
        Whether an array gives a CSR matrix; a frame always gives a frame.
    dtype : type, default=float64
        Type of the indicators.
    handle_unknown : {"warn", "error", "ignore", "infrequent_if_exist"}, default="error"
        What to do with values not seen in ``fit``: "ignore" sets no indicator, "infrequent_if_exist" that of the
        infrequent values, if there are any, and "warn" does so with a warning.
    min_frequency : int, float or None, default=None
        Values with fewer rows, or a smaller share of them, have one indicator together, after the others.
    max_categories : int or None, default=None
        Most indicators for a column, that of the infrequent values counted.
    feature_name_combiner : "concat" or callable, default="concat"
        Names of the indicators: column, "_" and value, or what ``feature_name_combiner(column, value)`` returns.

    Attributes
    ----------
    categories_ : list of ndarrays, the values of each encoded column; what is missing last, if any was
    drop_idx_ : ndarray of objects or None, the place of the value that was left out in each column
    infrequent_categories_ : list of ndarrays or None, the values of each column that have one indicator together

    Examples
    --------
    >>> from lanatus.preprocess import OneHotEncoder
    >>> OneHotEncoder(sparse_output=False).fit_transform([["melon"], ["pumpkin"], ["melon"]]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    _inner_class = preprocessing.OneHotEncoder
    _params = {
        "categories": _CATEGORIES,
        "drop": Choice("first", "if_binary")
        | Satisfies(lambda value: not isinstance(value, str) and np.ndim(value) == 1, "one value a column")
        | Nothing(),
        "sparse_output": Flag(),
        "dtype": _DTYPE,
        "handle_unknown": Choice("warn", "error", "ignore", "infrequent_if_exist"),
        "min_frequency": _FREQUENCY,
        "max_categories": Integer(low=1) | Nothing(),
        "feature_name_combiner": Choice("concat") | Function(),
    }

    def __init__(
        self,
        *,
        categories: Any = "auto",
        drop: Any = None,
        sparse_output: bool = True,
        dtype: Any = np.float64,
        handle_unknown: str = "error",
        min_frequency: Any = None,
        max_categories: int | None = None,
        feature_name_combiner: Any = "concat",
    ) -> None:
        self.categories = categories
        self.drop = drop
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.feature_name_combiner = feature_name_combiner

    def _widths(self) -> list[int]:
        k = len(self.categories_)
        rare = self.infrequent_categories_ if self.min_frequency or self.max_categories else [None] * k
        left_out = [None] * k if self.drop_idx_ is None else self.drop_idx_
        return [
            len(values) - (0 if few is None else len(few) - 1) - (gone is not None)
            for values, few, gone in zip(self.categories_, rare, left_out, strict=True)
        ]
