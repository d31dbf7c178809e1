"""Functions that are smooth along the manifold of all rows (section 13.7)."""
