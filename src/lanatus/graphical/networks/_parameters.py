"""Tables of a network from counts, and from expected counts where values are hidden."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lanatus._core import graphical as kernels
from lanatus.base import aligned
from lanatus.graphical.networks._coded import CodedFrame
from lanatus.params import check_real

Tables = dict[str, np.ndarray]


@dataclass(frozen=True)
class TablesByEM:
    """What EM found.

    Attributes
    ----------
    tables : dict of str to ndarray, the tables
    log_likelihoods : ndarray, that of the data before each round and, as the last one, at the end
    n_iter : int, rounds
    converged : bool, whether the likelihood settled
    """

    tables: Tables
    log_likelihoods: np.ndarray
    n_iter: int
    converged: bool


def family_counts(frame: CodedFrame, family: Sequence[str], weights: np.ndarray | None) -> np.ndarray:
    """How often each combination of states occurs, an axis a variable; rows with a hole in it are left out."""
    *parents, child = (frame.place(name) for name in family)
    counts = kernels.family_counts(frame.codes, frame.cardinality, weights, child, np.array(parents, dtype=np.int32))
    return np.asarray(counts).reshape([len(frame.states[name]) for name in family])


def counted_tables(
    parents: Mapping[str, Sequence[str]],
    frame: CodedFrame,
    alpha: float,
    equivalent_sample_size: float | None,
    weights: np.ndarray | None,
) -> Tables:
    """Each table from the counts of its family, with what a prior adds."""
    alpha = check_real("alpha", alpha, 0)
    tables = {}
    for name, above in parents.items():
        counts = family_counts(frame, (*above, name), weights)
        if equivalent_sample_size is not None:
            counts = counts + check_real("equivalent_sample_size", equivalent_sample_size, 0) / counts.size
        tables[name] = shares(counts + alpha)
    return tables


def shares(counts: np.ndarray) -> np.ndarray:
    """Counts as probabilities along the last axis; uniform where there are none."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / counts.shape[-1])


def expected_tables(
    network: Any,
    frame: CodedFrame,
    first: Tables,
    *,
    alpha: float,
    max_iter: int,
    tol: float,
    weights: np.ndarray | None,
) -> TablesByEM:
    """EM: expected counts of every family by one junction tree, then tables as if they had been counted."""
    from lanatus.graphical.inference._junction_tree import JunctionTree

    alpha = check_real("alpha", alpha, 0)
    rows, weight = _distinct(frame, weights)
    families = [(*network.parents[name], name) for name in network.variables]
    tables, trace, converged = first, [], False
    work = type(network)(network.parents, tables, states=network.states, nodes=network.variables)
    for _ in range(max_iter + 1):
        counts, likelihood = JunctionTree(work).expected_counts(rows, families, weight)
        if np.isneginf(likelihood):
            raise ValueError("a row of the data is impossible under the tables that EM began with; begin elsewhere.")
        trace.append(likelihood)
        if len(trace) > 1 and trace[-1] - trace[-2] <= tol * weight.sum():
            converged = True
            break
        if len(trace) > max_iter:
            break
        tables = {
            name: _kept_where_empty(count + alpha, tables[name])
            for name, count in zip(network.variables, counts, strict=True)
        }
        work.cpts = tables
    if not converged:
        warnings.warn(
            f"EM did not settle in {max_iter} rounds; raise max_iter or tol.", ConvergenceWarning, stacklevel=3
        )
    return TablesByEM(tables, np.array(trace), len(trace) - 1, converged)


def _kept_where_empty(counts: np.ndarray, before: np.ndarray) -> np.ndarray:
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), before)


def _distinct(frame: CodedFrame, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows that differ, and how much each weighs: what recurs is worked out once."""
    rows, back = np.unique(frame.codes.T, axis=0, return_inverse=True)
    return aligned(rows.astype(np.int32)), np.bincount(back.ravel(), weights, minlength=len(rows)).astype(np.float64)
