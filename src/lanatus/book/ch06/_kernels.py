"""Kernels at work: widths, maps, Nystroem's method against random features, kernel logistic regression, KLDA."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.kernel import (
    SVC,
    SVR,
    GaussianKernel,
    KernelLDA,
    KernelLogisticRegression,
    Nystroem,
    RBFSampler,
    epsilon_insensitive_loss,
    polynomial_map,
)
from lanatus.plot import plot_decision, plot_tube

_WIDTHS = (20.0, 0.5, 0.03)


def _melons() -> tuple[Any, np.ndarray]:
    return load_watermelon("3.0a", return_X_y=True)


@method(
    "kernel.nystroem-vs-rff",
    section="6.7",
    task="transform",
    kind="experiment",
    en="Claim: Nystrom is better under fast eigenvalue decay",
    zh="Nyström与随机傅里叶对比",
)
@example("6.7", en="Nystroem's method and random Fourier features", zh="Nyström与随机傅里叶特征对比")
def nystroem_vs_rff() -> Iterator[Figure]:
    """How near either comes to a Gaussian kernel with 50 features, where its eigenvalues fall fast and where slowly.

    Book: section 6.7, after Yang et al. (2012).

    Yields
    ------
    Figure
        How fast the eigenvalues fall, and whether Nystroem's method is the better the faster they do.

    Examples
    --------
    >>> from lanatus.book import nystroem_vs_rff
    >>> all(figure.agrees for figure in nystroem_vs_rff())
    True
    """
    X = np.random.default_rng(0).normal(size=(400, 5))
    gains = []
    for word, gamma, above, below in (("fast", 0.02, 0.99, 1.0), ("slow", 1.0, 0.0, 0.5)):
        K = GaussianKernel(float(np.sqrt(0.5 / gamma)))(X)
        values = np.linalg.eigvalsh(K)[::-1]
        share = float(values[:50].sum() / values.sum())
        what = f"{word}: the largest 50 eigenvalues have {above:.0%} to {below:.0%} of the sum"
        yield Figure(what, None, str(above <= share <= below), right="True")
        errors = []
        for made in (Nystroem, RBFSampler):
            found = [made(gamma=gamma, n_components=50, random_state=seed).fit_transform(X) for seed in range(5)]
            errors.append(np.mean([np.linalg.norm(Z @ Z.T - K) / np.linalg.norm(K) for Z in found]))
        gains.append(errors[1] / errors[0])
        yield Figure(f"{word}: Nystroem is nearer", None, str(bool(gains[-1] > 1)), right="True")
    yield Figure("its advantage is larger where they fall fast", None, str(bool(gains[0] > 2 * gains[1])), right="True")


def _ellipse() -> tuple[np.ndarray, np.ndarray]:
    """Points inside and outside the ellipse x1^2 / 4 + x2^2 = 1, none near it."""
    X = np.random.default_rng(0).uniform(-2.6, 2.6, size=(300, 2))
    inside = X[:, 0] ** 2 / 4 + X[:, 1] ** 2
    kept = np.abs(inside - 1) > 0.15
    return X[kept], np.where(inside[kept] < 1, -1, 1)


@method(
    "kernel.ellipse-to-line",
    section="SL 4.1",
    task="classification",
    kind="experiment",
    en="Circle or ellipse mapped to a plane or line",
    zh="椭圆映射为直线",
)
@example("SL 4.1", en="An ellipse mapped to a line", zh="椭圆映射为直线")
def ellipse_map() -> Iterator[Figure]:
    r"""The map :math:`z = (x_1^2, x_2^2)` makes of an ellipse a line; and two maps with one kernel.

    ``lanatus.book.draw_figure("SL 4.1")`` draws it.

    Book: slides 4.1; cookbook section 5.4.

    Yields
    ------
    Figure
        What a line can do before and after, the line that is found, and inner products of two maps.

    Examples
    --------
    >>> from lanatus.book import ellipse_map
    >>> all(figure.agrees for figure in ellipse_map())
    True
    """
    X, y = _ellipse()
    before = SVC(C=1.0, kernel="linear").fit(X, y).score(X, y)
    after = SVC(C=np.inf, kernel="linear", tol=1e-6).fit(X**2, y)
    yield Figure("a line in the plane parts them", None, str(bool(before == 1)), right="False")
    yield Figure("a line in the plane of squares parts them", None, str(after.score(X**2, y) == 1.0), right="True")
    w = after.coef_[0] / -after.intercept_[0]
    near = bool(np.abs(w - [0.25, 1.0]).max() < 0.15)  # no point is nearer to the ellipse than that, in these units
    yield Figure("it is z1 / 4 + z2 = 1, as far as the points can tell", None, str(near), right="True")
    a, b = X[0], X[1]
    three = polynomial_map([a, b], degree=2)
    four = np.array([[x[0] ** 2, x[0] * x[1], x[0] * x[1], x[1] ** 2] for x in (a, b)])
    value = float(a @ b) ** 2
    yield Figure(
        "(x z)^2 less the inner product of either map",
        None,
        (three[0] @ three[1] - value, four[0] @ four[1] - value),
        9,
        right=(0.0, 0.0),
    )


@method(
    "kernel.kernel-width-effect",
    section="SL 4.1",
    task="classification",
    kind="experiment",
    en="Gaussian width: large underfits, small overfits",
    zh="高斯核宽度影响",
)
@example("SL 4.1", en="The width of a Gaussian kernel", zh="高斯核宽度影响")
def kernel_width_effect() -> Iterator[Figure]:
    """Machines with three widths on two moons: a large one underfits, a small one overfits.

    ``lanatus.book.draw_figure("SL 4.1")`` draws them.

    Book: slides 4.1.

    Yields
    ------
    Figure
        What the widths do to rows learned from and to others, and to the number of support vectors.

    Examples
    --------
    >>> from lanatus.book import kernel_width_effect
    >>> all(figure.agrees for figure in kernel_width_effect())
    True
    """
    X, y = make_moons(200, noise=0.25, random_state=0)
    Q, truth = make_moons(2000, noise=0.25, random_state=1)
    found = []
    for sigma in _WIDTHS:
        model = SVC(C=1.0, kernel=GaussianKernel(sigma)).fit(X, y)
        found.append((model.score(X, y), model.score(Q, truth), len(model.support_) / len(X)))
    (wide, wide_unseen, _), (_, middle_unseen, few), (small, small_unseen, many) = found
    yield Figure("large: worse on both", None, str(wide < small and wide_unseen < middle_unseen), right="True")
    overfits = small > 0.99 and small_unseen < middle_unseen
    yield Figure("small: all right on what was seen, worse on the rest", None, str(overfits), right="True")
    yield Figure("small: nearly every row a support vector", None, str(many > 0.9 > few), right="True")


@example("ex 6.9", en="Kernel logistic regression on 3.0alpha", zh="核对率回归")
def ex_6_9() -> Iterator[Figure]:
    """Kernel logistic regression of the melons, with a Gaussian kernel of width 0.2."""
    X, y = _melons()
    right = {1.0: (10.126176718, -0.374877503, 0.648148402, "7"), 10.0: (61.271220730, -1.399592352, 0.887838187, "")}
    for C, (objective, b, p, errors) in right.items():
        model = KernelLogisticRegression(C=C, kernel=GaussianKernel(0.2), tol=1e-11).fit(X, y)
        yield Figure(f"C={C:g}: objective", None, model.objective_, 6, right=objective)
        yield Figure(
            f"C={C:g}: b, P(good | melon 1)", None, (model.intercept_[0], model.predict_proba(X)[0, 1]), 6, right=(b, p)
        )
        wrong = ",".join(str(i + 1) for i in np.flatnonzero(model.predict(X) != np.asarray(y)))
        yield Figure(f"C={C:g}: melons on the wrong side", None, wrong, right=errors)


@example("6.6", en="Kernel LDA on 3.0alpha", zh="核线性判别分析")
def klda_of_melons() -> Iterator[Figure]:
    """Kernel LDA of the melons: linear it is LDA, and a Gaussian kernel parts them."""
    X, y = _melons()
    linear = KernelLDA("linear", reg=0).fit(X, y)
    yield Figure("linear kernel: criterion", None, linear.criterion_[0], 6, right=0.103365467)
    w = linear.dual_coef_[0] @ np.asarray(X, dtype=float)
    yield Figure("linear kernel: w2 / w1, that of LDA", None, w[1] / w[0], 4, right=0.73871557 / 0.14650982)
    for sigma, J, digits in ((0.1, 26.034, 3), (0.2, 3.4028, 4), (0.5, 0.5880, 4)):
        model = KernelLDA(GaussianKernel(sigma)).fit(X, y)
        yield Figure(f"sigma={sigma:g}: criterion", None, model.criterion_[0], digits, right=J)


@picture("6.2")
def _figure_6_2() -> Any:
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal((1, 1), 0.35, (15, 2)), rng.normal((3, 2.5), 0.35, (15, 2))])
    figure, (ax,) = row_of_axes(1)
    plot_decision(SVC(C=np.inf, kernel="linear").fit(X, np.repeat(["-", "+"], 15)), X, np.repeat(["-", "+"], 15), ax=ax)
    ax.set(title="间隔与支持向量")
    return figure


@picture("6.4")
def _figure_6_4() -> Any:
    X, y = _melons()
    figure, (left, right) = row_of_axes(2)
    plot_decision(SVC(C=100.0, kernel="linear").fit(X, y), X, y, ax=left)
    plot_decision(SVC(C=10.0, kernel=GaussianKernel(0.2)).fit(X, y), X, y, ax=right)
    left.set(title="软间隔, 线性核, C=100")
    right.set(title="软间隔, 高斯核, C=10")
    return figure


@picture("6.6")
def _figure_6_6() -> Any:
    X, _ = _melons()
    x, sugar = X.iloc[:, :1], X.iloc[:, 1]
    figure, (left, right) = row_of_axes(2)
    plot_tube(SVR(kernel="linear", tol=1e-9).fit(x, sugar), x, sugar, ax=left)
    plot_tube(SVR(kernel=GaussianKernel(0.1), C=10.0, epsilon=0.05).fit(x, sugar), x, sugar, ax=right)
    left.set(title="支持向量回归, 线性核", ylabel=str(X.columns[1]))
    right.set(title="高斯核, ε=0.05")
    return figure


@picture("6.7")
def _figure_6_7() -> Any:
    figure, (ax,) = row_of_axes(1)
    z = np.linspace(-2, 2, 401)
    ax.plot(z, epsilon_insensitive_loss(z, 0.5), "r-", label="ε-不敏感损失, ε=0.5")
    ax.plot(z, z**2, "k--", label="平方损失")
    ax.set(xlabel="z", ylabel="损失", ylim=(-0.1, 2.5))
    ax.legend()
    return figure


@picture("SL 4.1")
def _slides_4_1() -> Any:
    figure, axes = row_of_axes(5)
    X, y = _ellipse()
    for points, ax, title in ((X, axes[0], "椭圆"), (X**2, axes[1], "映射为直线")):
        for label, marker in ((-1, "_"), (1, "+")):
            ax.scatter(*points[y == label].T, marker=marker)
        ax.set(title=title)
    turn = np.linspace(0, 2 * np.pi, 200)
    axes[0].plot(2 * np.cos(turn), np.sin(turn), "k-")
    axes[1].plot([0, 4], [1, 0], "k-")
    moons, of = make_moons(200, noise=0.25, random_state=0)
    for sigma, ax in zip(_WIDTHS, axes[2:], strict=True):
        plot_decision(SVC(C=1.0, kernel=GaussianKernel(sigma)).fit(moons, of), moons, of, support=False, ax=ax)
        ax.set(title=f"σ={sigma:g}")
    return figure
