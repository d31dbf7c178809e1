"""Embedded selection: columns that a learner uses (sections 11.1 and 11.4)."""
