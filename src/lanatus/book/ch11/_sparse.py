"""Section 11.4: embedded selection and L1 regularisation."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVR

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.linear import Lasso, LinearRegression, Ridge

X_TOY, Y_TOY = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([2.0, 2.0, 0.5])


def _lasso(alpha: float, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The book's objective (11.7): the plain sum of squares, no bias."""
    return np.asarray(Lasso(alpha, fit_intercept=False, loss_scale="sum", tol=1e-14).fit(X, y).coef_)


@example("11.4", en="Ridge and LASSO on toy data", zh="岭回归与LASSO的小例子")
def ridge_and_lasso() -> Iterator[Figure]:
    """(11.6) and (11.7) where the answer is known in closed form."""
    eye, y = np.eye(3), np.array([3.0, 0.4, -2.0])
    yield Figure("LASSO, X = I, lambda = 1", None, _lasso(1.0, eye, y), digits=9, right=(2.5, 0.0, -1.5))
    ridge = Ridge(1.0, fit_intercept=False).fit(eye, y).coef_
    yield Figure("ridge, X = I, lambda = 1", None, ridge, digits=9, right=(1.5, 0.2, -1.0))
    plain = LinearRegression(fit_intercept=False).fit(X_TOY, Y_TOY).coef_
    yield Figure("least squares of three rows", None, plain, digits=9, right=(11 / 6, 1 / 3))
    for alpha, sparse, small in (
        (1.0, (5 / 3, 1 / 6), (1.1875, 0.4375)),
        (3.0, (1.25, 0.0), (0.7291666667, 0.3541666667)),
    ):
        yield Figure(f"LASSO, lambda = {alpha:g}", None, _lasso(alpha, X_TOY, Y_TOY), digits=9, right=sparse)
        ridge = Ridge(alpha, fit_intercept=False).fit(X_TOY, Y_TOY).coef_
        yield Figure(f"ridge, lambda = {alpha:g}", None, ridge, digits=9, right=small)
    yield Figure("LASSO, lambda = 8: nothing is left", None, _lasso(8.0, X_TOY, Y_TOY), digits=9, right=(0.0, 0.0))


@method(
    "linear.l1-not-sparse",
    section="ex 11.5",
    task="regression",
    kind="experiment",
    en="When L1 gives no zero",
    zh="L1正则化非稀疏情形",
)
@example("11.4", en="When L1 gives no zero (exercise 11.5)", zh="L1正则化何时不稀疏 (习题11.5)")
def ex_11_5() -> Iterator[Figure]:
    """L1 gives zeros only where the contours of the squared error first touch the diamond at a corner.

    With a small penalty the diamond is large and the contours meet one of its edges: no weight is zero. From lambda =
    5/3 on they meet the corner, and the second weight is zero (three rows, two attributes).

    Book: exercise 11.5.

    Yields
    ------
    Figure
        Numbers of weights that are not zero, and where the second one vanishes.

    Examples
    --------
    >>> from lanatus.book import ex_11_5
    >>> [figure.computed for figure in ex_11_5()][:2]
    [2, 1]
    """
    for alpha, kept in ((1.0, 2), (3.0, 1)):
        count = int(np.count_nonzero(_lasso(alpha, X_TOY, Y_TOY)))
        yield Figure(f"weights that are not zero, lambda = {alpha:g}", None, count, digits=0, right=kept)
    # On the edge where both weights are positive: X'X w = X'y - lambda/2, whose second entry is 1/3 - lambda/6.
    at_corner = _lasso(2.0, X_TOY, Y_TOY)[1]
    yield Figure("second weight at lambda = 2", None, at_corner, digits=9, right=0.0)
    yield Figure("and a little before, at 1.98", None, _lasso(1.98, X_TOY, Y_TOY)[1], digits=9, right=1 / 3 - 1.98 / 6)


@method(
    "linear.ridge-and-svm",
    section="ex 11.6",
    task="regression",
    kind="experiment",
    en="Ridge regression compared with support vector regression",
    zh="岭回归与支持向量机的联系",
)
@example("11.4", en="Ridge regression and support vectors (exercise 11.6)", zh="岭回归与支持向量机的联系 (习题11.6)")
def ex_11_6() -> Iterator[Figure]:
    """Both add the squared weights to a loss, so both weights are combinations of the rows; only the losses differ.

    Ridge's squared loss gives every row a share, its residual over lambda. The epsilon-insensitive loss of support
    vector regression gives none to rows within epsilon: these are no support vectors. (Sugar on density of watermelon
    3.0alpha.)

    Book: exercise 11.6.

    Yields
    ------
    Figure
        Shares of the rows in both models.

    Examples
    --------
    >>> from lanatus.book import ex_11_6
    >>> all(figure.agrees for figure in ex_11_6())
    True
    """
    X = np.asarray(load_watermelon("3.0a", frame="numpy").data, dtype=float)
    x, y = X[:, :1], X[:, 1]
    ridge = Ridge(0.1).fit(x, y)
    shares = (y - ridge.predict(x)) / 0.1
    yield Figure("ridge: weight as a combination of the rows", None, (shares @ x)[0], digits=10, right=ridge.coef_[0])
    yield Figure("ridge: rows with a share", None, int(np.count_nonzero(np.abs(shares) > 1e-12)), digits=0, right=17)
    machine = SVR(kernel="linear", C=10.0, epsilon=0.08).fit(x, y)
    combined = (machine.dual_coef_ @ x[machine.support_])[0, 0]
    yield Figure("SVR: weight as a combination of rows", None, combined, digits=10, right=machine.coef_[0, 0])
    inside = int((np.abs(y - machine.predict(x)) < 0.08 - 1e-3).sum())
    yield Figure("SVR: rows without a share, all inside", None, 17 - len(machine.support_), digits=0, right=inside)
