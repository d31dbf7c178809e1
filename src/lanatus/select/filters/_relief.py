"""Relief, Relief-F, RRelief-F, and Relief of pairs of columns."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Tables, Takes, as_targets, coded_rows, fitting
from lanatus.catalog import method
from lanatus.metric import blocks
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.select._selector import FeatureSelector, best_columns
from lanatus.select.filters._differences import Differences
from lanatus.table import Table

_POWER = {"squared": 2, "absolute": 1}
_SHARE = Real(above=0, high=1)


class _Relief(FeatureSelector):
    """What the three have in common: rows to ask, and how many columns to keep."""

    _wants = Tables()
    _takes = Takes(nominal=True, missing=True)
    _state: ClassVar = {"feature_importances_": Floats("features"), "relevance_": Floats("features")}

    n_features_to_select: Any
    threshold: float | None
    n_samples: Any
    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _asked(self, n: int) -> np.ndarray:
        """The rows whose neighbours are looked at, in ascending order."""
        if self.n_samples is None:
            return np.arange(n)
        count = self.n_samples if isinstance(self.n_samples, int | np.integer) else max(1, int(self.n_samples * n))
        if count > n:
            raise ValueError(f"n_samples={self.n_samples} is more than the {n} rows of X.")
        return np.sort(check_random_state(self.random_state).permutation(n)[:count])

    def _keep(self, relevance: np.ndarray, m: int) -> None:
        self.relevance_, self.feature_importances_ = relevance, relevance / m
        self.support_ = best_columns(relevance, self.n_features_to_select, self.threshold, 0.0)


@method(
    "select.relief",
    section="11.2",
    task="transform",
    en="Relief",
    zh="Relief",
    peers=["skrebate:ReliefF", "fast-select:ReliefF"],
)
class Relief(_Relief):
    r"""Relief: a column is relevant if it differs between a row and its near-miss, and not from its near-hit.

    :math:`\delta^j = \sum_i -\mathrm{diff}(x_i^j, x_{i,nh}^j)^2 + \mathrm{diff}(x_i^j, x_{i,nm}^j)^2` (11.3): the
    near-hit is the nearest row of the same class, the near-miss the nearest of another. diff is :math:`|x - z|` over
    the range of a column of numbers or ranks, and 0 or 1 for nominal values; rows are near by the sum of the same.

    Book: section 11.2, exercise 11.1; cookbook section 7.5. Cost: the nearest rows of :math:`m` rows asked among n, and
    :math:`O(md)`; with missing values :math:`O(mnd)`.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep, or which share; None keeps those above `threshold`.
    threshold : float or None, default=None
        :math:`\tau`, above which :math:`\delta^j` must be; None is 0. The best column is always kept.
    diff : {"squared", "absolute"}, default="squared"
        The book's differences, or the cookbook's, which are not squared.
    n_samples : int, float or None, default=None
        Rows to ask, drawn without replacement, or their share; None is all.
    random_state : int, RandomState or None, default=None
        Draws the rows to ask.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,), :math:`\delta`, the sum over the rows asked
    feature_importances_ : ndarray of shape (n_features,), the mean instead
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    rows_ : ndarray of shape (n_asked,), the rows asked
    near_hits_ : ndarray of shape (n_asked,), the near-hit of each, -1 where its class has no other row
    near_misses_ : ndarray of shape (n_asked,), the near-miss of each
    classes_ : ndarray of shape (n_classes,), the labels in order
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The book has two classes; of more, a near-miss is of any other class. A row that is alone in its class has no
    near-hit, which adds nothing. What is missing in one of two rows tells nothing: the column is left out of their
    distance, which is scaled up for it, and differs by 0. A constant column has relevance 0.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import Relief
    >>> melons = load_watermelon("3.0")
    >>> model = Relief().fit(melons.frame[melons.feature_names], melons.target)
    >>> dict(zip(melons.feature_names, model.relevance_.round(3).tolist()))["纹理"]
    9.0
    >>> model.get_feature_names_out().tolist()
    ['根蒂', '纹理', '脐部', '含糖率']

    References
    ----------
    Kira, Rendell: The feature selection problem, AAAI 1992.
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        threshold: float | None = None,
        diff: str = "squared",
        n_samples: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.diff = diff
        self.n_samples = n_samples
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_features_to_select=Integer(low=1) | _SHARE | Nothing(),
        threshold=Real() | Nothing(),
        diff=Choice("squared", "absolute"),
        n_samples=Integer(low=1) | _SHARE | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Weigh the columns of X by the labels y."""
        table, codes = coded_rows(self, X, y, least=2)
        gaps = Differences(table, _POWER[self.diff])
        asked = self._asked(len(table))
        hits, misses = _hits_and_misses(gaps, asked, codes)
        relevance = np.zeros(len(table.schema))
        for part in blocks(len(asked), len(table.schema)):
            known = hits[part] >= 0
            relevance += gaps.of(asked[part], misses[part]).sum(axis=0)
            relevance -= gaps.of(asked[part][known], hits[part][known]).sum(axis=0)
        self.rows_, self.near_hits_, self.near_misses_ = asked, hits, misses
        self._keep(relevance, len(asked))
        return self


def _hits_and_misses(gaps: Differences, asked: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The near-hit of each row asked, -1 where there is none, and its near-miss."""
    hits, misses = np.full(len(asked), -1, np.intp), np.empty(len(asked), np.intp)
    for label in np.unique(codes[asked]):
        own = codes[asked] == label
        same, others = np.flatnonzero(codes == label), np.flatnonzero(codes != label)
        if len(same) > 1:
            hits[own] = gaps.nearest(asked[own], same, 1)[:, 0]
        misses[own] = gaps.nearest(asked[own], others, 1)[:, 0]
    return hits, misses


