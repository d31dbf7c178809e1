"""Matrices of low rank from some of their entries (section 11.6)."""
