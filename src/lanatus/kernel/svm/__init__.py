"""Support vector machines with any kernel."""
