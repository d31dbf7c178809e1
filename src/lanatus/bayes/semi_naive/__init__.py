"""Semi-naive Bayes (section 7.4)."""
