"""Clusters as dense places, parted by thin ones (section 9.5)."""
