"""Learning the graph: scores and searches, tests of independence (section 7.5.2)."""
