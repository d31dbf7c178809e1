"""Logistic regression and the functions of section 3.3."""
