"""Section 2.2.1: how large a test part should be."""

from collections.abc import Iterator

import numpy as np

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.catalog import method


@method(
    "evaluation.holdout-size",
    section="2.2.1",
    task="evaluation",
    kind="experiment",
    en="Small test part: variance; small training part: bias",
    zh="划分比例",
)
@example("2.2.1", en="How large a test part", zh="留出法的划分比例")
def holdout_size(n_repeats: int = 300, random_state: int = 0) -> Iterator[Figure]:
    """Hold-out estimates of the error of a model of all 60 rows, with 10, 33 and 80 % of the rows for testing.

    A small test part makes the estimate vary from split to split; a small training part makes it too high, since the
    model that is tested is worse than the one that is wanted. Book: two thirds to four fifths for training.

    Book: section 2.2.1.

    Parameters
    ----------
    n_repeats : int, default=300
        Number of samples, each split once for every size.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Which size has the largest variance, which the largest bias, and the squared errors of two of them.

    Examples
    --------
    >>> from lanatus.book import holdout_size
    >>> [figure.computed for figure in holdout_size(100)]
    ['10 %', '80 %', True]
    """
    bias, deviation = _bias_and_deviation(n_repeats, random_state)
    names = [f"{share:.0%}".replace("%", " %") for share in SHARES]
    yield Figure("test part with the largest variance", None, names[int(np.argmax(deviation))], right="10 %")
    yield Figure("test part with the largest bias", None, names[int(np.argmax(np.abs(bias)))], right="80 %")
    error = np.square(bias) + np.square(deviation)
    yield Figure("a third has less squared error than a tenth", None, bool(error[1] < error[0]), 0, right=True)


SHARES = (0.1, 0.33, 0.8)


def _bias_and_deviation(n_repeats: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the estimates by each share, about the error of the model of all rows on many new ones."""
    rng = np.random.RandomState(seed)
    gaps = np.empty((n_repeats, len(SHARES)))
    X_new, y_new = _two_classes(rng, 4000)
    for repeat in range(n_repeats):
        X, y = _two_classes(rng, 60)
        wanted = 1 - GaussianNB().fit(X, y).score(X_new, y_new)
        for place, share in enumerate(SHARES):
            held = round(share * len(y) / 2)  # as many of each class: the split keeps the shares
            test = np.concatenate([np.arange(held), 30 + np.arange(held)])
            train = np.setdiff1d(np.arange(60), test)
            gaps[repeat, place] = 1 - GaussianNB().fit(X[train], y[train]).score(X[test], y[test]) - wanted
    return gaps.mean(axis=0), gaps.std(axis=0)


def _two_classes(rng: np.random.RandomState, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal classes in six dimensions, half of the rows each, in the order of their classes."""
    y = np.repeat([0, 1], m // 2)
    return rng.standard_normal((m, 6)) + 0.5 * y[:, None], y
