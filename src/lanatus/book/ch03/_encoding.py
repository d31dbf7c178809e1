"""Chapter 3: encoding of attributes, rare classes, and two ways to evaluate logistic regression."""

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.evaluation import LeaveOneOut, StratifiedKFold, accuracy_score, cross_val_score
from lanatus.linear import LogisticRegression
from lanatus.preprocess import OneHotEncoder, OrdinalEncoder, StandardScaler


@example("3.2", en="Attributes as numbers", zh="离散属性连续化")
def attribute_encodings() -> Iterator[Figure]:
    """Ordered values as equally spaced numbers, unordered ones as indicators."""
    height = OrdinalEncoder(categories=[["低", "中", "高"]], scale="unit")
    two = OrdinalEncoder(categories=[["矮", "高"]], scale="unit")
    melons = OneHotEncoder(categories=[["黄瓜", "南瓜", "西瓜"]], sparse_output=False)
    yield Figure("身高 高, 矮", (1.0, 0.0), two.fit_transform([["高"], ["矮"]]).ravel(), digits=1)
    yield Figure("高度 高, 中, 低", (1.0, 0.5, 0.0), height.fit_transform([["高"], ["中"], ["低"]]).ravel(), digits=1)
    encoded = melons.fit_transform([["西瓜"], ["南瓜"], ["黄瓜"]])
    yield Figure("瓜类 西瓜, 南瓜, 黄瓜", ((0, 0, 1), (0, 1, 0), (1, 0, 0)), encoded, digits=0)


@example("3.6", en="Accuracy with rare positives", zh="类别不平衡时的精度")
def rare_positives() -> Iterator[Figure]:
    """2 positive and 998 negative examples, all called negative."""
    yield Figure("accuracy", 0.998, accuracy_score(np.repeat([1, 0], [2, 998]), np.zeros(1000, int)))


@method(
    "evaluation.logistic-kfold-vs-loo",
    section="ex 3.4",
    task="classification",
    kind="experiment",
    en="Logistic regression: 10-fold against leave-one-out",
    zh="对率回归10折与留一对比",
)
@example("3.3", en="10-fold against leave-one-out (exercise 3.4)", zh="10折与留一法 (习题3.4)")
def ex_3_4(random_state: int = 0) -> Iterator[Figure]:
    """Error of logistic regression on two UCI data sets, iris and wine, by 10 folds and by leave-one-out.

    The two estimates are close; leave-one-out trains as many models as there are rows.

    Book: exercise 3.4.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the folds.

    Yields
    ------
    Figure
        Errors by both ways, and how far they are apart.

    Examples
    --------
    >>> from lanatus.book import ex_3_4
    >>> first = next(iter(ex_3_4()))
    >>> first.what, first.computed
    ('iris: leave-one-out errors', 7)
    """
    learner = make_pipeline(StandardScaler(), LogisticRegression())
    for name, load, errors in (("iris", load_iris, 7), ("wine", load_wine, 3)):
        X, y = load(return_X_y=True)
        by_rows = 1 - cross_val_score(learner, X, y, cv=LeaveOneOut()).mean()
        yield Figure(f"{name}: leave-one-out errors", None, round(by_rows * len(y)), digits=0, right=errors)
        folds = StratifiedKFold(10, shuffle=True, random_state=random_state)
        by_folds = 1 - cross_val_score(learner, X, y, cv=folds).mean()
        yield Figure(f"{name}: 10-fold error, less leave-one-out", None, by_folds - by_rows, digits=1, right=0.0)
