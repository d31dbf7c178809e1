"""Labels of clusters as codes, and the table of two partitions."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import as_labels, class_codes
from lanatus.table import Table


def codes_of(labels: Any, name: str = "labels") -> tuple[np.ndarray, np.ndarray]:
    """Distinct labels, sorted, and each row's position among them."""
    found = as_labels(labels)
    if not len(found):
        raise ValueError(f"got an empty {name}, wanted the cluster of at least one row.")
    return class_codes(found, found)


def two_partitions(labels_true: Any, labels_pred: Any) -> tuple[np.ndarray, np.ndarray]:
    """Codes of two partitions of the same rows."""
    names = ("labels_true", "labels_pred")
    (_, one), (_, other) = (codes_of(part, name) for part, name in zip((labels_true, labels_pred), names, strict=True))
    if len(one) != len(other):
        raise ValueError(f"got {len(one)} labels and {len(other)} labels, wanted two partitions of the same rows.")
    return one, other


def contingency(one: np.ndarray, other: np.ndarray) -> sp.csr_matrix:
    """How many rows are in each cluster of the one partition and of the other: sparse, for few pairs ever meet."""
    shape = int(one.max()) + 1, int(other.max()) + 1
    table = sp.coo_matrix((np.ones(len(one), np.int64), (one, other)), shape=shape).tocsr()
    table.sum_duplicates()
    return table


def rows_and_codes(X: Any, labels: Any, *, least: int = 2, singles: bool = False) -> tuple[Any, np.ndarray, int]:
    """Rows as numbers, their clusters as codes and how many of these there are.

    `least` clusters are wanted at least; `singles` says whether every row may be a cluster of its own.
    """
    X = numbers_of(X)
    distinct, codes = codes_of(labels)
    if X.shape[0] != len(codes):
        raise ValueError(f"got {X.shape[0]} rows and {len(codes)} labels, wanted one label for each row.")
    most = X.shape[0] if singles else X.shape[0] - 1
    if not least <= len(distinct) <= most:
        raise ValueError(
            f"Number of labels is {len(distinct)}. Valid values are {least} to n_samples{'' if singles else ' - 1'} "
            f"(inclusive), here {most}."
        )
    return X, codes, len(distinct)


def numbers_of(X: Any) -> Any:
    """A matrix of finite numbers, dense or CSR: categories of a frame as indicators."""
    if sp.issparse(X):
        X = X.tocsr()
        values = X.data
    else:
        if not isinstance(X, np.ndarray) or X.dtype.kind not in "fiub":
            X = Table.of(X).design_matrix()
        X = values = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"got X with {X.ndim} dimensions, wanted rows and columns.")
    if not np.isfinite(values).all():
        raise ValueError("X contains NaN or infinity; fill or drop these rows first.")
    return X
