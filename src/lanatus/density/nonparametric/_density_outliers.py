"""Outliers by their density."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.cluster import OutlierDetector
from lanatus.density.nonparametric._kernel_density import KernelDensity
from lanatus.params import Nothing, Real, Satisfies, rules_for


@method(
    section="9.7",
    task="outliers",
    en="Outliers by low density",
    zh="基于密度的异常检测",
    peers=["pyod:KDE"],
)
class DensityOutlierDetector(OutlierDetector):
    r"""Rows in places of very low density are outliers.

    The score is :math:`\ln \hat p(x)` by any density of this package; the threshold leaves the asked share of the rows
    below it.

    Book: sections 9.1 and 9.7. Cost: that of the density.

    Parameters
    ----------
    density : density estimator or None, default=None
        What says how dense it is at a row; None is ``KernelDensity(bandwidth="scott")``.
    contamination : float, default=0.1
        Share of outliers among the rows of ``fit``.

    Attributes
    ----------
    density_ : the fitted density
    offset_ : float, the threshold: scores below it are outliers'
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A row of ``fit`` adds to the density at its own place, so that it looks a little less odd than a new row there.

    Examples
    --------
    >>> from lanatus.density import DensityOutlierDetector
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0]]
    >>> DensityOutlierDetector(contamination=0.2).fit(X).predict(X)
    array([ 1,  1,  1,  1, -1])
    """

    def __init__(self, density: Any = None, *, contamination: float = 0.1) -> None:
        self.density = density
        self.contamination = contamination

    _params = rules_for(
        __init__,
        density=Nothing() | Satisfies(lambda value: hasattr(value, "score_samples"), "a density estimator"),
        contamination=Real(above=0, high=0.5),
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn how dense the rows X lie; y is ignored, and `sample_weight` goes to the density."""
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        model = KernelDensity(bandwidth="scott") if self.density is None else clone(self.density)
        self.density_ = model.fit(rows) if weight is None else model.fit(rows, sample_weight=weight)
        self._set_offset(self._scores(rows), weight=weight)
        return self

    def _scores(self, X: Any) -> np.ndarray:
        return np.asarray(self.density_.score_samples(X), dtype=np.float64)
