"""Greedy search: forward, backward, both ways, floating, plus l minus r."""

from itertools import cycle
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.select.search._scores import SEARCH_RULES, JudgedSubset, Searching, Subset, SubsetScores

_COUNT = Choice("auto", "best") | Integer(low=1) | Real(above=0, high=1)


@method(
    "select.forward-search",
    "select.backward-search",
    "select.bidirectional-search",
    "select.floating-search",
    section="11.1",
    task="transform",
    en="Sequential search for a subset",
    zh="前向、后向、双向与浮动搜索",
    peers=["scikit-learn:SequentialFeatureSelector", "mlxtend:SequentialFeatureSelector"],
)
class SequentialFeatureSelector(Searching, FeatureSelector):
    r"""Greedy search: a column is added, or left out, at a time, the best one each time.

    "forward" begins with none and adds; "backward" begins with all and leaves out; "bidirectional" adds the best and
    leaves out the worst by turns, and no column that was added goes. `floating` goes back after each step as long as a
    subset of that size becomes better than the best one known (SFFS, SBFS). All can miss the best subset.

    Book: section 11.1; cookbook section 7.6. Cost: :math:`O(d^2)` subsets judged, each once: by cross-validation of a
    learner, which makes this a wrapper, or by a criterion, a filter.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner whose cross-validated score judges; None where `criterion` does.
    n_features_to_select : "auto", "best", int or float, default="auto"
        How many columns to keep, or which share. "best" is the book's rule: stop when no step makes the score better,
        or, backward, when every step makes it worse. "auto" is to take or leave half of them, or, with `tol`, to stop
        when the score rises by less than that.
    tol : float or None, default=None
        With "auto": the least rise of the score for a step to be made; below 0 for backward search.
    direction : {"forward", "backward", "bidirectional"}, default="forward"
        Which way.
    scoring : str, callable or None, default=None
        The score, as in scikit-learn; the learner's own by default.
    cv : int, splitter, iterable or None, default=5
        The folds; None is 5.
    n_jobs : int or None, default=None
        Subsets judged at the same time, by learners.
    criterion : str, callable or None, default=None
        What judges where there is no `estimator`: "information-gain" (11.1), "partition-difference" (minus the share of
        pairs on which the partition and the labels disagree), "consistency", "cfs" or "fisher" (`consistency`,
        `cfs_merit`, `fisher_criterion`), "aic" (minus Akaike's criterion of least squares), or a function of
        (X, y, subset), larger for better. None is the first.
        None is the first.
    floating : bool, default=False
        Whether steps back are tried.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    n_features_to_select_ : int, how many
    score_ : float, the score of the subset
    path_ : list of (subset, score), the subset after each step
    subsets_ : list of (subset, score), all that were judged
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Ties go to the earlier column, or to the earlier one left out. Both ways end where all columns were decided on, at
    the best subset of the path for "best" and at the asked number otherwise.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import SequentialFeatureSelector
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[["色泽", "根蒂", "敲声", "纹理", "脐部", "触感"]]
    >>> search = SequentialFeatureSelector(criterion="information-gain", n_features_to_select="best")
    >>> search.fit(X, melons.target).get_feature_names_out().tolist(), round(search.score_, 6)
    (['色泽', '根蒂', '纹理', '触感'], 0.997503)

    References
    ----------
    Pudil, Novovicova, Kittler: Floating search methods in feature selection, Pattern Recognition Letters 15, 1994.
    """

    _state: ClassVar = {}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = "auto",
        tol: float | None = None,
        direction: str = "forward",
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        criterion: Any = None,
        floating: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.direction = direction
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.criterion = criterion
        self.floating = floating

    _params = rules_for(
        __init__,
        SEARCH_RULES,
        n_features_to_select=_COUNT,
        tol=Real() | Nothing(),
        direction=Choice("forward", "backward", "bidirectional"),
        floating=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search the columns of X for what tells y."""
        if self.direction == "bidirectional" and self.floating:
            raise ValueError("floating steps go back; direction='bidirectional' keeps what it added. Choose one.")
        if self.tol is not None and self.tol < 0 and self.direction != "backward":
            raise ValueError(f"tol must be strictly positive when doing {self.direction} selection; got {self.tol:g}.")
        scores = self._scores(X, y)
        wanted = self._wanted(scores.n_columns)
        if self.direction == "bidirectional":
            self.path_ = both_ways(scores, wanted)
        else:
            self.path_ = self._one_way(scores, wanted)
        self._choose(wanted)
        self.subsets_ = scores.judged
        self.support_ = np.isin(np.arange(scores.n_columns), self._chosen.subset)
        self.score_, self.n_features_to_select_ = self._chosen.score, len(self._chosen.subset)
        return self

    def _wanted(self, d: int) -> int | None:
        """How many columns; None for as many as make the score better."""
        count = self.n_features_to_select
        if count == "best" or (count == "auto" and self.tol is not None):
            return None
        if count == "auto":
            return max(1, d // 2 if self.direction != "backward" else d - d // 2)
        wanted = int(count) if isinstance(count, int | np.integer) else max(1, int(count * d))
        if wanted > d or (wanted == d and d > 1 and isinstance(count, int | np.integer)):
            raise ValueError(f"n_features_to_select must be < n_features: got {count} of {d} columns.")
        return wanted

    def _worth_it(self, before: float | None, after: float) -> bool:
        """Whether a step is made where nothing but the score says when to stop."""
        if before is None:
            return True
        if self.n_features_to_select == "best":
            return after > before if self.direction == "forward" else after >= before
        assert self.tol is not None
        return after - before >= self.tol

    def _one_way(self, scores: SubsetScores, wanted: int | None) -> list[JudgedSubset]:
        forward, d = self.direction == "forward", scores.n_columns
        end = wanted if wanted is not None else (d if forward else 1)
        now = () if forward else tuple(range(d))
        # As scikit-learn has it, the first step of "auto" is made whatever it costs.
        from_all = not forward and (self.n_features_to_select == "best" or wanted == d)
        path = [JudgedSubset(now, scores.of(now))] if from_all else []
        best: dict[int, JudgedSubset] = {}
        while len(now) != end:
            step = scores.best(one_away(now, d, forward))
            if wanted is None and not self._worth_it(path[-1].score if path else None, step.score):
                break
            path.append(step)
            now = step.subset
            if step.score > best.get(len(now), JudgedSubset((), -np.inf)).score:
                best[len(now)] = step
            if self.floating:
                now = self._float(scores, now, forward, best, path)
        if wanted is not None and wanted in best:
            path.append(best[wanted])
        return path

    @staticmethod
    def _float(
        scores: SubsetScores, now: Subset, forward: bool, best: dict[int, JudgedSubset], path: list[JudgedSubset]
    ) -> Subset:
        """Steps back, as long as each is better than the best subset of its size that was known."""
        d = scores.n_columns
        while (len(now) > 2) if forward else (len(now) < d - 2):
            back = scores.best(one_away(now, d, not forward))
            if back.score <= best.get(len(back.subset), JudgedSubset((), -np.inf)).score:
                break
            best[len(back.subset)] = back
            path.append(back)
            now = back.subset
        return now

    def _choose(self, wanted: int | None) -> None:
        if wanted is not None:
            fitting_ones = [one for one in self.path_ if len(one.subset) == wanted]
            self._chosen = max(fitting_ones, key=lambda one: one.score)
        elif self.direction == "bidirectional":
            self._chosen = max(self.path_, key=lambda one: one.score)
        else:
            self._chosen = self.path_[-1]


def one_away(now: Subset, d: int, forward: bool) -> list[Subset]:
    """The subsets one step away."""
    if forward:
        return [tuple(sorted((*now, j))) for j in range(d) if j not in now]
    return [tuple(i for i in now if i != j) for j in now]


def both_ways(scores: SubsetScores, wanted: int | None) -> list[JudgedSubset]:
    """By turns the best column is added and the worst of the undecided ones left out, until all are decided on.

    The added ones are judged alone, the others together with them, as forward and backward search would.
    """
    d = scores.n_columns
    added: Subset = ()
    left = tuple(range(d))  # added and undecided
    path: list[JudgedSubset] = []
    while len(added) < len(left):
        step = scores.best([tuple(sorted((*added, j))) for j in left if j not in added])
        added = step.subset
        path.append(step)
        if wanted is not None and len(added) == wanted:
            break
        undecided = [j for j in left if j not in added]
        if undecided and (wanted is None or len(left) > wanted):
            left = scores.best([tuple(i for i in left if i != j) for j in undecided]).subset
    return path


@method(
    "select.plus-l-minus-r",
    section="CB 7.6",
    task="transform",
    en="Plus-l-minus-r search",
    zh="增l减r搜索",
)
class PlusLMinusRSelector(Searching, FeatureSelector):
    r"""Plus-l-minus-r search: l columns are added one at a time, then r left out, again and again.

    With :math:`l > r` it begins with no column and grows, with :math:`l < r` with all of them and shrinks, so that
    a column that was taken early can go again.

    Book: cookbook section 7.6. Cost: :math:`O(d^2 (l + r) / |l - r|)` subsets judged, each once.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner whose cross-validated score judges; None where `criterion` does.
    n_features_to_select : int or float, default=0.5
        How many columns to keep, or which share.
    n_add : int, default=2
        l.
    n_remove : int, default=1
        r, not l.
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
    path_ : list of (subset, score), the subset after each step
    subsets_ : list of (subset, score), all that were judged
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.select import PlusLMinusRSelector
    >>> X = np.random.default_rng(0).integers(2, size=(60, 4))
    >>> search = PlusLMinusRSelector(criterion="information-gain", n_features_to_select=2)
    >>> search.fit(X, X[:, 1] + 2 * X[:, 3]).support_.tolist()
    [False, True, False, True]
    """

    _state: ClassVar = {}

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = 0.5,
        n_add: int = 2,
        n_remove: int = 1,
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        criterion: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.n_add = n_add
        self.n_remove = n_remove
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.criterion = criterion

    _params = rules_for(
        __init__,
        SEARCH_RULES,
        n_features_to_select=Integer(low=1) | Real(above=0, high=1),
        n_add=Integer(low=0),
        n_remove=Integer(low=0),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search the columns of X for what tells y."""
        if self.n_add == self.n_remove:
            raise ValueError(f"n_add and n_remove are both {self.n_add}: the search would never end. Make one larger.")
        scores = self._scores(X, y)
        d, count = scores.n_columns, self.n_features_to_select
        wanted = int(count) if isinstance(count, int | np.integer) else max(1, int(count * d))
        if wanted > d:
            raise ValueError(f"n_features_to_select={count} is more than the {d} columns of X.")
        forward = self.n_add > self.n_remove
        now: Subset = () if forward else tuple(range(d))
        self.path_ = [] if forward else [JudgedSubset(now, scores.of(now))]
        turn = (
            [True] * self.n_add + [False] * self.n_remove if forward else [False] * self.n_remove + [True] * self.n_add
        )
        for add in cycle(turn):
            if len(now) == wanted:
                break
            if len(now) == (d if add else 1):
                continue
            step = scores.best(one_away(now, d, add))
            self.path_.append(step)
            now = step.subset
        self.support_ = np.isin(np.arange(d), now)
        self.score_ = scores.of(now)
        self.subsets_ = scores.judged
        return self
