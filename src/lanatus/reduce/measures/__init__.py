"""How good a reduction is (section 10.2)."""
