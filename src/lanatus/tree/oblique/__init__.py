"""Oblique trees (section 4.5)."""
