"""Linear learners made kernel learners, by the representer theorem of 6.6."""
