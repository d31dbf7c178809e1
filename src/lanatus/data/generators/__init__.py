"""Data drawn at random: shapes, manifolds, signals, logic gates."""
