"""Chapter 3: logistic regression and linear discriminant analysis on watermelon 3.0α, and the cookbook's Fisher."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.callbacks import Recorder
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.evaluation import LeaveOneOut, confusion_matrix, cross_val_predict, roc_auc_score
from lanatus.linear import (
    LinearDiscriminantAnalysis,
    LogisticRegression,
    fisher_threshold,
    generalized_rayleigh_quotient,
    logistic,
    scatter_matrices,
)


def _melons() -> tuple[np.ndarray, np.ndarray]:
    """Density and sugar of watermelon 3.0α, and whether the melon is good."""
    bunch = load_watermelon("3.0a", frame="numpy")
    return np.asarray(bunch.data, dtype=float), np.asarray(bunch.target) == "是"


@example("3.3", en="Logistic regression by Newton's method (exercise 3.3)", zh="对率回归的牛顿法 (习题3.3)")
def ex_3_3() -> Iterator[Figure]:
    """Newton's method (3.29) on watermelon 3.0α from zero, iterate by iterate, and what the model says."""
    X, good = _melons()
    recorder = Recorder()
    model = LogisticRegression(penalty=None, solver="newton", tol=1e-10).set_callbacks(recorder).fit(X, good)
    rights = (
        (1.726303, 8.704171, -2.889609),
        (2.793187, 11.645763, -4.061548),
        (3.134638, 12.465185, -4.405304),
        (3.158229, 12.520957, -4.428764),
    )
    for number, (past, right) in enumerate(zip(recorder.models, rights, strict=False), start=1):
        yield Figure(f"β after step {number}", None, np.append(past.coef_, past.intercept_), digits=6, right=right)
    beta = np.append(model.coef_, model.intercept_)
    yield Figure("β (密度, 含糖率, b)", None, beta, digits=6, right=(3.158330, 12.521196, -4.428865))
    yield Figure("ℓ(β) (3.27)", None, model.objective_, digits=6, right=8.683661)
    table = confusion_matrix(good, model.predict(X), labels=[True, False]).ravel()
    yield Figure("TP, FN, FP, TN", None, table, digits=0, right=(5, 3, 2, 7))
    yield Figure("AUC", None, roc_auc_score(good, model.decision_function(X)), digits=6, right=58 / 72)
    learner = LogisticRegression(penalty=None, solver="newton", tol=1e-8)
    left_out = cross_val_predict(learner, X, good, cv=LeaveOneOut())
    yield Figure("leave-one-out errors", None, int((left_out != good).sum()), digits=0, right=7)


@example("3.4", en="Discriminant analysis (exercise 3.5)", zh="线性判别分析 (习题3.5)")
def ex_3_5() -> Iterator[Figure]:
    """Linear discriminant analysis of watermelon 3.0α, with scatters that are sums (3.33)."""
    X, good = _melons()
    within, _, _ = scatter_matrices(X, good)
    means = [X[~good].mean(axis=0), X[good].mean(axis=0)]
    gap = means[0] - means[1]
    w = np.linalg.solve(within, gap)
    yield Figure("μ0", None, means[0], digits=6, right=(0.496111, 0.154222))
    yield Figure("μ1", None, means[1], digits=6, right=(0.573750, 0.278750))
    yield Figure("S_w", None, within, digits=6, right=((0.420190, 0.021763), (0.021763, 0.164257)))
    yield Figure("w = S_w⁻¹(μ0 - μ1)", None, w, digits=6, right=(-0.146510, -0.738716))
    quotient = generalized_rayleigh_quotient(w, np.outer(gap, gap), within)
    yield Figure("J (3.35)", None, quotient, digits=6, right=0.103365)
    middle = fisher_threshold(float(w @ means[0]), float(w @ means[1]), 9, 8)
    yield Figure("errors of the midpoint rule", None, int(((X @ w < middle) != good).sum()), digits=0, right=5)
    direction = LinearDiscriminantAnalysis().fit(X, good).scalings_[:, 0]
    cosine = abs(float(direction @ w)) / np.linalg.norm(direction) / np.linalg.norm(w)
    yield Figure("cosine of w and the direction of the estimator", None, cosine, digits=9, right=1.0)


