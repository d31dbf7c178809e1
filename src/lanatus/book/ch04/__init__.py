"""Chapter 4: decision trees."""
