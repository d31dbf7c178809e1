"""The command line: ``lanatus methods``, ``lanatus book``, ``lanatus fit``, ``lanatus demo``."""

import sys


def main() -> None:
    """Entry point; a user's mistake ends in one line, not in a traceback."""
    from rich.console import Console
    from rich.markup import escape

    from lanatus.cli._app import app

    try:
        app()
    except (ValueError, TypeError, KeyError, OSError) as error:
        message = error.args[0] if isinstance(error, KeyError) and error.args else error
        Console(stderr=True).print(f"[bold red]lanatus:[/] {escape(str(message))}", highlight=False, soft_wrap=True)
        sys.exit(1)
