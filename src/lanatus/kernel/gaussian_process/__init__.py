"""Gaussian processes: regression and classification with a kernel as covariance."""
