"""Topics of documents (section 14.6)."""
