"""Sections 6.1, 6.4, 6.7 and exercises 6.4, 6.6: the middle plane, and linear machines beside other linear models."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.kernel import SVC, LinearSVC, geometric_margin
from lanatus.linear import LinearDiscriminantAnalysis, LogisticRegression


def _two_clouds() -> tuple[np.ndarray, np.ndarray]:
    """Two classes that many lines separate."""
    rng = np.random.default_rng(6)
    y = np.repeat([-1, 1], 12)
    return rng.uniform(-1, 1, size=(24, 2)) * [1.0, 1.3] + 2.0 * y[:, None] * [0.8, 0.3], y


def _lines() -> list[tuple[np.ndarray, float]]:
    """Lines that separate the two clouds, the middle one first."""
    X, y = _two_clouds()
    middle = SVC(C=np.inf, kernel="linear", tol=1e-10).fit(X, y)
    w, b = middle.coef_[0], float(middle.intercept_[0])
    along = np.array([-w[1], w[0]])
    others = [(w + turn * along, b + shift) for turn, shift in ((0.12, 0.0), (-0.12, 0.0), (0.0, 0.8), (0.0, -0.8))]
    return [(w, b), *others]


@method(
    "kernel.middle-hyperplane-figure",
    section="6.1",
    task="classification",
    kind="experiment",
    en="The middle hyperplane is the most robust (Fig 6.1)",
    zh="图6.1",
)
@example("6.1", en="The middle hyperplane is the most robust (Fig 6.1)", zh="图6.1: 正中间的划分超平面最鲁棒")
def fig_6_1() -> Iterator[Figure]:
    """Of five lines that separate two classes the middle one has the widest margin, and errs least on moved rows.

    ``lanatus.book.draw_figure("6.1")`` draws them; the rows are a stand-in for the book's, which are not printed.

    Book: section 6.1, figure 6.1.

    Yields
    ------
    Figure
        Whether all lines separate, which has the widest margin, and which err when rows are moved.

    Examples
    --------
    >>> from lanatus.book import fig_6_1
    >>> all(figure.agrees for figure in fig_6_1())
    True
    """
    X, y = _two_clouds()
    margins = [geometric_margin(X, y, w, b) for w, b in _lines()]
    yield Figure("lines that separate the classes, of 5", None, int(np.sum(np.array(margins) > 0)), 0, right=5)
    yield Figure("line of the widest margin (1 is the middle one)", None, int(np.argmax(margins)) + 1, 0, right=1)
    steps = np.random.default_rng(0).normal(size=(2000, *X.shape))
    steps *= 0.99 * max(margins) / np.linalg.norm(steps, axis=2, keepdims=True)
    errors = [int(np.sum(np.sign((X + steps) @ w + b) != y)) for w, b in _lines()]
    yield Figure("errors of the middle line on rows that moved by 99 % of its margin", None, errors[0], 0, right=0)
    yield Figure("each of the other lines errs", None, str(min(errors[1:]) > 0), right="True")


@picture("6.1")
def _figure_6_1() -> Any:
    figure, (ax,) = row_of_axes(1)
    X, y = _two_clouds()
    ax.scatter(*X[y > 0].T, marker="+", s=50, color="C0")
    ax.scatter(*X[y < 0].T, marker="_", s=50, color="C2")
    up = np.linspace(X[:, 1].min() - 0.5, X[:, 1].max() + 0.5, 2)
    for number, (w, b) in enumerate(_lines()):
        ax.plot(-(b + w[1] * up) / w[0], up, color="black" if number else "red", linewidth=0.8 if number else 2.0)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", xlim=(X[:, 0].min() - 0.5, X[:, 0].max() + 0.5))
    return figure


@method(
    "kernel.lda-vs-linear-svm",
    section="ex 6.4",
    task="classification",
    kind="experiment",
    en="When LDA and linear SVM agree",
    zh="LDA与线性核SVM等价条件",
)
@example("ex 6.4", en="When LDA and linear SVM agree", zh="LDA与线性核SVM何时等价")
def ex_6_4() -> Iterator[Figure]:
    r"""The two have one direction where the support vectors' mean difference is that of whitened means, else not.

    They agree on classes that are mirror images of each other, with a scatter that is alike in all directions: then
    both normals lie along the difference of the means. Far rows, which are no support vectors, turn LDA alone.

    Book: exercise 6.4, which has no printed answer.

    Yields
    ------
    Figure
        Angles between the two normals, in degrees.

    Examples
    --------
    >>> from lanatus.book import ex_6_4
    >>> all(figure.agrees for figure in ex_6_4())
    True
    """
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    apart = np.array([2.0, 0.0])
    X, y = np.vstack([corners + apart, -corners - apart]), np.repeat([1, -1], 4)
    yield Figure("mirror images, scatter alike in all directions", None, _angle(X, y), 4, right=0.0)
    far = np.vstack([X, [[9.0, 6.0], [9.0, 7.0]]]), np.append(y, [1, 1])
    machine = [_normal(SVC(C=np.inf, kernel="linear", tol=1e-10).fit(*rows)) for rows in ((X, y), far)]
    yield Figure("far rows turn the machine by", None, _between(*machine), 4, right=0.0)
    yield Figure("far rows turn LDA by more than ten degrees", None, str(_angle(*far) > 10), right="True")
    leaning = np.array([[1.0, 1.0], [-1.0, -1.0], [0.3, -0.3], [-0.3, 0.3]])
    mirrored = np.vstack([leaning + apart, -leaning - apart])
    yield Figure("scatter that leans turns them apart", None, str(_angle(mirrored, y) > 5), right="True")


def _normal(model: Any) -> np.ndarray:
    w = np.asarray(model.coef_[0], dtype=float)
    return w / np.linalg.norm(w)


def _between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle between two normals, in degrees."""
    return float(np.degrees(np.arctan2(np.linalg.norm(a - (a @ b) * b), a @ b)))


