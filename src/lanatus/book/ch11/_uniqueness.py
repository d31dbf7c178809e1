"""Section 11.7: the LASSO may have many solutions."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.linear import ElasticNet, Lasso


@method(
    "linear.lasso-nonunique",
    section="11.7",
    task="regression",
    kind="experiment",
    en="The LASSO can have many solutions, the elastic net has one",
    zh="LASSO多解",
)
@example("11.7", en="Many solutions of the LASSO, one of the elastic net", zh="LASSO多解而弹性网唯一")
def lasso_nonunique(random_state: int = 0) -> Iterator[Figure]:
    """Two equal columns: the LASSO may share the weight between them in any way, the elastic net in one way.

    Every split of the weight of one column among both costs the LASSO the same. Which one comes out depends on the
    order of the columns; the elastic net, whose objective is strictly convex, always gives both half.

    Book: section 11.7.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Spread of the objective over splits, weights of both methods for both orders of the columns.

    Examples
    --------
    >>> from lanatus.book import lasso_nonunique
    >>> all(figure.agrees for figure in lasso_nonunique())
    True
    """
    rng = np.random.RandomState(random_state)
    x, other = rng.standard_normal((2, 100))
    y = 2 * x + other + rng.normal(scale=0.1, size=100)
    X = np.column_stack([x, x, other])
    lasso = Lasso(0.1, fit_intercept=False, tol=1e-12).fit(X, y).coef_
    whole = lasso[0] + lasso[1]
    costs = [_objective(X, y, np.array([t * whole, (1 - t) * whole, lasso[2]]), 0.1) for t in np.linspace(0, 1, 11)]
    yield Figure("LASSO: spread of the objective over 11 splits", None, float(np.ptp(costs)), 12, right=0.0)
    swapped = Lasso(0.1, fit_intercept=False, tol=1e-12).fit(X[:, [1, 0, 2]], y).coef_[[1, 0, 2]]
    moved = bool(np.abs(swapped - lasso).max() > 0.1)
    yield Figure("LASSO: other weights where the equal columns change places", None, moved, 0, right=True)
    model = ElasticNet(0.1, l1_ratio=0.5, fit_intercept=False, tol=1e-12)
    net = [model.fit(X[:, order], y).coef_[order] for order in ([0, 1, 2], [1, 0, 2])]
    yield Figure("elastic net: weight of one less that of the other", None, net[0][0] - net[0][1], 6, right=0.0)
    change = float(np.abs(net[0] - net[1]).max())
    yield Figure("elastic net: change where they change places", None, change, 6, right=0.0)


def _objective(X: np.ndarray, y: np.ndarray, w: np.ndarray, alpha: float) -> float:
    return float(np.mean((y - X @ w) ** 2) / 2 + alpha * np.abs(w).sum())
