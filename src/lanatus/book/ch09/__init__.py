"""Chapter 9: clustering."""
