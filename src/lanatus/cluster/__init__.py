"""Clustering (chapter 9)."""

from lanatus.cluster._kmeans import KMeans

__all__ = ["KMeans"]
