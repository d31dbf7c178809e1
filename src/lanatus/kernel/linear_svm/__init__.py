"""Linear support vector machines (section 6.7): as many rows as there are."""
