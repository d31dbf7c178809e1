"""Bagging and the perturbations of rows, columns, outputs and parameters (sections 8.3 and 8.5.3)."""
