"""Compressed sensing: few measurements of a sparse signal, and the way back (section 11.6)."""
