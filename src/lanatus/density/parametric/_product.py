"""A density as the product of those of its columns."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Tables, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.density.parametric._categorical import CategoricalDensity
from lanatus.density.parametric._gaussian import GaussianDensity
from lanatus.params import Nothing, ParameterRule, Satisfies


def _is_density(value: Any) -> bool:
    return hasattr(value, "fit") and hasattr(value, "score_samples")


@method(
    "density.product-density",
    section="CB 3.5.2",
    task="density",
    en="Product (naive Bayes) density",
    zh="独立乘积密度",
)
class ProductDensity(Density):
    r"""A density that takes the columns as independent, :math:`\hat p(x) = \prod_j \hat p_j(x_j)`.

    Escapes the curse of dimensionality at the price of the assumption: each column needs as many rows as one dimension
    does.

    Cookbook: section 3.5.2. Cost: that of the marginals.

    Parameters
    ----------
    marginals : density estimator, list of them (one a column) or None, default=None
        What each column is fitted with. None takes `GaussianDensity` for numbers; nominal and ordinal columns get
        `CategoricalDensity` unless a list says otherwise, which then sees their codes.

    Attributes
    ----------
    marginals_ : list of fitted densities, one a column; None for a column without a value
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are left out of a column's fit, and of the product.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import ProductDensity, UniformDensity
    >>> X = np.array([[0.0, 0.0], [0.5, 2.0], [1.0, 1.0]])
    >>> ProductDensity(UniformDensity()).fit(X).score_samples([[0.2, 1.5]]).round(4).tolist()
    [-0.6931]
    """

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = Tables()
    _params: ClassVar[dict[str, ParameterRule]] = {
        "marginals": Nothing()
        | Satisfies(_is_density, "a density estimator")
        | Satisfies(lambda v: isinstance(v, list | tuple) and all(map(_is_density, v)), "a list of density estimators")
    }

    def __init__(self, marginals: Any = None) -> None:
        self.marginals = marginals

    def _choice(self) -> list[Any]:
        columns = self.schema_.columns
        if isinstance(self.marginals, Sequence):
            if len(self.marginals) != len(columns):
                raise ValueError(f"marginals has {len(self.marginals)} entries, X {len(columns)} columns.")
            return [clone(one) for one in self.marginals]
        of_numbers = GaussianDensity() if self.marginals is None else self.marginals
        return [clone(of_numbers) if c.kind == "numeric" else CategoricalDensity() for c in columns]

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        rows = self._take(X, reset=True).coded_matrix()
        weight = self._weights(sample_weight, rows)
        self.marginals_ = []
        for cells, density in zip(rows.T, self._choice(), strict=True):
            known = ~np.isnan(cells)
            if weight is not None:
                known &= weight > 0
            some = {} if weight is None else {"sample_weight": weight[known]}
            self.marginals_.append(density.fit(cells[known, None], **some) if known.any() else None)
        return self

    @override
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = self._take(X, reset=False).coded_matrix()
        out = np.zeros(len(rows))
        for cells, density in zip(rows.T, self.marginals_, strict=True):
            known = ~np.isnan(cells)
            if density is not None and known.any():
                out[known] += density.score_samples(cells[known, None])
        return out

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows, `n_samples` of them; nominal and ordinal columns have their values."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        out = np.full((n_samples, len(self.marginals_)), np.nan, dtype=float if self.schema_.all_numeric else object)
        for j, (column, density) in enumerate(zip(self.schema_.columns, self.marginals_, strict=True)):
            if density is None:
                continue
            drawn = np.asarray(density.sample(n_samples, random_state=rng))[:, 0]
            out[:, j] = drawn if column.kind == "numeric" else np.asarray(column.categories)[drawn.astype(int)]
        return out
