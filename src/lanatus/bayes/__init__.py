"""Bayes classifiers (chapter 7)."""

from lanatus.bayes._gaussian_nb import GaussianNB

__all__ = ["GaussianNB"]
