"""Section 7.7: learning curves of naive Bayes and logistic regression."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.bayes import GaussianNB
from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.linear import LogisticRegression

SIZES = (60, 120, 250, 500, 1000, 2000, 4000)  # from so many rows on they are not separable as a rule


@method(
    "bayes.naive-bayes-vs-logistic",
    section="7.7",
    task="classification",
    kind="experiment",
    en="Claim: learning curves of naive Bayes and logistic regression",
    zh="朴素贝叶斯与对率回归学习曲线",
)
@example("7.7", en="Naive Bayes learns from few rows, logistic regression from many", zh="朴素贝叶斯与对率回归学习曲线")
def nb_vs_logistic(random_state: int = 0, n_repeats: int = 20) -> Iterator[Figure]:
    """Learning curves: errors of naive Bayes and logistic regression from 60 to 4000 rows (Ng and Jordan).

    Twenty attributes are normal and independent given the class; three more are the first three with some noise, which
    naive Bayes counts twice. Its error in the end is therefore the larger, but it needs fewer rows to get there: both
    curves fall, that of logistic regression from above to below, and they cross once.

    Book: section 7.7; ``draw_figure("7.7")`` draws them.

    Parameters
    ----------
    random_state : int, default=0
        Draws the rows.
    n_repeats : int, default=20
        Training sets of each size.

    Returns
    -------
    iterator of Figure

    Examples
    --------
    >>> from lanatus.book import nb_vs_logistic
    >>> all(figure.agrees for figure in nb_vs_logistic())
    True
    """
    naive, logistic = learning_curves(random_state, n_repeats)
    ahead = naive < logistic
    yield Figure(f"{SIZES[0]} rows: naive Bayes errs less", None, str(bool(ahead[0])), right="True")
    yield Figure(f"{SIZES[-1]} rows: naive Bayes errs less", None, str(bool(ahead[-1])), right="False")
    yield Figure("times that the curves cross", None, int(np.count_nonzero(np.diff(ahead))), digits=0, right=1)
    for name, curve in (("naive Bayes", naive), ("logistic regression", logistic)):
        rises = int(np.count_nonzero(np.diff(curve) > 0.01))
        yield Figure(f"{name}: sizes from which more rows hurt by over 0.01", None, rises, digits=0, right=0)
    needed = _rows_to_reach(naive, naive[-1] + 0.01) < _rows_to_reach(logistic, logistic[-1] + 0.01)
    yield Figure("naive Bayes needs fewer rows to come within 0.01 of its last error", None, str(needed), right="True")


def learning_curves(random_state: int = 0, n_repeats: int = 20) -> np.ndarray:
    """Mean errors on 5000 fresh rows of naive Bayes and of logistic regression, one a size."""
    random = np.random.RandomState(random_state)
    test = _rows(random, 5000)
    errors = np.zeros((2, len(SIZES), n_repeats))
    for at, size in enumerate(SIZES):
        for repeat in range(n_repeats):
            X, y = _rows(random, size)
            # Nearly without penalty, but not quite: few rows may be separable.
            pair = GaussianNB().fit(X, y), LogisticRegression(C=1e3).fit(X, y)
            errors[:, at, repeat] = [float((model.predict(test[0]) != test[1]).mean()) for model in pair]
    return errors.mean(axis=2)


def _rows_to_reach(curve: np.ndarray, error: float) -> float:
    """Where a falling curve comes down to an error, between the sizes by their logarithms."""
    return float(np.exp(np.interp(-error, -curve, np.log(SIZES))))


def _rows(random: np.random.RandomState, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    base = random.normal(size=(n, 20)) + (0.5 * y - 0.25)[:, None]
    return np.hstack([base, base[:, :3] + 0.5 * random.normal(size=(n, 3))]), y


@picture("7.7")
def draw_curves() -> Any:
    """Both learning curves."""
    figure, (ax,) = row_of_axes(1)
    for curve, name in zip(learning_curves(), ("朴素贝叶斯", "对率回归"), strict=True):
        ax.plot(SIZES, curve, marker="o", label=name)
    ax.set(xscale="log", xlabel="训练样本数", ylabel="测试错误率")
    ax.legend()
    return figure
