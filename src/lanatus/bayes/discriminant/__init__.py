"""Gaussian classes: quadratic discriminants and posterior predictives."""
