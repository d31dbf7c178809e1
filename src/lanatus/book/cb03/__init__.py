"""Cookbook 3: density estimation."""
