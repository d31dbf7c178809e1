"""Models of sequences: hidden Markov models and conditional random fields (sections 14.1 and 14.3)."""
