"""Clustering with constraints and seeds (section 13.6)."""
