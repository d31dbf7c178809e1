"""Columns by an approximation of the zero norm of a support vector machine."""

from typing import Any, ClassVar, Self

import numpy as np
from threadpoolctl import threadpool_limits

from lanatus.base import coded_rows, fitting
from lanatus.catalog import method
from lanatus.optimize import L2, Lbfgs, Risk, SquaredHinge
from lanatus.params import COMMON, Integer, Nothing, Real, rules_for
from lanatus.select._selector import FeatureSelector


@method(
    "select.zero-norm-svm",
    section="11.7",
    task="transform",
    en="Zero-norm selection by a support vector machine",
    zh="零范数支持向量机特征选择",
)
class ZeroNormSelector(FeatureSelector):
    r"""The fewest columns on which a linear machine parts the classes: the zero norm, approached step by step.

    :math:`\min \sum_j \ln(\epsilon + |w_j|) + C \sum_i \xi_i^2` stands for :math:`\lVert w \rVert_0`, which is hard. A
    machine of least :math:`\lVert w \rVert_2` is learned, each column multiplied by its :math:`|w_j|`, and again:
    columns of little weight fall to zero.

    Book: section 11.7. Cost: that of a linear support vector machine a round, of which there are about ten.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep, or which share: rounds end when so few are left. None goes on until no weight falls.
    C : float, default=1.0
        How much rows on the wrong side of the margin count; the larger, the more columns are needed.
    max_iter : int, default=50
        Most rounds.
    tol : float, default=1e-4
        A column whose scale is below this share of the largest is left out.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    relevance_ : ndarray of shape (n_features,), the scale at the end over the largest, 0 for columns left out
    n_iter_ : int, rounds
    path_ : list of int, columns left after each round
    classes_ : ndarray of shape (n_classes,), the labels in order
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Columns are brought to the same deviation first. Of several classes there is a machine for each against the rest,
    and one scale for all: the norm of a column's weights. A nominal column counts by the norm of its indicators.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import ZeroNormSelector
    >>> X = np.random.default_rng(0).normal(size=(200, 20))
    >>> np.flatnonzero(ZeroNormSelector().fit(X, X[:, 3] - X[:, 8] > 0).support_).tolist()
    [3, 8]

    References
    ----------
    Weston, Elisseeff, Scholkopf and Tipping (2003), Use of the zero-norm with linear models and kernel methods.
    """

    _state: ClassVar = {}

    def __init__(
        self, n_features_to_select: Any = None, *, C: float = 1.0, max_iter: int = 50, tol: float = 1e-4
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(
        __init__,
        COMMON,
        n_features_to_select=Integer(low=1) | Real(above=0, high=1) | Nothing(),
        C=Real(above=0),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn which columns part the classes.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        rows, codes = coded_rows(self, X, y)
        d, wanted = len(self.schema_), self.n_features_to_select
        if wanted is not None and not isinstance(wanted, int | np.integer):
            wanted = max(1, int(wanted * d))
        if wanted is not None and wanted > d:
            raise ValueError(f"n_features_to_select={self.n_features_to_select} is more than the {d} columns of X.")
        owner = np.repeat(np.arange(d), [column.width for column in self.schema_.columns])
        with threadpool_limits(1, user_api="blas"):  # sums whose last digits would follow the threads, round by round
            scale, first = self._shrink(_of_one_size(rows), codes, owner, wanted)
        self.relevance_ = scale
        self.support_ = scale > 0
        if wanted is not None:
            order = np.lexsort((np.arange(d), -first, -scale))
            self.support_ = np.isin(np.arange(d), order[:wanted])
        elif not self.support_.any():
            self.support_[int(first.argmax())] = True
        return self

    def _shrink(
        self, Z: np.ndarray, codes: np.ndarray, owner: np.ndarray, wanted: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The scale of each column at the end, and what it weighed in the first round."""
        d = int(owner[-1]) + 1
        scale, first = np.ones(d), np.zeros(d)
        self.path_, self.n_iter_ = [], 0
        for step in range(self.max_iter):
            left = np.flatnonzero(scale[owner] > 0)
            weights = _machines(Z[:, left] * scale[owner[left]], codes, self.C)
            worth = np.sqrt(np.bincount(owner[left], (weights**2).sum(axis=0), minlength=d))
            first = worth if step == 0 else first
            before, scale = scale, scale * worth
            scale = scale / (scale.max() or 1.0)
            scale[scale < self.tol] = 0.0
            self.path_.append(int((scale > 0).sum()))
            self.n_iter_ = step + 1
            if (wanted is not None and self.path_[-1] <= wanted) or np.abs(scale - before).max() < self.tol:
                break
        if wanted is not None and self.path_[-1] < wanted:
            scale = np.where(scale > 0, scale, np.minimum(before, self.tol))  # those of the last round, behind the rest
        return scale, first


def _of_one_size(rows: np.ndarray) -> np.ndarray:
    """Columns less their means, over their deviations; constant ones are zero."""
    Z = rows.astype(np.float64)
    Z = Z - Z.mean(axis=0)
    size = np.sqrt((Z**2).mean(axis=0))
    constant = size <= 1e-12 * np.abs(rows).max(axis=0, initial=0.0)
    return np.where(constant, 0.0, Z / np.where(constant, 1.0, size))


def _machines(Z: np.ndarray, codes: np.ndarray, C: float) -> np.ndarray:
    """Weights of a linear machine for each class against the rest; for two classes of one."""
    classes = int(codes.max()) + 1
    found = []
    for label in range(classes) if classes > 2 else [1]:
        if not (codes == label).any():
            return np.zeros((1, Z.shape[1]))  # one class: nothing to part
        risk = Risk(SquaredHinge(), Z, (codes == label).astype(np.float64), None, 1 / C, True)
        found.append(Lbfgs(1e-9, 1000).solve(risk, L2(1.0)).w)
    return np.array(found)
