"""Pairs of rows that must share a cluster, or must not."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lanatus.catalog import method


class Constraints(NamedTuple):
    """All pairs that follow, each once, the smaller row first, in order."""

    must_link: np.ndarray
    cannot_link: np.ndarray


@method(
    "semi.constraint-closure",
    section="13.6",
    task="clustering",
    kind="function",
    en="Closure of must-links and cannot-links",
    zh="约束的传递闭包",
)
def constraint_closure(must_link: Any, cannot_link: Any, n: int) -> Constraints:
    """All must-links and cannot-links that follow from some.

    Rows that must-links join form groups, in which every pair is linked; a cannot-link between two rows parts their
    whole groups. A cannot-link inside a group is a contradiction, and an error.

    Book: section 13.6. Cost: the number of pairs that follow, :math:`O(n^2)` at most.

    Parameters
    ----------
    must_link, cannot_link : array of shape (n_pairs, 2)
        Pairs of rows, from 0 on; none where empty.
    n : int
        How many rows there are.

    Returns
    -------
    Constraints
        ``must_link`` and ``cannot_link``, arrays of shape (n_pairs, 2).

    Examples
    --------
    >>> from lanatus.semi import constraint_closure
    >>> closed = constraint_closure([(0, 1), (1, 2)], [(2, 3)], n=4)
    >>> closed.must_link.tolist(), closed.cannot_link.tolist()
    ([[0, 1], [0, 2], [1, 2]], [[0, 3], [1, 3], [2, 3]])
    """
    must, cannot = pairs_of(must_link, n, "must_link"), pairs_of(cannot_link, n, "cannot_link")
    group = groups_of(must, n)
    refuse_contradictions(group, cannot)
    members: dict[int, np.ndarray] = {}
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 2))
    for g in range(len(ends) - 1):
        members[g] = order[ends[g] : ends[g + 1]]
    inside = [np.column_stack(np.triu_indices(len(rows), 1)) for rows in members.values()]
    linked = [rows[pairs] for rows, pairs in zip(members.values(), inside, strict=True) if len(pairs)]
    parted = [
        np.column_stack([np.repeat(members[a], len(members[b])), np.tile(members[b], len(members[a]))])
        for a, b in np.unique(np.sort(group[cannot], axis=1), axis=0)
    ]
    return Constraints(_distinct(linked), _distinct(parted))


def _distinct(parts: list[np.ndarray]) -> np.ndarray:
    if not parts:
        return np.empty((0, 2), dtype=np.int64)
    return np.unique(np.sort(np.concatenate(parts), axis=1), axis=0)


def pairs_of(pairs: Any, n: int, name: str) -> np.ndarray:
    """Pairs of rows, checked."""
    found = np.asarray([] if pairs is None else pairs)
    if found.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold pairs of rows, an array of shape (n_pairs, 2); got shape {found.shape}.")
    if found.min() < 0 or found.max() >= n:
        raise ValueError(f"{name} names the row {found.max() if found.max() >= n else found.min()} of {n} rows.")
    return found.astype(np.int64)


def groups_of(must: np.ndarray, n: int) -> np.ndarray:
    """The group of each row that must-links make, numbered as their first rows come."""
    graph = sp.coo_array((np.ones(len(must)), (must[:, 0], must[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def refuse_contradictions(group: np.ndarray, cannot: np.ndarray) -> None:
    """ValueError where must-links join two rows that must not share a cluster."""
    bad = np.flatnonzero(group[cannot[:, 0]] == group[cannot[:, 1]])
    if len(bad):
        a, b = cannot[bad[0]].tolist()
        raise ValueError(
            f"rows {a} and {b} must not share a cluster, and must-links join them; leave out one of these constraints."
        )


def violated_constraints(labels: Any, must_link: Any = None, cannot_link: Any = None) -> Constraints:
    """The constraints that a clustering breaks."""
    labels = np.asarray(labels)
    must, cannot = (
        pairs_of(pairs, len(labels), name) for pairs, name in ((must_link, "must_link"), (cannot_link, "cannot_link"))
    )
    return Constraints(
        must[labels[must[:, 0]] != labels[must[:, 1]]], cannot[labels[cannot[:, 0]] == labels[cannot[:, 1]]]
    )
