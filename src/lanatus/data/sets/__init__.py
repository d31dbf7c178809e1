"""The books' tables, and well-known data sets."""
