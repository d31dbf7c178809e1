"""Non-negative factors of a matrix."""
