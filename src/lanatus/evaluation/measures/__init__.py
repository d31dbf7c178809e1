"""Performance measures, curves and costs (section 2.3)."""
