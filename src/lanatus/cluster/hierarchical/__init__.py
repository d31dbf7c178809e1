"""Clusters within clusters: AGNES, DIANA, BIRCH, ROCK (sections 9.6, 9.7)."""
