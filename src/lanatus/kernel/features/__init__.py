"""Maps to features whose inner products are nearly a kernel (6.7)."""
