"""The terminal."""

from rich.console import Console


def console() -> Console:
    """Standard output; numbers are not coloured behind our back."""
    return Console(highlight=False)
