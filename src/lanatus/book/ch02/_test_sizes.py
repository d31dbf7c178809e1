"""Chapter 2: how often tests reject a true hypothesis, by simulation."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.evaluation import critical_value


@method(
    "evaluation.paired-t-type-i-inflation",
    section="2.4.2",
    task="evaluation",
    kind="experiment",
    en="Type I error of the paired t-test and of the 5 x 2 test",
    zh="成对t检验一类错误膨胀",
)
@example("2.4.2", en="Type I error of the paired t-test", zh="成对t检验的第一类错误")
def paired_t_inflation(n_trials: int = 40000, random_state: int = 0) -> Iterator[Figure]:
    """How often tests at level 0.05 find a difference between two learners that are equally good.

    Both learners cut one feature half-way between the class means; A sees one feature, B another of the same
    distribution, so neither is better. The folds of cross-validation share training rows, and the paired t-test
    rejects far too often; the 5 x 2 test much less so. With independent normal differences, for which it was
    made, the book's 5 x 2 statistic (2.32) is t / sqrt(2) and rejects even less than it should.

    Book: section 2.4.2.

    Parameters
    ----------
    n_trials : int, default=40000
        Number of data sets, each of 20 + 20 rows.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Share of false alarms of each test.

    Examples
    --------
    >>> from lanatus.book import paired_t_inflation
    >>> paired, five_by_two, *_ = paired_t_inflation(n_trials=2000)
    >>> bool(paired.computed > 0.1 > five_by_two.computed)
    True

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification learning algorithms.
    """
    rng = np.random.RandomState(random_state)
    mean, first = _five_by_two(rng.normal(size=(10 * n_trials, 5, 2)))
    rows = rng.normal(size=(n_trials, 2, 20, 2))  # data sets, classes, rows, features
    rows[:, 1] += 0.2
    yield Figure("paired t-test of 10 folds", None, _paired_t(_fold_differences(rows, 10)), digits=2, right=0.169)

    halves = []
    for _ in range(5):
        order = rng.rand(*rows.shape[:3]).argsort(axis=2)
        halves.append(_fold_differences(np.take_along_axis(rows, order[..., None], axis=2), 2))
    yield Figure("5 x 2 test", None, _five_by_two(np.stack(halves, axis=1))[0], digits=2, right=0.068)

    yield Figure("5 x 2 test of independent normal differences", None, mean, digits=3, right=0.0150)
    yield Figure("the same with Dietterich's numerator", None, first, digits=3, right=0.0281)


def _fold_differences(rows: np.ndarray, k: int) -> np.ndarray:
    """Error of A less that of B in each of k folds, the rows of each class cut into k equal runs: (data sets, k)."""
    n_sets, _, n, _ = rows.shape
    folds = rows.reshape(n_sets, 2, k, n // k, 2)
    sums = folds.sum(axis=3)
    means = (sums.sum(axis=2, keepdims=True) - sums) / (n - n // k)  # of the training rows
    second_is_higher = means[:, 1] > means[:, 0]
    above = folds > means.mean(axis=1)[:, None, :, None]
    says_second = above == second_is_higher[:, None, :, None]
    wrong = says_second != np.array([False, True])[:, None, None, None]
    errors = wrong.mean(axis=(1, 3))
    return np.asarray(errors[..., 0] - errors[..., 1])


def _paired_t(differences: np.ndarray) -> float:
    """Share of rejections by (2.31) at level 0.05."""
    k = differences.shape[1]
    # Multiplied out: k equal differences have no spread, and reject unless they are 0.
    bound = critical_value("t", 0.05, k=k) * differences.std(axis=1, ddof=1)
    return float((np.sqrt(k) * np.abs(differences.mean(axis=1)) > bound).mean())


def _five_by_two(differences: np.ndarray) -> tuple[float, float]:
    """Share of rejections by (2.32) at level 0.05, and with the very first difference as numerator."""
    mean = differences.mean(axis=2)
    variance = ((differences - mean[..., None]) ** 2).sum(axis=2).mean(axis=1)
    bound = critical_value("t", 0.05, df=5) * np.sqrt(variance)
    return float((np.abs(mean[:, 0]) > bound).mean()), float((np.abs(differences[:, 0, 0]) > bound).mean())


@method(
    "evaluation.friedman-size-simulation",
    section="ex 2.10",
    task="evaluation",
    kind="experiment",
    en="Simulated size of the two Friedman statistics",
    zh="Friedman两统计量比较",
)
@example("2.4.4", en="The two Friedman statistics (exercise 2.10)", zh="Friedman检验的两个统计量 (习题2.10)")
def ex_2_10(n_trials: int = 40000, random_state: int = 0) -> Iterator[Figure]:
    """How often the chi-square (2.34) and the F form (2.35) of Friedman's test reject at level 0.05 by chance.

    Algorithms that are all alike are ranked at random. The chi-square form is too cautious, most of all for many
    algorithms on few data sets; the F form keeps the level.

    Book: exercise 2.10.

    Parameters
    ----------
    n_trials : int, default=40000
        Number of tables of ranks for each size.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Share of rejections by both, for several sizes of tables.

    Examples
    --------
    >>> from lanatus.book import ex_2_10
    >>> all(figure.computed[0] < figure.computed[1] for figure in ex_2_10(n_trials=2000))
    True
    """
    rng = np.random.RandomState(random_state)
    for k, n, right in ((10, 5, (0.033, 0.054)), (5, 10, (0.043, 0.052)), (4, 20, (0.047, 0.050))):
        ranks = rng.rand(n_trials, n, k).argsort(axis=2) + 1
        mean = ranks.mean(axis=1)
        chi2 = 12 * n / (k * (k + 1)) * ((mean**2).sum(axis=1) - k * (k + 1) ** 2 / 4)
        with np.errstate(divide="ignore"):  # all data sets agree: F is infinite
            f = (n - 1) * chi2 / (n * (k - 1) - chi2)
        sizes = (
            (chi2 > critical_value("chi2", 0.05, df=k - 1)).mean(),
            (f > critical_value("friedman", 0.05, k, n)).mean(),
        )
        yield Figure(f"chi-square and F, k = {k}, N = {n}", None, sizes, digits=2, right=right)
