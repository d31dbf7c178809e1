"""Chapter 7: semi-naive Bayes on the melons: SPODE, TAN and AODE; how many samples AODE needs."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanatus.bayes import AODE, KDB, ODE, SPODE, TAN, AnDE, conditional_mutual_information, samples_needed
from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import melons

_PAIRS = (
    *("根蒂-脐部", "纹理-脐部", "根蒂-敲声", "纹理-触感", "根蒂-纹理"),
    *("色泽-纹理", "敲声-脐部", "色泽-脐部", "敲声-纹理", "脐部-触感"),
    *("根蒂-触感", "色泽-根蒂", "敲声-触感", "色泽-敲声", "色泽-触感"),
)
_JOINT = (
    *(0.597535, 0.381968, 0.352894, 0.320409, 0.300421, 0.280433, 0.271348, 0.271348, 0.253725, 0.213861),
    *(0.163093, 0.159022, 0.132314, 0.061559, 0.030779),
)
_PRINTED = (
    *(1.202183, 0.736836, 0.682323, 0.627826, 0.582803, 0.540329, 0.528290, 0.521023, 0.483575, 0.439920),
    *(0.344026, 0.308852, 0.259366, 0.120997, 0.062858),
)
_SUPER_PARENTS = {  # P(c) prod P(x_i | c, x_s) of 测1 for 是, 否
    "色泽": (0.00861244, 0.00129954516),
    "根蒂": (0.0233573992, 0.000487329435),
    "敲声": (0.00826983, 0.00109603),
    "纹理": (0.0231502392, 0.000210526316),
    "脐部": (0.0233573992, 0.000631578947),
    "触感": (0.0212259043, 0.000459435157),
}


def discrete_melons() -> tuple[Any, Any, Any]:
    """Watermelon 2.0, its labels, and melon 测1, which is like the first row."""
    X, y, _ = melons("2.0")
    return X, y, X[:1]


def joint(model: Any, row: Any) -> np.ndarray:
    """P(c) times the product for 是 and 否."""
    order = [list(model.classes_).index(label) for label in ("是", "否")]
    return np.exp(model.predict_joint_log_proba(row))[0, order]


def posterior(model: Any, row: Any) -> float:
    """P(是 | row)."""
    return float(model.predict_proba(row)[0, list(model.classes_).index("是")])


def left_out_right(model: Any) -> int:
    """Melons of 2.0 that a model gets right when it is learned from the other sixteen."""
    X, y, _ = discrete_melons()
    rows = np.arange(len(y))
    found = [model.fit(X[rows != i], y[rows != i]).predict(X[i : i + 1])[0] for i in rows]
    return int((np.array(found) == np.asarray(y)).sum())


@example("7.4", en="AODE on watermelon 2.0 (exercise 7.6)", zh="西瓜数据集2.0上的AODE (习题7.6)")
def aode() -> Iterator[Figure]:
    """The book's two estimates for AODE, and what AODE says of melon 测1 by each reading of (7.23) and (7.24)."""
    X, y, melon = discrete_melons()
    printed = AODE(0, printed_prior=True).fit(X, y)
    yes = list(printed.classes_).index("是")
    sounds, navel = 6, 12  # places of 浊响 and 凹陷 among the values of all attributes
    counts = printed.counts_
    both = counts[sounds, sounds, yes]
    yield Figure("P(是, 浊响) = (6+1)/(17+3), (7.24) as printed", 0.350, (both + 1) / (17 + 3))
    yield Figure(
        "P(是, 浊响), normalised",
        0.350,
        (both + 1) / (17 + 2 * 3),
        digits=6,
        erratum="(7.24) must divide by |D| + N N_i, or the probabilities of all classes and values sum to 23/20",
        right=0.304348,
    )
    yield Figure("P(凹陷 | 是, 浊响) = (3+1)/(6+3)", 0.444, (counts[sounds, navel, yes] + 1) / (both + 3))
    model = AODE(0).fit(X, y)
    yield Figure("sums for 是, 否", None, joint(model, melon), 9, right=(0.108923660, 0.00414987035))
    yield Figure("posterior of 是", None, posterior(model, melon), 6, right=0.963299)
    yield Figure("  (7.24) as printed", None, posterior(printed, melon), 6, right=0.963181)
    literal = AODE(0, literal_product=True).fit(X, y)
    yield Figure("  product over j = i too", None, posterior(literal, melon), 6, right=0.967484)
    both_printed = AODE(0, literal_product=True, printed_prior=True).fit(X, y)
    yield Figure("  both as printed", None, posterior(both_printed, melon), 6, right=0.967386)
    for least, right in ((7, 0.972241), (9, 0.968029)):
        yield Figure(f"  m' = {least}", None, posterior(AODE(least).fit(X, y), melon), 6, right=right)
    naive = AnDE(0).fit(X, y)
    none = AODE(13).fit(X, y)
    yield Figure("  m' = 13: no parent, so naive Bayes", None, posterior(none, melon), 6, right=posterior(naive, melon))
    yield Figure("decision for 测1", None, str(model.predict(melon)[0]), right="是")
    yield Figure("right of 17 when left out", None, left_out_right(AODE(0)), 0, right=13)


