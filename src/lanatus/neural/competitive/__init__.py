"""Competitive learning, adaptive resonance and self-organising maps."""
