"""Filters: columns judged by the data alone (section 11.2)."""
