"""Bayesian networks: structure, tables, learning of parameters, files (sections 7.5 and 7.6)."""
