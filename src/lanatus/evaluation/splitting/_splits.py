"""Splits that scikit-learn lacks: the bootstrap and 5 x 2 folds; how many splits there are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import comb
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import BaseShuffleSplit, RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils import check_random_state

from lanatus.base import as_labels, n_rows
from lanatus.catalog import method
from lanatus.evaluation.splitting._holdout import has_classes, row_count

_REDRAWS = 1000  # bootstrap samples in a row that leave nothing out before we give up


@method(
    "evaluation.bootstrap-split",
    section="2.2.3",
    task="splitting",
    kind="function",
    en="Bootstrap sampling split",
    zh="自助法",
    peers=["mlxtend:BootstrapOutOfBag"],
)
class Bootstrap(BaseShuffleSplit):
    """Bootstrap splits: training rows drawn with replacement, and the rows never drawn as the test part.

    A splitter as scikit-learn's: it works in ``cross_val_score`` and in ``GridSearchCV(cv=...)``. About
    36.8 % of the rows are never drawn (formula 2.1); they are the out-of-bag test part.

    Book: section 2.2.3.

    Parameters
    ----------
    n_splits : int, default=10
        Number of bootstrap samples.
    train_size : float, int or None, default=None
        Rows to draw: a fraction of all in (0, 1], or a number. None draws as many as there are.
    stratify : bool, default=False
        Whether to draw within each class, so that the classes keep their shares of the training part.
    random_state : int, RandomState or None, default=None
        Seed.

    Notes
    -----
    A sample that leaves no row out has no test part and is drawn again. One row can never be left out:
    that is an error, and so is a `train_size` that leaves nothing out a thousand times in a row.

    Examples
    --------
    >>> from lanatus.evaluation import Bootstrap
    >>> for train, test in Bootstrap(n_splits=2, random_state=0).split(range(6)):
    ...     print(train, test)
    [4 5 0 3 3 3] [1 2]
    [0 4 2 1 0 1] [3 5]

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap.
    """

    stratify: bool

    def __init__(
        self,
        n_splits: int = 10,
        *,
        train_size: float | int | None = None,
        stratify: bool = False,
        random_state: Any = None,
    ) -> None:
        if not isinstance(n_splits, Integral) or isinstance(n_splits, bool) or n_splits < 1:
            raise ValueError(f"n_splits must be an integer >= 1; got {n_splits!r}.")
        super().__init__(n_splits, train_size=train_size, random_state=random_state)
        self.stratify = stratify

    def _iter_indices(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        m = n_rows(X)
        if m < 2:
            raise ValueError(f"got {m} row(s), wanted at least 2: with fewer no row can be left out for the test part.")
        n_train = m if self.train_size is None else row_count("train_size", self.train_size, m)
        classes = [np.arange(m)]
        if self.stratify and y is None:
            raise ValueError("stratify=True needs the classes; give y, or take stratify=False.")
        if self.stratify:
            codes = np.unique(as_labels(y), return_inverse=True)[1]
            classes = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
        ends = np.cumsum([0, *map(len, classes)]) * n_train // m
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            yield self._draw(classes, np.diff(ends), m, rng)

    def _draw(
        self, classes: list[np.ndarray], sizes: np.ndarray, m: int, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(_REDRAWS):
            train = np.concatenate([rng.choice(rows, size) for rows, size in zip(classes, sizes, strict=True)])
            out = np.ones(m, dtype=bool)
            out[train] = False
            if out.any():
                return train, np.flatnonzero(out)
        raise ValueError(
            f"{_REDRAWS} bootstrap samples of {sizes.sum()} rows left none of the {m} rows out for the test part; "
            "give a smaller train_size, or stratify=False where classes have one row each."
        )


@method(
    section="2.4.2",
    task="splitting",
    kind="function",
    en="Five times two-fold cross-validation",
    zh="5次2折交叉验证",
    peers=["scikit-learn:RepeatedStratifiedKFold"],
)
class FiveByTwo(RepeatedKFold):
    """Five shuffled halvings of the data, each used both ways: ten splits.

    They are what the 5 x 2 cross-validation test needs. Two halves of one shuffling share no row, so the two
    differences of one repetition are as independent as can be.

    Book: section 2.4.2.

    Parameters
    ----------
    stratify : bool, default=True
        Whether both halves get the same share of each class. A target of numbers is halved at random.
    random_state : int, RandomState or None, default=None
        Seed.

    Examples
    --------
    >>> from lanatus.evaluation import FiveByTwo
    >>> [(len(train), len(test)) for train, test in FiveByTwo(random_state=0).split(range(6), list("aaabbb"))][:2]
    [(3, 3), (3, 3)]
    >>> FiveByTwo().get_n_splits()
    10

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification learning algorithms.
    """

    def __init__(self, *, stratify: bool = True, random_state: Any = None) -> None:
        super().__init__(n_splits=2, n_repeats=5, random_state=random_state)
        self.stratify = stratify

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the ten (training rows, test rows), the two halves of a shuffling one after the other."""
        if self.stratify and has_classes(y):
            halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=self.random_state)
            yield from halves.split(X, as_labels(y))
        else:
            yield from super().split(X, y, groups)


