"""Sparse codes of rows for a dictionary that is given (section 11.5)."""
