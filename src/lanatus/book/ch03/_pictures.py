"""Chapter 3 in pictures: log-linear regression, the logistic function, Fisher's projection, votes of decompositions."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.linear import LinearDiscriminantAnalysis, LogLinearRegression, logistic, unit_step
from lanatus.multiclass import one_vs_one_code, one_vs_rest_code


def log_linear_model() -> tuple[np.ndarray, np.ndarray, Any]:
    """Points near y = exp(0.8 x - 1), and the model whose logarithm is linear."""
    rng = np.random.RandomState(0)
    x = np.linspace(0, 3, 25)
    y = np.exp(0.8 * x - 1 + rng.normal(scale=0.08, size=25))
    return x, y, LogLinearRegression().fit(x[:, None], y)


def fisher_line() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Melons 3.0alpha, whether they are good, and the direction of unit length that tells them apart best."""
    bunch = load_watermelon("3.0a", frame="numpy")
    X, good = np.asarray(bunch.data, dtype=float), np.asarray(bunch.target) == "是"
    w = LinearDiscriminantAnalysis(solver="eigen").fit(X, good).coef_[0]
    return X, good, w / np.linalg.norm(w)


def votes_of_four(said: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """What the learners of one-vs-one and one-vs-rest say of a row of one of four classes, as votes for each."""
    pairs, rest = one_vs_one_code(4), one_vs_rest_code(4)
    # A pair that does not have the class says either; here the one that stands first in 3, 1, 2, 4.
    rank = np.array([1, 2, 0, 3])
    rank[said] = -1
    winners = [min(np.flatnonzero(column), key=rank.__getitem__) for column in pairs.T]
    return np.bincount(winners, minlength=4), (rest[said] == 1).astype(int)


@method(
    "linear.chapter-3-figures",
    section="3.2",
    task="regression",
    kind="experiment",
    en="Figures 3.1 to 3.4",
    zh="图3.1-3.4",
)
@example("3.2", en="Figures 3.1 to 3.4 in numbers", zh="图3.1至图3.4")
def fig_3_1() -> Iterator[Figure]:
    """What the pictures of chapter 3 show; ``draw_figure("3.1")`` to ``"3.4"`` draw them.

    The logarithm of a log-linear prediction is a straight line (3.14); the logistic function comes near the unit step
    and is its half at 0 (3.16, 3.17); Fisher's projection has the largest ratio of scatters (3.35); of four classes
    one-vs-one trains six learners and one-vs-rest four, and both answer the third (figure 3.4).

    Book: figures 3.1 to 3.4.

    Yields
    ------
    Figure
        A number or two of each picture.

    Examples
    --------
    >>> from lanatus.book import fig_3_1
    >>> all(figure.agrees for figure in fig_3_1())
    True
    """
    _, _, model = log_linear_model()
    bend = np.diff(np.log(model.predict(np.linspace(0, 3, 7)[:, None])), 2)
    yield Figure("3.1: bend of the logarithm of the prediction", None, float(np.abs(bend).max()), 9, right=0.0)
    yield Figure("3.2: step and logistic function at 0", (0.5, 0.5), (float(unit_step(0.0)), float(logistic(0.0))))
    gap = abs(float(logistic(10.0)) - float(unit_step(10.0)))
    yield Figure("3.2: how far apart they are at 10", None, gap, 6, right=4.5e-5)
    X, good, w = fisher_line()
    angles = np.linspace(0, np.pi, 1801)
    ratios = [_scatter_ratio(X @ np.array([np.cos(a), np.sin(a)]), good) for a in angles]
    best = float(np.degrees(angles[int(np.argmax(ratios))]))
    angle = float(np.degrees(np.arctan2(w[1], w[0])) % 180)
    yield Figure("3.3: angle of the line, less that of the largest ratio by trying", None, angle - best, 0, right=0.0)
    one, rest = votes_of_four()
    yield Figure("3.4: learners", None, (one_vs_one_code(4).shape[1], one_vs_rest_code(4).shape[1]), 0, right=(6, 4))
    yield Figure("3.4: class by votes", None, (one.argmax() + 1, rest.argmax() + 1), 0, right=(3, 3))


def _scatter_ratio(z: np.ndarray, good: np.ndarray) -> float:
    within = z[good].var() * good.sum() + z[~good].var() * (~good).sum()
    return float((z[good].mean() - z[~good].mean()) ** 2 / within)


@picture("3.1")
def _figure_3_1() -> Any:
    x, y, model = log_linear_model()
    figure, (left, right) = row_of_axes(2)
    line = np.linspace(0, 3, 100)
    said = model.predict(line[:, None])
    left.plot(x, y, "ko", markersize=4)
    left.plot(line, said, "C3", label=r"$y = e^{wx + b}$")
    right.plot(x, np.log(y), "ko", markersize=4)
    right.plot(line, np.log(said), "C0", label=r"$\ln y = wx + b$")
    left.set(xlabel="x", ylabel="y", title="对数线性回归")
    right.set(xlabel="x", ylabel="ln y", title="对数将其变为线性")
    for ax in (left, right):
        ax.legend()
    return figure


@picture("3.2")
def _figure_3_2() -> Any:
    figure, (ax,) = row_of_axes(1)
    z = np.linspace(-10, 10, 401)
    ax.plot(z[z < 0], unit_step(z[z < 0]), "C3", label="单位阶跃函数")
    ax.plot(z[z > 0], unit_step(z[z > 0]), "C3")
    ax.plot([0], [0.5], "C3o")
    ax.plot(z, logistic(z), "k", label="对数几率函数")
    ax.set(xlabel="z", ylabel="y")
    ax.legend(loc="upper left")
    return figure


@picture("3.3")
def _figure_3_3() -> Any:
    X, good, w = fisher_line()
    figure, (ax,) = row_of_axes(1)
    centre = X.mean(axis=0)
    places = (X - centre) @ w
    ends = centre + np.outer([places.min() - 0.05, places.max() + 0.05], w)
    ax.plot(*ends.T, "k")
    for mask, mark, colour, name in ((good, "+", "C0", "好瓜"), (~good, "_", "C2", "坏瓜")):
        feet = centre + np.outer(places[mask], w)
        for point, foot in zip(X[mask], feet, strict=True):
            ax.plot(*np.array([point, foot]).T, color=colour, linestyle=":", linewidth=0.8)
        ax.scatter(*X[mask].T, marker=mark, s=60, color=colour, label=name)
        ax.scatter(*feet.mean(axis=0), marker="o" if mark == "+" else "^", s=60, color="red", zorder=3)
    ax.set(xlabel="密度", ylabel="含糖率", title="LDA的二维示意图", aspect="equal")
    ax.legend()
    return figure


@picture("3.4")
def _figure_3_4() -> Any:
    figure, axes = row_of_axes(2)
    named = (("一对一 (OvO)", one_vs_one_code(4), 0), ("一对其余 (OvR)", one_vs_rest_code(4), 1))
    for ax, (title, code, way) in zip(axes, named, strict=True):
        ax.imshow(code, cmap="RdBu", vmin=-1.5, vmax=1.5, aspect="auto")
        for (i, j), value in np.ndenumerate(code):
            ax.text(j, i, {1: "+", -1: "−", 0: ""}[int(value)], ha="center", va="center")
        votes = votes_of_four()[way]
        ax.set_xticks(range(code.shape[1]), [f"f{j + 1}" for j in range(code.shape[1])])
        ax.set_yticks(range(4), [f"C{i + 1}: {votes[i]}票" for i in range(4)])
        ax.set_title(f"{title}, 最终结果 C{votes.argmax() + 1}")
    return figure
