"""Clusterings made of others: ensembles, an index as objective, clusters as classes, suggestions."""
