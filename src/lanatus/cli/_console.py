"""The terminal: what files and models say stays text there, whatever is in it."""

import warnings
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.text import Text

# Characters that a terminal obeys (C0, C1, but for tab and line feed) or that turn the order of others around.
_OBEYED = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F]
_OBEYED += [*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000)]
_SHOWN = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _OBEYED}


class Terminal(Console):
    """A console that shows control characters instead of sending them on."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A string, as it is measured and wrapped."""
        return super().render_str(text.translate(_SHOWN), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to be printed, of what was no string too."""
        for segment in super().render(renderable, options):
            obeyed = segment.control is None and not segment.text.isprintable()
            yield Segment(segment.text.translate(_SHOWN), segment.style) if obeyed else segment


def console(**options: Any) -> Console:
    """Standard output, or as the options say; numbers are not coloured behind our back."""
    return Terminal(highlight=False, **options)


def warn_in_one_line() -> None:
    """From now on warnings are a line each, without the line of source that gave them."""
    terminal = console(stderr=True)

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        terminal.print(f"[yellow]warning:[/] {escape(' '.join(str(message).split()))}", soft_wrap=True)

    warnings.showwarning = show