@method(
    "select.relief-f",
    section="11.2",
    task="transform",
    en="Relief-F",
    zh="Relief-F",
    peers=["skrebate:ReliefF", "fast-select:ReliefF"],
)
class ReliefF(_Relief):
    r"""Relief-F: near-misses of every other class, several of each.

    :math:`\delta^j = \sum_i -\mathrm{diff}(x_i^j, x_{i,nh}^j)^2 + \sum_{l \ne k} p_l\,
    \mathrm{diff}(x_i^j, x_{i,l,nm}^j)^2` (11.4) with the share :math:`p_l` of each class; the mean over
    `n_neighbors` near-hits, and over as many near-misses of each class.

    Book: section 11.2, exercise 11.2. Cost: the nearest rows of each class for the rows asked, and :math:`O(mkdK)` for
    k neighbours of K classes.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep, or which share; None keeps those above `threshold`.
    n_neighbors : int, default=10
        Neighbours of each class; 1 in the book. A class with fewer rows gives all of them.
    threshold : float or None, default=None
        Above which :math:`\delta^j` must be; None is 0. The best column is always kept.
    diff : {"squared", "absolute"}, default="absolute"
        The book's differences, or Kononenko's, which are not squared.
    normalize_prior : bool, default=True
        Whether the shares of the other classes are divided by their sum, :math:`1 - p_k`, as Kononenko has it. The book
        does not: with two classes (11.4) is then not (11.3).
    n_samples : int, float or None, default=None
        Rows to ask, drawn without replacement, or their share; None is all.
    random_state : int, RandomState or None, default=None
        Draws the rows to ask.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,), :math:`\delta`, the sum over the rows asked
    feature_importances_ : ndarray of shape (n_features,), the mean instead
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    rows_ : ndarray of shape (n_asked,), the rows asked
    classes_ : ndarray of shape (n_classes,), the labels in order
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values, constant columns and rows alone in their class are as in `Relief`. scikit-rebate's importances are
    `feature_importances_`, up to its rule for missing values.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import ReliefF
    >>> melons = load_watermelon("3.0")
    >>> book = ReliefF(n_neighbors=1, diff="squared", normalize_prior=False)
    >>> book.fit(melons.frame[melons.feature_names], melons.target).relevance_.round(3).tolist()
    [-8.941, 0.471, -3.118, 3.0, 3.412, -5.529, -1.023, 0.552]

    References
    ----------
    Kononenko: Estimating attributes, ECML 1994. Robnik-Sikonja, Kononenko: Theoretical and empirical analysis of
    ReliefF and RReliefF, Machine Learning 53, 2003.
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        n_neighbors: int = 10,
        threshold: float | None = None,
        diff: str = "absolute",
        normalize_prior: bool = True,
        n_samples: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.diff = diff
        self.normalize_prior = normalize_prior
        self.n_samples = n_samples
        self.random_state = random_state

    _params = rules_for(__init__, Relief._params, n_neighbors=Integer(low=1), normalize_prior=Flag())

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Weigh the columns of X by the labels y."""
        table, codes = coded_rows(self, X, y, least=2)
        gaps = Differences(table, _POWER[self.diff])
        self.rows_ = self._asked(len(table))
        share = np.bincount(codes) / len(codes)
        relevance = np.zeros(len(table.schema))
        for label in range(len(share)):
            among = np.flatnonzero(codes == label)
            for k in np.unique(codes[self.rows_]):
                asked = self.rows_[codes[self.rows_] == k]
                count = min(self.n_neighbors, len(among) - (k == label))
                weight = -1.0 if k == label else share[label] / (1 - share[k] if self.normalize_prior else 1.0)
                if count:
                    relevance += weight * _mean_gap(gaps, asked, gaps.nearest(asked, among, count))
        self._keep(relevance, len(self.rows_))
        return self


