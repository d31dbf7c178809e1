"""Chapter 8: AdaBoost on the melons round by round, margins, gradient boosting and MultiBoosting."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import melons
from lanatus.catalog import method
from lanatus.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    IterativeBaggingRegressor,
    MultiBoostClassifier,
    margin_distribution,
)
from lanatus.tree import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor, best_threshold

SIZES = (3, 5, 11)
STUMPS = (
    ("含糖率", 0.2045, "+", 0.176471, 0.770223, 3),
    ("密度", 0.3815, "+", 0.178571, 0.763028, 3),
    ("含糖率", 0.3730, "+", 0.210145, 0.662026, 1),
    ("密度", 0.6365, "-", 0.246789, 0.557906, 1),
    ("密度", 0.3815, "+", 0.296340, 0.432393, 1),
    ("含糖率", 0.3730, "+", 0.235847, 0.587792, 1),
    ("含糖率", 0.1260, "+", 0.213773, 0.651167, 0),
    ("含糖率", 0.3730, "+", 0.317974, 0.381549, 0),
    ("密度", 0.3815, "+", 0.268367, 0.501461, 0),
    ("密度", 0.5745, "-", 0.228995, 0.606997, 0),
    ("密度", 0.3815, "+", 0.324252, 0.367149, 0),
)


def boosted_stumps(n_estimators: int = 11) -> AdaBoostClassifier:
    """AdaBoost on watermelon 3.0alpha by stumps of least weighted error (figure 8.4)."""
    X, y, _ = melons("3.0a")
    return AdaBoostClassifier(DecisionStump(criterion="train_error"), n_estimators).fit(X, y)


def boosted_trees(n_estimators: int = 11, random_state: int = 0) -> AdaBoostClassifier:
    """AdaBoost on watermelon 3.0alpha by unpruned trees on rows drawn by their weights (exercise 8.3)."""
    X, y, _ = melons("3.0a")
    tree = DecisionTreeClassifier(criterion="entropy")
    options: dict[str, Any] = {"mode": "resample", "restart": True, "random_state": random_state}
    return AdaBoostClassifier(tree, n_estimators, **options).fit(X, y)


def _side(stump: DecisionTreeClassifier) -> str:
    """Which class a stump sees above its threshold, "+" for good melons; "both" if the same on both sides."""
    said = stump.classes_[stump.tree_.value[1:].argmax(axis=1)]
    return "both " + str(said[0]) if said[0] == said[1] else "+" if said[1] == "是" else "-"


@method(
    "ensemble.adaboost-figure",
    section="ex 8.3",
    task="classification",
    kind="experiment",
    en="AdaBoost with stumps or unpruned trees on 3.0alpha, sizes 3, 5, 11",
    zh="AdaBoost决策边界",
)
@example("8.2", en="AdaBoost on the melons (figure 8.4, exercise 8.3)", zh="AdaBoost (图8.4, 习题8.3)")
def ex_8_3(random_state: int = 0) -> Iterator[Figure]:
    """AdaBoost on watermelon 3.0alpha by stumps, round by round, and by unpruned trees.

    Stumps of least weighted error need seven rounds. Those of largest gain may say the same on both sides, as the
    second does; if they must differ, the fifth has an error of one half and nothing changes any more. An unpruned tree
    has no error, so boosting by weights ends with the first; on rows drawn by weights the trees differ.
    ``draw_figure("8.4")`` shows the borders.

    Book: section 8.2, figure 8.4, exercise 8.3.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the draws for trees.

    Yields
    ------
    Figure
        Threshold, side, error, weight and training errors of each round, and the losses.

    Examples
    --------
    >>> from lanatus.book import ex_8_3
    >>> next(iter(ex_8_3())).computed
    '含糖率>0.2045 +'
    """
    X, y, _ = melons("3.0a")
    model = boosted_stumps()
    errors = [round(17 * (1 - score)) for score in model.staged_score(X, y)]
    for t, (name, threshold, side, eps, alpha, wrong) in enumerate(STUMPS):
        stump = model.estimators_[t]
        test = f"{X.columns[stump.tree_.feature[0]]}>{stump.tree_.threshold[0]:.4f} {_side(stump)}"
        yield Figure(f"round {t + 1}: stump", None, test, right=f"{name}>{threshold:.4f} {side}")
        found = (model.estimator_errors_[t], model.alphas_[t])
        yield Figure(f"round {t + 1}: eps, alpha", None, found, 6, right=(eps, alpha))
        yield Figure(f"round {t + 1}: melons wrong", None, errors[t], 0, right=wrong)
    sign = np.where(np.asarray(y) == model.classes_[1], 1, -1)
    for t, loss in ((1, 0.762440), (2, 0.584018), (3, 0.475872), (5, 0.374755), (11, 0.169421)):
        raw = sum(
            alpha * np.where(np.asarray(one.predict(X)) == np.asarray(y), sign, -sign)
            for alpha, one in zip(model.alphas_[:t], model.estimators_, strict=False)
        )
        z = 2 * np.sqrt(model.estimator_errors_[:t] * (1 - model.estimator_errors_[:t]))
        found = (np.exp(-sign * raw).mean(), z.prod())
        yield Figure(f"exponential loss after {t}, product of Z", None, found, 6, right=(loss, loss))
    yield from _by_gain()
    whole = AdaBoostClassifier(DecisionTreeClassifier(criterion="entropy"), 11).fit(X, y)
    ends = f"{len(whole.estimators_)} tree, {whole.stop_reason_}"
    yield Figure("unpruned trees by weights end with", None, ends, right="1 tree, no error")
    drawn = boosted_trees(random_state=random_state)
    scores = list(drawn.staged_score(X, y))
    for size in SIZES[1:]:
        yield Figure(
            f"unpruned trees on drawn rows, {size} of them: melons right", None, 17 * scores[size - 1], 9, right=17
        )


def _by_gain() -> Iterator[Figure]:
    """Stumps of the largest gain, as one-level trees, and made to say different things on their two sides."""
    X, y, _ = melons("3.0a")
    model = AdaBoostClassifier(DecisionStump(criterion="entropy"), 4).fit(X, y)
    first = (model.estimators_[0].tree_.threshold[0], model.estimator_errors_[0], model.alphas_[0])
    yield Figure("by gain, round 1: threshold, eps, alpha", None, first, 6, right=(0.126, 4 / 17, 0.589327))
    yield Figure("by gain, round 2: says above and below", None, _side(model.estimators_[1]), right="both 否")
    sided = AdaBoostClassifier(_SidedStump(), 11).fit(X, y)
    found = [one.threshold_ for one in sided.estimators_]
    yield Figure("by gain with two sides: thresholds", None, found, 6, right=(0.126, 0.3815, 0.2045, 0.3815))
    yield Figure("and then", None, sided.stop_reason_, right="no better than chance")


class _SidedStump(ClassifierMixin, BaseEstimator):
    """The threshold of the largest gain, with one class above it and the other below."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "_SidedStump":
        points, labels, weight = np.asarray(X, dtype=float), np.asarray(y), np.asarray(sample_weight)
        found = [best_threshold(column, labels, sample_weight=weight) for column in points.T]
        self.feature_ = int(np.argmax([gain for _, gain in found]))
        self.threshold_ = found[self.feature_][0]
        self.classes_ = np.unique(labels)
        self.flip_ = False
        self.flip_ = bool(weight[self.predict(X) != labels].sum() > 0.5 * weight.sum())
        return self

    def predict(self, X: Any) -> np.ndarray:
        above = np.asarray(X, dtype=float)[:, self.feature_] > self.threshold_
        return np.asarray(self.classes_[(above != self.flip_).astype(int)])


