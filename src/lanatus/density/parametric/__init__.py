"""Densities with parameters: likelihood, priors, bounds."""
