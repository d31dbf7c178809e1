"""How good a subset of the columns is (section 11.1)."""