@method(
    "ensemble.no-overfitting-after-zero-error",
    section="8.6",
    task="classification",
    kind="experiment",
    en="Claim: test error falls after training error reaches zero",
    zh="训练误差为零后泛化仍提升",
)
@example("8.6", en="Boosting goes on improving without training errors", zh="训练误差为零后泛化性能仍提升")
def boosting_margins(n_rounds: int = 100, random_state: int = 0) -> Iterator[Figure]:
    """AdaBoost with trees of depth 3 on two normal classes in 20 dimensions: margins grow, the test error falls.

    Book: section 8.6, margin theory.

    Parameters
    ----------
    n_rounds : int, default=100
        Number of rounds.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        When the last training error went, the test error then and at the end, and the least margins.

    Examples
    --------
    >>> from lanatus.book import boosting_margins
    >>> [figure.computed for figure in boosting_margins(60) if isinstance(figure.computed, str)]
    ['falls', 'grows']
    """
    rng = np.random.RandomState(random_state)
    X, y = two_norm(rng, 300)
    X_new, y_new = two_norm(rng, 3000)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_rounds).fit(X, y)
    wrong = 1 - np.array(list(model.staged_score(X, y)))
    errors = 1 - np.array(list(model.staged_score(X_new, y_new)))
    zero = int(np.flatnonzero(wrong == 0)[0])
    yield Figure("training errors left after the last round", None, wrong[zero:].max(), 12, right=0)
    yield Figure("test error when they were gone, to a tenth", None, errors[zero], 1, right=0.2)
    yield Figure("test error at the end, to a tenth", None, errors[-1], 1, right=0.0)
    course = "falls" if errors[-1] < 0.6 * errors[zero] else "does not fall"
    yield Figure("test error after that", "falls", course)
    least = margin_distribution(model, X, y, sizes=[zero + 1, n_rounds]).staged.min(axis=1)
    yield Figure("least margin after that", "grows", "grows" if least[1] > 2 * least[0] else "does not grow")


