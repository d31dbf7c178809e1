"""Chapter 2: model evaluation and selection."""
