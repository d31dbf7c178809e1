"""Markov networks and Markov chains (sections 14.1, 14.2 and 14.5.1)."""
