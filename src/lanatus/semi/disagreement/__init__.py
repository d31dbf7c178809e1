"""Learners that label rows for themselves and for each other (section 13.5)."""
