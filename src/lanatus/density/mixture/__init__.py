"""Mixtures and the EM algorithm (sections 7.6 and 9.4.3)."""
