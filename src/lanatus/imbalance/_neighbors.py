"""Coordinates in which rows of any table have distances, and the nearest rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import imbalance as kernels
from lanatus.base import n_threads
from lanatus.table import Table

_BLOCK = 2**24  # entries of a block of products of sparse rows


def coordinates(data: Any, rows: np.ndarray) -> Any:
    """Numbers whose Euclidean distance is that of SMOTE-NC, with `rows` as the class in question.

    Ordinal values count as ranks. Two rows that differ in a nominal attribute are apart in it by the median of the
    standard deviations of the numeric attributes in the class (1 where there are none, or all are constant).
    """
    if not isinstance(data, Table):
        return data
    if data.schema.all_numeric:
        return data.numeric
    points = data.design_matrix()
    median = float(np.median(data.numeric[rows].std(axis=0, dtype=np.float64))) if data.schema.numeric else 0.0
    at = 0
    for column in data.schema.columns:
        if column.kind == "nominal":  # two indicators differ, so each gives half of the square
            points[:, at : at + column.width] *= (median or 1.0) / np.sqrt(2)
        at += column.width
    return points


def nearest(points: Any, rows: np.ndarray, k: int) -> np.ndarray:
    """The k other rows nearest to each of `rows`, nearest first; ties go to the lower row."""
    if not sp.issparse(points):
        return kernels.nearest_rows(points, rows.astype(np.int64), k, n_threads=n_threads())
    norms = np.asarray(points.multiply(points).sum(axis=1), dtype=np.float64).ravel()
    columns = points.T.tocsc()
    found = np.empty((len(rows), k), dtype=np.int32)
    step = max(1, _BLOCK // points.shape[0])
    for start in range(0, len(rows), step):
        asking = rows[start : start + step]
        sq_dist = norms - 2 * np.asarray((points[asking] @ columns).todense(), dtype=np.float64)
        sq_dist[np.arange(len(asking)), asking] = np.inf  # not itself
        near = np.sort(np.argpartition(sq_dist, k - 1, axis=1)[:, :k], axis=1)
        order = np.argsort(np.take_along_axis(sq_dist, near, axis=1), axis=1, kind="stable")
        found[start : start + step] = np.take_along_axis(near, order, axis=1)
    return found


def most_common(codes: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """For each row of neighbours and coded column, the neighbour whose value most of them share; ties: the nearest."""
    values = codes[neighbors]
    shared = (values[:, :, None, :] == values[:, None, :, :]).sum(axis=2)
    return np.asarray(np.take_along_axis(neighbors, shared.argmax(axis=1), axis=1))
