"""Graphs of rows along which labels spread (sections 13.4 and 13.7)."""
