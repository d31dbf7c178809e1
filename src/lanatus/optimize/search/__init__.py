"""Searches that need no gradient: annealing, tabu, genetic, many starts, Las Vegas; of states of any kind."""
