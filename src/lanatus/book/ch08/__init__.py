"""Chapter 8: ensembles."""
