"""Chapter 14: probabilistic graphical models."""