def _mean_gap(gaps: Differences, asked: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Differences in each column, the mean over the neighbours of a row, summed over the rows."""
    k = near.shape[1]
    total = np.zeros(gaps.values.shape[1])
    for part in blocks(len(asked), k * gaps.values.shape[1]):
        total += gaps.of(np.repeat(asked[part], k), near[part].ravel()).sum(axis=0)
    return np.asarray(total / k)


@method(section="11.2", task="transform", en="RRelief-F", zh="RRelief-F", peers=["skrebate:ReliefF"])
class RReliefF(_Relief):
    r"""RRelief-F: Relief for numbers to predict.

    Near rows of different targets take the place of near-misses: with the chance that targets of near rows differ,
    :math:`P_c`, that a column does, :math:`P_a`, and that both do, the relevance is
    :math:`P_{ca} / P_c - (P_a - P_{ca}) / (1 - P_c)`. A neighbour counts by its rank r,
    :math:`e^{-(r / \sigma)^2}`.

    Book: section 11.2. Cost: the nearest rows of the rows asked, and :math:`O(mkd)`.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep, or which share; None keeps those above `threshold`.
    n_neighbors : int, default=70
        Neighbours of each row; all there are, if they are fewer.
    sigma : float, default=20.0
        How fast a neighbour counts less, in ranks.
    threshold : float or None, default=None
        Above which the relevance must be; None is 0. The best column is always kept.
    n_samples : int, float or None, default=None
        Rows to ask, drawn without replacement, or their share; None is all.
    random_state : int, RandomState or None, default=None
        Draws the rows to ask.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,), from -1 to 1
    feature_importances_ : ndarray of shape (n_features,), the same
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    rows_ : ndarray of shape (n_asked,), the rows asked
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are as in `Relief`. Targets that are all alike make nothing relevant: all is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import RReliefF
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> RReliefF().fit(X, np.abs(X[:, 1])).support_.tolist()
    [False, True, False]

    References
    ----------
    Robnik-Sikonja, Kononenko: An adaptation of Relief for attribute estimation in regression, ICML 1997.
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        n_neighbors: int = 70,
        sigma: float = 20.0,
        threshold: float | None = None,
        n_samples: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.threshold = threshold
        self.n_samples = n_samples
        self.random_state = random_state

    _params = rules_for(__init__, Relief._params, n_neighbors=Integer(low=1), sigma=Real(above=0))

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Weigh the columns of X by the targets y."""
        table = self._take(X, reset=True, min_rows=2)
        target = as_targets(y, table).astype(np.float64)
        if target.ndim > 1:
            if target.shape[1] > 1:
                raise ValueError(f"y has {target.shape[1]} columns; wanted one target.")
            target = target.ravel()
        gaps = Differences(table, 1)
        self.rows_ = self._asked(len(table))
        near = gaps.nearest(self.rows_, np.arange(len(table)), min(self.n_neighbors, len(table) - 1))
        counts = np.exp(-((np.arange(1, near.shape[1] + 1) / self.sigma) ** 2))
        counts /= counts.sum()
        span = np.ptp(target) or 1.0
        apart = np.abs(target[self.rows_][:, None] - target[near]) / span * counts
        changed, both = np.zeros(len(table.schema)), np.zeros(len(table.schema))
        k = near.shape[1]
        for part in blocks(len(near), k * len(table.schema)):
            found = gaps.of(np.repeat(self.rows_[part], k), near[part].ravel())
            changed += np.tile(counts, len(near[part])) @ found
            both += apart[part].ravel() @ found
        m, target_changed = len(self.rows_), apart.sum()
        relevance = np.zeros(len(changed))
        if 0 < target_changed < m:
            relevance = both / target_changed - (changed - both) / (m - target_changed)
        self.relevance_ = self.feature_importances_ = relevance
        self.support_ = best_columns(relevance, self.n_features_to_select, self.threshold, 0.0)
        return self


@method(
    "select.relief-pairs", section="ex 11.3", task="transform", kind="measure", en="Relief for pairs", zh="属性对Relief"
)
def relief_pairs(X: Any, y: Any, *, diff: str = "squared") -> np.ndarray:
    r"""Relevance of pairs of columns by Relief (exercise 11.3).

    Two columns together differ as much as the one that differs more: for nominal values, by 1 unless both agree. The
    near-hits and near-misses are those of `Relief`, and so is the diagonal.

    Book: exercise 11.3. Cost: that of `Relief`, and :math:`O(nd^2)`.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels.
    diff : {"squared", "absolute"}, default="squared"
        As in `Relief`.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        :math:`\delta^{jk}`, symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import relief_pairs
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]] * 2)
    >>> relief_pairs(X, X[:, 0] ^ X[:, 1]).tolist()  # neither of the first two alone is worth as much as both
    [[4.0, 8.0, 4.0], [8.0, 4.0, 4.0], [4.0, 4.0, 0.0]]
    """
    model = Relief(diff=diff).fit(X, y)
    table: Table = model._take(X, reset=False)
    gaps = Differences(table, _POWER[diff])
    d = len(table.schema)
    pairs = np.zeros((d, d))
    known = model.near_hits_ >= 0
    for sign, rows, others in (
        (1.0, model.rows_, model.near_misses_),
        (-1.0, model.rows_[known], model.near_hits_[known]),
    ):
        for part in blocks(len(rows), d * d):
            found = gaps.of(rows[part], others[part])
            pairs += sign * np.maximum(found[:, :, None], found[:, None, :]).sum(axis=0)
    return pairs
