"""Chapter 11: sparse learning."""
