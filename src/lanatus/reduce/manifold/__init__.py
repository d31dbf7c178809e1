"""Embeddings: by distances, kernels and graphs of neighbours (sections 10.2, 10.4 and 10.5)."""
