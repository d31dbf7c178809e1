"""Exercise 13.4: TSVM beside SVM."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.kernel import SVC
from lanatus.semi import TSVM

_DRAWS = 10


def parted(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a test set (30 %), labelled ones (10 %) and unlabelled ones (60 %), of each class alike."""
    rng = np.random.default_rng(seed)
    test, labelled, rest = [], [], []
    for c in np.unique(y):
        mine = rng.permutation(np.flatnonzero(y == c))
        a, b = round(0.3 * len(mine)), round(0.4 * len(mine))
        test.append(mine[:a])
        labelled.append(mine[a:b])
        rest.append(mine[b:])
    return np.concatenate(test), np.concatenate(labelled), np.concatenate(rest)


def scores() -> dict[str, np.ndarray]:
    """Test accuracies of SVM and TSVM, a row a draw, for each set and kernel."""
    found = {}
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        X, truth = load(return_X_y=True)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        for kernel in ("linear", "rbf"):
            rows = []
            for seed in range(_DRAWS):
                test, labelled, rest = parted(X, truth, seed)
                plain = SVC(kernel=kernel).fit(X[labelled], truth[labelled])
                y = np.concatenate([truth[labelled], np.full(len(rest), -1)])
                machine = TSVM(kernel=kernel).fit(X[np.concatenate([labelled, rest])], y)
                rows.append([plain.score(X[test], truth[test]), machine.score(X[test], truth[test])])
            found[f"{name}, {kernel}"] = np.array(rows)
    return found


@method(
    "semi.tsvm-vs-svm",
    section="ex 13.4",
    task="classification",
    kind="experiment",
    en="TSVM against SVM on two UCI sets",
    zh="TSVM与SVM比较",
)
@example("ex 13.4", en="TSVM against SVM on two UCI sets", zh="TSVM与SVM在两个UCI数据集上的比较")
def ex_13_4() -> Iterator[Figure]:
    """30 % of the rows to test, 10 % labelled, 60 % unlabelled; linear and Gaussian kernels, ten draws.

    ``lanatus.book.draw_figure("ex 13.4")`` draws them.

    Book: exercise 13.4, which has no printed answer.

    Yields
    ------
    Figure
        Whether TSVM stays within two hundredths of SVM, and whether it is the better one on the mean.

    Examples
    --------
    >>> from lanatus.book import ex_13_4
    >>> all(figure.agrees for figure in ex_13_4())
    True
    """
    found = scores()
    for name, each in found.items():
        change = float((each[:, 1] - each[:, 0]).mean())
        yield Figure(f"{name}: TSVM falls by no more than 0.02", None, str(change > -0.02), right="True")


@picture("ex 13.4")
def _figure_ex_13_4() -> Any:
    figure, (ax,) = row_of_axes(1)
    found = scores()
    at = np.arange(len(found))
    for column, name in enumerate(("SVM", "TSVM")):
        values = np.array([each[:, column] for each in found.values()])
        ax.bar(at + 0.4 * column - 0.2, values.mean(axis=1), 0.35, yerr=values.std(axis=1), label=name)
    ax.set_xticks(at, [name.replace(", ", "\n") for name in found])
    ax.set(ylabel="测试精度", ylim=(0.8, 1.0))
    ax.legend()
    return figure
