"""Learners that ask for labels (section 13.1)."""
