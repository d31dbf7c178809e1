"""Sections 13.1 to 13.3: what unlabelled rows are good for, and when they do harm."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.kernel import SVC
from lanatus.linear import LogisticRegression
from lanatus.semi import TSVM, LabelPropagation, SemiSupervisedGaussianMixture

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def tie() -> tuple[np.ndarray, np.ndarray]:
    """A negative row, a positive one, a test row half way, and unlabelled rows that lead from it to the positive one.

    Our choice: the rows of figure 13.1 are not printed.
    """
    rng = np.random.default_rng(13)
    left = rng.normal([-1.6, 0.0], 0.35, size=(20, 2))
    right = np.column_stack([np.linspace(0.1, 1.9, 40), np.zeros(40)]) + rng.normal(0, 0.15, size=(40, 2))
    X = np.vstack([[[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]], left, right])
    y = np.full(len(X), -1)
    y[:2] = 0, 1
    return X, y


@method(
    "semi.unlabelled-point-figure",
    section="13.1",
    task="classification",
    kind="experiment",
    en="Unlabelled rows break a tie (Fig 13.1)",
    zh="未标记样本效用示例",
)
@example("13.1", en="Unlabelled rows break a tie (Fig 13.1)", zh="图13.1: 未标记样本的效用")
def fig_13_1() -> Iterator[Figure]:
    """A test row half way between a positive and a negative one: a coin toss, until unlabelled rows lead to one.

    ``lanatus.book.draw_figure("13.1")`` draws it; the rows are a stand-in for the book's, which are not printed.

    Book: section 13.1, figure 13.1.

    Yields
    ------
    Figure
        Probability of the positive class without unlabelled rows, and what the harmonic function says with them.

    Examples
    --------
    >>> from lanatus.book import fig_13_1
    >>> all(figure.agrees for figure in fig_13_1())
    True
    """
    X, y = tie()
    alone = LogisticRegression().fit(X[:2], y[:2])
    yield Figure("P(+) of the test row by the two labelled rows", None, alone.predict_proba(X[2:3])[0, 1], right=0.5)
    model = LabelPropagation(gamma=10.0).fit(X, y)
    yield Figure("with the unlabelled rows it is called", None, "+" if model.transduction_[2] else "-", right="+")
    share = float(model.label_distributions_[2, 1])
    yield Figure("its share of + is above three quarters", None, str(share > 0.75), right="True")


@picture("13.1")
def _figure_13_1() -> Any:
    figure, axes = row_of_axes(2)
    X, _ = tie()
    for ax, shown in zip(axes, (slice(0, 3), slice(0, None)), strict=True):
        ax.scatter(*X[shown][3:].T, color="0.75", s=14)
        ax.scatter(*X[:1].T, marker="_", s=90, color="C2")
        ax.scatter(*X[1:2].T, marker="+", s=90, color="C0")
        ax.scatter(*X[2:3].T, facecolors="none", edgecolors="red", s=60)
        ax.set(xlim=(-2.9, 2.6), ylim=(-1.5, 1.5), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    axes[0].set_title("有标记样本: 无从判断")
    axes[1].set_title("加上未标记样本: 判为正例")
    return figure


def gap() -> Rows:
    """Two long clouds with a gap between them, and four labelled rows whose widest margin lies aslant."""
    rng = np.random.default_rng(4)
    truth = np.repeat([0, 1], 60)
    X = np.column_stack([rng.normal(0, 0.35, 120) + 2.4 * truth, rng.uniform(-2, 2, 120)])
    y = np.full(120, -1)
    X[[0, 1]] = [[0.3, -0.8], [-0.4, -1.0]]
    X[[60, 61]] = [[2.2, 0.8], [2.8, 1.0]]
    y[[0, 1, 60, 61]] = 0, 0, 1, 1
    return X, y, truth


@method(
    "semi.low-density-figure",
    section="13.3",
    task="classification",
    kind="experiment",
    en="Low-density separation (Fig 13.3)",
    zh="图13.3低密度分隔",
)
@example("13.3", en="Low-density separation (Fig 13.3)", zh="图13.3: 低密度分隔")
def fig_13_3() -> Iterator[Figure]:
    """The plane of the labelled rows alone cuts through both clouds; that of TSVM goes through the gap between them.

    ``lanatus.book.draw_figure("13.3")`` draws both; the rows are a stand-in for the book's, which are not printed.

    Book: section 13.3, figure 13.3.

    Yields
    ------
    Figure
        Rows within a narrow band about either plane, and errors of both.

    Examples
    --------
    >>> from lanatus.book import fig_13_3
    >>> all(figure.agrees for figure in fig_13_3())
    True
    """
    X, _, truth = gap()
    plain, machine = _planes()
    near = [int((_distance(model, X) < 0.2).sum()) for model in (plain, machine)]
    yield Figure("rows nearer than 0.2 to the plane of the SVM: more than ten", None, str(near[0] > 10), right="True")
    yield Figure("and to that of TSVM", None, near[1], digits=0, right=0)
    wrong = [int((model.predict(X) != truth).sum()) for model in (plain, machine)]
    yield Figure("rows the SVM gets wrong: more than ten", None, str(wrong[0] > 10), right="True")
    yield Figure("rows TSVM gets wrong", None, wrong[1], digits=0, right=0)


def _planes() -> tuple[SVC, TSVM]:
    X, y, _ = gap()
    known = y >= 0
    return SVC(kernel="linear", C=10.0).fit(X[known], y[known]), TSVM(kernel="linear", C=10.0, C_unlabelled=0.1).fit(
        X, y
    )


def _distance(model: Any, X: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(model.decision_function(X)) / np.linalg.norm(model.coef_))


@picture("13.3")
def _figure_13_3() -> Any:
    figure, (ax,) = row_of_axes(1)
    X, y, _ = gap()
    ax.scatter(*X[y < 0].T, color="0.75", s=14)
    ax.scatter(*X[y == 0].T, marker="_", s=90, color="C2")
    ax.scatter(*X[y == 1].T, marker="+", s=90, color="C0")
    up = np.array([-2.2, 2.2])
    for model, style, name in zip(_planes(), ("--", "-"), ("SVM", "TSVM"), strict=True):
        w, b = model.coef_[0], float(model.intercept_[0])
        ax.plot(-(b + w[1] * up) / w[0], up, style, color="black" if name == "SVM" else "red", label=name)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", xlim=(-1.5, 4.0), ylim=(-2.2, 2.2))
    ax.legend()
    return figure


def one_cloud_each(seed: int, right: bool, n: int = 400, each: int = 15) -> Rows:
    """Two classes: a cloud each, as the model has it, or with the class across the clouds."""
    rng = np.random.default_rng(seed)
    cloud = rng.integers(0, 2, n)
    X = 0.7 * rng.normal(size=(n, 2)) + np.column_stack([(2.0 if right else 4.0) * cloud, np.zeros(n)])
    truth = cloud if right else (X[:, 1] > 0.3 * (1 - 2 * cloud)).astype(int)
    y = np.full(n, -1)
    for c in (0, 1):
        y[rng.permutation(np.flatnonzero(truth == c))[:each]] = c
    return X, y, truth


def accuracies(model: Any, rows: Rows) -> tuple[float, float]:
    """Of a generative model of the labelled rows, and of it with the others too, on the rows without a label."""
    X, y, truth = rows
    asked = y < 0
    alone = model.set_params(unlabelled_weight=0.0).fit(X, y).predict(X[asked])
    both = model.set_params(unlabelled_weight=1.0).fit(X, y).predict(X[asked])
    return float((alone == truth[asked]).mean()), float((both == truth[asked]).mean())


@method(
    "semi.unlabelled-data-hurt",
    section="13.2",
    task="classification",
    kind="experiment",
    en="A wrong model makes unlabelled rows do harm",
    zh="错误模型假设使性能下降",
)
@example("13.2", en="A wrong model makes unlabelled rows do harm", zh="模型假设错误时未标记样本降低性能")
def unlabelled_hurts() -> Iterator[Figure]:
    """Two clouds; where each is a class unlabelled rows help, where the classes lie across the clouds they do harm.

    A Gaussian for each class, by EM. Where the class is another one than the cloud, what is likeliest of all rows is
    still a Gaussian for each cloud, and few labels cannot hold it back.

    Book: section 13.2; Cozman and Cohen (2002).

    Yields
    ------
    Figure
        Whether accuracy rises or falls, over ten draws of each.

    Examples
    --------
    >>> from lanatus.book import unlabelled_hurts
    >>> all(figure.agrees for figure in unlabelled_hurts())
    True
    """
    for right, what in ((True, "a class is a cloud"), (False, "the classes lie across the clouds")):
        model = SemiSupervisedGaussianMixture(reg_covar=1e-3, max_iter=1000)
        pairs = np.array([accuracies(model, one_cloud_each(seed, right)) for seed in range(10)])
        change = float((pairs[:, 1] - pairs[:, 0]).mean())
        told = "rises" if change > 0 else "falls"
        yield Figure(f"{what}: accuracy with unlabelled rows", None, told, right="rises" if right else "falls")
        if not right:
            yield Figure("it falls by more than a tenth", None, str(change < -0.1), right="True")


@method(
    "semi.generative-few-labels",
    section="13.2",
    task="classification",
    kind="experiment",
    en="Generative methods are best with very few labels",
    zh="标记极少时生成式更优",
)
@example("13.2", en="Generative methods are best with very few labels", zh="有标记样本极少时生成式方法更优")
def generative_few_labels() -> Iterator[Figure]:
    """A Gaussian mixture by EM beside TSVM and logistic regression, with one label a class and with thirty.

    Book: section 13.2.

    Yields
    ------
    Figure
        Which is the most accurate with one label a class, and whether the lead is smaller with thirty.

    Examples
    --------
    >>> from lanatus.book import generative_few_labels
    >>> all(figure.agrees for figure in generative_few_labels())
    True
    """
    few, many = few_label_scores(1), few_label_scores(30)
    best = max(few, key=lambda name: few[name])
    yield Figure("most accurate with one label a class", None, best, right="Gaussian mixture")
    lead = [score["Gaussian mixture"] - score["logistic regression"] for score in (few, many)]
    yield Figure("its lead over logistic regression is above 0.1", None, str(lead[0] > 0.1), right="True")
    yield Figure("with thirty labels a class it is below 0.05", None, str(lead[1] < 0.05), right="True")


def few_label_scores(each: int) -> dict[str, float]:
    """Accuracies on rows without a label, of the mean of ten draws."""
    scores: dict[str, list[float]] = {}
    for seed in range(10):
        X, y, truth = leaning_clouds(seed, each)
        known, asked = y >= 0, y < 0
        models: dict[str, Any] = {
            "Gaussian mixture": SemiSupervisedGaussianMixture(covariance_type="tied", reg_covar=1e-3).fit(X, y),
            "TSVM": TSVM(kernel="linear").fit(X, y),
            "logistic regression": LogisticRegression().fit(X[known], y[known]),
        }
        for name, model in models.items():
            scores.setdefault(name, []).append(float((model.predict(X[asked]) == truth[asked]).mean()))
    return {name: float(np.mean(values)) for name, values in scores.items()}


def leaning_clouds(seed: int, each: int) -> Rows:
    """Two Gaussian classes of one covariance, stretched across the way from one to the other."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 2)) @ np.array([[0.6, 0.0], [0.9, 1.6]]) + np.outer(truth, [2.4, 0.0])
    y = np.full(300, -1)
    for c in (0, 1):
        y[rng.permutation(np.flatnonzero(truth == c))[:each]] = c
    return X, y, truth


@picture("13.2 harm")
def _figure_13_2_harm() -> Any:
    figure, axes = row_of_axes(2)
    for ax, right in zip(axes, (True, False), strict=True):
        X, y, truth = one_cloud_each(0, right)
        ax.scatter(*X[y < 0].T, c=np.where(truth[y < 0] == 1, "C0", "C2"), s=8, alpha=0.4)
        ax.scatter(*X[y >= 0].T, c=np.where(truth[y >= 0] == 1, "C0", "C2"), s=60, edgecolors="black")
        alone, both = accuracies(SemiSupervisedGaussianMixture(reg_covar=1e-3, max_iter=1000), (X, y, truth))
        ax.set_title(f"仅有标记 {alone:.2f}, 加未标记 {both:.2f}")
        ax.set(xlabel="$x_1$", ylabel="$x_2$")
    return figure
