"""What the graph alone says: separation, moral graphs, cliques, Markov blankets (sections 7.5.1 and 14.2)."""
