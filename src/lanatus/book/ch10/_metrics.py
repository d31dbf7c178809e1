"""Section 10.6: the objectives of metric learning on watermelon 3.0alpha."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.data import load_watermelon
from lanatus.metric_learning import MMC, NeighborhoodComponentsAnalysis


def _objective(P: np.ndarray, X: np.ndarray, y: np.ndarray, *, self_term: bool) -> float:
    """The sum of p_i (10.37) of a map: what the learner says of it before its first step."""
    model = NeighborhoodComponentsAnalysis(init=P, max_iter=1, tol=1e6, self_term=self_term)
    return float(model.fit(X, y).objective_)


@example("10.6", en="NCA and Xing's metric on watermelon 3.0alpha", zh="近邻成分分析与Xing度量")
def metrics_of_melons() -> Iterator[Figure]:
    """NCA's objective with and without the row itself below the line of (10.35), and (10.39) as it is printed."""
    X, y = load_watermelon("3.0a", return_X_y=True, frame="numpy")
    toy, classes = np.array([[0.0], [1.0], [3.0]]), np.array(["a", "a", "b"])
    for scale, alone, itself in (
        (1, 8.046602012788842, 7.534571305507052),
        (10, 12.746896941846853, 6.520208241995174),
    ):
        P = scale * np.eye(2)
        name = f"NCA, sum of p, P = {scale if scale > 1 else ''}I"
        yield Figure(name, None, _objective(P, X, y, self_term=False), digits=9, right=alone)
        yield Figure(f"{name}, the row itself among its neighbours", None, _objective(P, X, y, self_term=True), 9,
                     right=itself)  # fmt: skip
    yield Figure(
        "NCA, x = 0, 1, 3", None, _objective(np.eye(1), toy, classes, self_term=False), 9, right=1.952238776692
    )
    model = MMC(squared_constraint=True).fit(X, y)
    yield Figure("(10.39) with squared distances: sum over near pairs", None, model.objective_, 9, right=0.5276365990)
    M = model.get_mahalanobis_matrix()
    yield Figure("its M, row by row", None, M.ravel(), 8, right=(0.01722426, 0.07390521, 0.07390521, 0.31710970))
    yield Figure("its rank: always one", None, len(model.components_), 0, right=1)
    yield Figure("rank with distances that are not squared", None, len(MMC().fit(X, y).components_), 0, right=2)