@example(
    "7.4",
    en="TAN on watermelon 2.0: conditional mutual information and tree",
    zh="西瓜数据集2.0上的TAN: 条件互信息与生成树",
)
def tan() -> Iterator[Figure]:
    """Conditional mutual information of all pairs, the tree, and what TAN says of melon 测1."""
    X, y, melon = discrete_melons()
    names = [pair.split("-") for pair in _PAIRS]
    found = [conditional_mutual_information(X[a], X[b], y) for a, b in names]
    yield Figure("I(x_i, x_j | y) of 15 pairs", None, found, 6, right=_JOINT)
    as_printed = [conditional_mutual_information(X[a], X[b], y, weighting="book") for a, b in names]
    yield Figure("  (7.22) as printed, without P(c)", None, as_printed, 6, right=_PRINTED)
    tree = "根蒂-脐部 纹理-脐部 根蒂-敲声 纹理-触感 色泽-纹理"
    for weighting, total in (("joint", 1.933238), ("book", 3.789497)):
        model = TAN(weighting=weighting).fit(X, y)
        edges = " ".join(f"{X.columns[i]}-{X.columns[j]}" for i, j in model.edges_)
        yield Figure(f"tree, weighting {weighting!r}", None, edges, right=tree)
        weight = sum(model.information_[i, j] for i, j in model.edges_)
        yield Figure("  sum of its edges", None, weight, 6, right=total)
    model = TAN("色泽").fit(X, y)
    yield Figure("products for 是, 否, root 色泽", None, joint(model, melon), 9, right=(0.0200956938, 0.000292397661))
    yield Figure("posterior of 是, root 色泽", None, posterior(model, melon), 6, right=0.985658)
    other = joint(TAN("脐部").fit(X, y), melon)
    yield Figure("products for 是, 否, root 脐部", None, other, 9, right=(0.0226076555, 0.000263157895))
    # Without melon 17 the edges 根蒂-纹理 and 纹理-脐部 tie; the tree with the second gets it wrong.
    yield Figure("right of 17 when left out", None, left_out_right(TAN("色泽")), 0, right=14)
    others = {"纹理": "脐部", "根蒂": "脐部", "敲声": "根蒂", "脐部": "色泽", "触感": "纹理"}
    rows = np.arange(len(y)) != 16
    tied = ODE(others).fit(X[rows], y[rows])
    yield Figure("  melon 17 by the other tree of the tie", None, str(tied.predict(X[16:])[0]), right="是")


@example("7.4", en="SPODE on watermelon 2.0", zh="西瓜数据集2.0上的SPODE")
def spode() -> Iterator[Figure]:
    """Every attribute as super-parent of melon 测1; which one leaving out each melon prefers."""
    X, y, melon = discrete_melons()
    for name, right in _SUPER_PARENTS.items():
        model = SPODE(name).fit(X, y)
        yield Figure(f"products for 是, 否, super-parent {name}", None, joint(model, melon), 8, right=right)
    chosen = SPODE().fit(X, y)
    yield Figure("right of 17 when left out", None, 17 * chosen.cv_scores_, 6, right=(6, 13, 13, 14, 13, 14))
    again = [left_out_right(SPODE(name)) for name in X.columns]
    yield Figure("  the same, learned again each time", None, again, 0, right=(6, 13, 13, 14, 13, 14))
    yield Figure("super-parent, the first of two as good", None, str(X.columns[chosen.super_parent_]), right="纹理")
    yield Figure("naive Bayes: right of 17 when left out", None, left_out_right(AnDE(0)), 0, right=12)


@example("7.4", en="Claims: naive Bayes as the least of all", zh="朴素贝叶斯是独依赖、k依赖的特例")
def special_cases() -> Iterator[Figure]:
    """ODE without parents, KDB with k = 0 and AnDE with n = 0 are naive Bayes; a SPODE is an ODE."""
    X, y, _ = discrete_melons()
    naive = ODE().fit(X, y).predict_proba(X)
    for name, model in (("KDB(0)", KDB(0)), ("AnDE(0)", AnDE(0))):
        gap = float(np.abs(model.fit(X, y).predict_proba(X) - naive).max())
        yield Figure(f"{name} against ODE without parents: largest difference", None, gap, 12, right=0.0)
    others = {name: "纹理" for name in X.columns if name != "纹理"}
    gap = float(np.abs(ODE(others).fit(X, y).predict_proba(X) - SPODE("纹理").fit(X, y).predict_proba(X)).max())
    yield Figure("ODE with one parent for all against SPODE", None, gap, 12, right=0.0)


@example("7.4", en="Samples needed for P(c, x_i) of AODE (exercise 7.7)", zh="AODE估计先验所需样本数 (习题7.7)")
def sample_need() -> Iterator[Figure]:
    """30 samples behind each estimate, two classes, d binary attributes."""
    yield Figure("naive Bayes, P(c)", 60, samples_needed(10, model="naive").best, 0)
    for d in (1, 5, 10):
        need = samples_needed(d)
        yield Figure(f"AODE, d = {d}: best and worst", None, tuple(need), 0, right=(120, 60 * (d + 1)))