def _angle(X: np.ndarray, y: np.ndarray) -> float:
    machine = SVC(C=np.inf, kernel="linear", tol=1e-10).fit(X, y)
    return _between(_normal(machine), _normal(LinearDiscriminantAnalysis().fit(X, y)))


@method(
    "kernel.svm-noise-sensitivity",
    section="ex 6.6",
    task="classification",
    kind="experiment",
    en="Noise sensitivity of SVM",
    zh="SVM对噪声敏感",
)
@example("ex 6.6", en="Noise sensitivity of SVM", zh="SVM对噪声敏感")
def ex_6_6() -> Iterator[Figure]:
    """One row near the other class turns the hard margin, for it becomes a support vector; a small C hardly notices it.

    Book: exercise 6.6.

    Yields
    ------
    Figure
        How far the normals turn, what becomes of the margin, and what a row does that is no support vector.

    Examples
    --------
    >>> from lanatus.book import ex_6_6
    >>> all(figure.agrees for figure in ex_6_6())
    True
    """
    X, y = _two_clouds()
    w, b = _lines()[0]
    margin = geometric_margin(X, y, w, b)
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
    near = (-b * w / (w @ w)) + 0.5 * along - 0.7 * margin * w / np.linalg.norm(w)  # on the other side, near the plane
    noisy, labels = np.vstack([X, near]), np.append(y, 1)
    turns, left = [], []
    for C in (np.inf, 0.02):
        pair = [SVC(C=C, kernel="linear", tol=1e-10).fit(*rows) for rows in ((X, y), (noisy, labels))]
        turns.append(_between(*(_normal(model) for model in pair)))
        left.append(float(np.linalg.norm(pair[0].coef_) / np.linalg.norm(pair[1].coef_)))
    yield Figure("a noisy row turns the hard margin more", None, str(turns[0] > turns[1]), right="True")
    yield Figure("less than 60 % of the hard margin is left", None, str(left[0] < 0.6), right="True")
    yield Figure("more than 90 % of the soft one is", None, str(left[1] > 0.9), right="True")
    flipped = SVC(C=1.0, kernel="linear", tol=1e-10).fit(X, np.where(np.arange(24) == 0, -y, y))
    yield Figure("a flipped label is a support vector", None, str(0 in flipped.support_), right="True")
    model = SVC(C=np.inf, kernel="linear", tol=1e-10).fit(X, y)
    kept = model.support_
    alone = SVC(C=np.inf, kernel="linear", tol=1e-10).fit(X[kept], y[kept])
    yield Figure("without the others the plane turns by", None, _between(_normal(model), _normal(alone)), 4, right=0.0)