@example("CB 7.2", en="Fisher's direction", zh="Fisher准则")
def fisher_by_hand() -> Iterator[Figure]:
    """Two classes of three points: S_w, the direction and its criterion, the largest eigenvalue of S_w⁻¹S_b."""
    X = np.array([[1, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7]], dtype=float)
    within, _, _ = scatter_matrices(X, [1, 1, 1, 2, 2, 2])
    gap = X[:3].mean(axis=0) - X[3:].mean(axis=0)
    w = np.linalg.solve(within, gap)
    yield Figure("S_w", None, within, digits=8, right=((4, 3), (3, 16 / 3)))
    yield Figure("w", None, w, digits=8, right=(-1.18918919, -0.08108108))
    yield Figure("J_F", None, generalized_rayleigh_quotient(w, np.outer(gap, gap), within), digits=8, right=6.27027027)


@method(
    "linear.logistic-convexity",
    section="ex 3.2",
    task="classification",
    kind="experiment",
    en="Squared error of the logistic function is not convex, the log likelihood is",
    zh="对率目标凸性检验",
)
@example("3.3", en="Which objective is convex (exercise 3.2)", zh="目标函数的凸性 (习题3.2)")
def ex_3_2(n_points: int = 2000, random_state: int = 0) -> Iterator[Figure]:
    """Whether two objectives are convex in the weights, by the least eigenvalue of their Hessians at random weights.

    The logistic function (3.18) and with it the squared error is not convex: some Hessian has an eigenvalue below
    zero. Those of the log likelihood (3.27) have none.

    Book: exercise 3.2.

    Parameters
    ----------
    n_points : int, default=2000
        Number of random weights.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Share of the weights where the Hessian has a negative eigenvalue, zero or not.

    Examples
    --------
    >>> from lanatus.book import ex_3_2
    >>> [figure.computed for figure in ex_3_2(n_points=200)]
    ['no', 'no', 'yes']
    """
    X, good = _melons()
    rows = np.column_stack([X, np.ones(len(X))])
    y = good.astype(float)
    rng = np.random.RandomState(random_state)
    p = logistic(rng.normal(scale=8.0, size=(n_points, 3)) @ rows.T)
    slope = p * (1 - p)
    bend = slope * (1 - 2 * p)
    for what, second, right in (
        ("(3.18) at one row is convex", bend[:, :1], "no"),
        ("squared error of (3.18) is convex", slope**2 + (p - y) * bend, "no"),
        ("(3.27) is convex", slope, "yes"),
    ):
        used = rows[: second.shape[1]]
        hessians = np.einsum("kn,ni,nj->kij", second, used, used)
        values = np.linalg.eigvalsh(hessians)
        convex = values.min() >= -1e-12 * np.abs(values).max()
        yield Figure(what, None, "yes" if convex else "no", right=right)


@method(
    "linear.lda-nonlinear",
    section="ex 3.6",
    task="classification",
    kind="experiment",
    en="Discriminant analysis on classes that no line separates",
    zh="LDA处理非线性可分数据",
)
@example("3.4", en="Classes that no line separates (exercise 3.6)", zh="非线性可分数据 (习题3.6)")
def ex_3_6(n_rows: int = 400, random_state: int = 0) -> Iterator[Figure]:
    """A disc inside a ring: discriminant analysis fails on the plane, and succeeds after a feature map.

    With the squares and the product of the two coordinates added, the ring is a half-space; a kernel does the same
    without writing the map down (section 6.6).

    Book: exercise 3.6.

    Parameters
    ----------
    n_rows : int, default=400
        Number of points.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Whether the training error is near chance, and what it is after the map.

    Examples
    --------
    >>> from lanatus.book import ex_3_6
    >>> [figure.computed for figure in ex_3_6()]
    ['yes', 0.0]
    """
    rng = np.random.RandomState(random_state)
    ring = np.arange(n_rows) % 2 == 1
    radius = np.where(ring, rng.uniform(2.0, 3.0, n_rows), rng.uniform(0.0, 1.0, n_rows))
    angle = rng.uniform(0, 2 * np.pi, n_rows)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    mapped = np.column_stack([X, X**2, X[:, 0] * X[:, 1]])
    plain, curved = (
        float((LinearDiscriminantAnalysis().fit(part, ring).predict(part) != ring).mean()) for part in (X, mapped)
    )
    yield Figure("error on the plane above 0.3", None, "yes" if plain > 0.3 else "no", right="yes")
    yield Figure("error after the map", None, curved, digits=2, right=0.0)
