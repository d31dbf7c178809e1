"""Combination and selection of learners (section 8.4)."""
