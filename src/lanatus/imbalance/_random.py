"""Random undersampling and oversampling."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus.base import take_rows
from lanatus.catalog import method
from lanatus.imbalance._rows import appended, appended_labels
from lanatus.imbalance._rules import RULES
from lanatus.imbalance._sampler import Sampler
from lanatus.params import Nothing, Real, Satisfies, rules_for
from lanatus.table import Table


@method(
    "imbalance.undersampling",
    section="3.6",
    task="resampling",
    en="Random undersampling",
    zh="欠采样",
    peers=["imbalanced-learn:RandomUnderSampler"],
)
class RandomUnderSampler(Sampler):
    """Leaves out random rows of the larger classes.

    Fast, but what was left out is lost to the learner: `EasyEnsembleClassifier` draws several times.

    Book: section 3.6. Of the m- negative rows, m+ remain.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Classes brought down to the size of the smallest: "majority" (the largest alone), "not minority" (all but the
        smallest, which is "auto"), "not majority" or "all". A float is the ratio of the smaller to the larger of two
        classes afterwards; a dict gives the rows left of each class; a callable makes that dict from y.
    random_state : int, RandomState or None, default=None
        Draws the rows.
    replacement : bool, default=False
        Whether a row may be drawn twice.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows left of each class that is touched.
    sample_indices_ : ndarray of shape (n_left,)
        The rows that remained, class by class.
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Notes
    -----
    Cost: O(n) time and memory. Rows are copied as they are, missing values too. A class of zero rows in the dict
    disappears.

    Examples
    --------
    >>> from lanatus.imbalance import RandomUnderSampler
    >>> X, y = RandomUnderSampler(random_state=0).fit_resample([[1], [2], [3], [4], [5]], list("aaaab"))
    >>> y, len(X)
    (['a', 'b'], 2)
    """

    _adds = False

    def __init__(self, *, sampling_strategy: Any = "auto", random_state: Any = None, replacement: bool = False) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.replacement = replacement

    _params = rules_for(__init__, RULES)

    def _resample(self, X: Any, y: Any, data: Any, codes: np.ndarray) -> tuple[Any, Any]:
        rng = check_random_state(self.random_state)
        left = []
        for _, rows, count in self._plan(codes):
            if count is not None:
                drawn = rng.randint(len(rows), size=count) if self.replacement else rng.permutation(len(rows))[:count]
                rows = rows[drawn]
            left.append(rows)
        self.sample_indices_ = np.concatenate(left)
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)


@method(
    "imbalance.oversampling",
    section="3.6",
    task="resampling",
    en="Random oversampling",
    zh="过采样",
    peers=["imbalanced-learn:RandomOverSampler"],
)
class RandomOverSampler(Sampler):
    r"""Repeats random rows of the smaller classes.

    Plain copies invite overfitting (the book's warning); with `shrinkage` each copy gets normal noise around it, the
    smoothed bootstrap :math:`x + h \sigma_j \epsilon,\ h = s (4 / ((d + 2) m))^{1 / (d + 4)}`.

    Book: section 3.6.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Classes brought up to the size of the largest: "minority" (the smallest alone), "not majority" (all but the
        largest, which is "auto"), "not minority" or "all". A float is the ratio of the smaller to the larger of two
        classes afterwards; a dict gives the rows of each class afterwards; a callable makes that dict from y.
    random_state : int, RandomState or None, default=None
        Draws the rows, and the noise.
    shrinkage : float, dict or None, default=None
        The *s* of the noise, for each class in a dict; None and 0 make plain copies.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows added to each class that is touched.
    sample_indices_ : ndarray of shape (n_samples_new,)
        All rows, then the row that each added one was copied from.
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Notes
    -----
    Cost: O(n) time, memory of the result. Plain copies are made of any rows, with missing values too; noise needs
    numbers without holes, in a dense matrix or an all-numeric frame.

    Examples
    --------
    >>> from lanatus.imbalance import RandomOverSampler
    >>> X, y = RandomOverSampler(random_state=0).fit_resample([["x"], ["y"], ["z"]], ["坏", "坏", "好"])
    >>> X, y
    ([['x'], ['y'], ['z'], ['z']], ['坏', '坏', '好', '好'])

    References
    ----------
    Menardi and Torelli (2014), Training and assessing classification rules with imbalanced data.
    """

    _adds = True

    def __init__(self, *, sampling_strategy: Any = "auto", random_state: Any = None, shrinkage: Any = None) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.shrinkage = shrinkage

    _params = rules_for(
        __init__,
        RULES,
        shrinkage=Nothing()
        | Real(low=0)
        | Satisfies(lambda value: isinstance(value, Mapping), "a dict {class: shrinkage}"),
    )

    def _resample(self, X: Any, y: Any, data: Any, codes: np.ndarray) -> tuple[Any, Any]:
        rng = check_random_state(self.random_state)
        parents, widths = [], []
        for label, rows, count in self._plan(codes):
            if count:
                parents.append(rows[rng.randint(len(rows), size=count)])
                widths.append(_widths(data, rows, self._shrinkage_of(label)))
        copied = np.concatenate([np.empty(0, dtype=np.intp), *parents])
        self.sample_indices_ = np.concatenate([np.arange(len(codes)), copied])
        if all(width is None for width in widths):
            return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)
        numbers = data.numeric if isinstance(data, Table) else data
        new = [
            numbers[rows] if width is None else numbers[rows] + width * rng.standard_normal((len(rows), len(width)))
            for rows, width in zip(parents, widths, strict=True)
        ]
        whole = np.concatenate([numbers, *new]).astype(numbers.dtype)
        return appended(X, data, whole, copied), appended_labels(y, copied)

    def _shrinkage_of(self, label: Any) -> float:
        if isinstance(self.shrinkage, Mapping):
            if label not in self.shrinkage:
                raise ValueError(f"shrinkage has no entry for the class {label!r}, to which rows are added.")
            return float(self.shrinkage[label])
        return 0.0 if self.shrinkage is None else float(self.shrinkage)


def _widths(data: Any, rows: np.ndarray, shrinkage: float) -> np.ndarray | None:
    """Standard deviation of the noise of each column around rows of a class; None for plain copies."""
    if not shrinkage:
        return None
    if sp.issparse(data) or (isinstance(data, Table) and not data.schema.all_numeric):
        raise TypeError("shrinkage needs dense numbers: noise would fill a sparse matrix, and words have none.")
    own = (data.numeric if isinstance(data, Table) else data)[rows]
    if np.isnan(own).any():
        raise ValueError("Input X contains NaN: shrinkage needs numbers without holes; fill them first.")
    m, d = own.shape
    return np.asarray(shrinkage * (4 / ((d + 2) * m)) ** (1 / (d + 4)) * own.std(axis=0, dtype=np.float64))
