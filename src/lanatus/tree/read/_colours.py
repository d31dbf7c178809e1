"""Colours of nodes: the class by hue, its share by strength; numbers from light to dark."""

import numpy as np

from lanatus.tree.read._named_tree import NamedTree

# Ten hues that differ in lightness too, so that most eyes tell them apart.
_HUES = ("4c78a8", "f58518", "54a24b", "e45756", "b279a2", "eeca3b", "72b7b2", "9d755d", "ff9da6", "79706e")
_LOW, _HIGH = (0.94, 0.96, 0.99), (0.13, 0.44, 0.71)


def hue(code: int) -> np.ndarray:
    """Colour of a class, red, green and blue from 0 to 1; they come again after ten."""
    text = _HUES[code % len(_HUES)]
    return np.array([int(text[i : i + 2], 16) for i in (0, 2, 4)]) / 255


def node_colours(reading: NamedTree) -> list[str]:
    """Fill of each node as ``#rrggbb``; of several outputs, by the first."""
    if reading.classes is None:
        value = reading.tree.outputs[:, 0]
        low, high = float(np.min(value)), float(np.max(value))
        part = (value - low) / (high - low) if high > low else np.full(len(value), 0.5)
        mixed = np.outer(1 - part, _LOW) + np.outer(part, _HIGH)
    else:
        shares, said = reading.shares[0], reading.said[0]
        k = shares.shape[1]
        top = shares[np.arange(len(said)), said]
        purity = np.clip((top - 1 / k) / (1 - 1 / k), 0, 1) if k > 1 else np.ones(len(said))
        strength = (0.08 + 0.62 * purity)[:, None]
        mixed = 1 - strength * (1 - np.array([hue(code) for code in range(k)])[said])
    return ["#" + "".join(f"{round(255 * part):02x}" for part in colour) for colour in mixed.tolist()]


def is_dark(colour: str) -> bool:
    """Whether white letters read better on a colour than black ones."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 120
