"""Outliers: rows far from all clusters, rows in thin places, rows that are soon alone (section 9.7)."""
