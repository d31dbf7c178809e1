"""Clusters around prototypes (section 9.4)."""
