"""TableCleaner: a table as people keep it to one that every learner takes."""

import warnings
from collections.abc import Mapping
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from sklearn.base import TransformerMixin

from lanatus.base import Estimator, Takes, check_is_fitted, fitting, output_library
from lanatus.catalog import savable
from lanatus.params import Choice, Integer, Nothing, RandomState, Satisfies
from lanatus.preprocess.cleaning._raw_columns import RawColumn, raw_columns
from lanatus.preprocess.cleaning._recipes import apply_recipe, learn_recipe
from lanatus.preprocess.cleaning._roles import ROLES, Reading, read_roles
from lanatus.table import as_frame


def _are_roles(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        role in ROLES if isinstance(role, str) else isinstance(role, list | tuple) for role in value.values()
    )


@savable
class TableCleaner(TransformerMixin, Estimator):
    r"""A raw table as numbers, truth values and categories, which every learner here takes.

    Each column is read for what it is, whatever its storage type: numbers written 1,234.5 or ¥ 12 or 45%, truth
    values such as yes and no or 是 and 否, dates in the usual formats, free text, and names of rows. Missing values
    stay missing.

    ==============  ==================================================================================================
    numeric         float64. Where words stand among numbers (1 % of the rows or more), the numbers, and the words in
                    a nominal column ``<name>_word``; fewer words are missing values
    boolean         bool
    date            days since 1970-01-01, year, month, weekday (Monday is 0) and hour: those that vary
    nominal         categories; with more than `max_categories` the rarest are joined into one
    ordinal         ordered categories
    text            tf-idf of words (of letters and their pairs in Chinese), then its first singular directions
    identifier      set aside, for a learner can only learn rows by heart from it
    constant        set aside, as is a column with no value at all
    ==============  ==================================================================================================

    A later table may store the same things otherwise, and have more columns, which are ignored. A category that was
    not there in ``fit`` is a missing value with a warning, or goes with the rare ones where these were joined. A lost
    column, or one in which nothing can be read any more, is an error.

    Book: section 3.2 (attributes that have an order and those that have none) and 4.4.2 (missing values). For text
    :math:`x_{ij} = (1 + \ln t_{ij}) (1 + \ln \frac{1 + n}{1 + d_j})`, rows of length one. Cost: O(n) a column, times
    the logarithm of its distinct values; text O(terms × components).

    Parameters
    ----------
    roles : mapping of str to str or list, default=None
        What columns are, where that is known better: one of the roles above, or the values of an ordinal column from
        lowest to highest.
    text : {"svd", "drop"}, default="svd"
        Whether free text is made into numbers or set aside.
    max_components : int, default=30
        Most numbers made of one column of text; never more than a fifth of the rows.
    max_categories : int, default=1000
        Most categories of a nominal column.
    identifiers : {"drop", "keep"}, default="drop"
        Whether names and counts of rows are set aside. They are kept where nothing else is left.
    constants : {"drop", "keep"}, default="drop"
        Whether columns with one value or none are set aside.
    random_state : int, RandomState or None, default=0
        Starts the search for singular directions.

    Attributes
    ----------
    roles_ : dict of str to str, what each column of ``fit`` is
    made_ : dict of str to str, for each column that ``transform`` gives the one it is made of
    feature_names_in_ : ndarray, the columns of ``fit``
    n_features_in_ : int, how many they are

    Examples
    --------
    >>> import pyarrow as pa
    >>> from lanatus.preprocess import TableCleaner
    >>> raw = pa.table({
    ...     "price": ["1,200", "950", "n/a", "3,100"],
    ...     "sold": ["yes", "no", "no", "yes"],
    ...     "on": ["2024-03-01", "2024-03-02", "2024-03-04", "2024-03-09"],
    ... })
    >>> cleaner = TableCleaner().fit(raw)
    >>> cleaner.roles_
    {'price': 'numeric', 'sold': 'boolean', 'on': 'date'}
    >>> cleaner.transform(raw).slice(0, 1).to_pylist()
    [{'price': 1200.0, 'sold': True, 'on_days': 19783.0, 'on_weekday': 4.0}]

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, 6.2 and 18.4.
    """

    _takes = Takes(nominal=True, missing=True)
    _params = {
        "roles": Satisfies(_are_roles, f"a mapping of column name to one of {', '.join(ROLES)}, or to ordered values")
        | Nothing(),
        "text": Choice("svd", "drop"),
        "max_components": Integer(low=1),
        "max_categories": Integer(low=2),
        "identifiers": Choice("drop", "keep"),
        "constants": Choice("drop", "keep"),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        *,
        roles: Mapping[str, Any] | None = None,
        text: str = "svd",
        max_components: int = 30,
        max_categories: int = 1000,
        identifiers: str = "drop",
        constants: str = "drop",
        random_state: Any = 0,
    ) -> None:
        self.roles = roles
        self.text = text
        self.max_components = max_components
        self.max_categories = max_categories
        self.identifiers = identifiers
        self.constants = constants
        self.random_state = random_state

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find out what the columns of X are; y is ignored."""
        columns, named = raw_columns(X)
        _refuse_nothing(columns, X)
        if unknown := sorted(set(self.roles or ()) - {column.name for column in columns}):
            raise ValueError(f"roles names columns that X does not have: {unknown}.")
        plain = isinstance(X, np.ndarray) and X.dtype.kind in "fiub"  # a matrix is numbers already, and stays whole
        readings = {column.name: Reading("numeric") for column in columns} if plain else read_roles(columns, self.roles)
        recipes = self._recipes_of(columns, readings)
        self.roles_ = {name: str(reading.role) for name, reading in readings.items()}
        self._recipes = _with_distinct_names(recipes, {column.name for column in columns})
        self.made_ = {name: str(recipe["from"]) for recipe in self._recipes for name in recipe["made"]}
        self.n_features_in_ = len(columns)
        self._named = named
        self._names_in = [column.name for column in columns]
        if named:
            self.feature_names_in_ = np.array(self._names_in, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)
        return self

    def transform(self, X: Any) -> Any:
        """The rows of X in clean columns: a frame of the library of X, or an array where X is one."""
        check_is_fitted(self)
        columns = self._matched_columns(X)
        made = [column for recipe in self._recipes for column in apply_recipe(columns[recipe["from"]], recipe)]
        return self._assembled(pa.table(dict(made)), X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that ``transform`` gives."""
        check_is_fitted(self)
        if input_features is not None and list(input_features) != self._names_in:
            if len(input_features) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_})."
                )
            if self._named:
                raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(list(self.made_), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    # ------------------------------------------------------------ learning

    def _recipes_of(self, columns: list[RawColumn], readings: dict[str, Reading]) -> list[dict[str, Any]]:
        settings = self.get_params(deep=False)
        dropped = set()
        if self.identifiers == "drop":
            dropped.add("identifier")
        if self.constants == "drop":
            dropped |= {"constant", "empty"}
        # Where nothing else is left a counter of rows is better than nothing: it may be the time, or all there is.
        for wanted in (set(ROLES) - dropped, {"identifier"}):
            chosen = [column for column in columns if readings[column.name].role in wanted]
            made = [learn_recipe(column, readings[column.name], settings) for column in chosen]
            if recipes := [recipe for recipe in made if recipe is not None]:
                return recipes
        shown = ", ".join(f"{name!r} is {reading.role}" for name, reading in list(readings.items())[:5])
        raise ValueError(
            f"no column is left to learn from: {shown}{', ...' if len(readings) > 5 else ''}. Add columns that differ "
            "from row to row, or give roles= or constants='keep'."
        )

    # ------------------------------------------------------------ applying

    def _matched_columns(self, X: Any) -> dict[str, RawColumn]:
        columns, named = raw_columns(X)
        if named and self._named:
            found = {column.name: column for column in columns}
            wanted = dict.fromkeys(recipe["from"] for recipe in self._recipes)
            if lost := [name for name in wanted if name not in found]:
                has = ", ".join(repr(name) for name in list(found)[:10]) + (", ..." if len(found) > 10 else "")
                raise ValueError(
                    f"X lacks the column(s) {', '.join(map(repr, lost))}, which TableCleaner was fitted with; it has "
                    f"{has}. Add them (missing values are allowed), or fit without them."
                )
            return found
        if len(columns) != self.n_features_in_:
            raise ValueError(
                f"X has {len(columns)} features, but TableCleaner is expecting {self.n_features_in_} features as input."
            )
        if named != self._named:
            words = ("has", "without") if named else ("does not have valid", "with")
            warnings.warn(
                f"X {words[0]} feature names, but TableCleaner was fitted {words[1]} feature names", stacklevel=3
            )
        return dict(zip(self._names_in, columns, strict=True))

    def _assembled(self, table: pa.Table, X: Any) -> Any:
        frame = as_frame(X)
        wanted = output_library(self)
        if frame is None and wanted is None:
            return _as_array(table)
        if wanted is None or (frame is not None and wanted == str(frame.implementation.value)):
            backend: Any = frame.implementation  # type: ignore[union-attr]
        else:
            backend, frame = wanted, None
        native = nw.from_arrow(table, backend=backend).to_native()
        if frame is not None and hasattr(native, "index"):
            native.index = frame.to_native().index
        return native


def _refuse_nothing(columns: list[RawColumn], X: Any) -> None:
    shape = (len(columns[0]) if columns else getattr(X, "shape", (0,))[0], len(columns))
    for what, number in (("feature(s)", shape[1]), ("sample(s)", shape[0])):
        if not number:
            raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")


def _as_array(table: pa.Table) -> np.ndarray:
    if all(pa.types.is_floating(kind) for kind in table.schema.types):
        return np.column_stack([column.to_numpy() for column in table.columns])
    return np.column_stack([np.array(column.to_pylist(), dtype=object) for column in table.columns])


def _with_distinct_names(recipes: list[dict[str, Any]], taken: set[str]) -> list[dict[str, Any]]:
    """Names of new columns that no other column has, of the input or of the result."""
    used = set(taken)
    for recipe in recipes:
        names = []
        for name in recipe["made"]:
            new = name
            while new in used and new != recipe["from"]:
                new += "_"
            used.add(new)
            names.append(new)
        recipe["made"] = names
    return recipes
