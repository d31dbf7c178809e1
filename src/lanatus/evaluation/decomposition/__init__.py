"""Bias, variance and covariance (section 2.5, 8.5)."""
