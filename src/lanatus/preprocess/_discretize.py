"""Discretisation of numeric columns (sections 4.4.1 and 7.4)."""

from typing import Any

import numpy as np

from lanatus.base import class_codes
from lanatus.catalog import method
from lanatus.params import Choice, Integer
from lanatus.preprocess._column_transformer import ColumnTransformer, Output, missing_to_nan, passed_through
from lanatus.preprocess._edges import entropy_edges
from lanatus.table import Table


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
    n_bins : int, default=5
        Number of intervals for "uniform" and "quantile".
    strategy : {"uniform", "quantile", "entropy"}, default="quantile"
        Equal width, equal frequency, or supervised by class entropy, which needs y.
    encode : {"ordinal", "onehot"}, default="ordinal"
        Number of the interval, or an indicator for each.

    Attributes
    ----------
    bin_edges_ : list of ndarrays, the inner cut points of each numeric column
    n_bins_ : ndarray of int, intervals of each numeric column

    Examples
    --------
    >>> from lanatus.preprocess import KBinsDiscretizer
    >>> KBinsDiscretizer(2, strategy="uniform").fit_transform([[0.0], [1.0], [4.0]]).ravel().tolist()
    [0.0, 0.0, 1.0]

    References
    ----------
    Fayyad and Irani (1993), Multi-interval discretization of continuous-valued attributes.
    """

    _params = {
        "n_bins": Integer(low=2),
        "strategy": Choice("uniform", "quantile", "entropy"),
        "encode": Choice("ordinal", "onehot"),
    }

    def __init__(self, n_bins: int = 5, *, strategy: str = "quantile", encode: str = "ordinal") -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.encode = encode

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.strategy == "entropy"
        return tags

    def _learn(self, table: Table, y: Any) -> None:
        codes = class_codes(y, table.codes)[1] if self.strategy == "entropy" else None
        self.bin_edges_ = [self._cuts(table.numeric[:, at], codes) for at in range(len(table.schema.numeric))]
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.bin_edges_])

    def _cuts(self, values: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
        known = ~np.isnan(values)
        x = values[known].astype(np.float64)
        if not len(x) or x.min() == x.max():
            return np.empty(0)
        if codes is not None:
            return entropy_edges(x, codes[known])
        if self.strategy == "uniform":
            return np.linspace(x.min(), x.max(), self.n_bins + 1)[1:-1]
        cuts = np.unique(np.quantile(x, np.arange(1, self.n_bins) / self.n_bins))
        return cuts[(cuts > x.min())]

    def _apply(self, table: Table) -> list[Output]:
        names = [table.schema.columns[j].name for j in table.schema.numeric]
        columns: dict[str, list[Output]] = {
            name: [column] for name, column in passed_through(table, set(names)).items()
        }
        for at, name in enumerate(names):
            values = table.numeric[:, at]
            bins = np.where(np.isnan(values), -1, np.searchsorted(self.bin_edges_[at], values, side="right"))
            if self.encode == "ordinal":
                columns[name] = [Output(name, missing_to_nan(bins, values.dtype))]
            else:
                columns[name] = [
                    Output(f"{name}_{b}", (bins == b).astype(values.dtype)) for b in range(self.n_bins_[at])
                ]
        return [column for name in table.schema.names for column in columns[name]]

    def _names_out(self) -> list[str]:
        if self.encode == "ordinal":
            return self.schema_.names
        widths = dict(zip((self.schema_.columns[j].name for j in self.schema_.numeric), self.n_bins_, strict=True))
        return [
            out
            for name in self.schema_.names
            for out in ([f"{name}_{b}" for b in range(widths[name])] if name in widths else [name])
        ]
