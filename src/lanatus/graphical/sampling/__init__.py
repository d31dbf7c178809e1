"""Sampling: Monte Carlo estimates, Markov chains that settle where one wants (section 14.5.1)."""
