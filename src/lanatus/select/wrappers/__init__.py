"""Wrappers: columns judged by the learner that will use them (section 11.3)."""
