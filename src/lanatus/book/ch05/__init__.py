"""Chapter 5: neural networks."""
