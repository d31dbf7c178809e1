"""Sections 11.1 to 11.3 and exercises 11.1 to 11.4: subsets, Relief, wrappers."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_score

from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.data import load_watermelon
from lanatus.linear import LinearRegression
from lanatus.select import (
    LVW,
    ExhaustiveFeatureSelector,
    Relief,
    ReliefF,
    SequentialFeatureSelector,
    relief_pairs,
    subset_information_gain,
)
from lanatus.tree import DecisionTreeClassifier


def _melons(words: bool = False) -> tuple[Any, np.ndarray, list[str]]:
    bunch = load_watermelon("3.0")
    names = [name for name in bunch.feature_names if not (words and name in ("密度", "含糖率"))]
    return bunch.frame[names], np.asarray(bunch.target), names


@example("11.1", en="Information gain of subsets of watermelon 3.0", zh="西瓜数据集3.0上的子集信息增益")
def subset_gains() -> Iterator[Figure]:
    """(11.1) of the nominal columns: single ones, pairs, and what forward and backward search find."""
    X, y, _ = _melons(words=True)
    singles = {
        "纹理": 0.380592,
        "脐部": 0.289159,
        "根蒂": 0.142675,
        "敲声": 0.140781,
        "色泽": 0.108125,
        "触感": 0.006046,
    }
    for name, right in singles.items():
        yield Figure(f"gain of {name}", None, subset_information_gain(X, y, [name]), digits=6, right=right)
    for pair, right in ((("纹理", "触感"), 0.835450), (("根蒂", "脐部"), 0.711929), (("纹理", "脐部"), 0.673398)):
        yield Figure(f"gain of {' and '.join(pair)}", None, subset_information_gain(X, y, pair), digits=6, right=right)
    for direction, found in (("forward", "色泽 根蒂 纹理 触感"), ("backward", "色泽 纹理 脐部 触感")):
        search = SequentialFeatureSelector(
            criterion="information-gain", n_features_to_select="best", direction=direction
        ).fit(X, y)
        yield Figure(f"{direction} search", None, " ".join(search.get_feature_names_out()), right=found)
        yield Figure("its gain, all of Ent(D)", None, search.score_, digits=6, right=0.997503)


@method(
    "select.greedy-misses-optimum",
    section="11.1",
    task="transform",
    kind="experiment",
    en="Greedy search misses the optimum",
    zh="贪心子集搜索非最优",
)
@example("11.1", en="Greedy search misses the best subset", zh="贪心搜索可能错过最优子集")
def greedy_misses_optimum() -> Iterator[Figure]:
    """The parity of two columns beside one that tells three rows of four: forward search takes the latter first.

    Book: section 11.1, where round 3 takes :math:`a_5` though the best four columns are without it.

    Yields
    ------
    Figure
        The columns that forward search and all subsets of two find, and their gains.

    Examples
    --------
    >>> from lanatus.book import greedy_misses_optimum
    >>> [figure.computed for figure in greedy_misses_optimum()]
    ['0 1', 0.5, '1 2', 1.0]
    """
    bits = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 6)
    y = bits[:, 0] ^ bits[:, 1]
    hint = np.where(np.arange(24) % 4 == 3, 1 - y, y)
    X = np.column_stack([hint, bits])
    ahead = SequentialFeatureSelector(criterion="information-gain", n_features_to_select=2).fit(X, y)
    every = ExhaustiveFeatureSelector(criterion="information-gain", min_features=2, max_features=2).fit(X, y)
    for what, search, columns, gain in (
        ("forward search", ahead, "0 1", 0.5),
        ("all subsets", every, "1 2", 1.0),
    ):
        yield Figure(f"{what} of two columns", None, " ".join(map(str, np.flatnonzero(search.support_))), right=columns)
        yield Figure("gain", None, float(search.score_), digits=6, right=gain)


@method(
    "select.redundant-feature",
    section="11.1",
    task="transform",
    kind="experiment",
    en="A redundant column that helps",
    zh="有益的冗余特征",
)
@example("11.1", en="The base area of a cuboid helps a linear model", zh="立方体底面积是有益的冗余特征")
def redundant_feature() -> Iterator[Figure]:
    """Volumes of boxes by least squares on the logarithms of height and one more column: length, width, or base area.

    The area is length by width, so that it tells nothing new; yet it is an intermediate concept of the volume, and with
    it two columns do what three are needed for otherwise.

    Book: section 11.1.

    Yields
    ------
    Figure
        The determination of the volume with each column, and the two columns that a search takes.

    Examples
    --------
    >>> from lanatus.book import redundant_feature
    >>> [figure.computed for figure in redundant_feature()][-1]
    'area height'
    """
    sides = np.random.default_rng(0).uniform(0.5, 2.0, size=(200, 3))
    names = ["length", "width", "height", "area"]
    X, volume = np.log(np.column_stack([sides, sides[:, 0] * sides[:, 1]])), np.log(sides.prod(axis=1))
    for name in ("length", "width", "area"):
        pair = X[:, [names.index(name), 2]]
        score = LinearRegression().fit(pair, volume).score(pair, volume)
        yield Figure(
            f"all of the volume is told by height and {name}", None, str(score > 1 - 1e-9), right=str(name == "area")
        )
    search = SequentialFeatureSelector(LinearRegression(), n_features_to_select=2).fit(X, volume)
    yield Figure(
        "two columns by search",
        None,
        " ".join(sorted(names[j] for j in np.flatnonzero(search.support_))),
        right="area height",
    )


@example(
    "11.2", en="Relief and Relief-F on watermelon 3.0 (exercises 11.1 and 11.2)", zh="西瓜数据集3.0上的Relief与Relief-F"
)
def relief() -> Iterator[Figure]:
    """(11.3) and (11.4); nothing is printed, the values were derived independently."""
    X, y, names = _melons()
    model = Relief().fit(X, y)
    right = {"纹理": 9, "脐部": 7, "根蒂": 4, "含糖率": 2.044917, "密度": -0.500966, "敲声": -1, "触感": -4, "色泽": -7}
    worth = dict(zip(names, model.relevance_.tolist(), strict=True))
    for name, value in right.items():
        yield Figure(f"Relief of {name}", None, worth[name], digits=6, right=value)
    near = " ".join(
        f"{i + 1}-{h + 1}-{m + 1}" for i, h, m in zip(model.rows_, model.near_hits_, model.near_misses_, strict=True)
    )
    pairs = (
        "1-4-13 2-4-14 3-5-13 4-2-17 5-3-16 6-8-15 7-8-15 8-6-15 9-17-7 10-11-6 11-16-5 12-16-5 13-14-1 14-13-5 15-9-6 "
        "16-12-5 17-9-4"
    )
    yield Figure("melon, near-hit, near-miss", None, near, right=pairs)
    literal = ReliefF(n_neighbors=1, diff="squared", normalize_prior=False).fit(X, y).relevance_
    values = (-8.941176, 0.470588, -3.117647, 3.0, 3.411765, -5.529412, -1.023497, 0.552403)
    yield Figure("Relief-F, in the order of the table", None, literal, digits=6, right=values)
    numbers = X[["密度", "含糖率"]]
    yield Figure("Relief on 3.0alpha", None, Relief().fit(numbers, y).relevance_, digits=6, right=(0.570990, 0.880228))
    literal = ReliefF(n_neighbors=1, diff="squared", normalize_prior=False).fit(numbers, y).relevance_
    yield Figure("Relief-F on 3.0alpha", None, literal, digits=6, right=(0.132344, 0.284909))


@example("CB 7.5", en="RELIEF on four rows", zh="四个样本上的RELIEF")
def cookbook_relief() -> Iterator[Figure]:
    """Differences that are not squared, and the mean over the rows."""
    X = [[0.0, 0.0], [0.1, 1.0], [1.0, 0.2], [0.9, 0.8]]
    model = Relief(diff="absolute").fit(X, [0, 0, 1, 1])
    yield Figure("weights", None, model.feature_importances_, digits=9, right=(0.8, -0.6))


@example("11.3", en="Pairs of columns by Relief (exercise 11.3)", zh="Relief的属性对扩展（习题11.3）")
def pairs_of_columns() -> Iterator[Figure]:
    """Parity: each of two columns says nothing alone, and all together."""
    bits = np.random.default_rng(0).integers(2, size=(200, 5))
    worth = relief_pairs(bits, bits[:, 1] ^ bits[:, 3])
    best = max(combinations(range(5), 2), key=lambda pair: worth[pair])
    yield Figure("the pair of most relevance", None, f"{best[0]} {best[1]}", right="1 3")


@method(
    "select.wrapper-vs-filter",
    section="11.3",
    task="transform",
    kind="experiment",
    en="Wrapper against filter",
    zh="包裹式与过滤式选择",
)
@example("11.3", en="A wrapper is better for its learner, and dearer, than a filter", zh="包裹式比过滤式更好也更贵")
def wrapper_vs_filter() -> Iterator[Figure]:
    """Relief-F and LVW choose columns for a small tree; on five sets of rows with three columns of ten that matter.

    Book: sections 11.3, figure 11.1; exercise 11.4 asks for an LVW that always has an answer.

    Yields
    ------
    Figure
        Whether the wrapper's cross-validated score is at least the filter's, and how often the learner was trained.

    Examples
    --------
    >>> from lanatus.book import wrapper_vs_filter
    >>> [figure.computed for figure in wrapper_vs_filter()][0]
    'True'
    """
    gains, trainings = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 10))
        y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
        tree = DecisionTreeClassifier(max_depth=4, random_state=0)
        kept = np.flatnonzero(ReliefF(4).fit(X, y).support_)
        wrapper = LVW(tree, max_misses=30, max_iter=120, cv=3, random_state=seed).fit(X, y)
        gains.append(wrapper.score_ - cross_val_score(tree, X[:, kept], y, cv=3).mean())
        trainings.append(3 * len(wrapper.subsets_))
    yield Figure("the wrapper's score is no lower on the mean", None, str(bool(np.mean(gains) >= 0)), right="True")
    yield Figure("it trained the learner over 90 times, the filter never", None, str(min(trainings) > 90), right="True")
    quick = LVW(tree, max_misses=10**6, time_limit=1e-6, random_state=0).fit(X, y)
    yield Figure("with no time it answers all the same: columns", None, int(quick.support_.sum()), digits=0, right=10)
