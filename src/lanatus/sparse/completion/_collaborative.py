"""Collaborative filtering: what users would think of items that they have not seen."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Tables, Takes, as_targets, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Flag, Integer, Real, rules_for
from lanatus.sparse.completion._ratings import Factors, alternate, damped_biases
from lanatus.table import Table


@method(
    "sparse.collaborative-filtering",
    section="11.6",
    task="regression",
    en="Collaborative filtering by matrix completion",
    zh="协同过滤",
    peers=["scikit-surprise:SVD", "implicit:AlternatingLeastSquares"],
)
class CollaborativeFilter(CallbackSupportMixin, RegressorMixin, Estimator):
    r"""Collaborative filtering: ratings that are missing, from those of users with like tastes.

    Users and items get factors of few numbers: a rating is :math:`\mu + b_u + c_i + p_u^\top q_i`, fitted by
    :math:`\min \sum_{known} (r_{ui} - \ldots)^2 + \lambda (\sum_u n_u \lVert p_u \rVert^2 + \sum_i n_i \lVert q_i
    \rVert^2)`: completion of the ratings to a matrix of low rank, whose nuclear norm these squares stand for.

    Book: section 11.6, table 11.1. Cost: :math:`O(|known| k^2 + (users + items) k^3)` a round; nothing dense.

    Parameters
    ----------
    n_components : int, default=10
        Numbers of a factor, k; 0 leaves the biases alone.
    reg : float, default=0.2
        :math:`\lambda`; it grows with the number of ratings of a user or item.
    bias : bool, default=True
        Whether there are a mean and biases of users and items, fitted first.
    bias_reg : float, default=5.0
        Ratings of nothing special by which biases of users and items with few ratings are drawn to zero.
    max_iter : int, default=15
        Most rounds of alternating least squares.
    tol : float, default=1e-4
        Stop when the objective falls by no more than this share.
    random_state : int, RandomState or None, default=None
        Draws where the factors begin.

    Attributes
    ----------
    users_, items_ : ndarray, those known, in order
    user_factors_, item_factors_ : ndarray of shapes (n_users, k) and (n_items, k)
    user_bias_, item_bias_ : ndarray of shapes (n_users,) and (n_items,)
    mean_ : float, the mean rating
    rated_begin_, rated_items_, ratings_ : ndarray, where each user's ratings begin, places of items, the ratings
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them, 2
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    X has two columns, user and item, of numbers or words; y is the rating. A pair that stands twice counts twice. A
    user or an item that was not seen gets the mean and the other's bias; `fold_in` makes a factor for a new user from
    some ratings without learning anew.

    Examples
    --------
    >>> from lanatus.sparse import CollaborativeFilter
    >>> X = [["ann", "dune"], ["ann", "emma"], ["bob", "dune"], ["cat", "emma"]]
    >>> model = CollaborativeFilter(1, random_state=0).fit(X, [5.0, 1.0, 5.0, 1.0])
    >>> bool(model.predict([["bob", "emma"]]) < model.predict([["cat", "dune"]]))
    True

    References
    ----------
    Koren, Bell and Volinsky (2009), Matrix factorization techniques for recommender systems. Zhou, Wilkinson,
    Schreiber and Pan (2008), Large-scale parallel collaborative filtering for the Netflix prize.
    """

    _wants = Tables()
    _takes = Takes(nominal=True)
    _state: ClassVar = {}
    users_: np.ndarray
    items_: np.ndarray
    rated_begin_: np.ndarray
    rated_items_: np.ndarray
    ratings_: np.ndarray

    def __init__(
        self,
        n_components: int = 10,
        *,
        reg: float = 0.2,
        bias: bool = True,
        bias_reg: float = 5.0,
        max_iter: int = 15,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.reg = reg
        self.bias = bias
        self.bias_reg = bias_reg
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(__init__, n_components=Integer(low=0), reg=Real(low=0), bias=Flag(), bias_reg=Real(low=0))

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn factors of users and items.

        Parameters
        ----------
        X : array or frame of shape (n_ratings, 2)
            User and item of each rating.
        y : array of shape (n_ratings,)
            The ratings.

        Returns
        -------
        self
        """
        table = self._take(X, reset=True)
        ratings = np.asarray(as_targets(y, table), dtype=np.float64)
        if ratings.ndim != 1:
            raise ValueError(f"y must be one rating a row; got shape {ratings.shape}.")
        users, items = _pairs(table)
        self.users_, rows = np.unique(users, return_inverse=True)
        self.items_, columns = np.unique(items, return_inverse=True)
        shape = len(self.users_), len(self.items_)
        known = _rows_of(rows, columns, ratings, shape)
        mean, b, c = damped_biases(known, self.bias_reg) if self.bias else (0.0, np.zeros(shape[0]), np.zeros(shape[1]))
        U, V = np.zeros((shape[0], 0)), np.zeros((shape[1], 0))
        rest = known.copy()
        rest.data = known.data - Factors(mean, b, c, U, V).at(known)
        self.n_iter_ = 0
        if self.n_components:
            U, V, self.n_iter_ = self._factor(X, rest)
        self.mean_, self.user_bias_, self.item_bias_, self.user_factors_, self.item_factors_ = mean, b, c, U, V
        self.rated_begin_, self.rated_items_, self.ratings_ = known.indptr, known.indices, known.data
        return self

    def _factor(self, X: Any, rest: sp.csr_matrix) -> tuple[np.ndarray, np.ndarray, int]:
        progress = Progress(self, X, max_iter=self.max_iter)
        steps = iter(progress.iterations())

        def report(done: int, U: np.ndarray, V: np.ndarray) -> bool:
            step = next(steps, None)
            if step is None:
                return True
            step.done(state=dict, attributes=lambda: {"user_factors_": U, "item_factors_": V})
            return bool(step.stop)

        rng = check_random_state(self.random_state)
        found = alternate(rest, self.n_components, self.reg, True, self.max_iter, self.tol, rng, report)
        progress.finish({})
        return found

    def predict(self, X: Any) -> np.ndarray:
        """The rating of each pair of user and item."""
        check_is_fitted(self)
        users, items = _pairs(self._take(X, reset=False))
        u, i = _places(users, self.users_), _places(items, self.items_)
        known_u, known_i = u >= 0, i >= 0
        out = np.full(len(u), self.mean_)
        out[known_u] += self.user_bias_[u[known_u]]
        out[known_i] += self.item_bias_[i[known_i]]
        both = known_u & known_i
        out[both] += np.einsum("ij,ij->i", self.user_factors_[u[both]], self.item_factors_[i[both]])
        return out

    def recommend(self, user: Any, n_items: int = 10, *, seen: bool = False) -> list[tuple[Any, float]]:
        """The items that a user would like most, and their ratings.

        Parameters
        ----------
        user : label
            A known user.
        n_items : int, default=10
            How many.
        seen : bool, default=False
            Whether items that the user has rated may be among them.

        Returns
        -------
        list of (item, rating)
            The best first; ties go to the earlier item.
        """
        check_is_fitted(self)
        u = self._user(user)
        scores = self.mean_ + self.user_bias_[u] + self.item_bias_ + self.item_factors_ @ self.user_factors_[u]
        if not seen:
            scores[self.rated_items_[self.rated_begin_[u] : self.rated_begin_[u + 1]]] = -np.inf
        best = np.argsort(-scores, kind="stable")[:n_items]
        return [(self.items_[i], float(scores[i])) for i in best if np.isfinite(scores[i])]

    def fold_in(self, items: Any, ratings: Any) -> tuple[float, np.ndarray]:
        """Bias and factor of a new user from ratings of known items, with the items as they are.

        Parameters
        ----------
        items : sequence of labels
            What was rated; those unknown are left out.
        ratings : sequence of float
            The ratings.

        Returns
        -------
        bias : float
        factor : ndarray of shape (n_components,)
        """
        check_is_fitted(self)
        at = _places(np.asarray(items), self.items_)
        r, at = np.asarray(ratings, dtype=np.float64)[at >= 0], at[at >= 0]
        rest = r - self.mean_ - self.item_bias_[at]
        bias = float(rest.sum() / (len(rest) + self.bias_reg)) if self.bias and len(rest) else 0.0
        Q = self.item_factors_[at]
        if not len(at) or not Q.shape[1]:
            return bias, np.zeros(Q.shape[1])
        G = Q.T @ Q + self.reg * len(at) * np.eye(Q.shape[1])
        return bias, np.linalg.lstsq(G, Q.T @ (rest - bias), rcond=None)[0]

    def explain(self, user: Any, item: Any, n_items: int = 5) -> list[tuple[Any, float]]:
        """Which of a user's own ratings speak for or against an item.

        With the items' factors as they are, the user's factor is linear in the ratings, so that each has a share in
        the rating told: :math:`q_i^\\top (Q^\\top Q + \\lambda n_u I)^{-1} q_j (r_{uj} - \\mu - b_u - c_j)`.

        Parameters
        ----------
        user, item : label
            Both known.
        n_items : int, default=5
            How many.

        Returns
        -------
        list of (item, share)
            Those of largest magnitude first.
        """
        check_is_fitted(self)
        u, i = self._user(user), int(_places(np.asarray([item]), self.items_)[0])
        if i < 0:
            raise ValueError(f"item {item!r} is not known; there are {len(self.items_)}, such as {self.items_[0]!r}.")
        own = slice(self.rated_begin_[u], self.rated_begin_[u + 1])
        at, r = self.rated_items_[own], self.ratings_[own]
        Q = self.item_factors_[at]
        G = Q.T @ Q + max(self.reg, 1e-12) * len(at) * np.eye(Q.shape[1])
        shares = (Q @ np.linalg.solve(G, self.item_factors_[i])) * (
            r - self.mean_ - self.user_bias_[u] - self.item_bias_[at]
        )
        best = np.argsort(-np.abs(shares), kind="stable")[:n_items]
        return [(self.items_[at[j]], float(shares[j])) for j in best]

    def _user(self, user: Any) -> int:
        u = int(_places(np.asarray([user]), self.users_)[0])
        if u < 0:
            raise ValueError(f"user {user!r} is not known; fold_in makes a factor for a new one from some ratings.")
        return u


