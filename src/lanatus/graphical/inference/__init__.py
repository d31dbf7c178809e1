"""Questions asked of a model: exactly (section 14.4), and by messages, samples and variation (14.4.2 and 14.5)."""
