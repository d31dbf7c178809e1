"""Multi-layer feedforward networks and how they are trained."""
