"""The uniform density."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Floats, check_is_fitted, check_positive_weight, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.params import Flag


@method(
    "density.uniform-mle",
    section="CB 3.3.3",
    task="density",
    en="Uniform density by maximum likelihood",
    zh="均匀分布极大似然",
    peers=["scipy:uniform.fit"],
)
class UniformDensity(Density):
    r"""The uniform density on the smallest box that holds the rows.

    The likelihood :math:`\prod_j (b_j - a_j)^{-n}` has no place where its derivative is zero; it is largest for the
    narrowest box, :math:`a_j = \min x_j`, :math:`b_j = \max x_j`.

    Cookbook: section 3.3.3. Cost: :math:`O(nd)` time.

    Parameters
    ----------
    unbiased : bool, default=False
        Whether to widen the box by :math:`(b - a) / (n - 1)` on each side, which makes the ends unbiased.

    Attributes
    ----------
    low_ : ndarray of shape (n_features,)
    high_ : ndarray of shape (n_features,)
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A constant column has no width: the density is that of the other columns for rows with its value, and 0 for others.
    Rows of weight zero are left out; other weights do not matter, but for the number of rows of `unbiased`.

    Examples
    --------
    >>> from lanatus.density import UniformDensity
    >>> model = UniformDensity().fit([[0.0], [0.25], [0.5]])
    >>> model.score_samples([[0.1], [0.6]]).round(4).tolist()
    [0.6931, -inf]
    """

    _state: ClassVar = {"low_": Floats("columns"), "high_": Floats("columns")}

    _params = {"unbiased": Flag()}

    def __init__(self, *, unbiased: bool = False) -> None:
        self.unbiased = unbiased

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        total = float(len(rows)) if weight is None else float(weight.sum())
        check_positive_weight(weight)
        if weight is not None:
            rows = rows[weight > 0]
        self.low_, self.high_ = rows.min(axis=0), rows.max(axis=0)
        if self.unbiased and total > 1:
            margin = (self.high_ - self.low_) / (total - 1)
            self.low_, self.high_ = self.low_ - margin, self.high_ + margin
        return self

    @override
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        inside = ((rows >= self.low_) & (rows <= self.high_)).all(axis=1)
        width = self.high_ - self.low_
        return np.where(inside, -np.log(width[width > 0]).sum(), -np.inf)

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood: the sum of the log densities of the rows, in their type; y is ignored."""
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows, `n_samples` of them; nominal and ordinal columns have their values."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        return rng.uniform(self.low_, self.high_, (n_samples, len(self.low_)))
