"""Section 13.1: asking beside drawing at random."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.callbacks import Recorder
from lanatus.catalog import method
from lanatus.kernel import SVC
from lanatus.semi import ActiveLearner

_DRAWS, _BUDGET = 8, 40


def curves() -> dict[str, np.ndarray]:
    """Accuracy on rows held out after each question, of the mean of some draws; two labels a class to begin with."""
    X, truth = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found: dict[str, list[list[float]]] = {"hyperplane": [], "random": []}
    for seed in range(_DRAWS):
        order = np.random.default_rng(seed).permutation(len(X))
        test, pool = order[:200], order[200:]
        y = np.full(len(pool), -1)
        for c in (0, 1):
            y[np.flatnonzero(truth[pool] == c)[:2]] = c
        for query, each in found.items():
            recorder = Recorder()
            learner = ActiveLearner(
                SVC(kernel="linear"),
                query=query,
                oracle=lambda rows, X, classes, labels=truth[pool]: labels[rows],
                budget=_BUDGET,
                random_state=seed,
            )
            learner.set_callbacks(recorder).fit(X[pool], y)
            each.append([model.score(X[test], truth[test]) for model in recorder.models])
    return {query: np.mean(each, axis=0) for query, each in found.items()}


@method(
    "semi.active-vs-random",
    section="13.1",
    task="classification",
    kind="experiment",
    en="Questions near the hyperplane need fewer labels than random ones",
    zh="主动查询与随机查询",
)
@example("13.1", en="Questions near the hyperplane need fewer labels than random ones", zh="主动查询与随机查询的比较")
def active_vs_random() -> Iterator[Figure]:
    """A linear machine on the Wisconsin breast cancer data asks for labels, near its plane or at random.

    ``lanatus.book.draw_figure("13.1 active")`` draws both curves.

    Book: section 13.1.

    Yields
    ------
    Figure
        Whether fewer questions are needed, and which curve is higher.

    Examples
    --------
    >>> from lanatus.book import active_vs_random
    >>> all(figure.agrees for figure in active_vs_random())
    True
    """
    found = curves()
    goal = found["random"][-1]
    needed = int(np.argmax(found["hyperplane"] >= goal))
    half = str(needed <= _BUDGET // 2)
    yield Figure(f"questions that reach what {_BUDGET} random ones do: at most half", None, half, right="True")
    mean = {query: float(each.mean()) for query, each in found.items()}
    yield Figure("curve that is higher on the mean", None, max(mean, key=lambda name: mean[name]), right="hyperplane")


@picture("13.1 active")
def _figure_13_1_active() -> Any:
    figure, (ax,) = row_of_axes(1)
    for (query, each), name in zip(curves().items(), ("距超平面最近", "随机"), strict=True):
        ax.plot(np.arange(len(each)), each, "-" if query == "hyperplane" else "--", label=name)
    ax.set(xlabel="查询次数", ylabel="测试精度")
    ax.legend()
    return figure
