"""Section 13.5 and exercise 13.8: learners that teach each other, and one that teaches itself."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.bayes import GaussianNB
from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.callbacks import Recorder
from lanatus.catalog import method
from lanatus.linear import LogisticRegression
from lanatus.semi import CoTraining, SelfTrainingClassifier

_DRAWS = 6


def views(seed: int, shared: float, each: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two views of three columns: what they share beside the class makes them dependent."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 400)
    noise = rng.normal(size=(2, 400, 3))
    noise[1] = np.sqrt(1 - shared**2) * noise[1] + shared * noise[0]
    X = np.hstack([noise[0], noise[1]]) + 0.9 * (2 * truth - 1)[:, None]
    y = np.full(400, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:each]] = c
    return X, y, truth


def lift(shared: float) -> tuple[float, float]:
    """Mean accuracies: of a learner of the labelled rows, and of co-training."""
    pairs = []
    for seed in range(_DRAWS):
        X, y, truth = views(seed, shared)
        asked = y < 0
        alone = GaussianNB().fit(X[~asked], y[~asked])
        both = CoTraining(GaussianNB(), views=([0, 1, 2], [3, 4, 5]), p=4, random_state=seed).fit(X, y)
        pairs.append([float((model.predict(X[asked]) == truth[asked]).mean()) for model in (alone, both)])
    mean = np.mean(pairs, axis=0)
    return float(mean[0]), float(mean[1])


@method(
    "semi.co-training-views",
    section="13.5",
    task="classification",
    kind="experiment",
    en="Independent sufficient views lift a weak learner",
    zh="协同训练视图条件",
)
@example("13.5", en="Independent sufficient views lift a weak learner", zh="充分且条件独立的视图提升弱学习器")
def co_training_views() -> Iterator[Figure]:
    """Co-training with two labels a class, on views that are independent given the class and on ones that are not.

    ``lanatus.book.draw_figure("13.5 views")`` draws the accuracy over how much the views share.

    Book: section 13.5; Blum and Mitchell (1998).

    Yields
    ------
    Figure
        Whether co-training lifts the learner, and whether it lifts it less as the views share more.

    Examples
    --------
    >>> from lanatus.book import co_training_views
    >>> all(figure.agrees for figure in co_training_views())
    True
    """
    free, tied = lift(0.0), lift(0.95)
    yield Figure("independent views lift it by more than a tenth", None, str(free[1] - free[0] > 0.1), right="True")
    yield Figure("to above nine tenths", None, str(free[1] > 0.9), right="True")
    less = str(tied[1] - tied[0] < free[1] - free[0])
    yield Figure("views that share nearly all lift it by less", None, less, right="True")


@picture("13.5 views")
def _figure_13_5_views() -> Any:
    figure, (ax,) = row_of_axes(1)
    shared = [0.0, 0.5, 0.8, 0.95]
    found = np.array([lift(each) for each in shared])
    ax.plot(shared, found[:, 0], "--", label="仅有标记样本")
    ax.plot(shared, found[:, 1], "-o", label="协同训练")
    ax.set(xlabel="两视图给定类别后的相关系数", ylabel="精度")
    ax.legend()
    return figure


def bands(flipped: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two bands of rows, four labels in each, of which some are wrong."""
    rng = np.random.default_rng(8)
    truth = np.repeat([0, 1], 150)
    X = np.column_stack([rng.uniform(-3, 3, 300), rng.normal(0, 0.3, 300) + 1.8 * truth])
    y = np.full(300, -1)
    y[:4], y[150:154] = 0, 1
    y[:flipped], y[150 : 150 + flipped] = 1, 0
    return X, y, truth


def wrong_labels(flipped: int) -> np.ndarray:
    """Wrong ones among the labels that self-training has given by each round."""
    X, y, truth = bands(flipped)
    recorder = Recorder()
    learner = SelfTrainingClassifier(LogisticRegression(), criterion="k_best", k_best=20, max_iter=None)
    learner.set_callbacks(recorder).fit(X, y)
    given = [np.asarray(model.transduction_) for model in recorder.models]
    return np.array([int(((each >= 0) & (y < 0) & (each != truth)).sum()) for each in given])


def wrong_at_once(flipped: int) -> int:
    """Wrong answers of the learner of the labelled rows, on all rows."""
    X, y, truth = bands(flipped)
    return int((LogisticRegression().fit(X[y >= 0], y[y >= 0]).predict(X) != truth).sum())


@method(
    "semi.self-training-defects",
    section="ex 13.8",
    task="classification",
    kind="experiment",
    en="Mistakes of self-training pile up",
    zh="自训练缺陷实验",
)
@example("ex 13.8", en="Mistakes of self-training pile up", zh="自训练的错误累积")
def ex_13_8() -> Iterator[Figure]:
    """Logistic regression labels rows for itself; of eight labels at the start two are wrong, and mistakes follow.

    A label that was given is never taken back, and the next rows follow it: in the end many more rows are wrong than
    the learner would have got wrong at once. ``lanatus.book.draw_figure("ex 13.8")`` draws wrong labels by the round.

    Book: exercise 13.8.

    Yields
    ------
    Figure
        Wrong labels with right and with wrong labels at the start.

    Examples
    --------
    >>> from lanatus.book import ex_13_8
    >>> all(figure.agrees for figure in ex_13_8())
    True
    """
    clean, noisy = wrong_labels(0), wrong_labels(1)
    yield Figure("right labels at the start: wrong ones in the end, at most 5", None, str(clean[-1] <= 5), right="True")
    yield Figure("two wrong at the start: above a hundred", None, str(noisy[-1] > 100), right="True")
    times = noisy[-1] / wrong_at_once(1)
    yield Figure("times the mistakes of the learner itself: above 5", None, str(times > 5), right="True")
    yield Figure("no round takes a wrong label back", None, str(bool((np.diff(noisy) >= 0).all())), right="True")


@picture("ex 13.8")
def _figure_ex_13_8() -> Any:
    figure, (ax,) = row_of_axes(1)
    for flipped, name in ((0, "初始标记正确"), (1, "初始标记有两个错误")):
        wrong = wrong_labels(flipped)
        ax.plot(np.arange(1, len(wrong) + 1), wrong, label=name)
    ax.set(xlabel="轮数", ylabel="错误的伪标记数")
    ax.legend()
    return figure
