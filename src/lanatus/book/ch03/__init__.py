"""Chapter 3: linear models."""
