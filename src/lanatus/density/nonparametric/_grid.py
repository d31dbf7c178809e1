"""Weights of the cells of a grid, of which only those with rows are kept."""

from typing import Any

import numpy as np

_LARGEST = 1 << 62


class Cells:
    """Cells with rows in them: their places along each column, sorted, and what they weigh."""

    def __init__(self, places: np.ndarray, mass: np.ndarray, n_bins: np.ndarray) -> None:
        self.places, self.mass, self.n_bins = places, mass, n_bins

    def __add__(self, other: "Cells") -> "Cells":
        return count_cells(
            np.concatenate([self.places, other.places]), np.concatenate([self.mass, other.mass]), self.n_bins
        )


def count_cells(places: np.ndarray, mass: np.ndarray | None, n_bins: np.ndarray) -> Cells:
    """Add up the weights of rows in the same cell."""
    _, first, owner = np.unique(cell_keys(places, n_bins), return_index=True, return_inverse=True)
    return Cells(places[first], np.bincount(owner, mass, len(first)).astype(np.float64), n_bins)


def cell_keys(places: np.ndarray, n_bins: np.ndarray) -> np.ndarray:
    """One whole number a cell, in the order of places; the grid may have more cells than there are such numbers."""
    keys = np.zeros(len(places), dtype=np.int64)
    size = 1
    for j, count in enumerate(n_bins.tolist()):
        if size * count >= _LARGEST:  # number anew those that occur
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        keys = keys * count + places[:, j]
        size *= count
    return keys


def find_cells(cells: np.ndarray, wanted: np.ndarray, n_bins: np.ndarray) -> np.ndarray:
    """Position of each wanted cell among `cells`, -1 where it is not there."""
    keys = cell_keys(np.concatenate([cells, wanted]), n_bins)
    known, asked = keys[: len(cells)], keys[len(cells) :]
    at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[at] == asked, at, -1)


def places_of(X: np.ndarray, edges: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Bin of each value, and which rows lie inside the grid; bins hold their left edge, the last one both."""
    places = np.empty(X.shape, dtype=np.int64)
    inside = np.ones(len(X), dtype=bool)
    for j, column in enumerate(edges):
        x = X[:, j].astype(np.float64, copy=False)
        inside &= (x >= column[0]) & (x <= column[-1])
        places[:, j] = np.clip(np.searchsorted(column, x, side="right") - 1, 0, len(column) - 2)
    return places, inside


def as_mass(weight: Any, n: int) -> np.ndarray:
    """Weights, one each where none are given."""
    return np.ones(n) if weight is None else weight
