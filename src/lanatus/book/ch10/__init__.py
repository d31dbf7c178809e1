"""Chapter 10: dimension reduction and metric learning."""
