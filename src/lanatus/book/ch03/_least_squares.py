"""Sections 3.1 and 3.2: linear models and least squares."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.linear import LinearModel, LinearRegression


@example("3.1", en="Weights as importance of attributes", zh="权重体现属性的重要性")
def weights_as_importance() -> Iterator[Figure]:
    """f = 0.2 colour + 0.5 root + 0.3 sound + 1: the root matters most, then the sound."""
    melon = LinearModel.of({"色泽": 0.2, "根蒂": 0.5, "敲声": 0.3}, intercept=1)
    yield Figure("attributes by importance", "根蒂 敲声 色泽", " ".join(melon.feature_importance()))


@example("3.2", en="Least squares on watermelon 3.0alpha", zh="西瓜数据集3.0α上的最小二乘")
def melons_by_least_squares() -> Iterator[Figure]:
    """Sugar on density by the closed form (3.7), (3.8); the label as 0 or 1 on both by (3.11)."""
    bunch = load_watermelon("3.0a", frame="numpy")
    X = np.asarray(bunch.data, dtype=float)
    one = LinearRegression().fit(X[:, :1], X[:, 1])
    yield Figure("w, b of sugar on density", None, (one.coef_[0], one.intercept_), digits=6, right=(0.140696, 0.137882))
    both = LinearRegression().fit(X, (np.asarray(bunch.target) == "是").astype(float))
    expected = (0.431576, 2.176043, -0.222402)
    yield Figure("w, b of the label on both", None, (*both.coef_, both.intercept_), digits=6, right=expected)


@method(
    "linear.bias-term-unneeded",
    section="ex 3.1",
    task="classification",
    kind="experiment",
    en="When the bias term is unnecessary",
    zh="无需偏置项的情形",
)
@example("3.2", en="When the bias is unnecessary (exercise 3.1)", zh="何时不需要偏置项 (习题3.1)")
def ex_3_1() -> Iterator[Figure]:
    """Least squares needs no bias when attributes and target are centred, or when rows are taken as differences.

    Both ways give the weights of the model with a bias, on the density and sugar of watermelon 3.0alpha.

    Book: exercise 3.1.

    Yields
    ------
    Figure
        The weight by each way.

    Examples
    --------
    >>> from lanatus.book import ex_3_1
    >>> all(figure.agrees for figure in ex_3_1())
    True
    """
    X = np.asarray(load_watermelon("3.0a", frame="numpy").data, dtype=float)
    x, y = X[:, :1], X[:, 1]
    wanted = float(LinearRegression().fit(x, y).coef_[0])
    bare = LinearRegression(fit_intercept=False)
    centred = bare.fit(x - x.mean(axis=0), y - y.mean()).coef_[0]
    yield Figure("weight of centred data without bias", None, centred, digits=12, right=wanted)
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    first, second = np.array(pairs).T
    differences = bare.fit(x[first] - x[second], y[first] - y[second]).coef_[0]
    yield Figure("weight of differences of rows without bias", None, differences, digits=12, right=wanted)
    through_zero = bare.fit(x, y).coef_[0]
    yield Figure(
        "without either, the weight is", None, through_zero, digits=6, right=float(y @ x[:, 0] / (x[:, 0] @ x[:, 0]))
    )
