"""Co-training for numbers: two k-nearest-neighbour regressors teach each other."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.neighbors import NearestNeighbors
from lanatus.params import COMMON, Integer, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import partial_targets


@method(
    "semi.coreg",
    section="13.5",
    task="regression",
    en="COREG",
    zh="COREG半监督回归",
    peers=["LAMDA-SSL:CoReg"],
)
class CoReg(CallbackSupportMixin, RegressorMixin, Estimator):
    r"""Two regressors by nearest neighbours, with different distances, each labels rows for the other.

    A regressor predicts a row of a pool and asks how its own predictions of the labelled neighbours :math:`\Omega` of
    that row would change with it: it hands the row with the largest :math:`\sum_{x_i \in \Omega} (y_i - h(x_i))^2 -
    (y_i - h'(x_i))^2`, if that is above 0, to the other. The answer is the mean of the two.

    Book: section 13.5. Cost: :math:`O(p l k)` a round, for a pool of p rows and l labelled ones.

    Parameters
    ----------
    p1 : float, default=2.0
        Order of Minkowski's distance of the first regressor.
    p2 : float, default=5.0
        Of the second.
    k : int, default=3
        Neighbours.
    pool_size : int, default=100
        Rows that a round looks at.
    max_iter : int, default=100
        Most rounds.
    random_state : int, RandomState or None, default=None
        Draws the pool.

    Attributes
    ----------
    X_1_, X_2_ : ndarray of shape (n_known, n_features), the rows that each regressor knows in the end
    y_1_, y_2_ : ndarray of shape (n_known,), their numbers
    transduction_ : ndarray of shape (n_samples,), numbers of the rows of ``fit``, those that were known as they were
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A labelled row is left out of its own prediction: with it, a regressor of one neighbour would never err.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import CoReg
    >>> x = np.linspace(0, 6, 61)
    >>> X = np.column_stack([x, np.cos(x)])
    >>> y = np.where(np.arange(61) % 6 == 0, np.sin(x), np.nan)
    >>> model = CoReg(random_state=0).fit(X, y)
    >>> model.X_1_.shape[0] > 11, model.score(X, np.sin(x)) > 0.9
    (True, True)

    References
    ----------
    Zhou and Li (2005), Semi-supervised regression with co-training.
    """

    _state: ClassVar = {
        "X_1_": Floats("first", "columns"),
        "y_1_": Floats("first"),
        "X_2_": Floats("second", "columns"),
        "y_2_": Floats("second"),
    }

    X_1_: np.ndarray
    y_1_: np.ndarray
    X_2_: np.ndarray
    y_2_: np.ndarray
    transduction_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        p1: float = 2.0,
        p2: float = 5.0,
        k: int = 3,
        *,
        pool_size: int = 100,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.p1 = p1
        self.p2 = p2
        self.k = k
        self.pool_size = pool_size
        self.max_iter = max_iter
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        p1=Real(low=1, below=np.inf),
        p2=Real(low=1, below=np.inf),
        k=Integer(low=1),
        pool_size=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X, of which some have a number.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The numbers; NaN or None where there is none.
        """
        rows = self._take(X, reset=True)
        targets, known = partial_targets(y, rows)
        rng = check_random_state(self.random_state)
        waiting = rng.permutation(np.flatnonzero(~known))
        pool, waiting = waiting[: self.pool_size], waiting[self.pool_size :]
        start = np.flatnonzero(known)
        lists = [_Known(rows, start, targets[start], p, self.k) for p in (self.p1, self.p2)]
        progress = Progress(self, X, max_iter=self.max_iter)
        n_iter = 0
        for iteration in progress.iterations():
            handed: list[tuple[int, float] | None] = []
            for each in lists:
                best = each.best_of(pool)
                handed.append(best)
                if best is not None:
                    pool = pool[pool != best[0]]
            for other, best in zip(reversed(lists), handed, strict=True):
                if best is not None:
                    other.learn(*best)
            n_iter = iteration.number + 1
            iteration.done(state=dict, attributes=partial(self._learned, rows, lists, targets, known, n_iter))
            gone = sum(best is not None for best in handed)
            if iteration.stop or not gone:
                break
            pool, waiting = np.concatenate([pool, waiting[:gone]]), waiting[gone:]
        learned = self._learned(rows, lists, targets, known, n_iter)
        for name, value in learned.items():
            setattr(self, name, value)
        progress.finish(learned)
        return self

    def _learned(
        self, rows: np.ndarray, lists: list["_Known"], targets: np.ndarray, known: np.ndarray, n_iter: int
    ) -> dict[str, Any]:
        one, other = lists
        state = {
            "X_1_": rows[one.rows],
            "y_1_": one.values.copy(),
            "X_2_": rows[other.rows],
            "y_2_": other.values.copy(),
        }
        said = self._mean(rows, state)
        return {**state, "transduction_": np.where(known, targets, said), "n_iter_": n_iter}

    def _mean(self, X: np.ndarray, state: dict[str, np.ndarray]) -> np.ndarray:
        total = np.zeros(len(X))
        for p, rows, values in ((self.p1, state["X_1_"], state["y_1_"]), (self.p2, state["X_2_"], state["y_2_"])):
            search = NearestNeighbors(n_neighbors=min(self.k, len(rows)), p=p).fit(rows)
            near = search.kneighbors(X, return_distance=False)
            total += values[near].mean(axis=1)
        return total / 2

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The mean of both regressors for each row of X."""
        check_is_fitted(self)
        state = {name: getattr(self, name) for name in ("X_1_", "y_1_", "X_2_", "y_2_")}
        return self._mean(self._take(X, reset=False), state)


class _Known:
    """The rows and numbers that one regressor has learned."""

    def __init__(self, X: np.ndarray, rows: np.ndarray, values: np.ndarray, p: float, k: int) -> None:
        self.X, self.p, self.k = X, p, k
        self.rows, self.values = rows.copy(), values.copy()

    def learn(self, row: int, value: float) -> None:
        """Take in a row with the number that the other regressor gave it."""
        self.rows, self.values = np.append(self.rows, row), np.append(self.values, value)

    def best_of(self, pool: np.ndarray) -> tuple[int, float] | None:
        """The row of the pool that makes predictions of its labelled neighbours better most, and its number."""
        if not len(pool) or len(self.rows) < 2:
            return None
        k = min(self.k, len(self.rows) - 1)
        search = NearestNeighbors(n_neighbors=k, p=self.p).fit(self.X[self.rows])
        own_length, own = search.kneighbors()  # each known row's neighbours, itself left out
        own_sum = self.values[own].sum(axis=1)
        length, near = search.kneighbors(self.X[pool], n_neighbors=min(self.k, len(self.rows)))
        said = self.values[near].mean(axis=1)
        # With the new row, a neighbour's farthest neighbour gives way if the new row is nearer than it.
        nearer = length < own_length[near, -1]
        before = own_sum[near] / k
        after = (own_sum[near] - self.values[own[near, -1]] + said[:, None]) / k
        truth = self.values[near]
        gain = np.where(nearer, (truth - before) ** 2 - (truth - after) ** 2, 0.0).sum(axis=1)
        best = int(gain.argmax())
        return (int(pool[best]), float(said[best])) if gain[best] > 0 else None
