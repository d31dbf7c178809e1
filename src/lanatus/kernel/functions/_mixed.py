"""A kernel of mixed tables."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from lanatus.base import Estimator, Floats, Integers, Tables, Takes, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Real, rules_for
from lanatus.table import MISSING_CODE, Table


@method(
    section="6.3",
    task="transform",
    en="Kernel of mixed attributes",
    zh="混合属性核",
)
class MixedKernel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""The kernel of the rows of a mixed table with the rows learned from, for learners with ``kernel="precomputed"``.

    Each column has a kernel: of numbers and ranks :math:`e^{-(x - z)^2 / 2 \sigma^2}` in units of their deviation, of
    nominal values 1 where they match and 0 where not. **A missing value is a value of its own**: it matches another
    missing value and nothing else; so does a value that was never seen. The whole is the mean over the columns, or the
    product of :math:`(1 + \kappa_j) / 2`, in which many columns count together; both are positive semi-definite.

    Book: section 6.3, (6.25) and (6.26). Cost: :math:`O(d)` a pair.

    Parameters
    ----------
    sigma : float, default=1.0
        Width for numbers, in units of the deviation of the column.
    combine : {"mean", "product"}, default="mean"
        How the columns come together.

    Attributes
    ----------
    numbers_ : ndarray of shape (n_samples, n_numbers), numbers and ranks of the rows over their deviations, NaN for
        what is missing
    spreads_ : ndarray of shape (n_numbers,), the deviations
    codes_ : ndarray of shape (n_samples, n_nominal), places of the nominal values, -1 for what is missing
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from lanatus.kernel import SVC, MixedKernel
    >>> X = pd.DataFrame({"root": ["curly", "stiff", "curly", None], "sugar": [0.46, 0.1, None, 0.2]})
    >>> MixedKernel().fit_transform(X).round(3).tolist()[2]
    [0.5, 0.0, 1.0, 0.0]
    >>> model = make_pipeline(MixedKernel(), SVC(kernel="precomputed")).fit(X, ["ripe", "raw", "ripe", "raw"])
    >>> model.predict(X).tolist()
    ['ripe', 'raw', 'ripe', 'raw']
    """

    _takes = Takes(nominal=True, missing=True)
    _wants = Tables()
    _state: ClassVar = {
        "numbers_": Floats("rows", "numbers", finite=False),
        "spreads_": Floats("numbers"),
        "codes_": Integers("rows", "nominal", low=MISSING_CODE),
    }

    numbers_: np.ndarray
    spreads_: np.ndarray
    codes_: np.ndarray

    def __init__(self, sigma: float = 1.0, *, combine: str = "mean") -> None:
        self.sigma = sigma
        self.combine = combine

    _params = rules_for(__init__, sigma=Real(above=0, below=np.inf), combine=Choice("mean", "product"))

    @property
    def _n_features_out(self) -> int:
        return len(self.codes_)

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the columns, and keep the rows of X; y is not looked at."""
        table = self._take(X, reset=True)
        numbers, codes = _parts(table)
        known = ~np.isnan(numbers)
        counts = np.maximum(known.sum(axis=0), 1)
        filled = np.where(known, numbers, 0.0)
        middle = filled.sum(axis=0) / counts
        spread = np.sqrt(np.sum(np.where(known, (numbers - middle) ** 2, 0.0), axis=0) / counts)
        self.spreads_ = np.where(spread > 1e-12 * np.abs(middle), spread, 1.0)
        self.numbers_, self.codes_ = numbers / self.spreads_, codes
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The kernel of the rows of X with the rows learned from."""
        check_is_fitted(self)
        numbers, codes = _parts(self._take(X, reset=False))
        numbers = numbers / self.spreads_
        columns = [self._of_numbers(x, z) for x, z in zip(numbers.T, self.numbers_.T, strict=True)]
        columns += [x[:, None] == z for x, z in zip(codes.T, self.codes_.T, strict=True)]
        whole = np.zeros((len(codes), len(self.codes_))) if self.combine == "mean" else 1.0
        for one in columns:
            whole = whole + one / len(columns) if self.combine == "mean" else whole * (1 + one) / 2
        return np.asarray(whole)

    def _of_numbers(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        holes, others = np.isnan(x), np.isnan(z)
        K = np.exp(-0.5 * ((np.where(holes, 0.0, x)[:, None] - np.where(others, 0.0, z)) / self.sigma) ** 2)
        K[holes] = 0.0
        K[:, others] = 0.0
        K[np.ix_(holes, others)] = 1.0
        return K


def _parts(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and ranks, NaN for what is missing, and codes of nominal values."""
    numeric = np.asarray(table.numeric, dtype=np.float64).reshape(len(table), -1)
    ranked = [column.kind == "ordinal" for column in table.schema.columns if column.kind != "numeric"]
    at = np.array(ranked, dtype=bool)
    ranks = table.codes[:, at].astype(np.float64)
    ranks[ranks == MISSING_CODE] = np.nan
    return np.hstack([numeric, ranks]), np.ascontiguousarray(table.codes[:, ~at])
