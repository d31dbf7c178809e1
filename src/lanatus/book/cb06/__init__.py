"""Cookbook 6: nearest-neighbour methods."""
