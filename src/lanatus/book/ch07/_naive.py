"""Chapter 7: naive Bayes on the melons and on CH5's table, the Laplacian correction, and why naive Bayes works."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from lanatus.bayes import CategoricalNB, NaiveBayes, QuadraticDiscriminantAnalysis
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_sex_table, load_watermelon
from lanatus.evaluation import LeaveOneOut, cross_val_predict

WORDS = ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")
GREEN = ("青绿", "蜷缩", "浊响", "清晰", "凹陷", "硬滑")  # melon 测1, the same as the first row


def _melons(version: str = "3.0") -> tuple[Any, Any]:
    bunch = load_watermelon(version)
    return bunch.frame[bunch.feature_names], bunch.target


def _shares(model: Any, column: str, value: str) -> np.ndarray:
    """P(value | 是) and P(value | 否)."""
    at = [c.name for c in model.schema_.columns if c.kind != "numeric"].index(column)
    place = model.schema_[column].categories.index(value)
    logs = model.feature_log_prob_[at][:, place]
    return np.exp(logs[[list(model.classes_).index(label) for label in "是否"]])


def _joints(model: Any, X: Any) -> np.ndarray:
    """Prior times likelihood of 是 and 否, of the first row."""
    joint = np.exp(model.predict_joint_log_proba(X[:1]))[0]
    return joint[[list(model.classes_).index(label) for label in "是否"]]


@example("7.3", en="Naive Bayes on watermelon 3.0, melon 测1", zh="西瓜数据集3.0上的朴素贝叶斯, 测1")
def naive_bayes() -> Iterator[Figure]:
    """Every factor of the product for melon 测1 without correction, with two misprints put right."""
    X, y = _melons()
    model = NaiveBayes(alpha=0, var_smoothing=0).fit(X, y)
    order = [list(model.classes_).index(label) for label in "是否"]
    yield Figure("P(是), P(否)", (0.471, 0.529), model.class_prior_[order])
    printed = {"色泽": (0.375, 0.333), "敲声": (0.750, 0.444), "纹理": (0.875, 0.222), "触感": (0.750, 0.667)}
    for column, value in zip(WORDS, GREEN, strict=True):
        shares = _shares(model, column, value)
        if column == "根蒂":
            erratum = "5/8 is 0.625, not 0.375"
            yield Figure(f"P({value} | 是, 否)", (0.375, 0.333), shares, erratum=erratum, right=(5 / 8, 3 / 9))
        elif column == "脐部":
            erratum = "the table has 5 of 8 (melons 1-5), not 6"
            yield Figure(f"P({value} | 是, 否)", (0.750, 0.222), shares, erratum=erratum, right=(5 / 8, 2 / 9))
        else:
            yield Figure(f"P({value} | 是, 否)", printed[column], shares)
    joint = _joints(model, X)
    erratum = "0.038 follows from the two misprints"
    yield Figure("joint of 是", 0.038, joint[0], digits=7, erratum=erratum, right=0.0523787)
    erratum = "6.80e-5 follows from rounded factors"
    yield Figure("joint of 否", 6.80e-5, joint[1], digits=11, erratum=erratum, right=6.858424e-05)
    logs = np.log(joint)
    yield Figure("the same as sums of logarithms", None, logs, digits=6, right=(-2.949255, -9.587448))
    yield Figure("decision for 测1", "是", str(model.predict(X[:1])[0]))
    yield Figure("P(是 | 测1)", None, joint[0] / joint.sum(), digits=6, right=0.998692)
    likely = _joints(NaiveBayes(alpha=0, var_smoothing=0, ddof=0).fit(X, y), X)
    yield Figure("joint of 是 by maximum likelihood (7.13)", None, likely[0], digits=7, right=0.0445523)
    yield Figure("joint of 否 by maximum likelihood (7.13)", None, likely[1], digits=11, right=4.365877e-05)


@example("7.3", en="Laplacian correction (exercise 7.3)", zh="拉普拉斯修正 (习题7.3)")
def ex_7_3() -> Iterator[Figure]:
    """Corrected factors, the decision for 测1, and a melon that sounds crisp, which flips."""
    X, y = _melons()
    words = X[list(WORDS)]
    raw, model = NaiveBayes(alpha=0).fit(words, y), NaiveBayes().fit(words, y)
    order = [list(model.classes_).index(label) for label in "是否"]
    yield Figure("P(是), P(否) (7.19)", (0.474, 0.526), model.class_prior_[order])
    yield Figure("P(青绿 | 是), P(青绿 | 否) (7.20)", (0.364, 0.333), _shares(model, "色泽", "青绿"))
    yield Figure("P(清脆 | 是) as counted", 0.0, _shares(raw, "敲声", "清脆")[0])
    yield Figure("P(清脆 | 是) corrected", 0.091, _shares(model, "敲声", "清脆")[0])
    joint = _joints(model, words)
    yield Figure("joint of 测1, words alone", None, joint, digits=9, right=(0.0166025211, 0.000969121035))
    mixed = NaiveBayes(var_smoothing=0).fit(X, y)
    joint = _joints(mixed, X)
    yield Figure("joint of 是, numbers too", None, joint[0], digits=9, right=0.0256310245)
    yield Figure("joint of 否, numbers too", None, joint[1], digits=12, right=7.72236062e-05)
    yield Figure("P(是 | 测1)", None, joint[0] / joint.sum(), digits=6, right=0.996996)
    yield Figure("decision for 测1", "是", str(mixed.predict(X[:1])[0]))
    crisp = words[:1].copy()
    crisp["敲声"] = "清脆"
    yield Figure(
        "the same melon, 敲声=清脆, as counted", None, _joints(raw, crisp), digits=10, right=(0, 4.30350467e-04)
    )
    yield Figure("corrected", None, _joints(model, crisp), digits=10, right=(2.37178873e-03, 5.81472621e-04))
    said = "".join(str(each.predict(crisp)[0]) for each in (raw, model))
    yield Figure("decisions before and after", None, said, right="否是")
    wrong = np.flatnonzero(np.asarray(model.predict(words)) != np.asarray(y)) + 1
    yield Figure("melons wrong in training, words alone", None, wrong, digits=0, right=(7, 13, 15))
    left_out = np.asarray(cross_val_predict(CategoricalNB(), words, y, cv=LeaveOneOut()))
    yield Figure("melons right when left out", None, int((left_out == np.asarray(y)).sum()), digits=0, right=12)


@example("7.2", en="Maximum likelihood of the melons' attributes (exercise 7.1)", zh="极大似然估计 (习题7.1)")
def ex_7_1() -> Iterator[Figure]:
    """Counts of the values of the nominal attributes by class, and the normal densities of the numbers."""
    X, y = _melons()
    model = CategoricalNB(alpha=0).fit(X[list(WORDS)], y)
    rights: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
        "色泽": ((3, 4, 1), (3, 2, 4)),
        "根蒂": ((5, 3, 0), (3, 4, 2)),
        "敲声": ((6, 2, 0), (4, 3, 2)),
        "纹理": ((7, 1, 0), (2, 4, 3)),
        "脐部": ((5, 3, 0), (2, 3, 4)),
        "触感": ((6, 2), (6, 3)),
    }
    values = {
        "色泽": ("青绿", "乌黑", "浅白"),
        "根蒂": ("蜷缩", "稍蜷", "硬挺"),
        "敲声": ("浊响", "沉闷", "清脆"),
        "纹理": ("清晰", "稍糊", "模糊"),
        "脐部": ("凹陷", "稍凹", "平坦"),
        "触感": ("硬滑", "软粘"),
    }
    order = [list(model.classes_).index(label) for label in "是否"]
    for at, column in enumerate(WORDS):
        places = [model.schema_[column].categories.index(value) for value in values[column]]
        counts = model.category_count_[at][order][:, places]
        yield Figure(f"{column} {' '.join(values[column])}: 是, 否", None, counts, digits=0, right=rights[column])
    normal = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X[["密度", "含糖率"]], y)
    right = ((0.57375, 0.27875), (0.4961111, 0.1542222))
    yield Figure("means of 密度, 含糖率 (7.12)", None, normal.means_[order], digits=6, right=right)
    right = ((0.0146084375, 0.0089785625), (0.0089785625, 0.0089124375))
    yield Figure("covariance of 是 (7.13)", None, normal.covariance_[order[0]], digits=9, right=right)
    right = ((0.0337025432, -0.0055628025), (-0.0055628025, 0.0103286173))
    yield Figure("covariance of 否 (7.13)", None, normal.covariance_[order[1]], digits=9, right=right)


@example("CH5 5.2", en="Naive Bayes on the table of 15 people", zh="15人表上的朴素贝叶斯")
def ch5_naive_bayes() -> Iterator[Figure]:
    """Whether (青年, 中发, 平底, 花色) is a man or a woman, as counted and with Laplace's smoothing."""
    bunch = load_sex_table()
    X, y = bunch.frame[bunch.feature_names], bunch.target
    query = X[:1].copy()
    query.iloc[0] = ["青年", "中发", "平底", "花色"]
    raw, model = NaiveBayes(alpha=0).fit(X, y), NaiveBayes().fit(X, y)
    man, woman = (list(raw.classes_).index(label) for label in ("男性", "女性"))
    yield Figure("P(男), P(女)", (0.5333, 0.4667), raw.class_prior_[[man, woman]], digits=4)
    joint = np.exp(raw.predict_joint_log_proba(query))[0]
    yield Figure("joint of 男", 0.002083, joint[man], digits=6)
    erratum = "exactly 12/1715; even the rounded factors give 0.007026"
    yield Figure("joint of 女", 0.007030, joint[woman], digits=9, erratum=erratum, right=12 / 1715)
    yield Figure("decision", "女性", str(raw.predict(query)[0]))
    yield Figure("P(女 | x)", None, joint[woman] / joint.sum(), digits=9, right=0.770568562)
    yield Figure("smoothed P(男), P(女)", (0.5294, 0.4706), model.class_prior_[[man, woman]], digits=4)
    hair = np.exp(model.feature_log_prob_[1])
    places = [model.schema_["发长"].categories.index(value) for value in ("短发", "中发", "长发")]
    yield Figure("hair given 男, smoothed", (0.6364, 0.1818, 0.1818), hair[man][places], digits=4)
    yield Figure("hair given 女, smoothed", (0.2, 0.4, 0.4), hair[woman][places], digits=4)
    joint = np.exp(model.predict_joint_log_proba(query))[0]
    yield Figure("smoothed joint of 男", None, joint[man], digits=9, right=486 / 113135)
    yield Figure("smoothed joint of 女", None, joint[woman], digits=9, right=16 / 2125)
    for name, each, right in (("as counted", raw, (12,)), ("smoothed", model, (3, 12))):
        wrong = np.flatnonzero(np.asarray(each.predict(X)) != np.asarray(y)) + 1
        yield Figure(f"people wrong in training, {name}", None, wrong, digits=0, right=right)


