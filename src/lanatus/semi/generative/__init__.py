"""Mixtures and naive Bayes with latent labels (section 13.2)."""
