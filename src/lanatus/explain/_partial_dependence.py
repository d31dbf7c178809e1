"""What a model says on average as one or two columns change."""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lanatus._core import tree as kernels
from lanatus.base import check_is_fitted, n_rows, n_threads
from lanatus.explain._additive import AdditiveTrees, additive, cover
from lanatus.explain._changed_column import ColumnChanger
from lanatus.table import Column, Table

if TYPE_CHECKING:
    from lanatus.explain._dependence_picture import PartialDependenceDisplay

_RESPONSES = ("predict_proba", "decision_function", "predict")


class PartialDependence:
    """Mean answers of a model on a grid of one or two columns.

    Attributes
    ----------
    feature_names : list of str
        The columns.
    grid_values : list of arrays
        The values of each: numbers, or categories in their order.
    average : ndarray of shape (n_outputs, n_values) or (n_outputs, n_values, n_values of the second)
    output_names : list of labels or None
        The classes, where the outputs are theirs.
    response : {"predict_proba", "decision_function", "predict"}
    method : {"recursion", "brute"}
    columns : list of Column, what the columns are
    """

    def __init__(
        self,
        columns: list[Column],
        grid: list[np.ndarray],
        average: np.ndarray,
        output_names: list[Any] | None,
        response: str,
        method: str,
    ) -> None:
        self.columns = columns
        self.feature_names = [column.name for column in columns]
        self.grid_values = grid
        self.average = average
        self.output_names = output_names if output_names is not None and len(output_names) == len(average) else None
        self.response = response
        self.method = method

    def plot(self, ax: Any = None, *, output: Any = None) -> "PartialDependenceDisplay":
        """Draw: lines for a number, bars for categories, a map for two columns.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        output : label or int, optional
            Which output. By default all of one column, or for two classes the second; a map wants one.

        Returns
        -------
        PartialDependenceDisplay
            With ``ax_`` and ``figure_``.
        """
        from lanatus.explain._dependence_picture import PartialDependenceDisplay

        return PartialDependenceDisplay(self).plot(ax, output=output)


def partial_dependence(
    model: Any,
    X: Any,
    features: Any,
    *,
    grid: Sequence[Any] | None = None,
    grid_resolution: int = 50,
    percentiles: tuple[float, float] = (0.05, 0.95),
    method: Literal["auto", "recursion", "brute"] = "auto",
    response_method: str = "auto",
    sample_weight: Any = None,
) -> PartialDependence:
    r"""What a model says on average as one or two columns change, :math:`\bar f(x_S) = E_{x_C} f(x_S, x_C)`.

    By "brute" the mean is over the rows of X, in which the columns are set to each value of the grid: for any model. By
    "recursion" it is over the training weight along the paths of the trees, without the rows: faster by far.

    Book: not in it (Friedman 2001). Cost: "brute" one prediction of X a grid point; "recursion" the nodes that a grid
    point reaches.

    Parameters
    ----------
    model : fitted estimator
        Any one for "brute"; tree, forest, bagged trees or gradient boosting of lanatus for "recursion".
    X : array, sparse matrix, frame or Table of shape (n_samples, n_features)
        The rows; for "recursion" only the grid is made from them.
    features : int, str, or pair of them
        One column or two, by place or name.
    grid : sequence of values, or pair of such, optional
        Values to look at; by default those of the column if there are at most `grid_resolution`, else so many between
        the `percentiles`, and all categories.
    grid_resolution : int, default=50
        Most values of a column of numbers.
    percentiles : pair of float, default=(0.05, 0.95)
        Where the default grid of numbers begins and ends.
    method : {"auto", "recursion", "brute"}, default="auto"
        "auto" is "recursion" where it can be.
    response_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What is averaged: "auto" takes for "recursion" what the trees add up to (probabilities of trees and forests,
        scores of gradient boosting), for "brute" the first of the three that the model has.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows, for "brute".

    Returns
    -------
    PartialDependence
        With ``grid_values``, ``average`` and ``plot()``.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.explain import partial_dependence
    >>> from lanatus.tree import DecisionTreeClassifier
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[melons.feature_names]
    >>> tree = DecisionTreeClassifier(criterion="entropy", split="multiway").fit(X, melons.target)
    >>> found = partial_dependence(tree, X, "纹理")
    >>> found.grid_values[0].tolist(), found.average[1].round(3).tolist()
    (['清晰', '稍糊', '模糊'], [0.778, 0.2, 0.0])

    References
    ----------
    Friedman: Greedy function approximation, a gradient boosting machine, 2001.
    """
    check_is_fitted(model)
    _check(method, response_method, grid_resolution, percentiles)
    columns = ColumnChanger(X)
    wanted: list[Any] = [features] if isinstance(features, int | np.integer | str) else list(features)
    if len(wanted) not in (1, 2):
        raise ValueError(f"features must be one column or two; got {len(wanted)}.")
    places = [columns.place(column) for column in wanted]
    table = Table.of(columns.X, like=getattr(model, "schema_", None))
    about = [_column(table, columns, j) for j in places]
    given = [None] * len(places) if grid is None else [grid] if len(places) == 1 else list(grid)
    values = [_grid(table, column, own, grid_resolution, percentiles) for column, own in zip(about, given, strict=True)]
    shape = tuple(len(part) for part in values)
    parts = additive(model)
    fits = parts is not None and response_method in ("auto", parts.response)
    if method == "recursion" and not fits:
        raise ValueError(
            "method='recursion' is for trees, forests, bagged trees and gradient boosting of lanatus, of which it "
            f"gives {'nothing here' if parts is None else parts.response}; got {type(model).__name__} with "
            f"response_method={response_method!r}. Use method='brute'."
        )
    if parts is not None and fits and method != "brute":
        average = _by_paths(parts, table, about, values)
        return PartialDependence(
            about, values, average.T.reshape(-1, *shape), parts.outputs, parts.response, "recursion"
        )
    response = response_method
    if response == "auto":
        response = next(name for name in _RESPONSES if hasattr(model, name))
    average = _by_rows(model, columns, places, values, response, sample_weight)
    labels = getattr(model, "classes_", None) if response != "predict" else None
    names = None if labels is None or isinstance(labels, list) else [*labels]
    return PartialDependence(about, values, average.T.reshape(-1, *shape), names, response, "brute")


