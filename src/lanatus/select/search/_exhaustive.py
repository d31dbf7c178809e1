"""Searches that cannot miss the best subset: all of them, or all but those that a bound leaves out."""

import heapq
from itertools import chain, combinations
from math import comb
from typing import Any, ClassVar, Self

import numpy as np

from lanatus.base import fitting
from lanatus.catalog import method
from lanatus.params import Integer, Nothing, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.select.search._scores import SEARCH_RULES, JudgedSubset, Searching, Subset, SubsetScores

_MOST = 1 << 20  # subsets
_AT_ONCE = 4096


@method(
    "select.exhaustive-search",
    section="11.1",
    task="transform",
    en="Exhaustive search for a subset",
    zh="穷举子集搜索",
    peers=["mlxtend:ExhaustiveFeatureSelector"],
)
class ExhaustiveFeatureSelector(Searching, FeatureSelector):
    r"""The best of all subsets: every one is judged.

    Of :math:`2^d` subsets those with `min_features` to `max_features` columns are looked at. A subset is better with a
    higher score, or the same score and fewer columns; then the earlier columns win.

    Book: section 11.1. Cost: as many judgements as subsets; more than a million are refused.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The learner whose cross-validated score judges; None where `criterion` does.
    min_features : int, default=1
        Fewest columns.
    max_features : int or None, default=None
        Most columns; None is all.
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
    subsets_ : list of (subset, score), all subsets
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import ExhaustiveFeatureSelector
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[["色泽", "根蒂", "敲声", "纹理", "脐部", "触感"]]
    >>> search = ExhaustiveFeatureSelector(criterion="information-gain", max_features=2).fit(X, melons.target)
    >>> search.get_feature_names_out().tolist(), round(search.score_, 6)
    (['纹理', '触感'], 0.83545)
    """

    _state: ClassVar = {}

    def __init__(
        self,
        estimator: Any = None,
        *,
        min_features: int = 1,
        max_features: int | None = None,
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        criterion: Any = None,
    ) -> None:
        self.estimator = estimator
        self.min_features = min_features
        self.max_features = max_features
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.criterion = criterion

    _params = rules_for(__init__, SEARCH_RULES, min_features=Integer(low=1), max_features=Integer(low=1) | Nothing())

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at every subset of the columns of X."""
        scores = self._scores(X, y)
        d = scores.n_columns
        low, high = self.min_features, min(self.max_features or d, d)
        if low > high:
            raise ValueError(f"min_features={low} is more than max_features or the {d} columns of X, {high}.")
        total = sum(comb(d, size) for size in range(low, high + 1))
        if total > _MOST:
            raise ValueError(
                f"{total} subsets of {d} columns are too many; lower max_features, or take SequentialFeatureSelector "
                "or BranchAndBoundSelector."
            )
        best: JudgedSubset | None = None
        every = chain.from_iterable(combinations(range(d), size) for size in range(low, high + 1))
        while some := [subset for _, subset in zip(range(_AT_ONCE), every, strict=False)]:
            step = scores.best(some)
            if best is None or step.score > best.score:
                best = step
        assert best is not None
        self.support_ = np.isin(np.arange(d), best.subset)
        self.score_ = best.score
        self.subsets_ = scores.judged
        return self


@method(
    "select.branch-and-bound",
    section="11.7",
    task="transform",
    en="Branch and bound for a subset",
    zh="分支限界法特征选择",
)
class BranchAndBoundSelector(Searching, FeatureSelector):
    r"""Branch and bound: the best subset of a given size, by a criterion that never rises when a column is left out.

    Columns are left out one after the other. As soon as what is left is no better than the best subset of the wanted
    size that is known, nothing below it can be, and it is not looked at.

    Book: section 11.7; cookbook section 7.6. Cost: at worst all subsets, usually far fewer.

    Parameters
    ----------
    criterion : {"information-gain"} or callable, default="information-gain"
        (11.1), or a function of (X, y, subset), larger for better, that never rises when a column is left out. That it
        does is told of where it is seen.
    n_features_to_select : int or None, default=None
        How many columns to keep; None is half of them.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    score_ : float, the score of the subset
    subsets_ : list of (subset, score), all that were judged
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import BranchAndBoundSelector
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[["色泽", "根蒂", "敲声", "纹理", "脐部", "触感"]]
    >>> search = BranchAndBoundSelector(n_features_to_select=2).fit(X, melons.target)
    >>> search.get_feature_names_out().tolist(), len(search.subsets_) < 42
    (['纹理', '触感'], True)

    References
    ----------
    Narendra, Fukunaga: A branch and bound algorithm for feature subset selection, IEEE Transactions on Computers 26,
    1977.
    """

    _state: ClassVar = {}
    estimator = None
    scoring = cv = n_jobs = None

    def __init__(self, criterion: Any = "information-gain", *, n_features_to_select: int | None = None) -> None:
        self.criterion = criterion
        self.n_features_to_select = n_features_to_select

    _params = rules_for(
        __init__,
        SEARCH_RULES,
        n_features_to_select=Integer(low=1) | Nothing(),
    )

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the best subset of the columns of X."""
        if self.criterion in (None, "partition-difference", "aic"):
            raise ValueError(
                f"criterion={self.criterion!r} may rise when a column is left out, so that it bounds nothing; wanted "
                "'information-gain' or a function that never does."
            )
        scores = self._scores(X, y)
        d = scores.n_columns
        wanted = self.n_features_to_select or max(1, d // 2)
        if wanted > d:
            raise ValueError(f"n_features_to_select={wanted} is more than the {d} columns of X.")
        best = branch_and_bound(scores, wanted)
        self.support_ = np.isin(np.arange(d), best.subset)
        self.score_ = best.score
        self.subsets_ = scores.judged
        return self


def branch_and_bound(scores: SubsetScores, wanted: int) -> JudgedSubset:
    """The best subset of the wanted size, the most promising first; ties go to the earlier columns."""
    d = scores.n_columns
    whole = tuple(range(d))
    best: JudgedSubset | None = None
    heap: list[tuple[float, int, Subset, int]] = [(-scores.of(whole), 0, whole, 0)]
    number = 0
    while heap:
        minus, _, subset, start = heapq.heappop(heap)
        if best is not None and -minus < best.score:
            break  # nor is any other that is left
        if len(subset) == wanted:
            if best is None or (-minus, [-j for j in subset]) > (best.score, [-j for j in best.subset]):
                best = JudgedSubset(subset, -minus)
            continue
        # Columns are left out in order, so that each subset is met once; those before the place stay for good.
        places = [at for at in range(start, len(subset)) if at <= wanted]
        children = [subset[:at] + subset[at + 1 :] for at in places]
        for at, child, score in zip(places, children, scores.of_all(children), strict=True):
            if score > -minus + 1e-9 * max(1.0, abs(minus)):
                raise ValueError(
                    f"criterion rises from {-minus:.6g} to {score:.6g} when a column is left out of {list(subset)}: it "
                    "bounds nothing. Take ExhaustiveFeatureSelector."
                )
            if best is None or score >= best.score:
                number += 1
                heapq.heappush(heap, (-score, number, child, at))
    assert best is not None
    return best
