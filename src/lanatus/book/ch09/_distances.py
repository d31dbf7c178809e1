"""Chapter 9.3, 9.6 and 9.7: distances on the watermelons."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch09._kmeans import _melons
from lanatus.cluster import KMeans
from lanatus.data import load_watermelon
from lanatus.metric import (
    MinkovDM,
    ValueDifferenceMetric,
    check_metric_axioms,
    hausdorff,
    manhattan,
    minkowski,
    mixed_nonmetric,
)

NOMINAL = ["色泽", "根蒂", "敲声", "纹理", "脐部", "触感"]


@example("9.3", en="Minkowski's distances", zh="闵可夫斯基距离")
def minkowski_distances() -> Iterator[Figure]:
    """Melons 1 and 6 of 4.0 by four orders, and the triangle that order 1/2 breaks (exercise 9.1)."""
    X = _melons()
    orders = (1, 2, 3, np.inf)
    yield Figure(
        "x1 and x6 of 4.0: orders 1, 2, 3 and infinity",
        None,
        [minkowski(X[0], X[5], p) for p in orders],
        digits=8,
        right=(0.517, 0.36900542, 0.33171968, 0.294),
    )
    corners = [[0, 0], [1, 0], [1, 1]]
    half = check_metric_axioms(lambda x, z: minkowski(x, z, 0.5), corners)
    sides = [minkowski(corners[i], corners[j], 0.5) for i, j in ((0, 2), (0, 1), (1, 2))]
    yield Figure("order 1/2: the long side and the two short ones", None, sides, digits=9, right=(4.0, 1.0, 1.0))
    yield Figure("order 1/2: axioms that fail", None, " ".join(half.witnesses), right="triangle")
    yield Figure(
        "orders 1, 2, 3 and infinity: all axioms hold on the melons",
        None,
        [float(check_metric_axioms(lambda x, z, p=p: minkowski(x, z, p), X).is_metric) for p in orders],
        digits=0,
        right=(1, 1, 1, 1),
    )


@example("9.3", en="A man, a horse and a centaur", zh="人、马与人马: 非度量距离")
def centaur() -> Iterator[Figure]:
    """Figure 9.1: both near the centaur, yet far from each other; distances 3, 3 and 10 are our choice."""
    D = np.array([[0.0, 3.0, 10.0], [3.0, 0.0, 3.0], [10.0, 3.0, 0.0]])
    found = check_metric_axioms(D)
    yield Figure("axioms that fail", "triangle", " ".join(found.witnesses))
    yield Figure(
        "from man to horse by way of the centaur", None, found.witnesses["triangle"], digits=0, right=(0, 2, 1)
    )
    D[0, 2] = D[2, 0] = 3.0
    yield Figure("with d3 = 3 it is a metric", "yes", "yes" if check_metric_axioms(D).is_metric else "no")


@example("9.3", en="Value differences on watermelon 3.0", zh="西瓜数据集3.0上的VDM与MinkovDM")
def value_differences() -> Iterator[Figure]:
    """What the values of nominal attributes say about good melons (9.21), and mixed rows (9.22)."""
    bunch = load_watermelon("3.0")
    frame, good = bunch.data, np.asarray(bunch.target)
    colours = (("青绿", "乌黑"), ("青绿", "浅白"), ("乌黑", "浅白"))
    for p, right in ((1, (0.333333, 0.6, 0.933333)), (2, (0.055556, 0.18, 0.435556))):
        vdm = ValueDifferenceMetric(p=p).fit(frame[NOMINAL], good)
        found = [vdm.distance(0, a, b) for a, b in colours]
        yield Figure(f"colours, p = {p}", None, found, digits=6, right=right)
    yield Figure("texture 清晰 and 模糊, p = 2", None, vdm.distance(3, "清晰", "模糊"), digits=6, right=1.209877)
    yield Figure("touch 硬滑 and 软粘, p = 2", None, vdm.distance(5, "硬滑", "软粘"), digits=6, right=0.02)
    D = MinkovDM(p=2).fit(frame, good).pairwise(frame)
    yield Figure(
        "MinkovDM of order 2: x1 and x2, x1 and x9, x1 and x11, x2 and x3",
        None,
        [D[0, 1], D[0, 8], D[0, 10], D[1, 2]],
        digits=8,
        right=(0.38540959, 1.05325067, 2.06839254, 0.33487908),
    )


@example("9.6", en="Hausdorff's distance of clusters", zh="簇间的豪斯多夫距离")
def hausdorff_clusters() -> Iterator[Figure]:
    """The three clusters of k-means from x6, x12, x24 (9.44, 9.45)."""
    X = _melons()
    labels = KMeans(3, init=X[[5, 11, 23]], tol=0).fit(X).labels_
    one, two, three = (X[labels == c] for c in range(3))
    yield Figure(
        "clusters 1 and 2, 1 and 3, 2 and 3",
        None,
        [hausdorff(one, two), hausdorff(one, three), hausdorff(two, three)],
        digits=8,
        right=(0.31170820, 0.27640731, 0.40870772),
    )
    yield Figure(
        "one way: from 2 to 3, from 3 to 2",
        None,
        [hausdorff(two, three, directed=True), hausdorff(three, two, directed=True)],
        digits=8,
        right=(0.34881084, 0.40870772),
    )


@example("9.7", en="Blocks of Manhattan", zh="曼哈顿距离的由来")
def blocks_of_manhattan() -> Iterator[Figure]:
    """From Fifth Avenue and 33rd Street to Third Avenue and 23rd Street."""
    yield Figure("blocks", 12, manhattan([5, 33], [3, 23]), digits=0)


@example("ex 9.9", en="A distance of mixed melons that is no metric (exercise 9.9)", zh="混合属性非度量距离 (习题9.9)")
def ex_9_9() -> Iterator[Figure]:
    """Melons of 3.0 by the half of their attributes in which they agree best: no metric, on purpose.

    With all attributes it is Gower's distance, which keeps the axioms; with half of them two melons that differ may be
    at distance 0, and the way by a third may be shorter than the direct one.

    Book: exercise 9.9.

    Yields
    ------
    Figure
        Which axioms hold for half of the attributes and for all.

    Examples
    --------
    >>> from lanatus.book import ex_9_9
    >>> all(figure.agrees for figure in ex_9_9())
    True
    """
    frame = load_watermelon("3.0").frame.drop(columns=["好瓜"])
    numeric = frame.select_dtypes("number")
    spans = {name: float(np.ptp(numeric[name])) for name in numeric}
    schema = [spans.get(name, "nominal") for name in frame]
    rows = frame.values.tolist()
    for share, wanted in ((0.5, False), (1.0, True)):
        D = [[mixed_nonmetric(x, z, schema, share=share) for z in rows] for x in rows]
        found = check_metric_axioms(D)
        which = "half of the attributes" if share < 1 else "all attributes"
        yield Figure(
            f"{which}: symmetric and not negative", None, found.symmetric and found.non_negative, 0, right=True
        )
        yield Figure(f"{which}: 0 for equal melons only", None, found.identity, 0, right=wanted)
        yield Figure(f"{which}: triangle inequality", None, found.triangle, 0, right=wanted)
