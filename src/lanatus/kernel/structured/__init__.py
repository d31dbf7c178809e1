"""Machines whose answers are structures (section 6.7)."""
