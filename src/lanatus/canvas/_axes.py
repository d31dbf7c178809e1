"""What all displays share: axes to draw on, and Chinese that shows."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from matplotlib.text import Text

from lanatus.canvas._fonts import chinese_family, use_chinese

F = TypeVar("F", bound=Callable[..., Any])


def axes_for(ax: Any, **figure: Any) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained", **figure)[1]


def as_svg(display: Any) -> str:
    """The picture of a display as SVG, letters as outlines; its figure is closed."""
    import io

    import matplotlib.pyplot as plt

    out = io.StringIO()
    display.figure_.savefig(out, format="svg", metadata={"Date": None})
    plt.close(display.figure_)  # or a notebook would show it once more, and a loop pile up open figures
    text = out.getvalue()
    return text[text.index("<svg") :]


def drawn(plot: F) -> F:
    """Wrap a method that draws and returns a display: Chinese in it shows, on axes made before as on new ones."""

    @functools.wraps(plot)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        with use_chinese():
            display = plot(*args, **kwargs)
            figure = display.ax_.get_figure(root=True)
            for text in figure.findobj(Text):  # those of axes that were there before know only the fonts of then
                if chinese_family() not in text.get_fontfamily():
                    text.set_fontfamily([*text.get_fontfamily(), chinese_family()])
            figure.draw_without_rendering()  # ticks are made now, while the font is at hand
        return display

    return drawn  # type: ignore[return-value]


def plain(text: str) -> str:
    """Text to be drawn as it is: matplotlib would read what stands between two dollar signs as a formula."""
    return text.replace("$", r"\$")