def two_norm(rng: np.random.RandomState, n: int, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Two normal classes of unit variance, their means 4 apart along the diagonal (Breiman's twonorm)."""
    y = rng.randint(2, size=n)
    return rng.standard_normal((n, d)) + (2 * y[:, None] - 1) * 2 / np.sqrt(d), y


@method(
    "ensemble.gb-vs-adaboost",
    section="ex 8.4",
    task="classification",
    kind="experiment",
    en="Gradient boosting and AdaBoost compared",
    zh="GB与AdaBoost异同",
)
@example("8.2", en="Gradient boosting beside AdaBoost (exercise 8.4)", zh="GradientBoosting与AdaBoost比较 (习题8.4)")
def ex_8_4(n_repeats: int = 3) -> Iterator[Figure]:
    """Both descend a loss; AdaBoost the exponential one with whole steps, gradient boosting any with small ones.

    On labels of which a tenth are wrong the exponential loss weighs outliers most. Both are better than a tree, and
    small steps are better than whole ones.

    Book: exercise 8.4.

    Parameters
    ----------
    n_repeats : int, default=3
        Number of samples.

    Yields
    ------
    Figure
        Errors of the three beside a tree's, and of gradient boosting beside AdaBoost.

    Examples
    --------
    >>> from lanatus.book import ex_8_4
    >>> [figure.computed for figure in ex_8_4()]
    ['below', 'below']
    """
    found = []
    for seed in range(n_repeats):
        X, y = make_classification(1000, 10, n_informative=5, flip_y=0.2, random_state=seed)
        X_new, y_new, X, y = X[300:], y[300:], X[:300], y[:300]
        options: dict[str, Any] = {"n_estimators": 60, "max_depth": 2, "max_leaf_nodes": None, "min_samples_leaf": 1}
        models = (
            AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), 60),
            GradientBoostingClassifier(loss="exponential", **options),
            GradientBoostingClassifier(loss="log_loss", **options),
            DecisionTreeClassifier(),
        )
        found.append([1 - model.fit(X, y).score(X_new, y_new) for model in models])
    ada, exponential, logistic, tree = np.mean(found, axis=0)
    best = "below" if max(ada, exponential, logistic) < tree else "not below"
    yield Figure("errors of all three, beside a tree's", None, best, right="below")
    order = "below" if max(exponential, logistic) < ada else "not below"
    yield Figure("gradient boosting with small steps, beside AdaBoost", None, order, right="below")


@method(
    "ensemble.multi-vs-iterative",
    section="ex 8.8",
    task="classification",
    kind="experiment",
    en="MultiBoosting against iterative bagging",
    zh="MultiBoosting对Iterative Bagging",
)
@example(
    "8.6", en="MultiBoosting and iterative Bagging (exercise 8.8)", zh="MultiBoosting与Iterative Bagging (习题8.8)"
)
def ex_8_8(n_repeats: int = 3) -> Iterator[Figure]:
    """Boosting inside wagging for classes; Bagging of what Bagging left over, which lowers bias, for numbers.

    MultiBoosting lowers bias by boosting and variance by the committees around it, and its committees can be trained
    side by side; it takes members for both. Iterative Bagging corrects the bias that Bagging leaves, stage by stage,
    and knows from the rows left out of the bags when to stop; it is for numbers, and its stages come one after the
    other.

    Book: exercise 8.8.

    Parameters
    ----------
    n_repeats : int, default=3
        Number of samples.

    Yields
    ------
    Figure
        Each beside a tree and beside Bagging.

    Examples
    --------
    >>> from lanatus.book import ex_8_8
    >>> {figure.computed for figure in ex_8_8()}
    {'better'}
    """
    found, squares = [], []
    for seed in range(n_repeats):
        rng = np.random.RandomState(seed)
        X, y = two_norm(rng, 200)
        X_new, y_new = two_norm(rng, 1000)
        base = DecisionTreeClassifier(max_depth=3)
        models = (
            base,
            BaggingClassifier(base, 16, random_state=seed),
            MultiBoostClassifier(base, 16, random_state=seed),
        )
        found.append([1 - model.fit(X, y).score(X_new, y_new) for model in models])
        x = rng.rand(1000, 2)
        target = np.sin(6 * x[:, 0]) * 2 * x[:, 1]
        rows, shallow = slice(200), DecisionTreeRegressor(max_depth=2)
        noisy = target[rows] + rng.normal(scale=0.1, size=200)
        regressors = (
            BaggingRegressor(shallow, 10, random_state=seed),
            IterativeBaggingRegressor(shallow, 10, random_state=seed),
        )
        squares.append(
            [np.mean((model.fit(x[rows], noisy).predict(x[200:]) - target[200:]) ** 2) for model in regressors]
        )
    tree, bagged, multi = np.mean(found, axis=0)
    yield Figure("MultiBoosting beside a tree", None, "better" if multi < tree else "no better", right="better")
    yield Figure("MultiBoosting beside Bagging", None, "better" if multi < bagged else "no better", right="better")
    once, again = np.mean(squares, axis=0)
    yield Figure("iterative Bagging beside Bagging", None, "better" if again < once else "no better", right="better")
