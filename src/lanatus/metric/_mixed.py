"""Distances of rows of mixed attributes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.catalog import method, savable
from lanatus.metric._spaces import TablePoints
from lanatus.metric._table_space import gower_space
from lanatus.params import check_real
from lanatus.table import Table, is_missing


@method(
    "metric.mixed-nonmetric-distance",
    section="ex 9.9",
    task="distance",
    kind="measure",
    en="A non-metric distance for mixed attributes",
    zh="混合属性非度量距离",
    peers=["gower:gower_matrix"],
)
def mixed_nonmetric(x: Any, z: Any, schema: Sequence[Any], *, share: float = 0.5) -> float:
    r"""The mean gap over the attributes in which two rows agree best: what shares a part with both is near both.

    With gaps :math:`\delta_u \in [0, 1]`, :math:`|x_u - z_u|` over the range of a numeric attribute and 0 or 1 for
    equal or different nominal values, in increasing order:
    :math:`d(x, z) = \frac1s \sum_{u=1}^{s} \delta_{(u)}, \quad s = \lceil \text{share} \cdot n \rceil`.
    A centaur is near a man and near a horse, which are far from each other (figure 9.1): the triangle inequality fails,
    and two rows that differ may be at distance 0. With ``share=1`` it is Gower's distance, a metric.

    Book: exercise 9.9. Cost: O(d log d).

    Parameters
    ----------
    x : sequence
        One row.
    z : sequence
        The other.
    schema : sequence
        For each attribute "nominal", or the range (largest less least value) of a numeric one.
    share : float, default=0.5
        The part of the attributes that counts, above 0 and at most 1.

    Returns
    -------
    float
        The distance, from 0 to 1. An attribute that one row lacks is left out; NaN where no attribute is left.

    Examples
    --------
    >>> from lanatus.metric import mixed_nonmetric
    >>> man, horse, centaur = ["arms", "two legs"], ["no arms", "four legs"], ["arms", "four legs"]
    >>> kinds = ["nominal", "nominal"]
    >>> [mixed_nonmetric(*pair, kinds) for pair in ((man, centaur), (centaur, horse), (man, horse))]
    [0.0, 0.0, 1.0]
    """
    share = check_real("share", share, 0, 1, above=True)
    if not len(x) == len(z) == len(schema):
        raise ValueError(f"x, z and schema have {len(x)}, {len(z)} and {len(schema)} attributes; wanted as many.")
    gaps = [_gap(a, b, kind) for a, b, kind in zip(x, z, schema, strict=True) if not (is_missing(a) or is_missing(b))]
    if not gaps:
        return float("nan")
    return float(np.mean(sorted(gaps)[: int(np.ceil(share * len(gaps)))]))


def _gap(a: Any, b: Any, kind: Any) -> float:
    if isinstance(kind, str):
        if kind != "nominal":
            raise ValueError(f"schema must hold 'nominal' or the range of a numeric attribute; got {kind!r}.")
        return float(a != b)
    span = check_real("range", kind, 0)
    return min(abs(float(a) - float(b)) / span, 1.0) if span else float(a != b)


@savable
class Gower:
    """Gower's distance of rows of a table: the mean gap, each from 0 to 1 in the rows that it was learned from.

    Parameters
    ----------
    table : Table
        The rows that ranges are learned from; constant columns say nothing, whatever they hold later.
    """

    def __init__(self, table: Table) -> None:
        self.space = TablePoints(gower_space(table), 1.0, float(len(table.schema)))

    def pairs(self, X: Table, Y: Table) -> np.ndarray:
        """All pairs; attributes that one of two rows lacks are left out, and NaN says that none is left."""
        x, y = self.space.table_space.points(X), self.space.table_space.points(Y)
        owner = self.space.table_space.owner
        total, count = np.zeros((len(x), len(y))), np.zeros((len(x), len(y)))
        for attribute in range(int(self.space.divisor)):
            at = np.flatnonzero(owner == attribute)
            known = ~(np.isnan(x[:, at[0], None]) | np.isnan(y[:, at[0]]))
            for j in at:
                total += np.where(known, np.abs(x[:, j, None] - y[:, j]), 0)
            count += known
        with np.errstate(invalid="ignore"):
            return np.asarray(total / count)


def gower(X: Any, Y: Any = None) -> np.ndarray:
    r"""Gower's distances of all pairs of rows of mixed tables: the mean gap of the attributes that both rows have.

    :math:`\frac1n \sum_u \delta_u` with :math:`|x_u - z_u|` over the range in X and Y for numbers and ranks, 0 or 1 for
    equal or different nominal values.

    Cost: O(n m d) time, O(n m) memory.

    Parameters
    ----------
    X : array or frame of shape (n, d)
        The rows.
    Y : array or frame of shape (m, d), default=None
        The others; X by default.

    Returns
    -------
    ndarray of shape (n, m)
        Distances from 0 to 1; NaN where two rows have no attribute in common.

    Examples
    --------
    >>> from lanatus.metric import gower
    >>> gower([["a", 0.0], ["b", 1.0], ["a", None]]).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]

    References
    ----------
    Gower (1971), A general coefficient of similarity and some of its properties.
    """
    table = Table.of(X)
    if Y is None:
        return Gower(table).pairs(table, table)
    other = Table.of(Y, like=table.schema)
    both = Table(table.schema, np.vstack([table.numeric, other.numeric]), np.vstack([table.codes, other.codes]))
    return Gower(both).pairs(table, other)
