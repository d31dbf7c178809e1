"""Trees that learn rows as they come (section 4.6)."""
