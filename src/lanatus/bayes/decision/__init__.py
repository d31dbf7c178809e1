"""Bayesian decision theory (section 7.1)."""
