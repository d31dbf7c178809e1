"""k-modes and k-prototypes: k-means for categories, and for mixed tables."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, Integers, Tables, Takes, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.cluster.prototype._modes import dissimilarity, prototypes
from lanatus.params import Choice, Integer, Real, rules_for
from lanatus.scale import blockwise
from lanatus.table import Table


class _Modes(CallbackSupportMixin, ClusterMixin, Estimator):
    """The loop of both: rows to the nearest prototype, then new prototypes; counts of different values as distance."""

    _takes = Takes(nominal=True, missing=True)
    _wants = Tables()

    n_clusters: int
    init: str
    n_init: int
    max_iter: int
    random_state: Any
    modes_: np.ndarray
    means_: np.ndarray

    def _parts(self, table: Table, *, learn: bool) -> tuple[np.ndarray, np.ndarray]:
        """Columns that have means, and those that have modes."""
        raise NotImplementedError

    def _gamma(self, numbers: np.ndarray, weight: np.ndarray) -> float:
        raise NotImplementedError

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; what is missing is a value of its own.
        y : ignored
            There by convention.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        table = self._take(X, reset=True)
        n = len(table)
        given = self._weights(sample_weight, np.zeros((n, 1)))
        weight = np.ones(n) if given is None else given
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.")
        if not weight.any():
            raise ValueError("all weights are zero; wanted at least one row with a positive weight.")
        numbers, codes = self._parts(table, learn=True)
        self.gamma_ = self._gamma(numbers, weight)
        rng = check_random_state(self.random_state)
        seeds = rng.randint(2**31, size=self.n_init if self.init != "cao" else 1)
        progress = Progress(self, codes, weight, restarts=len(seeds), max_iter=self.max_iter)
        run = partial(self._run, numbers, codes, weight)
        best = progress.best_restart(seeds, run, lambda one, other: one["cost"] < other["cost"])
        self.means_, self.modes_ = best["means"], best["modes"]
        self.labels_, self.cost_, self.n_iter_ = best["labels"], float(best["cost"]), int(best["n_iter"])
        if not best["converged"]:
            warn_unconverged(self)
        progress.finish({"means_": self.means_, "modes_": self.modes_})
        return self

    def _run(self, numbers: np.ndarray, codes: np.ndarray, weight: np.ndarray, restart: Any) -> dict[str, Any]:
        saved = restart.saved
        if saved:
            means, modes, n_iter = saved["means"], saved["modes"], int(saved["n_iter"])
        else:
            rows = self._start(numbers, codes, weight, restart.seed)
            means, modes, n_iter = numbers[rows].copy(), codes[rows].copy(), 0
        labels, converged = np.full(len(codes), -1), False
        for iteration in restart.iterations(start=n_iter):
            apart = dissimilarity(numbers, codes, means, modes, self.gamma_)
            found = apart.argmin(axis=1)
            changed = not np.array_equal(found, labels)
            labels = found
            if changed:
                means, modes = prototypes(numbers, codes, weight, labels, means, modes, apart)
            n_iter = iteration.number + 1
            iteration.done(
                state=partial(_state, means, modes, n_iter),
                attributes=partial(_attributes, means, modes, self.gamma_, n_iter),
            )
            converged = not changed or iteration.stop
            if converged:
                break
        apart = dissimilarity(numbers, codes, means, modes, self.gamma_)
        labels = apart.argmin(axis=1).astype(np.int32)
        cost = float(weight @ apart[np.arange(len(labels)), labels])
        return {
            "means": means,
            "modes": modes,
            "labels": labels,
            "cost": cost,
            "n_iter": n_iter,
            "converged": converged,
        }

    def _start(self, numbers: np.ndarray, codes: np.ndarray, weight: np.ndarray, seed: int) -> np.ndarray:
        """Rows to begin with: by density and distance (Cao, Liang, Bai 2009), or drawn by distance, or at random."""
        rng, k = np.random.RandomState(seed % 2**32), self.n_clusters
        share = weight / weight.sum()
        if self.init == "random":
            able = np.flatnonzero(weight > 0)
            if len(able) < k:
                able = np.arange(len(weight))
            return np.sort(rng.choice(able, k, replace=False))
        density = np.ones(len(codes))
        for j in range(codes.shape[1]):
            density += _common(codes[:, j], share)
        first = int(np.argmax(density * (weight > 0))) if self.init == "cao" else int(rng.choice(len(codes), p=share))
        chosen = [first]
        near = dissimilarity(numbers, codes, numbers[[first]], codes[[first]], self.gamma_)[:, 0]
        while len(chosen) < k:
            score = near * (density * (weight > 0) if self.init == "cao" else weight)
            if self.init == "cao" or not score.sum() > 0:
                score[chosen] = -1.0
                row = int(np.argmax(score))
            else:
                row = int(rng.choice(len(codes), p=score / score.sum()))
            chosen.append(row)
            fresh = dissimilarity(numbers, codes, numbers[[row]], codes[[row]], self.gamma_)[:, 0]
            near = np.minimum(near, fresh)
        return np.array(chosen)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The nearest prototype of each row."""
        check_is_fitted(self)
        numbers, codes = self._parts(self._take(X, reset=False), learn=False)
        return dissimilarity(numbers, codes, self.means_, self.modes_, self.gamma_).argmin(axis=1).astype(np.int32)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Cluster the rows of X and give the cluster of each; y is ignored."""
        return np.asarray(self.fit(X, sample_weight=sample_weight).labels_)


@method("cluster.kmodes", section="9.7", task="clustering", en="k-modes", zh="k-modes", peers=["kmodes:KModes"])
class KModes(_Modes):
    r"""k-means for categories: prototypes are modes, and the distance is the number of columns that differ.

    Minimises :math:`\sum_i w_i \sum_j [x_{ij} \ne m_{c(i) j}]`: rows go to the nearest mode, and each column of a mode
    becomes the most frequent value in its cluster, alternately. Every distinct value of a column is a category, and
    what is missing is one more. Ties go to the lower cluster and the first value; a cluster that loses all its rows
    takes the row farthest from its mode.

    Book: section 9.7. Cost: O(n k d) a round; memory O(n (k + d)).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"cao", "plusplus", "random"}, default="cao"
        Modes to begin with: frequent and far apart (Cao et al. 2009, nothing is drawn), drawn by their distance from
        those before, or rows drawn at random.
    n_init : int, default=1
        Starts, the best is kept; "cao" has one.
    max_iter : int, default=100
        Most rounds of one start.
    random_state : int, RandomState or None, default=None
        Draws the modes to begin with.

    Attributes
    ----------
    modes_ : ndarray of shape (n_clusters, n_features), places of the values in ``values_``; -1: missing
    values_ : list of ndarrays, the values of each column of numbers; of others the schema has them
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    cost_ : float, differences from the modes
    n_iter_ : int, rounds
    means_ : ndarray of shape (n_clusters, 0), there for `KPrototypes`
    gamma_ : float, weight of a difference, 1
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import KModes
    >>> model = KModes(2).fit([["a", "x"], ["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"]])
    >>> model.labels_.tolist(), model.cost_
    ([0, 0, 0, 1, 1], 1.0)

    References
    ----------
    Huang (1998), Extensions to the k-means algorithm for clustering large data sets with categorical values.
    """

    _state: ClassVar = {"modes_": Integers("clusters", "modes", low=-1), "labels_": Integers("rows", below="clusters")}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str = "cao",
        n_init: int = 1,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__, n_clusters=Integer(low=1), init=Choice("cao", "plusplus", "random"), n_init=Integer(low=1)
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _parts(self, table: Table, *, learn: bool) -> tuple[np.ndarray, np.ndarray]:
        numbers = np.asarray(table.numeric, dtype=np.float64)
        if learn:
            self.values_ = [np.unique(column[~np.isnan(column)]) for column in numbers.T]
        coded = [_places(column, values) for column, values in zip(numbers.T, self.values_, strict=True)]
        codes = np.column_stack([*coded, table.codes]) if coded else np.asarray(table.codes)
        return np.empty((len(table), 0)), codes.astype(np.int64)

    def _gamma(self, numbers: np.ndarray, weight: np.ndarray) -> float:
        return 1.0


@method(section="9.7", task="clustering", en="k-prototypes", zh="k-prototypes", peers=["kmodes:KPrototypes"])
class KPrototypes(_Modes):
    r"""k-means for mixed tables: means of numbers, modes of categories.

    Minimises :math:`\sum_i w_i \left( \sum_{j \in N} (x_{ij} - \mu_{c(i)j})^2 + \gamma \sum_{j \in C} [x_{ij} \ne
    m_{c(i)j}] \right)` (Huang 1998). Numbers are taken as they are: scale them where their units differ. Ordered
    categories are categories. Missing numbers are left out of the means and of the distance; a missing category is a
    value of its own.

    Book: section 9.7, k-modes. Cost: O(n k d) a round; memory O(n (k + d)).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"cao", "plusplus", "random"}, default="cao"
        Prototypes to begin with, as in `KModes`.
    gamma : float or "auto", default="auto"
        Weight of a difference of categories; "auto" is half the mean standard deviation of the numbers, or 1.
    n_init : int, default=1
        Starts, the best is kept; "cao" has one.
    max_iter : int, default=100
        Most rounds of one start.
    random_state : int, RandomState or None, default=None
        Draws the prototypes to begin with.

    Attributes
    ----------
    means_ : ndarray of shape (n_clusters, n_numbers), means of the columns of numbers
    modes_ : ndarray of shape (n_clusters, n_categories), places of the values in the schema; -1: missing
    gamma_ : float, the weight
    labels_ : ndarray of shape (n_samples,), int32, cluster of each row
    cost_ : float, the sum that is minimised
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.cluster import KPrototypes
    >>> model = KPrototypes(2, gamma=1.0).fit([["a", 0.0], ["a", 1.0], ["b", 9.0], ["b", 10.0]])
    >>> model.labels_.tolist(), model.cost_
    ([0, 0, 1, 1], 1.0)

    References
    ----------
    Huang (1998), Extensions to the k-means algorithm for clustering large data sets with categorical values.
    """

    _state: ClassVar = {
        "means_": Floats("clusters", "numbers"),
        "modes_": Integers("clusters", "modes", low=-1),
        "labels_": Integers("rows", below="clusters"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str = "cao",
        gamma: Any = "auto",
        n_init: int = 1,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.gamma = gamma
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_clusters=Integer(low=1),
        init=Choice("cao", "plusplus", "random"),
        gamma=Choice("auto") | Real(low=0),
        n_init=Integer(low=1),
    )

    def _parts(self, table: Table, *, learn: bool) -> tuple[np.ndarray, np.ndarray]:
        return np.asarray(table.numeric, dtype=np.float64), np.asarray(table.codes, dtype=np.int64)

    def _gamma(self, numbers: np.ndarray, weight: np.ndarray) -> float:
        if self.gamma != "auto":
            return float(self.gamma)
        seen = ~np.isnan(numbers)
        mass = np.maximum(weight @ seen, np.finfo(float).tiny)
        filled = np.where(seen, numbers, 0.0)
        mean = weight @ filled / mass
        spread = np.sqrt(weight @ np.where(seen, (filled - mean) ** 2, 0.0) / mass)
        return float(spread.mean() / 2) or 1.0 if numbers.shape[1] else 1.0


def _places(column: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Place of each number among the values known; beyond all for another, -1 for none."""
    place = np.searchsorted(values, column)
    known = (
        (place < len(values)) & (values[np.minimum(place, max(len(values) - 1, 0))] == column)
        if len(values)
        else column != column
    )
    return np.where(np.isnan(column), -1, np.where(known, place, len(values)))


def _common(codes: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Share of the rows that have the value of each row."""
    _, place = np.unique(codes, return_inverse=True)
    return np.asarray(np.bincount(place, share)[place])


def _state(means: np.ndarray, modes: np.ndarray, n_iter: int) -> dict[str, Any]:
    return {"means": means, "modes": modes, "n_iter": n_iter}


def _attributes(means: np.ndarray, modes: np.ndarray, gamma: float, n_iter: int) -> dict[str, Any]:
    return {"means_": means, "modes_": modes, "gamma_": gamma, "n_iter_": n_iter}
