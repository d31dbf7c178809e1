"""Splits, the bootstrap, tuning and nested cross-validation (sections 2.2 and 2.3)."""
