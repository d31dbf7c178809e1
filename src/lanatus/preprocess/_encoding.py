"""Numbers for ordinal and nominal columns (section 3.2)."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.catalog import method
from lanatus.params import Choice, Nothing, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, missing_to_nan, passed_through
from lanatus.table import MISSING_CODE, Column, Schema, Table, UnseenCategoryWarning, encode_values

_CATEGORIES = Choice("auto") | Satisfies(
    lambda value: isinstance(value, Mapping | list | tuple),
    "a mapping of column name to values, or one list of values a column",
)


@method(
    "data.ordinal-encoder",
    section="3.2",
    task="transform",
    en="Ordered attribute to equally spaced reals",
    zh="有序属性连续化",
    peers=["scikit-learn:OrdinalEncoder"],
)
class OrdinalEncoder(ColumnTransformer):
    """Ordered values as equally spaced numbers.

    {tall, medium, short} becomes {1, 0.5, 0} with ``scale="unit"``, and ranks 0, 1, 2, ... without. Missing
    values become NaN, and so do unseen ones, with a warning. Numeric columns pass through.

    Book: section 3.2. Cost: O(n) for each column.

    Parameters
    ----------
    categories : "auto", mapping of column name to values, or list of lists, default="auto"
        The values from lowest to highest; "auto" takes the order of an ordered column, else that of sorting.
    scale : {"rank", "unit"}, default="rank"
        Ranks from 0, or numbers from 0 to 1.

    Attributes
    ----------
    categories_ : list of ndarrays, the values of each encoded column in order

    Examples
    --------
    >>> from lanatus.preprocess import OrdinalEncoder
    >>> encoder = OrdinalEncoder(categories=[["short", "medium", "tall"]], scale="unit")
    >>> encoder.fit_transform([["tall"], ["medium"], ["short"]]).ravel().tolist()
    [1.0, 0.5, 0.0]
    """

    _params = {"categories": _CATEGORIES, "scale": Choice("rank", "unit")}

    def __init__(self, *, categories: Any = "auto", scale: str = "rank") -> None:
        self.categories = categories
        self.scale = scale

    def _learn(self, table: Table, y: Any) -> None:
        learn_domains(self, table)

    def _apply(self, table: Table) -> list[Output]:
        columns = passed_through(table, set(self._domains))
        for name, domain in self._domains.items():
            ranks = missing_to_nan(codes_in(domain, table, name))
            columns[name] = Output(name, ranks / max(len(domain) - 1, 1) if self.scale == "unit" else ranks)
        return [columns[name] for name in table.schema.names]


@method(
    "data.one-hot-encoder",
    section="3.2",
    task="transform",
    en="One-hot encoding of unordered attributes",
    zh="独热编码",
    peers=["scikit-learn:OneHotEncoder"],
)
class OneHotEncoder(ColumnTransformer):
    """A nominal column of k values as k indicator columns.

    {watermelon, pumpkin, cucumber} becomes (1,0,0), (0,1,0), (0,0,1). A missing value has no indicator set.
    Numeric columns pass through.

    Book: section 3.2. Cost: O(nk) for each column.

    Parameters
    ----------
    categories : "auto", mapping of column name to values, or list of lists, default="auto"
        The values, in the order of the indicators; "auto" takes those seen in ``fit``.
    drop : {"first", "if_binary"} or None, default=None
        Leave out the indicator of the first value, always or for columns of two values.
    handle_unknown : {"warn", "error", "ignore"}, default="warn"
        What to do with values not seen in ``fit``; "warn" and "ignore" set no indicator.

    Attributes
    ----------
    categories_ : list of ndarrays, the values of each encoded column

    Examples
    --------
    >>> from lanatus.preprocess import OneHotEncoder
    >>> OneHotEncoder().fit_transform([["melon"], ["pumpkin"], ["melon"]]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    _params = {
        "categories": _CATEGORIES,
        "drop": Choice("first", "if_binary") | Nothing(),
        "handle_unknown": Choice("warn", "error", "ignore"),
    }

    def __init__(self, *, categories: Any = "auto", drop: str | None = None, handle_unknown: str = "warn") -> None:
        self.categories = categories
        self.drop = drop
        self.handle_unknown = handle_unknown

    def _kept(self, name: str) -> list[Any]:
        domain = list(self._domains[name])
        leave_out = self.drop == "first" or (self.drop == "if_binary" and len(domain) == 2)
        return domain[1:] if leave_out else domain

    def _learn(self, table: Table, y: Any) -> None:
        learn_domains(self, table)

    def _apply(self, table: Table) -> list[Output]:
        columns: dict[str, list[Output]] = {
            name: [column] for name, column in passed_through(table, set(self._domains)).items()
        }
        for name in self._domains:
            codes = codes_in(self._domains[name], table, name)
            skipped = len(self._domains[name]) - len(self._kept(name))
            columns[name] = [
                Output(f"{name}_{value}", (codes == code + skipped).astype(np.float64))
                for code, value in enumerate(self._kept(name))
            ]
        return [column for name in table.schema.names for column in columns[name]]

    def transform(self, X: Any) -> Any:
        """The rows of X with an indicator for each value of the encoded columns."""
        with warnings.catch_warnings():
            if self.handle_unknown == "ignore":
                warnings.simplefilter("ignore", UnseenCategoryWarning)
            elif self.handle_unknown == "error":
                warnings.simplefilter("error", UnseenCategoryWarning)
            try:
                return super().transform(X)
            except UnseenCategoryWarning as unseen:
                if self.handle_unknown != "error":
                    raise
                raise ValueError(f"{unseen} Give handle_unknown='ignore' to allow them.") from None

    def _names_out(self) -> list[str]:
        return [
            out
            for name in self.schema_.names
            for out in ([f"{name}_{value}" for value in self._kept(name)] if name in self._domains else [name])
        ]

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The values that indicators stand for, as an array of objects; None where no indicator is set."""
        check_is_fitted(self)
        X = np.asarray(X, dtype=np.float64)
        out, at = [], 0
        for name in self.schema_.names:
            if name not in self._domains:
                out.append(X[:, at].astype(object))
                at += 1
                continue
            kept = self._kept(name)
            block = X[:, at : at + len(kept)]
            dropped = self._domains[name][0] if len(kept) < len(self._domains[name]) else None
            values = np.array([*kept, dropped], dtype=object)
            out.append(values[np.where(block.any(axis=1), block.argmax(axis=1) if len(kept) else 0, MISSING_CODE)])
            at += len(kept)
        return np.column_stack(out)


# ---------------------------------------------------------------- values to encode


def learn_domains(model: Any, table: Table) -> None:
    """Set the values of each column to encode: those given in `categories`, or those of the table."""
    columns = columns_to_encode(model.categories, table)
    model._domains = {column.name: _domain(model.categories, column, table, at) for at, column in enumerate(columns)}
    model.categories_ = [np.array(values, dtype=object) for values in model._domains.values()]
    # Values that were given but not there in `fit` are known all the same.
    widened = [_widened(column, model._domains) for column in table.schema.columns]
    model._remember(Schema(widened, named=table.schema.named))


def columns_to_encode(categories: Any, table: Table) -> list[Column]:
    """Those named in `categories`, and those that are not numeric; all where there are no others."""
    coded = [table.schema.columns[j] for j in table.schema.coded]
    if isinstance(categories, Mapping):
        if unknown := set(categories) - set(table.schema.names):
            raise ValueError(f"categories names columns that X does not have: {sorted(unknown)}.")
        named = [column for column in table.schema.columns if column.name in categories]
        return [column for column in table.schema.columns if column in named or column in coded]
    return coded or list(table.schema.columns)


def _domain(categories: Any, column: Column, table: Table, place: int) -> list[Any]:
    if isinstance(categories, Mapping) and column.name in categories:
        return list(categories[column.name])
    if isinstance(categories, Sequence) and not isinstance(categories, str):
        if place >= len(categories):
            raise ValueError(f"categories has {len(categories)} lists, wanted one for each encoded column.")
        return list(categories[place])
    if column.kind != "numeric":
        return list(column.categories)
    values = table.numeric[:, table.schema.numeric.index(table.schema.names.index(column.name))]
    return np.unique(values[~np.isnan(values)]).tolist()


def _widened(column: Column, domains: Mapping[str, Any]) -> Column:
    if column.kind == "numeric" or column.name not in domains:
        return column
    return Column(column.name, column.kind, domains[column.name], column.dtype)


def codes_in(domain: Sequence[Any], table: Table, name: str) -> np.ndarray:
    """A column as places of its values in a domain."""
    place = table.schema.names.index(name)
    if place in table.schema.numeric:
        values = [None if v != v else v for v in table.numeric[:, table.schema.numeric.index(place)].tolist()]
    else:
        own = (*table.schema.columns[place].categories, None)
        values = [own[code] for code in table.codes[:, table.schema.coded.index(place)]]
    return encode_values(values, {value: code for code, value in enumerate(domain)}, name)
