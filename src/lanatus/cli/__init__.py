"""The command line: ``lanatus fit``, ``predict``, ``evaluate``, ``explain``, ``compare``, ``cluster``, ``book``, ..."""

import os
import sys
import traceback

# Wrong input, as a shell sees it; typer's own for wrong options is 2.
FAILED, INTERRUPTED = 1, 130


def main() -> None:
    """Entry point; a user's mistake ends in one line, not in a traceback."""
    from rich.markup import escape

    from lanatus.cli._app import app
    from lanatus.cli._console import console, warn_in_one_line

    warn_in_one_line()
    try:
        app()
    except KeyboardInterrupt:
        console(stderr=True).print("[bold red]lanatus:[/] interrupted.")
        sys.exit(INTERRUPTED)
    except (ValueError, TypeError, KeyError, OSError, RuntimeError, ImportError, MemoryError) as error:
        if os.environ.get("LANATUS_DEBUG"):
            traceback.print_exc()
            sys.exit(FAILED)
        message = error.args[0] if isinstance(error, KeyError) and error.args else error
        text = " ".join(str(message).split()) or type(error).__name__
        console(stderr=True).print(f"[bold red]lanatus:[/] {escape(text)}", soft_wrap=True)
        sys.exit(FAILED)
