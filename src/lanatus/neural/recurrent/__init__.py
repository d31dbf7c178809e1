"""Networks with cycles, and neurons that spike."""
