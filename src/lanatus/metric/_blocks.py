"""All pairs, some queries at a time."""

from collections.abc import Iterator

_ENTRIES = 2**24  # of a block of distances: 128 MB of doubles


def blocks(n_queries: int, n_points: int, *, entries: int = _ENTRIES) -> Iterator[slice]:
    """Slices of the queries, few enough at a time that their distances to all points fit in memory.

    Parameters
    ----------
    n_queries : int
        Number of queries.
    n_points : int
        Number of points that each is compared with.
    entries : int
        Most distances in a block; a query is never cut.
    """
    step = max(1, entries // max(1, n_points))
    for start in range(0, n_queries, step):
        yield slice(start, min(start + step, n_queries))
