"""One estimator at every scale: sums over blocks of rows, in memory, streamed from disk, on Dask."""

from lanatus._lazy import attach

__all__, __getattr__, __dir__ = attach(__name__, __file__)
