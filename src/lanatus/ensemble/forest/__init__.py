"""Random forests and extra trees (section 8.3.2)."""
