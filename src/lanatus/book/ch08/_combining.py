"""Chapter 8: stacking beside Bayesian model averaging, pictures of diversity, ensembles of nearest neighbours."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import melons
from lanatus.book.ch08._bagging import bagged_melons
from lanatus.book.ch08._boosting import boosted_stumps
from lanatus.catalog import method
from lanatus.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BayesModelAveraging,
    KNNEnsembleClassifier,
    StackingRegressor,
    kappa_error_diagram,
    plot_diversity,
)
from lanatus.evaluation import StratifiedKFold
from lanatus.linear import LinearRegression
from lanatus.preprocess import StandardScaler
from lanatus.tree import C45Classifier


@method(
    "ensemble.stacking-vs-bma",
    section="8.4.3",
    task="classification",
    kind="experiment",
    en="Claim: BMA better only if the true model is among the candidates",
    zh="Stacking与BMA比较",
)
@example("8.4.3", en="Stacking beside Bayesian model averaging", zh="Stacking与BMA比较")
def stacking_vs_bma(n_repeats: int = 20, random_state: int = 0) -> Iterator[Figure]:
    """Squared error of both, over regressions on one column each: the truth is one of them, or the sum of two.

    Where one is true, averaging has about 0.6 of the error of stacking; single samples go either way.

    Book: section 8.4.3 (Clarke, 2003).

    Parameters
    ----------
    n_repeats : int, default=20
        Number of samples of 50 rows.
    random_state : int, default=0
        First seed.

    Yields
    ------
    Figure
        Who is better in either case.

    Examples
    --------
    >>> from lanatus.book import stacking_vs_bma
    >>> [figure.computed for figure in stacking_vs_bma(5)]
    ['BMA', 'stacking']
    """
    for name, truth, right in (
        ("truth among the candidates", (1.0, 0.0, 0.0), "BMA"),
        ("truth outside", (1.0, 1.0, 0.0), "stacking"),
    ):
        found = np.mean([_squared_errors(np.array(truth), random_state + i) for i in range(n_repeats)], axis=0)
        yield Figure(f"{name}: better", right, "BMA" if found[0] < found[1] else "stacking")


def _squared_errors(weights: np.ndarray, seed: int) -> list[float]:
    rng = np.random.RandomState(seed)
    X, X_new = rng.standard_normal((50, 3)), rng.standard_normal((1000, 3))
    y = X @ weights + rng.normal(scale=0.2, size=50)
    members = [
        (f"column {j}", make_pipeline(ColumnTransformer([("take", "passthrough", [j])]), LinearRegression()))
        for j in range(3)
    ]
    models = (BayesModelAveraging(members, n_parameters=[2, 2, 2]), StackingRegressor(members))
    return [float(np.mean((model.fit(X, y).predict(X_new) - X_new @ weights) ** 2)) for model in models]


def tic_tac_toe() -> tuple[np.ndarray, np.ndarray]:
    """All ends of the game when x begins, cells as "x", "o" and "b", and whether x won: UCI's data, made anew."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    boards, won = [], []
    for board in product("xob", repeat=9):
        n_x, n_o = board.count("x"), board.count("o")
        x_wins, o_wins = (any(all(board[i] == who for i in line) for line in lines) for who in "xo")
        full = n_x == 5 and n_o == 4
        if (
            (x_wins and not o_wins and n_x == n_o + 1)
            or (o_wins and not x_wins and n_x == n_o)
            or (full and not x_wins and not o_wins)
        ):
            boards.append(board)
            won.append(x_wins)
    return np.array(boards, dtype=object), np.array(won)


def tic_tac_toe_ensembles(n_estimators: int) -> dict[str, Any]:
    """AdaBoost and Bagging of C4.5 trees on half of the boards, and the other half."""
    import pandas as pd

    boards, won = tic_tac_toe()
    X = pd.DataFrame(boards, columns=[f"cell {i}" for i in range(1, 10)]).astype("category")
    order = np.random.RandomState(0).permutation(len(won))
    train, test = order[:479], order[479:]
    models = {
        "AdaBoost": AdaBoostClassifier(C45Classifier(), n_estimators, mode="resample", restart=True, random_state=0),
        "Bagging": BaggingClassifier(C45Classifier(), n_estimators, random_state=0),
    }
    for model in models.values():
        model.fit(X.iloc[train], won[train])
    return {"models": models, "X": X.iloc[test], "y": won[test]}


