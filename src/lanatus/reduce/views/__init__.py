"""Two views of the same rows (section 10.7)."""
