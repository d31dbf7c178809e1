"""What is odd about the columns of a table."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lanatus.preprocess.cleaning import counts_of
from lanatus.profile._columns import Seen
from lanatus.profile._facts import Finding
from lanatus.profile._words import tell

_MUCH, _MOST = 0.3, 0.9  # missing
_NEAR = 0.99  # of the rows have one value
_MANY = 50  # categories
_FAR = 20  # quartile ranges from the median
_SENTINELS = (-99, -999, -9999, -99999, -999999, 999, 9999, 99999, 999999, 9999999)
_WORDS = ("word", "category")
_GROUP_NAME = re.compile(r"(?i:(^|[\s_.\-])(id|uid|uuid|guid)$)|[a-z](ID|Id)$|编号|学号|工号|身份证")


def column_findings(columns: Sequence[Seen], used: set[str], settings: dict[str, Any]) -> list[Finding]:
    """All that single columns give reason to say; `settings` are the cleaner's."""
    return [
        *_useless(columns, used),
        *_written(columns),
        *_categories(columns, settings),
        *_holes(columns),
        *_numbers(columns),
        *_times(columns),
        *_groups(columns),
        *name_findings([seen.name for seen in columns]),
    ]


def _where(columns: Sequence[Seen], test: Callable[[Seen], bool]) -> list[str]:
    return [seen.name for seen in columns if test(seen)]


def _useless(columns: Sequence[Seen], used: set[str]) -> Iterator[Finding]:
    nothing = ("identifier", "constant", "empty")
    for role in nothing:
        names = [seen.name for seen in columns if seen.role == role]
        for key, some in ((role, set(names) - used), (f"{role}:kept", set(names) & used)):
            if some:
                yield tell(key, [name for name in names if name in some])
    if names := _where(columns, lambda seen: seen.role not in nothing and seen.distinct == 1):
        yield tell("one-value", names)
    if names := _where(columns, lambda seen: seen.role not in nothing and _is_near_constant(seen)):
        yield tell("near-constant", names, share=f"{_NEAR:.0%}")


def _is_near_constant(seen: Seen) -> bool:
    n = len(seen.column)
    if n < 100 or seen.distinct < 2 or seen.distinct > 0.02 * n + 1:
        return False
    if seen.numbers is None:
        return bool(counts_of(seen.column).max() >= _NEAR * n)
    return bool(np.count_nonzero(seen.numbers == np.nanmedian(seen.numbers)) >= _NEAR * n)


def _written(columns: Sequence[Seen]) -> Iterator[Finding]:
    """Things in another form than the one they are stored in."""
    by_name = {seen.name: seen for seen in columns}
    for key, test in (
        (
            "numbers-as-text",
            lambda seen: seen.role == "numeric" and seen.column.storage in _WORDS and not seen.reading.strays,
        ),
        ("date-as-text", lambda seen: seen.role == "date" and seen.column.storage != "date"),
        ("date", lambda seen: seen.role == "date" and seen.column.storage == "date"),
        ("booleans-as-words", lambda seen: seen.role == "boolean" and seen.column.storage in _WORDS),
    ):
        if names := _where(columns, test):
            yield tell(key, names, example=_example(by_name[names[0]]))
    for seen in columns:
        if seen.role == "date" and seen.reading.how.get("order_known") is False:
            first, first_zh = ("day", "日") if seen.reading.how["day_first"] else ("month", "月")
            example = _example(seen)
            yield tell("date-order", [seen.name], severity="warning", first=first, first_zh=first_zh, example=example)
        if seen.reading.strays:
            yield _mixed_types(seen)


def _example(seen: Seen) -> str:
    """A value as it is written, the longest of the first few for it shows most."""
    if seen.column.storage not in _WORDS:
        return str(seen.column.array.drop_null()[0].as_py())
    read = seen.column.coded[0][~seen.missing][:100]
    return max(seen.column.coded[1].take(np.unique(read)).to_pylist(), key=len, default="")


def _mixed_types(seen: Seen) -> Finding:
    wanted, wanted_zh = ("dates", "日期") if seen.role == "date" else ("numbers", "数")
    lost = seen.missing & (seen.column.coded[0] >= 0)
    words = seen.column.coded[1].take(np.unique(seen.column.coded[0][lost])[:3]).to_pylist()
    return tell(
        "mixed-types:kept" if seen.reading.how.get("words") else "mixed-types",
        [seen.name],
        wanted=wanted,
        wanted_zh=wanted_zh,
        rows=seen.reading.strays,
        example=", ".join(f"'{word}'" for word in words),
    )


