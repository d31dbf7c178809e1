"""Chapter 3: the moved threshold, weights of unequal costs, and whether copies overfit."""

from collections.abc import Iterator

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.evaluation import balanced_accuracy_score
from lanatus.imbalance import (
    SMOTE,
    FixedThresholdClassifier,
    RandomOverSampler,
    multiclass_rescaling_weights,
    rescale_proba,
)


@example("3.6", en="The threshold of 2 positives in 1000", zh="阈值移动")
def moved_threshold() -> Iterator[Figure]:
    """2 positive and 998 negative examples: positive above the share of positives, which is a rescaled half."""
    X, y = np.linspace(0, 1, 1000)[:, None], np.repeat([1, 0], [2, 998])
    yield Figure("threshold", None, FixedThresholdClassifier(GaussianNB()).fit(X, y).threshold_, right=0.002)
    yield Figure("0.002 rescaled by m-/m+ = 499", None, rescale_proba([0.002], 998 / 2)[0], right=0.5)


@example("3.6", en="Weights for three classes of unequal cost (exercise 3.10)", zh="多分类代价敏感再缩放 (习题3.10)")
def rescaling_condition() -> Iterator[Figure]:
    """Weights exist where w_i / w_j = cost_ij / cost_ji can hold for all pairs: the system's rank is below 3."""
    good = multiclass_rescaling_weights([[0, 2, 4], [1, 0, 2], [1, 1, 0]])
    bad = multiclass_rescaling_weights([[0, 2, 4], [1, 0, 9], [1, 1, 0]])
    yield Figure("consistent costs: rank", None, good.rank, digits=0, right=2)
    yield Figure("consistent costs: weights", None, good.weights, digits=9, right=(4, 2, 1))
    yield Figure("inconsistent costs: rank", None, bad.rank, digits=0, right=3)


@method(
    "imbalance.oversampling-overfits",
    section="3.6",
    task="classification",
    kind="experiment",
    en="Claim: duplication overfits, SMOTE less",
    zh="过采样过拟合对比",
)
@example("3.6", en="Copies overfit, SMOTE less", zh="重复采样招致过拟合")
def oversampling_overfit(n_repeats: int = 20) -> Iterator[Figure]:
    """Recall of a full decision tree on its own rare rows and on new ones: as they are, copied, and with SMOTE.

    40 positive rows in 1000 of two overlapping normal classes. The claim holds: copies draw the tree around the rows
    that it has, so it knows all of those and finds no more new ones than a tree without copies; with SMOTE it finds
    nearly twice as many. The price is false alarms, so what improves is the balanced accuracy, not the error rate.

    Book: section 3.6.

    Parameters
    ----------
    n_repeats : int, default=20
        Number of samples to average over.

    Yields
    ------
    Figure
        Mean recall on the training rows and on new ones, false alarms and balanced accuracy, for the three ways.

    Examples
    --------
    >>> from lanatus.book import oversampling_overfit
    >>> figures = {figure.what: figure.computed for figure in oversampling_overfit(5)}
    >>> figures["copies: recall on new rows"] < figures["SMOTE: recall on new rows"]
    True
    """
    found = np.array([_trial(seed) for seed in range(n_repeats)]).mean(axis=0)
    names = ("recall on its own rows", "recall on new rows", "false alarms", "balanced accuracy")
    expected = {"nothing": (1.0, 0.4, 0.0, 0.7), "copies": (1.0, 0.3, 0.0, 0.7), "SMOTE": (1.0, 0.6, 0.1, 0.7)}
    for way, figures in zip(expected, found, strict=True):
        for name, value, right in zip(names, figures, expected[way], strict=True):
            yield Figure(f"{way}: {name}", None, float(value), digits=1, right=right)


def _trial(seed: int) -> list[list[float]]:
    """The four figures of each way on one sample."""
    rng = np.random.RandomState(seed)
    X, y = _two_classes(rng, 1_000)
    X_new, y_new = _two_classes(rng, 20_000)
    rows = []
    for sampler in (None, RandomOverSampler(random_state=seed), SMOTE(random_state=seed)):
        tree = DecisionTreeClassifier(random_state=0).fit(*((X, y) if sampler is None else sampler.fit_resample(X, y)))
        said = tree.predict(X_new)
        own = tree.predict(X)[y == 1].mean()
        rows.append(
            [own, said[y_new == 1].mean(), said[y_new == 0].mean(), float(balanced_accuracy_score(y_new, said))]
        )
    return rows


def _two_classes(rng: np.random.RandomState, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal classes in the plane, 4 % of the rows positive, their means 1.5 apart in each coordinate."""
    y = (np.arange(m) < 0.04 * m).astype(int)
    return rng.standard_normal((m, 2)) + 1.5 * y[:, None], y
