"""Rows a block at a time, so that what is made on the way stays small."""

from collections.abc import Iterator
from typing import Any

_AT_ONCE = 1 << 23  # numbers


def rows_in_blocks(X: Any, width: int) -> Iterator[slice]:
    """Slices of the rows of X, for intermediate results of some numbers a row."""
    step = max(_AT_ONCE // max(width, 1), 64)
    for start in range(0, X.shape[0], step):
        yield slice(start, min(start + step, X.shape[0]))


def preserving_floats(tags: Any) -> Any:
    """Tags of a transformer that gives numbers of X's own type."""
    tags.transformer_tags.preserves_dtype = ["float64", "float32"]
    return tags
