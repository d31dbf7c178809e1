"""Best-first and beam search."""

import heapq
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Nothing, Real, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.select.search._scores import SEARCH_RULES, JudgedSubset, Searching, Subset, SubsetScores
from lanatus.select.search._sequential import one_away


@method(
    section="11.1",
    task="transform",
    en="Best-first and beam search for a subset",
    zh="最佳优先与束搜索",
    peers=["weka:BestFirst"],
)
class BestFirstSelector(Searching, FeatureSelector):
    r"""Best-first search: of all subsets met so far the best whose neighbours were not looked at comes next.

    Greedy search keeps one subset; this one remembers the others and goes back to them when the way ahead gets worse,
    until `patience` subsets in a row led to nothing better. With `width` only so many of each size are remembered: beam
    search, which for a width of one is greedy.

    Book: section 11.1, which names greedy search. Cost: d subsets judged for each that is looked at.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner whose cross-validated score judges; None where `criterion` does.
    direction : {"forward", "backward"}, default="forward"
        Whether columns are added to none, or left out of all.
    patience : int, default=5
        Subsets in a row whose neighbours are no better than the best before it ends.
    width : int or None, default=None
        How many subsets of a size are gone on from, size after size; None is best-first search.
    n_features_to_select : int, float or None, default=None
        How many columns to keep, or which share; None as many as the score likes best.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn; the learner's own by default.
    cv : int, splitter, iterable or None, default=5
        The folds; None is 5.
    n_jobs : int or None, default=None
        Subsets judged at the same time, by learners.
    criterion : str, callable or None, default=None
        What judges where there is no `estimator`, as in `SequentialFeatureSelector`; None is the first.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    score_ : float, the score of the subset
    path_ : list of (subset, score), the subsets that were gone on from, in order
    subsets_ : list of (subset, score), all that were judged
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Ties go to the smaller subset, then to the one of earlier columns. With `n_features_to_select` no subset beyond that
    size is looked at, and best-first search does not end before one of that size was met.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import BestFirstSelector
    >>> X = np.random.default_rng(0).integers(2, size=(80, 6))
    >>> y = X[:, 1] ^ X[:, 4]  # neither tells anything alone
    >>> BestFirstSelector(n_features_to_select=2, width=6).fit(X, y).support_.tolist()
    [False, True, False, False, True, False]

    References
    ----------
    Kohavi and John (1997), Wrappers for feature subset selection.
    """

    _state: ClassVar = {}

    def __init__(
        self,
        estimator: Any = None,
        *,
        direction: str = "forward",
        patience: int = 5,
        width: int | None = None,
        n_features_to_select: Any = None,
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        criterion: Any = None,
    ) -> None:
        self.estimator = estimator
        self.direction = direction
        self.patience = patience
        self.width = width
        self.n_features_to_select = n_features_to_select
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.criterion = criterion

    _params = rules_for(
        __init__,
        SEARCH_RULES,
        direction=Choice("forward", "backward"),
        patience=Integer(low=1),
        width=Integer(low=1) | Nothing(),
        n_features_to_select=Integer(low=1) | Real(above=0, high=1) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search the columns of X for what tells y."""
        scores = self._scores(X, y)
        d, wanted = scores.n_columns, self.n_features_to_select
        if wanted is not None and not isinstance(wanted, int | np.integer):
            wanted = max(1, int(wanted * d))
        if wanted is not None and wanted > d:
            raise ValueError(f"n_features_to_select={self.n_features_to_select} is more than the {d} columns of X.")
        search = self._beam if self.width is not None else self._best_first
        self.path_ = search(scores, self.direction == "forward", wanted)
        sized = [one for one in scores.judged if wanted is None or len(one.subset) == wanted]
        best = max(sized, key=_rank)
        self.support_ = np.isin(np.arange(d), best.subset)
        self.score_, self.subsets_ = best.score, scores.judged
        return self

    def _best_first(self, scores: SubsetScores, forward: bool, wanted: int | None) -> list[JudgedSubset]:
        d = scores.n_columns
        first: Subset = () if forward else tuple(range(d))
        seen, path = {first}, []
        heap: list[tuple[Any, Subset]] = [((), first)]
        best, misses, met = -np.inf, 0, wanted is None or len(first) == wanted
        if first:
            best = scores.of(first)
        while heap and (misses < self.patience or not met):
            _, now = heapq.heappop(heap)
            if now:
                path.append(JudgedSubset(now, scores.of(now)))
            if len(now) == wanted:
                continue
            near = [one for one in one_away(now, d, forward) if one and one not in seen]
            seen.update(near)
            before = best
            for subset, score in zip(near, scores.of_all(near), strict=True):
                heapq.heappush(heap, (tuple(-part for part in _key(subset, score)), subset))
                met |= len(subset) == wanted
                best = max(best, score)
            misses = 0 if best > before else misses + 1
        return path

    def _beam(self, scores: SubsetScores, forward: bool, wanted: int | None) -> list[JudgedSubset]:
        d = scores.n_columns
        now: list[Subset] = [() if forward else tuple(range(d))]
        path = [] if forward else [JudgedSubset(now[0], scores.of(now[0]))]
        best, misses = -np.inf, 0
        while now and len(now[0]) != wanted and (wanted is not None or misses < self.patience):
            near = list(dict.fromkeys(one for subset in now for one in one_away(subset, d, forward) if one))
            if not near:
                break
            judged = [JudgedSubset(one, score) for one, score in zip(near, scores.of_all(near), strict=True)]
            kept = sorted(judged, key=_rank, reverse=True)[: self.width]
            path += kept
            misses = 0 if kept[0].score > best else misses + 1
            best = max(best, kept[0].score)
            now = [one.subset for one in kept]
        return path


def _key(subset: Subset, score: float) -> tuple[float, ...]:
    return (score, -len(subset), *(-j for j in subset))


def _rank(one: JudgedSubset) -> tuple[float, ...]:
    """Larger for better: the score, fewer columns, earlier ones."""
    return _key(one.subset, one.score)
