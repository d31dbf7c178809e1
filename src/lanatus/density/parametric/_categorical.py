"""Relative frequencies."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Tables, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.params import ParameterRule, Real


@method(
    "density.discrete-mle",
    section="7.2",
    task="density",
    en="Relative frequencies of discrete values",
    zh="离散概率的频率估计",
)
class CategoricalDensity(Density):
    r"""Probabilities of the values of each column by how often they occur, columns taken as independent.

    :math:`P(x_j = v) = \frac{n_{jv} + \alpha}{n_j + \alpha K_j}` with :math:`K_j` values of column j: the relative
    frequency, which is most likely, for :math:`\alpha = 0`, Laplace's correction for 1.

    Book: section 7.2, exercise 7.1. Cost: :math:`O(nd)` time.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to every count.

    Attributes
    ----------
    values_ : list of ndarray, the values of each column: its categories, or the numbers seen
    probabilities_ : list of ndarray, of those values
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are skipped, column by column; a column without a value has equal probabilities, or says nothing. A
    category never seen in training counts as missing, a number never seen has probability 0.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.density import CategoricalDensity
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> good = CategoricalDensity().fit(X[y == "是"])
    >>> sorted(zip(good.probabilities_[0].tolist(), good.values_[0].tolist()))
    [(0.125, '浅白'), (0.375, '青绿'), (0.5, '乌黑')]
    """

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = Tables()
    _params: ClassVar[dict[str, ParameterRule]] = {"alpha": Real(low=0)}

    def __init__(self, *, alpha: float = 0.0) -> None:
        self.alpha = alpha

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        table = self._take(X, reset=True)
        rows = table.coded_matrix()
        weight = self._weights(sample_weight, rows)
        weight = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=np.float64)
        self.values_, self._seen, self.probabilities_ = [], [], []
        for column, cells in zip(table.schema.columns, rows.T, strict=True):
            known = ~np.isnan(cells)
            if column.kind == "numeric":
                seen = np.unique(cells[known & (weight > 0)])
                values = seen
            else:
                seen = np.arange(len(column.categories), dtype=np.float64)
                values = np.asarray(column.categories)
            known &= weight > 0
            counts = np.bincount(np.searchsorted(seen, cells[known]), weight[known], minlength=len(seen)) + self.alpha
            total = counts.sum()
            shares = counts / total if total > 0 else np.full(len(seen), 1 / max(len(seen), 1))
            self.values_.append(values)
            self._seen.append(seen)
            self.probabilities_.append(shares)
        return self

    @override
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = self._take(X, reset=False).coded_matrix()
        out = np.zeros(len(rows))
        for seen, shares, cells in zip(self._seen, self.probabilities_, rows.T, strict=True):
            if not len(seen):
                continue
            known = ~np.isnan(cells)
            at = np.clip(np.searchsorted(seen, cells), 0, len(seen) - 1)
            with np.errstate(divide="ignore"):
                logs = np.where(seen[at] == cells, np.log(shares)[at], -np.inf)
            out += np.where(known, logs, 0.0)
        return out

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows, `n_samples` of them; nominal and ordinal columns have their values."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        drawn = [rng.choice(len(p), n_samples, p=p) if len(p) else None for p in self.probabilities_]
        kind = float if self.schema_.all_numeric else object
        out = np.full((n_samples, len(drawn)), np.nan, dtype=kind)
        for j, at in enumerate(drawn):
            if at is not None:
                out[:, j] = self.values_[j][at]
        return out
