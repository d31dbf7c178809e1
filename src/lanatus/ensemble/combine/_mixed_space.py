"""Rows as points whose Minkowski distance is that of numbers and of nominal values alike (9.21, 9.22)."""

from typing import Any

import numpy as np

from lanatus.table import MISSING_CODE, Table

__all__ = ["learn_space", "nearest", "points_in"]

_TREE_WIDTH = 15  # above it a k-d tree looks at nearly all points anyway
_CHUNK = 1 << 24  # numbers of a block of distances


def learn_space(rows: Any, codes: np.ndarray, n_classes: int) -> dict[str, Any]:
    """What it takes to place rows: ranges of numbers and ranks, and for each nominal value its class frequencies.

    The value difference metric sums, over the classes, the p-th powers of differences of these frequencies; so as
    coordinates they give the distance MinkovDM of any order p.
    """
    table = rows if isinstance(rows, Table) else Table.of(rows)
    low, high, profiles, owner = [], [], [], []
    for j, column in enumerate(table.schema.columns):
        values = _column(table, j)
        if column.kind == "nominal":
            counts = np.zeros((len(column.categories), n_classes))
            np.add.at(counts, (values.astype(np.intp), codes), 1.0)
            whole = counts.sum(axis=0) / counts.sum()
            seen = counts.sum(axis=1, keepdims=True)
            frequency = np.where(seen > 0, counts / np.maximum(seen, 1), whole)
            profiles.append(np.vstack([frequency, whole]))  # the last row is for values never seen
            owner += [j] * n_classes
        else:
            low.append(float(values.min()))
            high.append(float(values.max()))
            profiles.append(np.empty((0, 0)))
            owner.append(j)
    return {"low": np.array(low), "high": np.array(high), "profiles": profiles, "owner": np.array(owner, dtype=np.intp)}


def points_in(space: dict[str, Any], rows: Any) -> np.ndarray:
    """Rows as points; the columns of attribute j are those where ``space["owner"] == j``."""
    table = rows if isinstance(rows, Table) else Table.of(rows)
    columns, at = [], 0
    for j, column in enumerate(table.schema.columns):
        values = _column(table, j)
        if column.kind == "nominal":
            columns.append(space["profiles"][j][values.astype(np.intp)])  # the code of a missing value is -1, the last
        else:
            low, high = space["low"][at], space["high"][at]
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = (values - low) / (high - low) if high > low else values * 0.0
            columns.append(np.nan_to_num(scaled)[:, None])
            at += 1
    return np.ascontiguousarray(np.hstack(columns))


def _column(table: Table, j: int) -> np.ndarray:
    schema = table.schema
    if schema.columns[j].kind == "numeric":
        return np.asarray(table.numeric[:, schema.numeric.index(j)], dtype=np.float64)
    codes = table.codes[:, schema.coded.index(j)]
    return codes if schema.columns[j].kind == "nominal" else np.where(codes == MISSING_CODE, 0, codes).astype(float)


def nearest(points: np.ndarray, queries: np.ndarray, k: int, p: float = 2.0) -> np.ndarray:
    """Places of the k points nearest to each query, nearest first, by the Minkowski distance of order p."""
    from scipy.spatial import KDTree
    from scipy.spatial.distance import cdist

    k = min(k, len(points))
    if points.shape[1] <= _TREE_WIDTH:
        return np.asarray(KDTree(points).query(queries, k=np.arange(1, k + 1), p=p)[1])
    found = np.empty((len(queries), k), dtype=np.intp)
    step = max(1, _CHUNK // len(points))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        distance = cdist(part, points, "chebyshev") if np.isinf(p) else cdist(part, points, "minkowski", p=p)
        few = np.argpartition(distance, k - 1, axis=1)[:, :k]
        order = np.argsort(np.take_along_axis(distance, few, axis=1), axis=1, kind="stable")
        found[start : start + step] = np.take_along_axis(few, order, axis=1)
    return found