def _pairs(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Users and items of a table of two columns."""
    if len(table.schema) != 2:
        raise ValueError(f"X has {len(table.schema)} columns; wanted two, user and item.")
    found, numbers, words = [], iter(np.asarray(table.numeric).T), iter(table.codes.T)
    for column in table.schema.columns:
        if column.kind == "numeric":
            found.append(next(numbers))
        else:
            known = np.array([*map(str, column.categories), ""])
            found.append(known[next(words)])
    return found[0], found[1]


def _places(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Where values stand among the sorted known ones; -1 for others."""
    if known.dtype.kind in "US" and values.dtype.kind not in "US":
        values = values.astype(str)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, at, -1)


def _rows_of(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> sp.csr_matrix:
    """CSR of triples; a pair that stands twice keeps both."""
    order = np.lexsort((columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))]).astype(np.int32)
    return sp.csr_matrix((values[order], columns[order].astype(np.int32), indptr), shape=shape)


@method(
    "sparse.collaborative-filtering",
    section="11.6",
    task="evaluation",
    kind="measure",
    en="Ranking measures of recommendations",
    zh="推荐排序度量",
)
def ranking_measures(
    users: Any, y_true: Any, y_pred: Any, *, k: int = 10, relevant: float | None = None
) -> dict[str, float]:
    r"""How well ratings that are told put each user's items in order, averaged over users.

    Precision and recall of the first k; :math:`NDCG = \frac{\sum_j g_j / \log_2(j + 1)}{\text{the best possible}}` with
    :math:`g = 2^r - 1`; and the share of pairs of unequal ratings in the right order.

    Book: section 11.6. Cost: :math:`O(n \log n)`, and :math:`O(n_u^2)` for the pairs of a user.

    Parameters
    ----------
    users : array of shape (n_ratings,)
        Whose rating it is.
    y_true, y_pred : array of shape (n_ratings,)
        True ratings, and those told.
    k : int, default=10
        How many come first.
    relevant : float or None, default=None
        From which rating on an item counts as liked; None is the mean of `y_true`.

    Returns
    -------
    dict of str to float
        "precision", "recall", "ndcg", "pairs"; of users to whom a measure applies.

    Examples
    --------
    >>> from lanatus.sparse import ranking_measures
    >>> ranking_measures(["a", "a", "b", "b"], [5, 1, 2, 4], [4, 2, 1, 3], k=1)["pairs"]
    1.0
    """
    users, y_true, y_pred = np.asarray(users), np.asarray(y_true, float), np.asarray(y_pred, float)
    if not len(users) == len(y_true) == len(y_pred) or not len(users):
        raise ValueError(f"got {len(users)} users, {len(y_true)} ratings and {len(y_pred)} told; wanted as many, some.")
    bar = float(y_true.mean()) if relevant is None else relevant
    found: dict[str, list[float]] = {"precision": [], "recall": [], "ndcg": [], "pairs": []}
    order = np.argsort(users, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(np.unique(users, return_inverse=True)[1][order])) + 1):
        r, told = y_true[own], y_pred[own]
        first = np.argsort(-told, kind="stable")[:k]
        good = r >= bar
        found["precision"].append(float(good[first].mean()))
        if good.any():
            found["recall"].append(float(good[first].sum() / good.sum()))
        discount = 1 / np.log2(np.arange(2, len(first) + 2))
        gain, best = (2 ** r[first] - 1) @ discount, (2 ** np.sort(r)[::-1][:k] - 1) @ discount
        if best > 0:
            found["ndcg"].append(float(gain / best))
        sign = np.sign(r[:, None] - r)
        if sign.any():
            right = np.sign(told[:, None] - told)
            found["pairs"].append(float((((right * sign) + 1) / 2)[sign != 0].mean()))
    return {name: float(np.mean(values)) if values else float("nan") for name, values in found.items()}
