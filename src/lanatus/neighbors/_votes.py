"""What the neighbours say: how much each counts, and the sums."""

from typing import Any

import numpy as np

from lanatus.neighbors._index import Within


def neighbor_weights(weights: Any, distances: np.ndarray) -> np.ndarray | None:
    """How much each of the k neighbours of each query counts; None for all alike."""
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        own = _own_weights(weights(distances), distances.shape)
        return _endless_alone(own, np.isinf(own).any(axis=1, keepdims=True))
    return _inverse(distances, (distances == 0).any(axis=1, keepdims=True))


def radius_weights(weights: Any, found: Within) -> np.ndarray | None:
    """How much each of the neighbours within a radius counts, one query after the other; None for all alike."""
    if weights in (None, "uniform"):
        return None
    queries = queries_of(found)
    if callable(weights):
        lists = np.empty(len(found.starts) - 1, dtype=object)
        lists[:] = np.split(found.distances, found.starts[1:-1])
        given = [np.asarray(one, dtype=np.float64).ravel() for one in weights(lists)]
        own = _own_weights(np.concatenate([*given, np.empty(0)]), found.distances.shape)
        return _endless_alone(own, (np.bincount(queries, np.isinf(own), minlength=len(lists)) > 0)[queries])
    at_zero = np.bincount(queries, found.distances == 0, minlength=len(found.starts) - 1) > 0
    return _inverse(found.distances, at_zero[queries])


def _own_weights(given: Any, shape: tuple[int, ...]) -> np.ndarray:
    values = np.asarray(given, dtype=np.float64)
    if values.shape != shape:
        raise ValueError(f"weights must give numbers in the shape of the distances, {shape}; got shape {values.shape}.")
    if np.isnan(values).any() or (values < 0).any():
        raise ValueError("weights must give numbers >= 0; got NaN or numbers below 0.")
    return values


def _endless_alone(weights: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Where some neighbour of a query counts infinitely much, those that do count 1 and the others nothing."""
    return np.where(some, np.isinf(weights), weights)


def _inverse(distances: np.ndarray, at_zero: np.ndarray) -> np.ndarray:
    """1 / distance; where a neighbour is at distance 0, those at 0 count 1 and the others nothing."""
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1 / distances.astype(np.float64)
    exact = at_zero | np.isinf(inverse)
    return np.where(exact, np.isinf(inverse), inverse)


def queries_of(found: Within) -> np.ndarray:
    """The query that each neighbour belongs to."""
    return np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))


def class_shares(
    codes: np.ndarray, queries: np.ndarray, weights: np.ndarray | None, shape: tuple[int, int]
) -> np.ndarray:
    """Shares of the classes among the neighbours of each query, of shape (queries, classes).

    Parameters
    ----------
    codes : ndarray of shape (n_neighbors,)
        Class of each neighbour.
    queries : ndarray of shape (n_neighbors,)
        The query that it is one of.
    weights : ndarray of shape (n_neighbors,) or None
        How much it counts; where all of a query count nothing, all count alike.
    shape : tuple of int
        Number of queries and classes.
    """
    m, c = shape
    cells = queries * c + codes
    if weights is None:
        sums = np.asarray(np.bincount(cells, minlength=m * c).reshape(m, c), dtype=np.float64)
    else:
        sums = np.bincount(cells, weights, minlength=m * c).reshape(m, c).astype(np.float64)
        if len(idle := np.flatnonzero(sums.sum(axis=1) == 0)):
            plain = np.bincount(cells, minlength=m * c).reshape(m, c)
            sums[idle] = plain[idle]
    whole = sums.sum(axis=1, keepdims=True)
    return np.asarray(sums / np.where(whole > 0, whole, 1))


def weighted_means(values: np.ndarray, queries: np.ndarray, weights: np.ndarray | None, m: int) -> np.ndarray:
    """Means of the values of the neighbours of each query, of shape (queries, outputs); NaN where there are none."""
    w = np.ones(len(queries)) if weights is None else weights
    whole = np.bincount(queries, w, minlength=m)
    if weights is not None and (whole == 0).any():  # those that count nothing count alike
        w = np.where(whole[queries] == 0, 1.0, w)
        whole = np.bincount(queries, w, minlength=m)
    sums = np.stack([np.bincount(queries, w * column, minlength=m) for column in values.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums / whole[:, None])
