"""Densities without parameters: histograms, windows, neighbours."""
