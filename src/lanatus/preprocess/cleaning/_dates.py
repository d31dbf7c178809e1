"""Dates as people write them, as days since 1970-01-01."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_MONTHS = pa.array(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], pa.large_string()
)
_ZONE = r"(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?"
_TIME = (
    r"(?:[T\s,]+(?P<h>\d{1,2})[:时点](?P<min>\d{1,2})(?:[:分](?P<s>\d{1,2})(?:[.,]\d+)?)?[分秒]?"
    rf"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*{_ZONE})?$"
)
_WEEKDAY = r"^(?:[A-Za-z]{3,9}\.?,?\s+)?"
# From the surest to the least sure; each is tried on what the ones before it could not read.
_FORMATS = (
    r"^(?P<y>\d{4})\s*[-/.年]\s*(?P<m>\d{1,2})\s*[-/.月]\s*(?P<d>\d{1,2})\s*日?" + _TIME,
    _WEEKDAY + r"(?P<d>\d{1,2})(?:st|nd|rd|th)?[\s.-]*(?P<mon>[A-Za-z]{3,9})\.?,?[\s.-]*(?P<y>\d{4}|\d\d)" + _TIME,
    _WEEKDAY + r"(?P<mon>[A-Za-z]{3,9})\.?[\s-]+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(?P<y>\d{4})" + _TIME,
    r"^(?P<y>(?:19|20)\d\d)\s*[-/年]\s*(?P<m>\d{1,2})\s*月?$",
    r"^(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)(?:T?(?P<h>\d\d)(?P<min>\d\d)(?P<s>\d\d)Z?)?$",
)
# 3/1/2024: which of the first two is the day is told by the column as a whole.
_EITHER = r"^(?P<a>\d{1,2})\s*[-/.]\s*(?P<b>\d{1,2})\s*[-/.]\s*(?P<y>\d{4}|\d\d)" + _TIME
_CLOCK = r"^(?P<h>\d{1,2}):(?P<min>\d\d)(?::(?P<s>\d\d)(?:\.\d+)?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?$"


def parsed(words: pa.Array, *, day_first: bool = False) -> np.ndarray:
    """Days since 1970-01-01 (UTC where a zone is given), NaN where a word is no date."""
    quick = _iso(words)
    if quick is not None:
        return quick
    if not pc.all(pc.string_is_ascii(words)).as_py():
        words = pc.utf8_normalize(words, form="NFKC")
    days = np.full(len(words), np.nan)
    left = np.arange(len(words))
    first, second = ("d", "m") if day_first else ("m", "d")
    either = _EITHER.replace("<a>", f"<{first}>").replace("<b>", f"<{second}>")
    for pattern in (*_FORMATS, either):
        found = pc.extract_regex(words.take(left), pattern)
        hit = np.flatnonzero(np.asarray(found.is_valid()))
        if len(hit):
            days[left[hit]] = _days(found.take(hit))
            left = left[np.isnan(days[left])]
        if not len(left):
            break
    return days


def share(words: pa.Array, weights: np.ndarray) -> float:
    """Share of the rows that hold a date in one of the formats, in whichever order of day and month is better."""
    if not len(words):
        return 0.0
    best = max((~np.isnan(parsed(words, day_first=order)) * weights).sum() for order in (False, True))
    return float(best / weights.sum())


def order_of_days(words: pa.Array, weights: np.ndarray) -> tuple[bool, bool]:
    """Whether the day comes before the month in dates such as 3/1/2024, and whether the values tell.

    Where no number is above 12, points and dashes say day first (01.03.2024), slashes month first (3/1/2024).
    """
    found = pc.extract_regex(words, _EITHER)
    hit = np.flatnonzero(np.asarray(found.is_valid()))
    if not len(hit):
        return False, True
    a, b = (_whole(found.take(hit).field(name)) for name in "ab")
    weights = weights[hit]
    day_first, month_first = weights[a > 12].sum(), weights[b > 12].sum()
    if day_first or month_first:
        return bool(day_first >= month_first), True
    slashes = pc.match_substring(words.take(hit), "/")
    return not pc.any(slashes).as_py(), False


def clock(words: pa.Array) -> np.ndarray:
    """Hours since midnight of times such as 9:30 or 9:30 PM, NaN where a word is none."""
    found = pc.extract_regex(words, _CLOCK)
    hours = np.full(len(words), np.nan)
    hit = np.flatnonzero(np.asarray(found.is_valid()))
    if len(hit):
        hours[hit] = _day_part(found.take(hit)) * 24
    return hours


def parts_of(days: np.ndarray) -> dict[str, np.ndarray]:
    """What a learner can use of dates: days since 1970, year, month, weekday (Monday is 0), hour."""
    known = ~np.isnan(days)
    whole = np.floor(np.where(known, days, 0))
    date = whole.astype(np.int64).astype("M8[D]")
    year = date.astype("M8[Y]").astype(np.int64) + 1970
    month = date.astype("M8[M]").astype(np.int64) % 12 + 1
    hour = np.floor(np.round((np.where(known, days, 0) - whole) * 24, 6))
    parts = {"days": days, "year": year, "month": month, "weekday": (whole + 3) % 7, "hour": hour}
    return {name: np.where(known, values, np.nan) for name, values in parts.items()}


def _iso(words: pa.Array) -> np.ndarray | None:
    """All words at once by Arrow's own parser, which is fast and takes ISO 8601 only."""
    try:
        ticks = np.asarray(words.cast(pa.timestamp("us")).cast(pa.int64()))
    except pa.ArrowException:
        return None
    whole, rest = np.divmod(ticks, 86_400_000_000)
    return np.asarray(whole + rest / 86_400_000_000, np.float64)


