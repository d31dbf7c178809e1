"""Cookbook chapter 9: reduction without labels."""
