"""Codes of many rows by the Gram matrix of the dictionary, block after block."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import sparse as kernels
from lanatus.base import n_threads, spread

ALGORITHMS = ("lasso_lars", "lasso_cd", "lars", "omp", "threshold")
_BLOCK = 8192  # rows whose products with the atoms are in memory at a time
_PART = 2048  # the same, where each thread has its own


@dataclass(frozen=True)
class Groups:
    """Runs of atoms that are used together or not at all.

    Parameters
    ----------
    order : ndarray of shape (n_components,)
        The atoms, group by group.
    begin : ndarray of int64 of shape (n_groups + 1,)
        Where each group begins in that order.
    """

    order: np.ndarray
    begin: np.ndarray

    @classmethod
    def of(cls, groups: Any, k: int) -> "Groups":
        """Groups from a label for each atom, a number of atoms a group, or None for groups of one."""
        if groups is None:
            return cls(np.arange(k), np.arange(k + 1, dtype=np.int64))
        if isinstance(groups, int | np.integer):
            labels = np.arange(k) // int(groups)
        else:
            labels = np.unique(np.asarray(groups), return_inverse=True)[1]
            if labels.shape != (k,):
                raise ValueError(f"groups names {labels.size} atoms, there are {k}; wanted a label for each.")
        sizes = np.bincount(labels)
        return cls(np.argsort(labels, kind="stable"), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @property
    def sizes(self) -> np.ndarray:
        """How many atoms are in each."""
        return np.diff(self.begin)


@dataclass
class Coder:
    """How rows are coded for a dictionary.

    Parameters
    ----------
    algorithm : str
        One of `ALGORITHMS`.
    alpha : float or None
        Strength of the penalty, or the threshold.
    n_nonzero : int or None
        Most atoms of a code, for "lars" and "omp".
    positive : bool
        Whether weights must not be below zero.
    max_iter : int
        Most rounds of coordinate descent.
    groups : Groups or None
        For "lasso_cd": weights that are zero together.
    """

    algorithm: str
    alpha: float | None = None
    n_nonzero: int | None = None
    positive: bool = False
    max_iter: int = 1000
    tol: float = 1e-9
    groups: Groups | None = None
    unfinished: int = field(default=0, init=False)

    def settings(self, k: int, d: int) -> "tuple[float, int]":
        """The penalty and the most atoms, where the user gave none."""
        alpha = 1.0 if self.alpha is None else float(self.alpha)
        most = min(max(d // 10, 1), k) if self.n_nonzero is None else min(int(self.n_nonzero), k)
        return alpha, most

    def encode(self, X: Any, D: np.ndarray, gram: np.ndarray | None = None, start: np.ndarray | None = None) -> Any:
        """Codes of the rows of X, one a row, for the atoms in the rows of D."""
        out = np.zeros((X.shape[0], len(D)))
        for rows, Q, squares in self._products(X, D):
            first = None if start is None else start[rows]
            out[rows] = self.code(gram_of(D) if gram is None else gram, Q, squares, D.shape[1], first)
        return out

    def encode_sparse(self, X: Any, D: np.ndarray, gram: np.ndarray | None = None) -> sp.csr_matrix:
        """The same as CSR, without a dense matrix in between for "omp"."""
        gram = gram_of(D) if gram is None else gram
        if self.algorithm == "omp":
            return self._pursued_blocks(X, D, gram)
        parts = [sp.csr_matrix(self.code(gram, Q, squares, D.shape[1])) for _, Q, squares in self._products(X, D)]
        return sp.vstack(parts, format="csr")

    def _pursued_blocks(self, X: Any, D: np.ndarray, gram: np.ndarray) -> sp.csr_matrix:
        """The codes of "omp", a block of rows a thread."""
        atoms, n = np.ascontiguousarray(D.T), X.shape[0]
        _, most = self.settings(len(gram), D.shape[1])

        def of_block(begin: int) -> Any:
            part = np.asarray(X[begin : begin + _PART], dtype=np.float64)
            squares = np.einsum("ij,ij->i", part, part)
            return kernels.pursue(gram, part @ atoms, squares, most=most, tol=0.0, n_threads=1)

        with spread() as over:
            found = list(over(of_block, range(0, n, _PART)))
        return _rows_of(tuple(np.concatenate(one) for one in zip(*found, strict=True)), len(D))

    def _products(self, X: Any, D: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        atoms = np.ascontiguousarray(D.T)
        for begin in range(0, X.shape[0], _BLOCK):
            rows = slice(begin, min(begin + _BLOCK, X.shape[0]))
            part = np.asarray(X[rows], dtype=np.float64)
            yield rows, part @ atoms, np.einsum("ij,ij->i", part, part)

    def _pursue(self, gram: np.ndarray, Q: np.ndarray, squares: np.ndarray, d: int) -> Any:
        _, most = self.settings(len(gram), d)
        return kernels.pursue(gram, Q, squares, most=most, tol=0.0, n_threads=n_threads())

    def code(
        self, gram: np.ndarray, Q: np.ndarray, squares: np.ndarray, d: int, start: np.ndarray | None = None
    ) -> np.ndarray:
        """Codes from products Q of rows and atoms, and squares of the rows."""
        alpha, most = self.settings(len(gram), d)
        if self.algorithm == "threshold":
            shrunk = np.maximum((Q if self.positive else np.abs(Q)) - alpha, 0.0)
            return shrunk if self.positive else np.copysign(shrunk, Q)
        if self.algorithm == "omp":
            return np.asarray(_rows_of(self._pursue(gram, Q, squares, d), len(gram)).toarray())
        if self.algorithm != "lasso_cd":
            lasso = self.algorithm == "lasso_lars"
            how = {"positive": self.positive, "most": most, "floor": alpha if lasso else 0.0}
            return np.asarray(kernels.angles(gram, Q, lasso=lasso, **how, n_threads=n_threads()))
        return self._descend(gram, Q, squares, alpha, start)

    def _descend(
        self, gram: np.ndarray, Q: np.ndarray, squares: np.ndarray, alpha: float, start: np.ndarray | None
    ) -> np.ndarray:
        k = len(gram)
        groups = Groups.of(None, k) if self.groups is None else self.groups
        grouped = self.groups is not None
        order = groups.order
        G = np.ascontiguousarray(gram[np.ix_(order, order)]) if grouped else gram
        products = np.ascontiguousarray(Q[:, order]) if grouped else Q
        S = np.zeros_like(products) if start is None else np.array(start[:, order] if grouped else start, order="C")
        edges = zip(groups.begin[:-1], groups.begin[1:], strict=True)
        step = np.array([np.linalg.eigvalsh(G[a:b, a:b])[-1] for a, b in edges]) if grouped else np.diag(G).copy()
        self.unfinished += kernels.penalized(
            G, products, squares, begin=groups.begin, weight=alpha * np.sqrt(groups.sizes), step=step,
            positive=self.positive, tol=self.tol, max_iter=self.max_iter, S=S, n_threads=n_threads(),
        )  # fmt: skip
        if not grouped:
            return S
        codes = np.empty_like(S)
        codes[:, order] = S
        return codes


def gram_of(D: np.ndarray) -> np.ndarray:
    """Products of the atoms with each other."""
    return np.ascontiguousarray(D @ D.T)


def _rows_of(pursued: Any, k: int) -> sp.csr_matrix:
    """What the pursuit found as CSR."""
    places, weights, counts = pursued
    n, most = places.shape
    indptr = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int32)
    if (counts == most).all():
        return sp.csr_matrix((weights.reshape(-1), places.reshape(-1), indptr), shape=(n, k))
    kept = np.arange(most) < counts[:, None]
    return sp.csr_matrix((weights[kept], places[kept], indptr), shape=(n, k))