@method(
    "ensemble.kappa-error-figure",
    section="8.5.2",
    task="classification",
    kind="experiment",
    en="kappa-error diagram: tic-tac-toe, 50 C4.5 trees (Fig 8.10)",
    zh="图8.10",
)
@example(
    "8.5.2", en="Diversity to look at (figure 8.10, exercise 8.9)", zh="κ-误差图与可视化的多样性度量 (图8.10, 习题8.9)"
)
def fig_8_10(n_estimators: int = 15) -> Iterator[Figure]:
    """kappa-error diagrams on tic-tac-toe: AdaBoost's cloud lies to the left of and above that of Bagging.

    Another picture puts the members on a map by how often they disagree (``plot_diversity``): of the ensembles of
    exercises 8.3 and 8.5 the boosted stumps lie farther apart. ``draw_figure("8.10")`` shows the clouds of 50 trees.

    Book: section 8.5.2, figure 8.10, exercise 8.9.

    Parameters
    ----------
    n_estimators : int, default=15
        Number of C4.5 trees; the book has 50.

    Yields
    ------
    Figure
        Boards of the game, points of a cloud, and where the clouds lie.

    Examples
    --------
    >>> from lanatus.book import fig_8_10
    >>> [figure.computed for figure in fig_8_10(6)][2:4]
    ['AdaBoost', 'AdaBoost']
    """
    import matplotlib.pyplot as plt

    boards, won = tic_tac_toe()
    yield Figure("boards at the end of a game, won by x", None, (len(boards), won.sum()), 0, right=(958, 626))
    found = tic_tac_toe_ensembles(n_estimators)
    clouds = {name: kappa_error_diagram(model, found["X"], found["y"]) for name, model in found["models"].items()}
    boosted, bagged = clouds["AdaBoost"], clouds["Bagging"]
    pairs = n_estimators * (n_estimators - 1) // 2
    yield Figure("points of a cloud", None, len(bagged.kappas), 0, right=pairs)
    left = "AdaBoost" if boosted.kappas.mean() < bagged.kappas.mean() else "Bagging"
    yield Figure("more diverse", None, left, right="AdaBoost")
    above = "AdaBoost" if boosted.errors.mean() > bagged.errors.mean() else "Bagging"
    yield Figure("less accurate members", None, above, right="AdaBoost")
    X, y, _ = melons("3.0a")
    maps = [plot_diversity(model, X, y) for model in (boosted_stumps(), bagged_melons(stumps=True))]
    spread = [float(np.sqrt(one.points.var(axis=0).sum())) for one in maps]
    yield Figure(
        "members lie farther apart", None, "AdaBoost" if spread[0] > spread[1] else "Bagging", right="AdaBoost"
    )
    displays: list[Any] = [boosted, bagged, *maps]
    for display in displays:
        plt.close(display.figure_)


@example("8.5.3", en="An ensemble of nearest neighbours (exercise 8.10)", zh="提升k近邻的集成 (习题8.10)")
def neighbour_ensemble() -> Iterator[Figure]:
    """Rows drawn anew do not change nearest neighbours much; other attributes and distances do, and then votes help."""
    gains = []
    for load in (load_iris, load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(np.hstack([X, np.random.RandomState(0).standard_normal(X.shape)]))
        row = []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            models = (
                KNeighborsClassifier(5),
                BaggingClassifier(KNeighborsClassifier(5), 5, random_state=0),
                KNNEnsembleClassifier(15, random_state=0),
            )
            row.append([model.fit(X[train], y[train]).score(X[test], y[test]) for model in models])
        gains.append(np.mean(row, axis=0))
    alone, bagged, ensemble = np.mean(gains, axis=0)
    yield Figure("added by Bagging", None, bagged - alone, 1, right=0.0)
    yield Figure("best of the three", None, "ensemble" if ensemble > max(alone, bagged) else "other", right="ensemble")
