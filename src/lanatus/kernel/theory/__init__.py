"""What kernel methods and surrogate losses promise, looked at in numbers (6.6, 6.7)."""
