"""Least squares: linear regression, ridge, log-linear and multi-response regression, best subsets (3.2, 11.4)."""
