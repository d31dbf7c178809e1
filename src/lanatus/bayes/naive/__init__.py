"""Naive Bayes (section 7.3)."""
