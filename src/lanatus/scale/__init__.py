"""One estimator at every scale: sums over blocks of rows, in memory, streamed from disk, on Dask."""

from lanatus.scale._blockwise import Answers, blockwise
from lanatus.scale._engines import Block, Engine, InMemory, OnDask, Streamed, is_at_scale, is_dask, open_engine
from lanatus.scale._stats import Moments, Sums

__all__ = [
    "Answers",
    "Block",
    "Engine",
    "InMemory",
    "Moments",
    "OnDask",
    "Streamed",
    "Sums",
    "blockwise",
    "is_at_scale",
    "is_dask",
    "open_engine",
]
