"""Penalties that make weights zero: the lasso and its kin, their paths and cross-validation (11.4, 11.7)."""
