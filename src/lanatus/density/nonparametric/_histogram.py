"""Histogram densities, in several columns."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Floats, Integers, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.density.nonparametric._bin_edges import RULES, bin_edges
from lanatus.density.nonparametric._grid import Cells, as_mass, count_cells, find_cells, places_of
from lanatus.params import Array, Choice, Integer, Nothing, Real, Satisfies
from lanatus.scale import Block, blockwise, open_engine


@method(
    section="CB 3.4",
    task="density",
    en="Histogram density",
    zh="直方图密度估计",
    streams=True,
    peers=["numpy:histogramdd", "scipy:rv_histogram"],
)
class HistogramDensity(Density):
    r"""A density that is constant in each cell of a grid: the cell's share of the rows over its volume.

    :math:`\hat p(x) = \frac{n_c + \alpha}{(n + \alpha C)\, V_c}` for *x* in cell *c* of :math:`C` cells.

    Book: cookbook section 3.4, where it is the plain form :math:`k / (NV)` with fixed regions.
    Cost: two passes over the rows, :math:`O(nd \log n)` time; memory for the cells that hold rows only.

    Parameters
    ----------
    bins : int, {"scott", "sturges", "fd", "auto"} or list, default="scott"
        Bins of each column: a number, a rule, or a list with an entry for each column, which is a number, a rule or
        an array of edges. "scott" is bins of width :math:`(24 \sqrt\pi)^{1/3} \sigma n^{-1/(2+d)}`; "fd" (Freedman
        and Diaconis) has twice the interquartile range instead; "sturges" is :math:`1 + \log_2 n` bins; "auto" is the
        finer of the last two.
    range : array of shape (n_features, 2) or None, default=None
        Ends of the grid in each column; rows outside do not count. None for the smallest and largest value.
    alpha : float, default=0.0
        Added to the weight of every cell, also of the empty ones.

    Attributes
    ----------
    bin_edges_ : list of ndarrays, the edges in each column
    cells_ : ndarray of shape (n_cells, n_features), places of the cells that hold rows, sorted
    cell_weights_ : ndarray of shape (n_cells,), weighted number of rows in each
    n_samples_ : float, weighted number of rows inside the grid
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Outside the grid, and in empty cells where `alpha` is 0, the log density is minus infinity. A constant column gets
    one bin of width 1. Bins hold their left edge, the last one both. "fd" and "auto" need quartiles, which are no
    sums over rows: they work in memory only. Weights count as repeats, but for "fd" and "auto", which ignore them.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import HistogramDensity
    >>> model = HistogramDensity(bins=2).fit([[0.0], [0.25], [0.5], [2.0]])
    >>> np.exp(model.score_samples([[0.1], [1.5], [3.0]])).round(6).tolist()
    [0.75, 0.25, 0.0]
    """

    _state: ClassVar = {"cells_": Integers("cells", "columns"), "cell_weights_": Floats("cells", low=0)}

    _params = {
        "bins": Integer(low=1) | Choice(*RULES) | Satisfies(lambda value: isinstance(value, list | tuple), "a list"),
        "range": Nothing() | Array(2),
        "alpha": Real(low=0),
    }

    def __init__(self, bins: Any = "scott", *, range: Any = None, alpha: float = 0.0) -> None:
        self.bins = bins
        self.range = range
        self.alpha = alpha

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        engine = open_engine(self, X, None, sample_weight)
        edges = bin_edges(engine, self.bins, self.range)
        cells = engine.reduce(partial(_tally, edges))
        if not cells.mass.sum() > 0:
            raise ValueError("no row with a positive weight lies inside the grid; wanted at least one.")
        held = cells.mass > 0
        self.bin_edges_ = edges
        self.cells_, self.cell_weights_ = cells.places[held].astype(np.int32), cells.mass[held]
        self.n_samples_ = float(self.cell_weights_.sum())
        return self

    @override
    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._take(X, reset=False)
        places, inside = places_of(X, self.bin_edges_)
        at = find_cells(self.cells_.astype(np.int64), places, self._n_bins())
        mass = np.where(at >= 0, self.cell_weights_[at], 0.0) + self.alpha
        sides = [np.log(np.diff(edges))[places[:, j]] for j, edges in enumerate(self.bin_edges_)]
        with np.errstate(divide="ignore"):
            logs = np.log(mass) - self._log_total() - np.sum(sides, axis=0)
        return np.where(inside, logs, -np.inf).astype(X.dtype, copy=False)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows, `n_samples` of them; nominal and ordinal columns have their values."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        at = rng.choice(len(self.cells_), n_samples, p=self.cell_weights_ / self.n_samples_)
        places = self.cells_[at].astype(np.int64)
        if self.alpha:  # its share of the mass is spread over all cells alike
            anywhere = rng.uniform(size=n_samples) >= np.exp(np.log(self.n_samples_) - self._log_total())
            everywhere = np.column_stack([rng.randint(count, size=n_samples) for count in self._n_bins()])
            places = np.where(anywhere[:, None], everywhere, places)
        within = rng.uniform(size=places.shape)
        columns = [
            edges[place] + part * np.diff(edges)[place]
            for edges, place, part in zip(self.bin_edges_, places.T, within.T, strict=True)
        ]
        return np.column_stack(columns)

    def _n_bins(self) -> np.ndarray:
        return np.array([len(edges) - 1 for edges in self.bin_edges_])

    def _log_total(self) -> float:
        """Logarithm of all mass; the number of cells may be beyond any float."""
        total = np.log(self.n_samples_)
        if not self.alpha:
            return float(total)
        return float(np.logaddexp(total, np.log(self.alpha) + np.log(self._n_bins()).sum()))


def _tally(edges: list[np.ndarray], block: Block) -> Cells:
    places, inside = places_of(block.X, edges)
    n_bins = np.array([len(column) - 1 for column in edges])
    return count_cells(places[inside], as_mass(block.weight, len(block))[inside], n_bins)
