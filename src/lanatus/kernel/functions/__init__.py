"""Kernel functions: objects that can be added and multiplied."""