def _days(found: pa.StructArray) -> np.ndarray:
    names = {field.name for field in found.type}
    year = _whole(found.field("y"))
    year = np.where(year < 70, year + 2000, np.where(year < 100, year + 1900, year))
    if "mon" in names:
        start = pc.utf8_lower(pc.utf8_slice_codeunits(found.field("mon"), 0, 3))
        month = np.asarray(pc.index_in(start, value_set=_MONTHS).fill_null(-1)) + 1
    else:
        month = _whole(found.field("m"))
    day = _whole(found.field("d")) if "d" in names else np.ones(len(found), np.int64)
    good = (month >= 1) & (month <= 12) & (day >= 1) & (year >= 1)
    start = ((year - 1970) * 12 + np.where(good, month, 1) - 1).astype("M8[M]")
    length = ((start + 1).astype("M8[D]") - start.astype("M8[D]")).astype(np.int64)
    days = start.astype("M8[D]").astype(np.int64) + day - 1.0
    if "h" in names:
        days = days + _day_part(found)
    return np.where(good & (day <= length), days, np.nan)


def _day_part(found: pa.StructArray) -> np.ndarray:
    """The time of day as a part of a day, moved to UTC where a zone is given; NaN where there is no such time."""
    names = {field.name for field in found.type}
    hour, minute, second = (_whole(found.field(name)) for name in ("h", "min", "s"))
    valid = (hour <= 24) & (minute < 60) & (second <= 60)
    if "half" in names:
        half = pc.utf8_lower(found.field("half"))
        pm, am = (np.asarray(pc.starts_with(half, letter)) for letter in "pa")
        hour = np.where(pm & (hour < 12), hour + 12, np.where(am & (hour == 12), 0, hour))
    part = hour / 24 + minute / 1440 + second / 86_400
    if "zone" in names:
        zone = pc.extract_regex(found.field("zone"), r"^(?P<sign>[+-])(?P<h>\d\d):?(?P<min>\d\d)$")
        hit = np.flatnonzero(np.asarray(zone.is_valid()))
        if len(hit):
            shifts = zone.take(hit)
            shift = _whole(shifts.field("h")) / 24 + _whole(shifts.field("min")) / 1440
            part[hit] -= np.where(np.asarray(pc.equal(shifts.field("sign"), "+")), shift, -shift)
    return np.where(valid, part, np.nan)


def _whole(words: pa.Array) -> np.ndarray:
    filled = pc.if_else(pc.equal(words, ""), "0", words)
    return np.asarray(filled.cast(pa.int64()))
