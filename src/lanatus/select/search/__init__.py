"""Which subsets are looked at (section 11.1)."""
