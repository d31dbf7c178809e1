"""Dictionaries that are learned with the codes (section 11.5)."""
