"""Attacks on every catalogued estimator: changed model files, malformed sparse matrices, legal but extreme tables.

``make fuzz`` runs many cases in subprocesses and reports crashes, hangs and answers that are silently not numbers;
``test_fuzz.py`` runs a small fixed share. A case is named by its kind, its estimator and a number, from which all its
random choices follow, so that any of them can be run again: ``python -m fuzz.run --case states:KMeans:17``.
"""
