"""Matrices and tensors as they are, not stretched into rows (section 10.7)."""
