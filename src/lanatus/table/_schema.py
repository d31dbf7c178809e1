"""What the columns of a table are: their names, kinds and value domains."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from lanatus.catalog import method, savable

Kind = Literal["numeric", "ordinal", "nominal"]
_KINDS = get_args(Kind)


@savable
class Column:
    """One attribute: a name, a kind and, unless numeric, the ordered tuple of its values.

    Parameters
    ----------
    name : str
        The column's name.
    kind : {"numeric", "ordinal", "nominal"}
        Ordinal values have an order, that of `categories`; nominal ones have none.
    categories : sequence, default=()
        The value domain of an ordinal or nominal column.
    dtype : str, default="float64"
        The type the values had where they came from, for messages.
    """

    def __init__(self, name: str, kind: Kind, categories: Iterable[Any] = (), dtype: str = "float64") -> None:
        self.name = name
        self.kind: Kind = kind
        self.dtype = dtype
        if kind == "numeric" and categories == ():  # text has tens of thousands of these
            self.categories: tuple[Any, ...] = ()
            return
        if kind not in _KINDS:
            raise ValueError(f"kind of column {name!r} must be one of {_KINDS}, got {kind!r}.")
        self.categories = tuple(_plain(value) for value in categories)
        if kind == "numeric" and self.categories:
            raise ValueError(f"numeric column {name!r} cannot have categories, got {self.categories}.")
        if len(set(self.categories)) != len(self.categories):
            raise ValueError(f"categories of column {name!r} must be distinct, got {self.categories}.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        return (self.name, self.kind, self.categories) == (other.name, other.kind, other.categories)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.categories))

    def __repr__(self) -> str:
        domain = "" if self.kind == "numeric" else " {" + ", ".join(map(str, self.categories)) + "}"
        return f"{self.name}: {self.kind}{domain}"

    @property
    def width(self) -> int:
        """Number of numeric columns this one becomes for a method that knows only numbers."""
        return len(self.categories) if self.kind == "nominal" else 1


@method(
    "data.attribute-schema",
    section="1.2",
    task="data",
    kind="function",
    en="Attribute kinds and value domains",
    zh="属性类型与取值域",
)
@savable
class Schema:
    """The kinds and value domains of a table's attributes (section 1.2).

    Parameters
    ----------
    kinds : mapping of name to kind, or sequence of Column
        ``{"密度": "numeric", "色泽": "nominal"}``.
    domains : mapping of name to sequence of values, optional
        Values of the ordinal (in their order) and nominal attributes.
    named : bool, default=True
        Whether the names came with the data; made-up ones are not checked later.

    Examples
    --------
    >>> from lanatus.table import Schema
    >>> Schema({"density": "numeric", "size": "ordinal"}, {"size": ["small", "large"]})
    Schema(density: numeric; size: ordinal {small, large})
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind] | Sequence[Column],
        domains: Mapping[str, Sequence[Any]] | None = None,
        *,
        named: bool = True,
    ) -> None:
        domains = domains or {}
        if isinstance(kinds, Mapping):
            if unknown := set(domains) - set(kinds):
                raise ValueError(f"domains given for columns that are not in kinds: {sorted(unknown)}.")
            self.columns = tuple(Column(name, kind, domains.get(name, ())) for name, kind in kinds.items())
        else:
            self.columns = tuple(kinds)
        self.named = named
        names = self.names
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"column names must be distinct, got {twice} more than once; rename them.")

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.columns == other.columns

    def __hash__(self) -> int:
        return hash(self.columns)

    def __repr__(self) -> str:
        return "Schema(" + "; ".join(map(repr, self.columns)) + ")"

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}.")

    @property
    def names(self) -> list[str]:
        """Column names, in order."""
        return [column.name for column in self.columns]

    @property
    def numeric(self) -> list[int]:
        """Positions of the numeric columns."""
        return [j for j, column in enumerate(self.columns) if column.kind == "numeric"]

    @property
    def coded(self) -> list[int]:
        """Positions of the ordinal and nominal columns, which are kept as int32 codes."""
        return [j for j, column in enumerate(self.columns) if column.kind != "numeric"]

    @cached_property
    def all_numeric(self) -> bool:
        """Whether no column is ordinal or nominal."""
        return all(column.kind == "numeric" for column in self.columns)

    @property
    def n_expanded(self) -> int:
        """Number of columns once nominal ones are spread into indicators."""
        return sum(column.width for column in self.columns)

    def expanded_names(self) -> list[str]:
        """Names of the columns that a method which knows only numbers sees."""
        return [
            f"{column.name}_{value}" if column.kind == "nominal" else column.name
            for column in self.columns
            for value in (column.categories if column.kind == "nominal" else (None,))
        ]


def _plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it stands for, so that schemas save and compare alike."""
    return value.item() if isinstance(value, np.generic) else value
