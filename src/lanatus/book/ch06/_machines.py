"""Chapter 6: machines on the melons, the slides' three points, and what the text says of them."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.kernel import SVC, SVR, GaussianKernel, PolynomialKernel, geometric_margin, polynomial_map


def _melons() -> tuple[np.ndarray, np.ndarray]:
    bunch = load_watermelon("3.0a", frame="numpy")
    return np.asarray(bunch.data, dtype=float), np.where(np.asarray(bunch.target) == "是", 1, -1)


def _numbers(rows: np.ndarray) -> str:
    return ",".join(str(i + 1) for i in sorted(rows.tolist()))


def _gaussian(sigma: float, C: float) -> SVC:
    return SVC(C=C, kernel=GaussianKernel(sigma), tol=1e-10)


@example("6.2", en="Hard margin of three points, from the slides", zh="三点硬间隔支持向量机(课件)")
def three_points() -> Iterator[Figure]:
    """Positives (3, 3) and (4, 3), negative (1, 1)."""
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    model = SVC(C=np.inf, kernel="linear", tol=1e-12).fit(X, y)
    alpha = np.zeros(3)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    yield Figure("alpha", (0.25, 0, 0.25), alpha, 9)
    yield Figure("w", (0.5, 0.5), model.coef_[0], 9)
    yield Figure("b", -2.0, model.intercept_[0], 9)
    margin = geometric_margin(X, y, model.coef_[0], float(model.intercept_[0]))
    yield Figure("geometric margin", None, margin, 9, right=np.sqrt(2))


@method(
    "kernel.linear-vs-gaussian-svs",
    section="ex 6.2",
    task="classification",
    kind="experiment",
    en="Support vectors of linear and Gaussian SVM on 3.0alpha",
    zh="线性核与高斯核支持向量比较",
)
@example("ex 6.2", en="Support vectors of linear and Gaussian SVM on 3.0alpha", zh="线性核与高斯核支持向量比较")
def ex_6_2() -> Iterator[Figure]:
    """The support vectors of a linear and of a Gaussian machine on watermelon 3.0alpha.

    The line leaves melons on the wrong side, and nearly all melons hold it; the Gaussian kernel separates all by few.

    Book: exercise 6.2.

    Yields
    ------
    Figure
        Support vectors, errors and values of the dual.

    Examples
    --------
    >>> from lanatus.book import ex_6_2
    >>> all(figure.agrees for figure in ex_6_2())
    True
    """
    X, y = _melons()
    found = {}
    for C, support, wrong in ((10, "2,3,4,5,6,7,8,9,10,12,13,14,15,16,17", "5,6,7,8,15"),
                              (100, "3,4,5,6,7,8,9,10,12,13,14,15,17", "7,10,15")):  # fmt: skip
        model = found[C] = SVC(C=C, kernel="linear", tol=1e-10).fit(X, y)
        yield Figure(f"line, C = {C}: support vectors", None, _numbers(model.support_), right=support)
        yield Figure(f"line, C = {C}: errors", None, _numbers(np.flatnonzero(model.predict(X) != y)), right=wrong)
    curved = _gaussian(0.2, np.inf).fit(X, y)
    dual = float(np.abs(curved.dual_coef_).sum()) / 2  # of a hard margin: half the sum of alpha
    yield Figure("Gaussian, hard margin: support vectors", None, _numbers(curved.support_), right="2,3,6,7,12,14,15")
    yield Figure("Gaussian, hard margin: errors", None, int((curved.predict(X) != y).sum()), 0, right=0)
    yield Figure("Gaussian, hard margin: value of the dual", None, dual, 7, right=32.99878002)
    shared = np.intersect1d(found[100].support_, curved.support_)
    yield Figure("support vectors of both (C = 100)", None, _numbers(shared), right="3,6,7,12,14,15")


@method(
    "kernel.svm-to-rbf-network",
    section="ex 6.5",
    task="classification",
    kind="experiment",
    en="Gaussian SVM as an RBF network",
    zh="高斯核SVM与RBF网络",
)
@example("ex 6.5", en="Gaussian SVM as an RBF network", zh="高斯核SVM与RBF网络")
def ex_6_5() -> Iterator[Figure]:
    r"""A Gaussian machine is a network with one hidden unit at each support vector.

    The unit at :math:`c_i` gives :math:`e^{-\beta \lVert x - c_i \rVert^2}` with :math:`\beta = 1/2\sigma^2`, its
    weight to the output is :math:`\alpha_i y_i`; units at the other melons have weight 0.

    Book: exercise 6.5, section 6.7.

    Yields
    ------
    Figure
        The largest difference of the two on a grid, and the number of units.

    Examples
    --------
    >>> from lanatus.book import ex_6_5
    >>> all(figure.agrees for figure in ex_6_5())
    True
    """
    X, y = _melons()
    model = _gaussian(0.2, 10.0).fit(X, y)
    weights = np.zeros(17)
    weights[model.support_] = model.dual_coef_[0]
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 0.6, 30)), axis=-1).reshape(-1, 2)
    hidden = np.exp(-((grid[:, None] - X) ** 2).sum(axis=2) / (2 * 0.2**2))
    network = hidden @ weights + model.intercept_[0]
    gap = float(np.abs(network - model.decision_function(grid)).max())
    yield Figure("largest difference of network and machine on a grid", None, gap, 9, right=0.0)
    yield Figure("hidden units with a weight, of 17", None, int(np.count_nonzero(weights)), 0, right=8)


@example("ex 6.8", en="SVR of sugar by density", zh="SVR: 由密度预测含糖率")
def ex_6_8() -> Iterator[Figure]:
    """Support vector regression of the sugar content on the density."""
    melons, _ = _melons()
    x, sugar = melons[:, :1], melons[:, 1]
    line = SVR(kernel="linear", tol=1e-11).fit(x, sugar)
    yield Figure("line: slope", None, float(line.coef_.item()), 8, right=0.13972603)
    yield Figure("line: constant", None, float(line.intercept_.item()), 8, right=0.13304658)
    yield Figure("line: support vectors", None, _numbers(line.support_), right="1,2,4,9,10,11,15,16,17")
    for sigma, C, epsilon, middle in ((0.2, 1.0, 0.1, 0.176657539), (0.1, 10.0, 0.05, 0.139592871)):
        model = SVR(kernel=GaussianKernel(sigma), C=C, epsilon=epsilon, tol=1e-11).fit(x, sugar)
        what = f"Gaussian, sigma = {sigma}, C = {C}, epsilon = {epsilon}: f(0.5)"
        yield Figure(what, None, float(model.predict([[0.5]])[0]), 8, right=middle)


@method(
    "kernel.xor-map-figure",
    section="6.3",
    task="classification",
    kind="experiment",
    en="XOR separable after mapping (Fig 6.3)",
    zh="图6.3",
)
@example("6.3", en="XOR separable after mapping (Fig 6.3)", zh="图6.3: 异或问题映射后线性可分")
def fig_6_3() -> Iterator[Figure]:
    r"""XOR, which no line separates, is separated by a plane after the map of :math:`(x^\top z)^2`.

    Book: section 6.3, figure 6.3.

    Yields
    ------
    Figure
        Whether a line and a plane separate, the function, and its margin.

    Examples
    --------
    >>> from lanatus.book import fig_6_3
    >>> all(figure.agrees for figure in fig_6_3())
    True
    """
    corners, y = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([-1, -1, 1, 1])
    try:
        SVC(C=np.inf, kernel="linear").fit(corners, y)
        separable = "yes"
    except ValueError:
        separable = "no"
    yield Figure("separable by a line", None, separable, right="no")
    images = polynomial_map(corners)  # x1^2, sqrt(2) x1 x2, x2^2
    plane = SVC(C=np.inf, kernel="linear", tol=1e-12).fit(images, y)
    yield Figure("normal of the plane in three dimensions", None, plane.coef_[0], 9, right=(0, -np.sqrt(0.5), 0))
    curved = SVC(C=np.inf, kernel=PolynomialKernel(2), tol=1e-12).fit(corners, y)
    grid = np.array([[0.5, 2.0], [-1.0, 3.0], [0.2, -0.7]])
    yield Figure("f(x) = -x1 x2 at three places", None, curved.decision_function(grid), 9, right=(-1.0, 3.0, 0.14))
    yield Figure("sum of alpha", None, float(np.abs(curved.dual_coef_).sum()), 9, right=0.5)


@method(
    "kernel.c-effect",
    section="SL 4.1",
    task="classification",
    kind="experiment",
    en="Effect of C; the slacks bound the errors",
    zh="惩罚参数C",
)
@example("SL 4.1", en="Effect of C; the slacks bound the errors", zh="惩罚参数C的影响")
def svm_c_effect() -> Iterator[Figure]:
    """With a larger C the slacks shrink and the margin too; their sum is never below the number of errors.

    Book: slides 4.1, cookbook 5.3.

    Yields
    ------
    Figure
        Whether slacks and margins fall with C on watermelon 3.0alpha, and whether the slacks bound the errors.

    Examples
    --------
    >>> from lanatus.book import svm_c_effect
    >>> all(figure.agrees for figure in svm_c_effect())
    True
    """
    X, y = _melons()
    slacks, margins, errors = [], [], []
    for C in (1.0, 10.0, 100.0, 1000.0):
        model = SVC(C=C, kernel="linear", tol=1e-9).fit(X, y)
        slacks.append(float(np.maximum(0, 1 - y * model.decision_function(X)).sum()))
        margins.append(2 / float(np.linalg.norm(model.coef_)))
        errors.append(int((model.predict(X) != y).sum()))
    yield Figure("errors for C = 1, 10, 100, 1000", None, errors, 0, right=(8, 5, 3, 3))
    yield Figure("slacks fall with C", None, str(bool((np.diff(slacks) < 0).all())), right="True")
    yield Figure("the margin falls with C", None, str(bool((np.diff(margins) < 0).all())), right="True")
    bounded = all(slack >= wrong for slack, wrong in zip(slacks, errors, strict=True))
    yield Figure("the slacks bound the errors", None, str(bounded), right="True")