@example("7.3", en="Products that underflow (exercise 7.4)", zh="连乘下溢 (习题7.4)")
def ex_7_4() -> Iterator[Figure]:
    """Ten thousand attributes: the product of the factors is 0 for both classes, the sum of logarithms decides."""
    random = np.random.RandomState(0)
    y = np.repeat([0, 1], 50)
    X = (random.rand(100, 10_000) < np.where(y == 1, 0.6, 0.4)[:, None]).astype(np.int64)
    model = CategoricalNB().fit(X, y)
    factors = np.exp([[table[c, X[0, j]] for j, table in enumerate(model.feature_log_prob_)] for c in (0, 1)])
    yield Figure("products of the factors", None, factors.prod(axis=1), digits=300, right=(0.0, 0.0))
    share = model.predict_proba(X)
    yield Figure("posteriors finite, and sum to 1", None, float(np.abs(share.sum(axis=1) - 1).max()), digits=9, right=0)
    yield Figure("rows right", None, float((model.predict(X) == y).mean()), digits=3, right=1.0)


@method(
    "bayes.naive-bayes-optimal-though-dependent",
    section="ex 7.2",
    task="classification",
    kind="experiment",
    en="Naive Bayes optimal although attributes are dependent",
    zh="独立性不成立时的最优朴素贝叶斯",
)
@example("7.3", en="Naive Bayes optimal though attributes depend (exercise 7.2)", zh="属性不独立时最优 (习题7.2)")
def ex_7_2() -> Iterator[Figure]:
    """One attribute of three values, copied: naive Bayes is too sure of itself, yet decides as Bayes' rule does.

    The classes are equally likely. Copies depend on each other as much as can be; with m copies the odds are those of
    one raised to the power m, which lie on the same side of 1. With another prior the powers may change sides.

    Book: exercise 7.2.

    Returns
    -------
    iterator of Figure

    Examples
    --------
    >>> from lanatus.book import ex_7_2
    >>> all(figure.agrees for figure in ex_7_2())
    True
    """
    given = np.array([[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])  # P(x | c)
    truth = given / given.sum(axis=0)
    for copies in (1, 2, 5):
        naive = given**copies / (given**copies).sum(axis=0)
        # The same from the classifier itself, on a table with these shares.
        rows = [(value,) * copies for c, value in product((0, 1), range(3)) for _ in range(round(10 * given[c, value]))]
        labels = [c for c, value in product((0, 1), range(3)) for _ in range(round(10 * given[c, value]))]
        model = CategoricalNB(alpha=0).fit(np.array(rows), np.array(labels))
        said = model.predict_proba([(value,) * copies for value in range(3)]).T
        yield Figure(f"{copies} copies: P(0 | x) of naive Bayes", None, said[0], digits=9, right=naive[0])
        same = bool(((said[0] > 0.5) == (truth[0] > 0.5))[[0, 2]].all())
        yield Figure(f"{copies} copies: decisions as Bayes' rule", None, str(same), right="True")
    prior = np.array([0.4, 0.6])
    right = prior[:, None] * given
    wrong = prior[:, None] * given**5
    flips = int(((right[0] > right[1]) != (wrong[0] > wrong[1])).sum())
    yield Figure("unequal priors, 5 copies: values decided otherwise", None, flips, digits=0, right=0)
    prior = np.array([0.3, 0.7])
    right, wrong = prior[:, None] * given, prior[:, None] * given**5
    flips = int(((right[0] > right[1]) != (wrong[0] > wrong[1])).sum())
    yield Figure("more unequal ones", None, flips, digits=0, right=1)
