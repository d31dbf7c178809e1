from ._axes import as_svg as as_svg
from ._axes import axes_for as axes_for
from ._axes import drawn as drawn
from ._axes import plain as plain
from ._fonts import chinese_family as chinese_family
from ._fonts import use_chinese as use_chinese
