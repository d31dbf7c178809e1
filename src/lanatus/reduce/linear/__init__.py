"""Linear maps to fewer columns (sections 10.2 and 10.3)."""
