"""Numbers as people read them."""

import math
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from lanatus.report._facts import Estimate
from lanatus.table import Language

NONE = "–"  # what stands where there is no number


def decimals(values: Iterable[float]) -> int:
    """Places after the point that numbers shown side by side should have: about four figures of the greatest."""
    sizes = [abs(float(v)) for v in values if math.isfinite(v)]
    most = max(sizes, default=0.0)
    if most == 0:
        return 3
    power = math.floor(math.log10(most))
    return int(min(max(3 - power if power >= 0 else 2 - power, 0), 8))


def number(value: float | None, places: int | None = None) -> str:
    """A number with thousands marked (from 10,000 on: years have none), a true minus, a dash for what is not known."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value and not 1e-7 <= abs(value) < 1e12:
        return f"{value:.3g}".replace("-", "−")
    if places is None:
        places = decimals([value])
        text = _fixed(value, places)
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = _fixed(value, places)
    return text.replace("-", "−")


def _fixed(value: float, places: int) -> str:
    """With so many places, halves away from zero: what JavaScript does, so that the slider shows the same."""
    rounded = Decimal(float(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) + 0  # + 0: no -0.00
    return f"{rounded:,f}" if abs(rounded) >= 10000 else f"{rounded:f}"


def interval(estimate: Estimate, places: int | None = None) -> str:
    """``[0.81, 0.89]``."""
    if places is None:
        places = decimals([estimate.value, estimate.low, estimate.high])
    return f"[{number(estimate.low, places)}, {number(estimate.high, places)}]"


def count(value: float) -> str:
    """A whole number with thousands marked."""
    return f"{round(float(value)):,}".replace("-", "−")


def percent(share: float, places: int = 1) -> str:
    """A share of one in hundredths."""
    return NONE if not math.isfinite(share) else f"{_fixed(100 * share, places)}%"


def share(value: float, places: int = 1) -> str:
    """A share in hundredths that says neither 0% of what is there nor 100% of what is not all."""
    least = 10.0**-places
    if 0 < 100 * value < least / 2:
        return f"<{_fixed(least, places)}%"
    if 100 - least / 2 <= 100 * value < 100:
        return f">{_fixed(100 - least, places)}%"
    return "0%" if value == 0 else percent(value, places)


def p_value(value: float | None) -> str:
    """A p-value to three places, or that it is below the last of them."""
    if value is None or math.isnan(value):
        return NONE
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def seconds(value: float, language: Language) -> str:
    """A time in the unit that suits it."""
    milli, second, minute = ("毫秒", "秒", "分") if language == "zh" else ("ms", "s", "min")
    if not math.isfinite(value):
        return NONE
    if value < 0.001:
        return f"<1 {milli}"
    if value < 1:
        return f"{1000 * value:.0f} {milli}"
    if value < 60:
        return f"{value:.1f} {second}"
    return f"{int(value // 60)} {minute} {int(value % 60)} {second}"


def day(value: float) -> str:
    """A date from days since 1970."""
    try:
        return (date(1970, 1, 1) + timedelta(days=round(value))).isoformat()
    except (OverflowError, ValueError):
        return number(value)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from `low` to `high`, at most so many."""
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    while (high - low) / step > most - 1 + 1e-9:
        for factor in (2, 2.5, 5, 10):
            if (high - low) / (step * factor) <= most - 1 + 1e-9:
                step *= factor
                break
        else:
            step *= 10
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(np.round(k * step, 12)) if step > 1e-9 else k * step for k in range(first, last + 1)]


def tick_labels(values: list[float], language: Language) -> list[str]:
    """Short labels of an axis, with a unit for thousands (万 in Chinese) where the numbers are large."""
    most = max((abs(v) for v in values), default=0.0)
    units = [(1e8, "亿"), (1e4, "万")] if language == "zh" else [(1e9, "G"), (1e6, "M"), (1e3, "k")]
    if most >= 1e13 or 0 < most < 1e-4:
        return [f"{v:.2g}".replace("-", "−") if v else "0" for v in values]
    for size, name in units:
        if most >= 10 * size or (size > 1e4 and most >= size):
            return [_plain(v / size) + name if v else "0" for v in values]
    return [_plain(v) for v in values]


def _plain(value: float) -> str:
    text = f"{value:.6g}"
    return text.replace("-", "−")


def text_width(text: str, size: float) -> float:
    """Pixels that a text takes, about: Chinese characters are as wide as high, others a little over half."""
    return sum(size if ord(letter) > 0x2E7F else 0.62 * size for letter in text)
