"""Chapter 4: entropy, gain, gain ratio and Gini index of the melons, and what they choose."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch04._leaves import COLUMNS, melons
from lanatus.tree import (
    best_threshold,
    entropy,
    gain_ratio,
    gini,
    gini_index,
    information_gain,
    intrinsic_value,
    training_error,
)

_ROUNDED = "the book subtracts rounded entropies"


@example("4.2.1", en="Entropy and information gain at the root", zh="根结点的信息熵与信息增益")
def root_gains() -> Iterator[Figure]:
    """Watermelon 2.0, 8 good and 9 bad: entropies of the colours and the gain of each attribute."""
    X, y, _ = melons("2.0")
    yield Figure("Ent(D)", 0.998, entropy(y))
    for colour, printed in (("青绿", 1.000), ("乌黑", 0.918), ("浅白", 0.722)):
        yield Figure(f"Ent(色泽={colour})", printed, entropy(y[X["色泽"] == colour]))
    yield Figure(
        "Gain(D, 色泽)", 0.109, information_gain(X["色泽"], y), 6, erratum=f"0.108, {_ROUNDED}", right=0.108125
    )
    for name, printed in zip(COLUMNS[1:], (0.143, 0.141, 0.381, 0.289, 0.006), strict=True):
        yield Figure(f"Gain(D, {name})", printed, information_gain(X[name], y))
    exact = (0.142675, 0.140781, 0.380592, 0.289159, 0.006046)
    yield Figure("the last five", None, [information_gain(X[name], y) for name in COLUMNS[1:]], 6, right=exact)


@example("4.2.1", en="Gains below 纹理=清晰 and further down", zh="第二层及以下的信息增益")
def gains_below() -> Iterator[Figure]:
    """Gains at the nodes of figure 4.4, where three attributes tie and any may be taken."""
    X, y, ids = melons("2.0")
    clear = (X["纹理"] == "清晰").to_numpy()
    names = ["色泽", "根蒂", "敲声", "脐部", "触感"]
    yield Figure("rows of 纹理=清晰", (1, 2, 3, 4, 5, 6, 8, 10, 15), ids[clear], 0)
    gains = [information_gain(X[name][clear], y[clear]) for name in names]
    yield Figure("gains there", (0.043, 0.458, 0.331, 0.458, 0.458), gains)
    yield Figure("the same", None, gains, 6, right=(0.043068, 0.458106, 0.330856, 0.458106, 0.458106))
    yield Figure("entropy there", None, entropy(y[clear]), 6, right=0.764205)
    ratios = [gain_ratio(X[name][clear], y[clear]) for name in names]
    yield Figure("gain ratios there", None, ratios, 6, right=(0.030937, 0.338925, 0.270220, 0.338925, 0.498865))
    indices = [gini_index(X[name][clear], y[clear]) for name in names]
    yield Figure("Gini indices there", None, indices, 6, right=(0.333333, 0.148148, 0.185185, 0.148148, 0.148148))
    blurred = (X["纹理"] == "稍糊").to_numpy()
    yield Figure("entropy of 纹理=稍糊", None, entropy(y[blurred]), 6, right=0.721928)
    gains = [information_gain(X[name][blurred], y[blurred]) for name in names]
    yield Figure("gains there", None, gains, 6, right=(0.321928, 0.072906, 0.321928, 0.170951, 0.721928))
    bent = clear & (X["根蒂"] == "稍蜷").to_numpy()
    yield Figure("entropy of 清晰, 稍蜷", None, entropy(y[bent]), 6, right=0.918296)
    gains = [information_gain(X[name][bent], y[bent]) for name in ("色泽", "敲声", "脐部", "触感")]
    yield Figure("gains there", None, gains, 6, right=(0.251629, 0, 0, 0.251629))
    black = bent & (X["色泽"] == "乌黑").to_numpy()
    yield Figure("Gain(清晰, 稍蜷, 乌黑; 触感)", None, information_gain(X["触感"][black], y[black]), 6, right=1.0)


@example("4.2.2", en="Intrinsic values, gain ratios and C4.5's choice", zh="固有值、增益率与C4.5的选择")
def root_ratios() -> Iterator[Figure]:
    """The number of the melon gains most and tells nothing; among gains above the average 纹理 has the best ratio."""
    X, y, ids = melons("2.0")
    yield Figure("IV(触感)", 0.874, intrinsic_value(X["触感"]))
    yield Figure("IV(色泽)", 1.580, intrinsic_value(X["色泽"]))
    yield Figure("IV(编号)", 4.088, intrinsic_value(ids), 6, erratum="4.087, the logarithm of 17", right=np.log2(17))
    values = [intrinsic_value(X[name]) for name in COLUMNS]
    yield Figure("IV", None, values, 6, right=(1.579863, 1.402081, 1.332820, 1.446648, 1.548565, 0.873981))
    ratios = [gain_ratio(X[name], y) for name in COLUMNS]
    yield Figure("gain ratio", None, ratios, 6, right=(0.068440, 0.101759, 0.105627, 0.263085, 0.186727, 0.006918))
    yield Figure("gain of 编号", 0.998, information_gain(ids, y))
    yield Figure("gain ratio of 编号", None, gain_ratio(ids, y), 6, right=0.244040)
    gains = [information_gain(X[name], y) for name in COLUMNS]
    yield Figure("mean gain", None, np.mean(gains), 6, right=0.177896)
    above = [name for name, gain in zip(COLUMNS, gains, strict=True) if gain >= np.mean(gains)]
    yield Figure("not below the mean", None, ", ".join(above), right="纹理, 脐部")
    yield Figure("mean gain with 编号", None, np.mean([*gains, information_gain(ids, y)]), 6, right=0.294983)


@example("4.2.3", en="Gini value and Gini indices at the root", zh="根结点的基尼值与基尼指数")
def root_gini() -> Iterator[Figure]:
    """Gini values of watermelon 2.0 (4.5) and 3.0 (4.6), where the index likes another threshold than the gain."""
    X, y, ids = melons("2.0")
    yield Figure("Gini(D)", None, gini(y), 6, right=0.498270)
    indices = [gini_index(X[name], y) for name in COLUMNS]
    yield Figure("Gini index", None, indices, 6, right=(0.427451, 0.422269, 0.423529, 0.277124, 0.344538, 0.494118))
    yield Figure("Gini index of 编号", None, gini_index(ids, y), 6, right=0.0)
    X, y, _ = melons("3.0a")
    for name, at, index in (("密度", 0.3815, 0.361991), ("含糖率", 0.2045, 0.285948)):
        threshold, decrease = best_threshold(X[name], y, criterion="gini")
        yield Figure(f"{name}: threshold by Gini", None, threshold, 6, right=at)
        yield Figure(f"{name}: Gini index there", None, gini(y) - decrease, 6, right=index)


_DENSITY = "0.244 0.294 0.3515 0.3815 0.42 0.459 0.5185 0.5745 0.6005 0.621 0.6365 0.648 0.6615 0.6815 0.708 0.7465"
_SUGAR = "0.0495 0.074 0.095 0.101 0.126 0.155 0.1795 0.2045 0.213 0.226 0.2505 0.2655 0.2925 0.344 0.373 0.418"
_DENSITY_GAINS = (
    "0.0563 0.1180 0.1861 0.2624 0.0935 0.0302 0.0036 0.0022 0.0022 0.0036 0.0302 0.0060 0.0008 0.0241 0.0003 0.0670"
)
_SUGAR_GAINS = (
    "0.0563 0.1180 0.1861 0.2624 0.3493 0.1562 0.2355 0.3371 0.2111 0.1237 0.0615 0.0203 0.0716 0.0241 0.1408 0.0670"
)


@example("4.4.1", en="Thresholds of density and sugar", zh="连续属性的候选划分点与增益")
def thresholds() -> Iterator[Figure]:
    """Midpoints of watermelon 3.0 (4.7), which the book cuts to three decimals, their gains, and the best (4.8)."""
    X, y, _ = melons("3.0")
    cut = "midpoints cut, not rounded, to three decimals"
    for name, points, gains, best, exact in (
        ("密度", _DENSITY, _DENSITY_GAINS, (0.262, 0.381), (0.262439, 0.3815)),
        ("含糖率", _SUGAR, _SUGAR_GAINS, (0.349, 0.126), (0.349294, 0.126)),
    ):
        values = np.unique(X[name])
        midpoints = (values[1:] + values[:-1]) / 2
        wanted = np.array(points.split(), dtype=float)
        yield Figure(f"{name}: thresholds", np.floor(wanted * 1000 + 1e-9) / 1000, midpoints, 6, cut, wanted)
        curve = [information_gain(X[name] <= point, y) for point in midpoints]
        yield Figure(f"{name}: gains", None, curve, 4, right=np.array(gains.split(), dtype=float))
        threshold, gain = best_threshold(X[name], y)
        yield Figure(f"Gain(D, {name})", best[0], gain)
        yield Figure(f"Gain(D, {name}) and its threshold", None, (gain, threshold), 6, right=exact)
    for name, at in (("密度", 0.360), ("含糖率", 0.103)):
        observed, gain = best_threshold(X[name], y, threshold="observed")
        yield Figure(f"{name}: threshold that is a value", None, observed, 6, right=at)
        yield Figure(
            f"{name}: its gain, less that of the midpoint", None, gain - best_threshold(X[name], y)[1], 12, right=0
        )
    clear, blurred = (X["纹理"] == "清晰").to_numpy(), (X["纹理"] == "稍糊").to_numpy()
    for where, rows, name, right in (
        ("清晰", clear, "密度", (0.3815, 0.764205)),
        ("清晰", clear, "含糖率", (0.2655, 0.224788)),
        ("稍糊", blurred, "密度", (0.560, 0.721928)),
    ):
        found = best_threshold(X[name][rows], y[rows])
        yield Figure(f"纹理={where}: {name}, threshold and gain", None, found, 6, right=right)
    yield Figure(
        "纹理=稍糊: gain of 含糖率", None, best_threshold(X["含糖率"][blurred], y[blurred])[1], 6, right=0.170951
    )


@example("4.2", en="Training error as a criterion (exercise 4.2)", zh="以最小训练误差为划分准则 (习题4.2)")
def training_error_criterion() -> Iterator[Figure]:
    """It cannot tell apart splits that the gain can: it does not see how pure the children are, only who wins."""
    X, y, _ = melons("2.0")
    wrong = [17 * training_error(X[name], y) for name in COLUMNS]
    yield Figure("melons wrong after a split", None, wrong, 9, right=(6, 6, 6, 3, 5, 8))
    labels = np.repeat([0, 1], 400)
    a = np.repeat([0, 1, 0, 1], [300, 100, 100, 300])
    b = np.repeat([0, 1, 0], [200, 200, 400])
    errors = [800 * training_error(split, labels) for split in (a, b)]
    yield Figure("400/400 into 300/100, 100/300 or 200/400, 200/0: wrong", None, errors, 9, right=(200, 200))
    gains = [information_gain(split, labels) for split in (a, b)]
    yield Figure("the same: gains", None, gains, 4, right=(0.1887, 0.3113))
