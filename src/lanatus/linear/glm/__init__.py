"""Generalised linear models: families, links, iteratively reweighted least squares (3.2)."""