@method(
    "evaluation.bootstrap-left-out-probability",
    section="2.2.3",
    task="evaluation",
    kind="theory",
    en="Probability of never being drawn by the bootstrap",
    zh="未被采样概率",
)
def bootstrap_left_out_probability(m: int | float | Sequence[int]) -> float | np.ndarray:
    """Probability that a bootstrap sample of m rows out of m never draws a given one.

    It is (1 - 1/m)^m, which grows to 1/e = 0.368 (formula 2.1).

    Book: section 2.2.3.

    Parameters
    ----------
    m : int or array-like of int
        Number of rows, at least 1; ``math.inf`` gives the limit.

    Returns
    -------
    float or ndarray
        The probability for each `m`.

    Examples
    --------
    >>> from math import inf
    >>> from lanatus.evaluation import bootstrap_left_out_probability
    >>> [round(bootstrap_left_out_probability(m), 6) for m in (1, 10, 1000, inf)]
    [0.0, 0.348678, 0.367695, 0.367879]

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap.
    """
    rows = np.asarray(m, dtype=float)
    if not (rows >= 1).all() or not ((rows == np.floor(rows)) | np.isinf(rows)).all():
        raise ValueError(f"m must be a whole number of rows >= 1; got {m!r}.")
    with np.errstate(divide="ignore", invalid="ignore"):  # m = 1 has log 0; the limit has inf * 0
        probability = np.where(np.isinf(rows), np.exp(-1), np.exp(rows * np.log1p(-1 / rows)))
    return probability if probability.ndim else float(probability)


@method(
    "evaluation.split-counter",
    section="ex 2.1",
    task="evaluation",
    kind="theory",
    en="Number of possible hold-out splits",
    zh="留出法划分数",
)
def count_splits(
    class_counts: Iterable[int] | Mapping[Any, int], train_size: float | int, *, stratified: bool = True
) -> int:
    """Number of ways to split data into a training and a test part, exactly.

    Stratified: the product over classes of C(rows, training rows of that class). Otherwise C(m, training rows).

    Book: exercise 2.1.

    Parameters
    ----------
    class_counts : iterable of int, or mapping of labels to int
        Rows of each class.
    train_size : float or int
        Training part: a fraction in (0, 1), rounded down to whole rows, or a number of rows.
    stratified : bool, default=True
        Whether each class keeps its share.

    Returns
    -------
    int
        An exact Python integer, which may have hundreds of digits.

    Notes
    -----
    Where a class's share is not whole, it is rounded down or up, in every way that gives the training part its size.

    Examples
    --------
    >>> from math import log10
    >>> from lanatus.evaluation import count_splits
    >>> round(log10(count_splits([500, 500], 0.7)), 3), round(log10(count_splits([500, 500], 0.7, stratified=False)), 3)
    (262.475, 263.735)
    """
    counts = [int(n) for n in (class_counts.values() if isinstance(class_counts, Mapping) else class_counts)]
    m = sum(counts)
    if m < 1 or min(counts) < 0:
        raise ValueError(f"class_counts must be the numbers of rows of one or more classes; got {counts}.")
    n_train = row_count("train_size", train_size, m)
    if not stratified:
        return comb(m, n_train)
    # ways[r]: ways so far in which r of the classes were rounded up.
    ways = [1]
    for n in counts:
        share = n * n_train // m
        down, up = comb(n, share), comb(n, share + 1) if n * n_train % m else 0
        ways = [a * down + b * up for a, b in zip([*ways, 0], [0, *ways], strict=True)]
    return ways[n_train - sum(n * n_train // m for n in counts)]
