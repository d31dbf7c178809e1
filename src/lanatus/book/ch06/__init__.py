"""Chapter 6: support vector machines."""
