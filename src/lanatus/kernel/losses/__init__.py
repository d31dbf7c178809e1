"""Losses, margins and distances of 6.1, 6.4 and 6.5."""
