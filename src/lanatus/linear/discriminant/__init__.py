"""Linear discriminant analysis, scatter of classes and Fisher's criteria (3.4)."""
