"""Chapter 7: Bayes classifiers."""
