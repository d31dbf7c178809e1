"""Chapter 13: semi-supervised learning."""
