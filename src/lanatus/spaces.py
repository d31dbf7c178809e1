"""Ranges of parameters to search: each maps the unit interval onto its values, and back."""

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Options", "Range", "Span"]


@dataclass(frozen=True)
class Span:
    """Numbers between two ends.

    Parameters
    ----------
    low, high : float
        The ends.
    log : bool, default=False
        Whether equal steps are equal ratios.
    whole : bool, default=False
        Whether only whole numbers count.

    Examples
    --------
    >>> from lanatus.spaces import Span
    >>> Span(0.01, 100, log=True).at(0.5), Span(1, 9, whole=True).at(0.5)
    (1.0, 5)
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def at(self, place: float) -> float | int:
        """The value at a place of the unit interval."""
        place = min(max(place, 0.0), 1.0)
        if self.log:
            value = math.exp(math.log(self.low) + place * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + place * (self.high - self.low)
        return round(value) if self.whole else float(f"{value:.4g}")

    def place(self, value: Any) -> float:
        """Where a value lies; those outside at the nearer end."""
        value = min(max(float(value), self.low), self.high)
        if self.log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Options:
    """One of some values, which have no order.

    Examples
    --------
    >>> from lanatus.spaces import Options
    >>> Options(("gini", "entropy")).at(0.7)
    'entropy'
    """

    values: tuple[Any, ...]

    def at(self, place: float) -> Any:
        """The value whose share of the unit interval holds a place."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]

    def place(self, value: Any) -> float:
        """The middle of a value's share; that of the first for a value that is none of them."""
        at = self.values.index(value) if value in self.values else 0
        return (at + 0.5) / len(self.values)


Range = Span | Options
