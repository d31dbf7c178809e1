"""Diversity (section 8.5)."""
