"""Chinese labels as characters, not boxes, on a machine with no fonts installed by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

import matplotlib as mpl
from matplotlib import font_manager


@cache
def chinese_family() -> str:
    """Name of the bundled family (Noto Sans CJK SC, the characters of GB 2312), made known to matplotlib."""
    path = str(files("lanatus.canvas") / "fonts" / "NotoSansCJKsc-GB2312.otf")
    font_manager.fontManager.addfont(path)
    return font_manager.FontProperties(fname=path).get_name()


@contextmanager
def use_chinese() -> Iterator[None]:
    """Within this block, matplotlib falls back to the bundled font for characters its own lacks."""
    family = [*mpl.rcParams["font.sans-serif"], chinese_family()]
    with mpl.rc_context({"font.family": [*mpl.rcParams["font.family"], chinese_family()], "font.sans-serif": family}):
        yield
