"""Discretisation of numeric columns (sections 4.4.1 and 7.4)."""

from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import KBinsDiscretizer as Borrowed

from lanatus.base import check_is_fitted, class_codes, fitting, output_library
from lanatus.catalog import method
from lanatus.params import Array, Choice, Integer, Nothing, RandomState, Satisfies
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, missing_to_nan, passed_through
from lanatus.preprocess._edges import entropy_edges
from lanatus.preprocess._inner import in_memory
from lanatus.table import MISSING_CODE, Table, as_frame

_QUANTILES = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
)
_ALL = np.array([-np.inf, np.inf])  # one interval: of a column that is constant or unknown


@method(
    "data.discretizer",
    section="7.4",
    task="transform",
    en="Discretisation of continuous attributes",
    zh="离散化",
    peers=["scikit-learn:KBinsDiscretizer"],
)
class KBinsDiscretizer(ColumnTransformer):
    r"""Numeric columns cut into intervals of equal width, of equal frequency, or by class entropy.

    ``strategy="entropy"`` is the recursive minimum-description-length method: a cut of :math:`S` into
    :math:`S_1, S_2` is kept where
    :math:`\mathrm{Gain} > \frac{\log_2(N-1) + \log_2(3^k-2) - kE + k_1E_1 + k_2E_2}{N}`.
    Missing values stay missing; ordinal and nominal columns pass through.

    Book: sections 4.4.1 and 7.4. Cost: :math:`O(n \log n)` for each column.

    Parameters
    ----------
    n_bins : int or array of one int a column, default=5
        Number of intervals; "entropy" finds its own.
    encode : {"onehot", "onehot-dense", "ordinal"}, default="onehot"
        An indicator for each interval, sparse where X is an array, or dense; or the number of the interval. A frame
        gives a frame.
    strategy : {"uniform", "quantile", "kmeans", "entropy"}, default="quantile"
        Equal width, equal frequency, nearest of k means in one dimension, or supervised by class entropy, which
        needs y.
    quantile_method : str, default="averaged_inverted_cdf"
        Which quantiles, of those that :func:`numpy.percentile` knows.
    dtype : {float32, float64} or None, default=None
        Type of the result; None keeps that of X.
    subsample : int or None, default=200_000
        Most rows, drawn at random, that edges are learned from; None takes all. "entropy" takes all.
    random_state : int, RandomState or None, default=None
        Fixes the rows that are drawn.

    Attributes
    ----------
    bin_edges_ : ndarray of ndarrays, the edges of the intervals of each numeric column, both ends among them
    n_bins_ : ndarray of int, intervals of each numeric column

    Examples
    --------
    >>> from lanatus.preprocess import KBinsDiscretizer
    >>> KBinsDiscretizer(2, strategy="uniform", encode="ordinal").fit_transform([[0.0], [1.0], [4.0]]).ravel().tolist()
    [0.0, 0.0, 1.0]

    References
    ----------
    Fayyad and Irani (1993), Multi-interval discretization of continuous-valued attributes.
    """

    _params = {
        "n_bins": Integer(low=2) | Array(ndim=1),
        "encode": Choice("onehot", "onehot-dense", "ordinal"),
        "strategy": Choice("uniform", "quantile", "kmeans", "entropy"),
        "quantile_method": Choice(*_QUANTILES),
        "dtype": Satisfies(lambda value: value in (np.float32, np.float64), "float32 or float64") | Nothing(),
        "subsample": Integer(low=1) | Nothing(),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        n_bins: Any = 5,
        *,
        encode: str = "onehot",
        strategy: str = "quantile",
        quantile_method: str = "averaged_inverted_cdf",
        dtype: Any = None,
        subsample: int | None = 200_000,
        random_state: Any = None,
    ) -> None:
        self.n_bins = n_bins
        self.encode = encode
        self.strategy = strategy
        self.quantile_method = quantile_method
        self.dtype = dtype
        self.subsample = subsample
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.strategy == "entropy"
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the edges of the intervals, rows counting by their weights; "entropy" reads the classes y."""
        table = self._take(X, reset=True)
        weights = None if sample_weight is None else np.asarray(self._weights(sample_weight, table.codes))
        self._learn_edges(table, y, weights)
        self._refuse_twice()
        return self

    def _learn(self, table: Table, y: Any) -> None:
        self._learn_edges(table, y, None)

    def _learn_edges(self, table: Table, y: Any, weights: np.ndarray | None) -> None:
        if self.strategy == "entropy":
            codes = class_codes(y, table.codes)[1]
            edges = [_by_entropy(column, codes, weights) for column in table.numeric.T]
        else:
            edges = self._by_scikit_learn(table.numeric, weights)
        self.bin_edges_ = np.empty(len(edges), dtype=object)
        self.bin_edges_[:] = edges
        self.n_bins_ = np.array([len(one) - 1 for one in edges], dtype=np.intp)

    def _by_scikit_learn(self, numeric: np.ndarray, weights: np.ndarray | None) -> list[np.ndarray]:
        """Edges of each column: of all at once, or one after another where values are missing, of the known ones."""
        n_bins = self.n_bins if isinstance(self.n_bins, Integral) else np.asarray(self.n_bins)
        made = Borrowed(
            n_bins,
            encode="ordinal",
            strategy=self.strategy,
            quantile_method=self.quantile_method,
            subsample=self.subsample,
            random_state=self.random_state,
        )
        known = ~np.isnan(numeric)
        if not numeric.shape[1] or known.all():
            return list(made.fit(numeric, sample_weight=weights).bin_edges_) if numeric.shape[1] else []
        if not isinstance(n_bins, Integral):
            made.fit(np.zeros_like(numeric))  # refuses what cannot be the number of intervals
        edges = []
        for at, rows in enumerate(known.T):
            made.set_params(n_bins=n_bins if isinstance(n_bins, Integral) else int(n_bins[at]))
            of_rows = None if weights is None else weights[rows]
            edges.append(made.fit(numeric[rows][:, [at]], sample_weight=of_rows).bin_edges_[0] if rows.any() else _ALL)
        return edges

    def transform(self, X: Any) -> Any:
        """The rows of X with numbers or indicators of their intervals in place of the numeric columns."""
        check_is_fitted(self)
        table = self._take(X, reset=False)
        made = self._assemble(self._apply(table), X)
        plain = isinstance(made, np.ndarray) and output_library(self) is None and table.schema.all_numeric
        return sp.csr_matrix(made) if plain and self.encode == "onehot" else made

    def _apply(self, table: Table) -> list[Output]:
        names = [table.schema.columns[j].name for j in table.schema.numeric]
        columns: dict[str, list[Output]] = {
            name: [column] for name, column in passed_through(table, set(names)).items()
        }
        for at, name in enumerate(names):
            values = table.numeric[:, at]
            dtype = np.dtype(self.dtype or values.dtype)
            bins = np.searchsorted(self.bin_edges_[at][1:-1], values, side="right")
            bins[np.isnan(values)] = MISSING_CODE
            if self.encode == "ordinal":
                columns[name] = [Output(name, missing_to_nan(bins, dtype))]
            else:
                columns[name] = [
                    Output(out, (bins == b).astype(dtype)) for b, out in enumerate(self._indicators(name, at))
                ]
        return [column for name in table.schema.names for column in columns[name]]

    def _indicators(self, name: str, at: int) -> list[str]:
        return [f"{name}_{float(b)}" for b in range(self.n_bins_[at])]

    def _names_out(self) -> list[str]:
        return self._names_from(self.schema_.names)

    def _names_from(self, names: list[str]) -> list[str]:
        if self.encode == "ordinal":
            return names
        made = {j: self._indicators(names[j], at) for at, j in enumerate(self.schema_.numeric)}
        return [out for j, name in enumerate(names) for out in made.get(j, [name])]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that ``transform`` gives; of an array, from the names of its columns given here."""
        names = super().get_feature_names_out(input_features)
        return names if input_features is None else np.array(self._names_from(list(input_features)), dtype=object)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The middle of the interval of each value; columns that passed through stay as they are."""
        check_is_fitted(self)
        frame, X = as_frame(X), in_memory(self, X)
        X = frame.to_numpy() if frame is not None else X.toarray() if sp.issparse(X) else np.asarray(X)
        wanted = len(self._names_out())
        if X.ndim != 2 or X.shape[1] != wanted:
            raise ValueError(f"Incorrect number of features. Expecting {wanted}, received {X.shape[-1]}.")
        columns, start = [], 0
        for j in range(len(self.schema_)):
            at = self.schema_.numeric.index(j) if j in self.schema_.numeric else None
            width = 1 if at is None or self.encode == "ordinal" else int(self.n_bins_[at])
            part = X[:, start : start + width]
            columns.append(part[:, 0] if at is None else self._middles(part, at))
            start += width
        return np.column_stack(columns)

    def _middles(self, part: np.ndarray, at: int) -> np.ndarray:
        """Middles of the intervals that numbers or indicators say; NaN where none is said."""
        part = part.astype(self.dtype or (part.dtype if part.dtype.kind == "f" else np.float64))
        bins = part[:, 0] if self.encode == "ordinal" else np.where(part.any(axis=1), part.argmax(axis=1), np.nan)
        edges = self.bin_edges_[at]
        middles = np.append((edges[1:] + edges[:-1]) / 2, np.nan)
        places = np.where(np.isnan(bins), len(middles) - 1, np.clip(bins, 0, len(middles) - 2))
        return middles[places.astype(np.intp)].astype(part.dtype)


def _by_entropy(values: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Edges by class entropy, with the least and the greatest value as ends."""
    known = ~np.isnan(values)
    x = values[known].astype(np.float64)
    if not len(x) or x.min() == x.max():
        return _ALL
    inner = entropy_edges(x, codes[known], None if weights is None else weights[known])
    return np.concatenate([[x.min()], inner, [x.max()]])
