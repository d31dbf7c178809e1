"""Claims of sections 3.5 and 3.6: what decompositions cost, long codes, and the trap of accuracy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.evaluation import BaselineClassifier, rates
from lanatus.imbalance import RandomOverSampler, RandomUnderSampler
from lanatus.linear import LinearRegression
from lanatus.multiclass import OneVsOneClassifier, OneVsRestClassifier, code_quality, decode, optimal_code


@method(
    "multiclass.ovo-vs-ovr-cost",
    section="3.5",
    task="classification",
    kind="experiment",
    en="Training, test and storage cost of OvO and OvR",
    zh="OvO与OvR开销",
)
@example("3.5", en="What one-vs-one and one-vs-rest cost", zh="OvO与OvR的开销")
def ovo_vs_ovr(n_classes: int = 10) -> Iterator[Figure]:
    """Learners, rows that they learn from and learners asked for a prediction, counted in both decompositions.

    One-vs-one trains N (N - 1) / 2 learners on the rows of two classes each, one-vs-rest N learners on all rows. So
    one-vs-one stores and asks more learners, but all of them together see N - 1 times the rows and not N times: with
    many classes training by a learner whose cost grows faster than the rows is cheaper.

    Book: section 3.5.

    Parameters
    ----------
    n_classes : int, default=10
        Number of classes N, with 20 rows each.

    Yields
    ------
    Figure
        The counts.

    Examples
    --------
    >>> from lanatus.book import ovo_vs_ovr
    >>> [figure.computed for figure in ovo_vs_ovr(4)]
    [(6, 4), (240, 320), (9600, 25600), (6, 4)]
    """
    X, y = make_blobs(20 * n_classes, 2, centers=n_classes, random_state=0)
    learners = []
    for scheme in (OneVsOneClassifier, OneVsRestClassifier):
        _Counting.rows, _Counting.asked = [], 0
        model = scheme(_Counting()).fit(X, y)
        fitted = list(_Counting.rows)
        model.predict(X[:1])
        learners.append((len(fitted), sum(fitted), sum(n * n for n in fitted), _Counting.asked))
    N, m = n_classes, 20
    right = [
        (N * (N - 1) // 2, N),
        ((N - 1) * N * m, N * N * m),
        (N * (N - 1) // 2 * (2 * m) ** 2, N * (N * m) ** 2),
        (N * (N - 1) // 2, N),
    ]
    names = ("learners to store", "rows learned from", "the same for a learner of cost m^2", "learners asked for a row")
    for name, found, wanted in zip(names, zip(*learners, strict=True), right, strict=True):
        yield Figure(f"{name}: one-vs-one, one-vs-rest", None, found, 0, right=wanted)


class _Counting(GaussianNB):
    """Naive Bayes that counts how often it is used."""

    rows: list[int] = []
    asked = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn, and remember from how many rows."""
        type(self).rows.append(len(X))
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X: Any) -> Any:
        """Answer, and remember having been asked."""
        type(self).asked += 1
        return super().predict_proba(X)


@method(
    "multiclass.ecoc-length",
    section="3.5",
    task="classification",
    kind="experiment",
    en="Longer codes correct more",
    zh="码长与纠错",
)
@example("3.5", en="Longer codes correct more", zh="ECOC编码越长, 纠错能力越强")
def ecoc_length(error: float = 0.15, n_draws: int = 20_000, random_state: int = 0) -> Iterator[Figure]:
    """Best codes of five classes by length: how many wrong bits they mend, and how often they fail.

    Every learner is wrong with the same probability, independently of the others. The longer the code, the more errors
    it mends, and the rarer the failures; the price is more learners.

    Book: section 3.5.

    Parameters
    ----------
    error : float, default=0.15
        Probability that a learner is wrong.
    n_draws : int, default=20000
        Rows to decode.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Errors mended by the codes, and whether the share of failures falls with the length.

    Examples
    --------
    >>> from lanatus.book import ecoc_length
    >>> [figure.computed for figure in ecoc_length()][0]
    (0, 1, 3, 6)
    """
    rng = np.random.RandomState(random_state)
    mended, failures = [], []
    for length in (4, 7, 14, 25):
        code = optimal_code(5, length)
        mended.append(code_quality(code).correctable)
        truth = rng.randint(5, size=n_draws)
        said = np.where(rng.rand(n_draws, length) < error, -1, 1) * code[truth]
        failures.append(float(np.mean(decode(said, code) != truth)))
    yield Figure("bits mended by codes of 4, 7, 14 and 25", None, tuple(mended), 0, right=(0, 1, 3, 6))
    falls = "falls" if (np.diff(failures) < 0).all() else "does not fall"
    yield Figure("share of failures with the length", None, falls, right="falls")
    rarer = failures[0] > 10 * failures[-1]
    yield Figure("failures ten times as rare with the longest code", None, rarer, 0, right=True)


@method(
    "imbalance.accuracy-trap",
    section="3.6",
    task="classification",
    kind="experiment",
    en="998:2, the 99.8 % trap; undersampling is faster",
    zh="998:2例",
)
@example("3.6", en="The 99.8 % trap", zh="998个反例, 2个正例")
def imbalance_trap(random_state: int = 0) -> Iterator[Figure]:
    """A learner that always says negative is right in 99.8 % of 998 to 2 rows and finds no positive one.

    Sampling lets a plain learner find them. Undersampling leaves 4 rows to learn from where oversampling makes 1996,
    which is why the book calls it faster.

    Book: section 3.6.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Accuracy and recall of the useless learner, rows after sampling, recall after sampling.

    Examples
    --------
    >>> from lanatus.book import imbalance_trap
    >>> next(iter(imbalance_trap())).computed
    0.998
    """
    rng = np.random.RandomState(random_state)
    y = np.repeat([0, 1], [998, 2])
    X = rng.standard_normal((1000, 2)) + 4.0 * y[:, None]
    lazy = BaselineClassifier().fit(X, y)
    yield Figure("accuracy of always saying negative", 0.998, lazy.score(X, y))
    yield Figure("recall of that", None, rates(y, lazy.predict(X)).recall, right=0.0)
    X_new, y_new = rng.standard_normal((2000, 2)), np.repeat([0, 1], 1000)
    X_new += 4.0 * y_new[:, None]
    for name, sampler, rows in (("under", RandomUnderSampler, 4), ("over", RandomOverSampler, 1996)):
        X_fair, y_fair = sampler(random_state=random_state).fit_resample(X, y)
        yield Figure(f"rows after {name}sampling", None, len(y_fair), 0, right=rows)
        model = LinearRegression().fit(X_fair, y_fair)
        found = float(np.mean(model.predict(X_new[y_new == 1]) > 0.5))
        yield Figure(f"most new positives found after {name}sampling", None, found > 0.9, 0, right=True)