def _overlapping(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, 5)) + 1.0 * y[:, None] * [1.0, 0.5, 0.0, 0.0, 0.0], y


@method(
    "kernel.svm-vs-logistic",
    section="6.4",
    task="classification",
    kind="experiment",
    en="SVM and logistic regression: accuracy, sparsity, cost of prediction",
    zh="SVM与对率回归",
)
@example("6.4", en="SVM and logistic regression", zh="支持向量机与对率回归")
def svm_vs_logistic() -> Iterator[Figure]:
    """The two are about as accurate; the machine is held by some rows, logistic regression by all, with a chance.

    Book: section 6.4, which says so without numbers: the hinge has a flat part and so a sparse solution, and the
    logistic loss probabilities.

    Yields
    ------
    Figure
        Accuracies on unseen rows, rows with a part in the solution, and whether there are probabilities.

    Examples
    --------
    >>> from lanatus.book import svm_vs_logistic
    >>> all(figure.agrees for figure in svm_vs_logistic())
    True
    """
    X, y = _overlapping(6000)
    learn, ask = slice(0, 1000), slice(1000, None)
    machine = SVC(kernel="linear").fit(X[learn], y[learn])
    odds = LogisticRegression().fit(X[learn], y[learn])
    gap = abs(machine.score(X[ask], y[ask]) - odds.score(X[ask], y[ask]))
    yield Figure("accuracies differ by less than 0.01", None, str(gap < 0.01), right="True")
    pulls = np.abs(odds.predict_proba(X[learn])[:, 1] - (y[learn] > 0))
    few = len(machine.support_) < 0.6 * 1000
    yield Figure("rows that hold the machine: fewer than 60 %", None, str(few), right="True")
    yield Figure("rows that pull at logistic regression", None, int(np.count_nonzero(pulls)), 0, right=1000)
    yield Figure("logistic regression has probabilities", None, str(hasattr(odds, "predict_proba")), right="True")
    yield Figure("the machine, as it is, has none", None, str(hasattr(machine, "predict_proba")), right="False")


@method(
    "kernel.linear-solver-times",
    section="6.7",
    task="classification",
    kind="experiment",
    en="SVMperf, Pegasos and DCD timed",
    zh="线性SVM求解器",
)
@example("6.7", en="Solvers of linear machines: cutting planes, Pegasos, coordinate descent", zh="线性SVM求解器比较")
def linear_svm_time() -> Iterator[Figure]:
    """Three solvers of section 6.7 come to one objective, in times that are a small part of that of a kernel machine.

    Book: section 6.7, which names them without numbers.

    Yields
    ------
    Figure
        Objectives above the least, and whether each solver is faster than the machine with a linear kernel.

    Examples
    --------
    >>> from lanatus.book import linear_svm_time
    >>> all(figure.agrees for figure in linear_svm_time())
    True
    """
    X, y = _overlapping(4000)
    start = perf_counter()
    SVC(kernel="linear", C=0.01).fit(X, y)
    slow = perf_counter() - start
    least = _cost(LinearSVC(loss="hinge", C=0.01).fit(X, y), X, y)
    solvers: tuple[tuple[str, dict[str, Any], float], ...] = (
        ("cutting-plane", {"tol": 1e-4}, 1e-4),
        ("pegasos", {"max_iter": 20, "tol": 1e-2}, 2e-2),
        ("dcd", {"tol": 1e-2}, 1e-3),
    )
    for solver, how, share in solvers:
        start = perf_counter()
        model = LinearSVC(loss="hinge", C=0.01, solver=solver, random_state=0, **how).fit(X, y)
        fast = perf_counter() - start
        above = _cost(model, X, y) / least - 1
        yield Figure(f"{solver}: within {share:g} of the least objective", None, str(above <= share), right="True")
        yield Figure(f"{solver}: not slower than ten kernel machines", None, str(fast < 10 * slow), right="True")


def _cost(model: LinearSVC, X: np.ndarray, y: np.ndarray) -> float:
    size = float((model.coef_**2).sum() + (model.intercept_**2).sum())
    return 0.5 * size + model.C * float(np.maximum(0, 1 - y * model.decision_function(X)).sum())
