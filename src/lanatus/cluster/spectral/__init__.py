"""Clusters of a graph of rows (cookbook 12.4)."""