def _check(method: str, response: str, resolution: int, percentiles: tuple[float, float]) -> None:
    if method not in ("auto", "recursion", "brute"):
        raise ValueError(f"method must be 'auto', 'recursion' or 'brute'; got {method!r}.")
    if response != "auto" and response not in _RESPONSES:
        raise ValueError(f"response_method must be 'auto' or one of {_RESPONSES}; got {response!r}.")
    if resolution < 2:
        raise ValueError(f"grid_resolution must be at least 2; got {resolution}.")
    if len(percentiles) != 2 or not 0 <= percentiles[0] < percentiles[1] <= 1:
        raise ValueError(f"percentiles must be two numbers from 0 to 1, the smaller first; got {percentiles}.")


def _column(table: Table, columns: ColumnChanger, j: int) -> Column:
    """What a column of X is; a frame may hold its columns in another order than the model."""
    return table.schema[columns.names[j]] if table.schema.named else table.schema.columns[j]


def _grid(table: Table, column: Column, given: Any, resolution: int, percentiles: tuple[float, float]) -> np.ndarray:
    if column.kind != "numeric":
        values = np.array(column.categories if given is None else given, dtype=object)
        if unknown := [value for value in values.tolist() if value not in column.categories]:
            raise ValueError(f"column {column.name!r} has no values {unknown}; it has {list(column.categories)}.")
        return values
    if given is not None:
        return np.asarray(given, dtype=np.float64).ravel()
    at = table.schema.numeric.index(table.schema.columns.index(column))
    x = table.numeric[:, [at]]
    x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64).ravel()
    x = x[~np.isnan(x)]
    if not len(x):
        raise ValueError(f"all values of column {column.name!r} are missing; give a grid.")
    different = np.unique(x)
    if len(different) <= resolution:
        return different
    low, high = np.quantile(x, percentiles)
    return np.linspace(low, high, resolution) if high > low else np.array([low])


def _by_paths(parts: AdditiveTrees, table: Table, about: list[Column], values: list[np.ndarray]) -> np.ndarray:
    """Mean answers at all points of the grid, along the paths of the trees; shape (n_points, n_outputs)."""
    names = table.schema.names
    places = [names.index(column.name) for column in about]
    points = [*product(*(_as_codes(column, own) for column, own in zip(about, values, strict=True)))]
    rows = np.zeros((len(points), len(names)))
    rows[:, places] = points
    known = np.zeros(len(names), dtype=np.uint8)
    known[places] = 1
    out = np.tile(np.asarray(parts.base, dtype=np.float64), (len(rows), 1))
    for tree, value, first in zip(parts.trees, parts.values, parts.first, strict=True):
        answer = kernels.expect(tree.checked(), rows, cover(tree), known, value, n_threads=n_threads())
        out[:, first : first + value.shape[1]] += answer
    return out


def _as_codes(column: Column, values: np.ndarray) -> list[float]:
    if column.kind == "numeric":
        return [float(value) for value in values]
    return [float(column.categories.index(value)) for value in values.tolist()]


def _by_rows(
    model: Any,
    columns: ColumnChanger,
    places: list[int],
    values: list[np.ndarray],
    response: str,
    sample_weight: Any,
) -> np.ndarray:
    """Mean answers over the rows of X at all points of the grid; shape (n_points, n_outputs)."""
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight is not None and len(weight) != n_rows(columns.X):
        raise ValueError(f"sample_weight must hold {n_rows(columns.X)} weights; got {len(weight)}.")
    if isinstance(columns.X, Table):  # whose categories may stand in another order than the model's
        about = [columns.X.schema.columns[j] for j in places]
        grids = [_as_codes(column, own) for column, own in zip(about, values, strict=True)]
    else:
        grids = [own.tolist() for own in values]
    ask = getattr(model, response)
    means = []
    for point in product(*grids):
        answer = ask(columns.set_to(places, point))
        answer = np.hstack(answer) if isinstance(answer, list) else np.asarray(answer, dtype=np.float64)
        means.append(np.average(answer.reshape(len(answer), -1), axis=0, weights=weight))
    return np.array(means)