def _categories(columns: Sequence[Seen], settings: dict[str, Any]) -> Iterator[Finding]:
    if names := _where(columns, lambda seen: seen.role == "text"):
        yield tell("text" if settings["text"] == "svd" else "text:dropped", names, most=settings["max_components"])
    most = settings["max_categories"]
    many = [seen for seen in columns if seen.role == "nominal" and seen.distinct > _MANY]
    for key, some in (
        ("many-categories", [seen for seen in many if seen.distinct <= most]),
        ("many-categories:joined", [seen for seen in many if seen.distinct > most]),
    ):
        if some:
            yield tell(key, [seen.name for seen in some], number=max(seen.distinct for seen in some), most=most)


def _holes(columns: Sequence[Seen]) -> Iterator[Finding]:
    shares = {seen.name: seen.n_missing / len(seen.column) for seen in columns if seen.role != "empty"}
    if names := [name for name, share in shares.items() if share > 0]:
        total = sum(shares.values()) / len(shares)
        said = f"{total:.1%}" if total >= 0.001 else "<0.1%"
        yield tell("missing", names, number=len(names), all=len(columns), share=said)
    for low, high in ((_MOST, 1.0), (_MUCH, _MOST)):
        if names := [name for name, share in shares.items() if low < share <= high]:
            yield tell("much-missing", names, share=f"{low:.0%}")


def _numbers(columns: Sequence[Seen]) -> Iterator[Finding]:
    if names := _where(columns, lambda seen: seen.n_infinite > 0):
        yield tell("infinite", names, number=sum(seen.n_infinite for seen in columns))
    numeric = [seen for seen in columns if seen.role == "numeric" and seen.distinct > 20]
    numeric = [seen for seen in numeric if not _GROUP_NAME.search(seen.name)]
    sentinels = {seen.name: value for seen in numeric if (value := _sentinel(seen)) is not None}
    for name, value in sentinels.items():
        yield tell("sentinel", [name], value=f"{value:g}")
    if names := _where(numeric, lambda seen: seen.name not in sentinels and _has_outliers(seen)):
        yield tell("outliers", names, far=_FAR)


def _has_outliers(seen: Seen) -> bool:
    assert seen.numbers is not None
    low, middle, high = np.nanquantile(seen.numbers, [0.25, 0.5, 0.75])
    with np.errstate(over="ignore"):
        return bool(high > low and np.nanmax(np.abs(seen.numbers - middle)) > _FAR * (high - low))


def _sentinel(seen: Seen) -> float | None:
    """A number such as -999 that comes often and stands apart from all others by more than these spread."""
    assert seen.numbers is not None
    for value in (np.nanmin(seen.numbers), np.nanmax(seen.numbers)):
        if value not in _SENTINELS:
            continue
        rest = seen.numbers[(seen.numbers != value) & ~seen.missing]
        often = len(seen.numbers) - seen.n_missing - len(rest) >= max(3, 0.004 * len(seen.numbers))
        low, high = np.quantile(rest, [0.05, 0.95])
        if often and np.abs(rest - value).min() > high - low:
            return float(value)
    return None


def _times(columns: Sequence[Seen]) -> Iterator[Finding]:
    if ordered := _where(columns, _tells_time):
        yield tell("time-order", ordered)
    elif dates := _where(columns, lambda seen: seen.role == "date"):
        yield tell("time-order:dates", dates)


def _groups(columns: Sequence[Seen]) -> Iterator[Finding]:
    if names := _where(columns, lambda seen: bool(_GROUP_NAME.search(seen.name)) and _names_groups(seen)):
        yield tell("groups", names)


def _names_groups(seen: Seen) -> bool:
    if seen.role not in ("numeric", "nominal") or not 20 <= seen.distinct <= len(seen.column) / 1.5:
        return False
    return seen.numbers is None or not (seen.numbers[~seen.missing] % 1).any()


def _tells_time(seen: Seen) -> bool:
    """Whether the values of a long column go up (or down) all the way, without being mostly the same."""
    n = len(seen.column)
    if seen.role not in ("date", "numeric") or _GROUP_NAME.search(seen.name):
        return False
    if n < 50 or seen.n_missing or seen.numbers is None or seen.distinct < 0.2 * n:
        return False
    steps = np.diff(seen.numbers)
    return bool((steps >= 0).all() or (steps <= 0).all())


def name_findings(names: Sequence[str]) -> Iterator[Finding]:
    """Column names that look alike, or have blanks at the ends."""
    if odd := [name for name in names if name != name.strip()]:
        yield tell("name-blanks", odd)
    alike = defaultdict(list)
    for name in names:
        alike[re.sub(r"[\s_.\-]+", "", unicodedata.normalize("NFKC", name).casefold()) or name].append(name)
    for group in alike.values():
        if len(group) > 1:
            yield tell("names-alike", group)
