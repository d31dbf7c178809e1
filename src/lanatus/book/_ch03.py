"""Chapters 2 and 3: scaling and encoding of attributes."""

from collections.abc import Iterator

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.data import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler, load_watermelon


@example("3.2", en="Attributes as numbers", zh="离散属性连续化")
def attribute_encodings() -> Iterator[Figure]:
    """Ordered values as equally spaced numbers, unordered ones as indicators."""
    height = OrdinalEncoder(categories=[["低", "中", "高"]], scale="unit")
    two = OrdinalEncoder(categories=[["矮", "高"]], scale="unit")
    melons = OneHotEncoder(categories=[["黄瓜", "南瓜", "西瓜"]])
    yield Figure("身高 高, 矮", (1.0, 0.0), two.fit_transform([["高"], ["矮"]]).ravel(), digits=1)
    yield Figure("高度 高, 中, 低", (1.0, 0.5, 0.0), height.fit_transform([["高"], ["中"], ["低"]]).ravel(), digits=1)
    encoded = melons.fit_transform([["西瓜"], ["南瓜"], ["黄瓜"]])
    yield Figure("瓜类 西瓜, 南瓜, 黄瓜", ((0, 0, 1), (0, 1, 0), (1, 0, 0)), encoded, digits=0)


@example("2.3.4", en="Normalisation (exercise 2.8)", zh="规范化 (习题2.8)")
def normalisation() -> Iterator[Figure]:
    """Min-max (2.43) and z-score (2.44) of the density of watermelon 3.0alpha."""
    X = np.asarray(load_watermelon("3.0a", frame="numpy").data, dtype=float)[:, :1]
    low, high = float(X.min()), float(X.max())
    scaled = MinMaxScaler().fit_transform(X)
    z = StandardScaler().fit_transform(X)
    yield Figure("min-max of the first melon", None, scaled[0, 0], digits=12, right=(0.697 - low) / (high - low))
    yield Figure("mean and deviation of z-scores", None, (z.mean(), z.std()), digits=12, right=(0.0, 1.0))
