"""From a raw column to the columns that learners take, by a recipe that is plain data.

A recipe is learned once, from the column that ``fit`` sees; it is then applied to columns of any storage type.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lanatus.preprocess.cleaning import _dates as dates
from lanatus.preprocess.cleaning._raw_columns import RawColumn, categories_of
from lanatus.preprocess.cleaning._roles import Reading
from lanatus.preprocess.cleaning._text import apply_text, learn_text
from lanatus.preprocess.cleaning._values import are_markers, counts_of, days_of, numbers_of, truths_of
from lanatus.table import MISSING_CODE, UnseenCategoryWarning

Recipe = dict[str, Any]
Made = list[tuple[str, pa.Array]]


def learn_recipe(column: RawColumn, reading: Reading, settings: dict[str, Any]) -> Recipe | None:
    """How to make columns of one that was read so; None where nothing is made of it."""
    role = reading.role
    if role == "empty":
        role = "numeric"
    elif role == "constant" or (role == "identifier" and not reading.how.get("numeric")):
        role = "numeric" if column.storage in ("number", "boolean", "date") else "nominal"
    elif role == "identifier":
        role = "numeric"
    recipe: Recipe = {"from": column.name, "as": role, "how": dict(reading.how), "strays": reading.strays}
    learned = _LEARN[role](column, recipe, settings)
    return recipe if learned else None


def apply_recipe(column: RawColumn, recipe: Recipe) -> Made:
    """The columns that a recipe makes of one, by name."""
    return _APPLY[recipe["as"]](column, recipe)


# ---------------------------------------------------------------- numbers and truth values


def _learn_numbers(column: RawColumn, recipe: Recipe, settings: dict[str, Any]) -> bool:
    recipe["made"] = [column.name]
    if recipe["how"].get("words"):
        recipe["made"].append(f"{column.name}_word")
    return True


def _make_numbers(column: RawColumn, recipe: Recipe) -> Made:
    numbers = numbers_of(column, recipe["how"])
    if column.storage in ("word", "category"):
        _tell_unread(column, recipe, np.isnan(numbers), "numbers")
    made = [(recipe["made"][0], _floats(numbers, column))]
    if recipe["how"].get("words"):
        made.append((recipe["made"][1], _words_among(column, numbers, recipe["how"]["words"])))
    return made


def _words_among(column: RawColumn, numbers: np.ndarray, kept: list[str]) -> pa.Array:
    """Which word stands in the place of a number; "number" where there is one."""
    codes = np.where(np.isnan(numbers), MISSING_CODE, len(kept))
    if column.storage in ("word", "category"):
        place = {word: at for at, word in enumerate(kept)}
        found = [place.get(word, MISSING_CODE) for word in column.coded[1].to_pylist()]
        codes = np.where(np.isnan(numbers), np.array([*found, MISSING_CODE])[column.coded[0]], codes)
    return categories_of(codes, [*kept, "number" if "number" not in kept else "(number)"])


def _learn_truths(column: RawColumn, recipe: Recipe, settings: dict[str, Any]) -> bool:
    recipe["made"] = [column.name]
    return True


def _make_truths(column: RawColumn, recipe: Recipe) -> Made:
    truths = truths_of(column)
    _tell_unread(column, recipe, truths < 0, "truth values")
    return [(recipe["made"][0], pa.array(truths == 1, mask=truths < 0))]


# ---------------------------------------------------------------- dates


def _learn_dates(column: RawColumn, recipe: Recipe, settings: dict[str, Any]) -> bool:
    parts = dates.parts_of(days_of(column, recipe["how"]))
    vary = [name for name, values in parts.items() if _varies(values)]
    if "year" in vary and _repeats(parts["year"], parts["days"]):
        vary.remove("year")  # one date a year: the days say it already
    recipe["parts"] = vary
    recipe["made"] = [f"{column.name}_{part}" for part in vary]
    return bool(vary)


def _varies(values: np.ndarray) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known) and known.min() != known.max())


def _repeats(one: np.ndarray, other: np.ndarray) -> bool:
    return len(np.unique(one[~np.isnan(one)])) == len(np.unique(other[~np.isnan(other)]))


def _make_dates(column: RawColumn, recipe: Recipe) -> Made:
    days = days_of(column, recipe["how"])
    _tell_unread(column, recipe, np.isnan(days), "dates")
    parts = dates.parts_of(days)
    return [(name, _floats(parts[part])) for name, part in zip(recipe["made"], recipe["parts"], strict=True)]


# ---------------------------------------------------------------- categories


def _learn_categories(column: RawColumn, recipe: Recipe, settings: dict[str, Any]) -> bool:
    words = column.coded[1].to_pylist()
    declared = recipe["how"].pop("categories", None)
    kept = list(declared) if declared is not None else sorted(words)
    recipe["other"] = None
    recipe["made"] = [column.name]
    if recipe["as"] == "nominal" and len(kept) > settings["max_categories"]:
        count = dict(zip(words, counts_of(column).tolist(), strict=True))
        order = sorted(range(len(kept)), key=lambda at: (-count.get(kept[at], 0), at))
        chosen = sorted(order[: settings["max_categories"] - 1])
        kept = [kept[at] for at in chosen]
        recipe["other"] = "other" if "other" not in kept else "(other)"
        kept.append(recipe["other"])
    recipe["categories"] = kept
    return True


def _make_categories(column: RawColumn, recipe: Recipe) -> Made:
    codes, words = column.coded
    kept = recipe["categories"]
    place = {word: at for at, word in enumerate(kept)}
    folded = {word.casefold(): at for word, at in reversed(place.items())}
    other = place[recipe["other"]] if recipe["other"] is not None else None
    found: list[int] = []
    unseen: list[int] = []
    for word in words.to_pylist():
        at = place.get(word)
        if at is None:  # stored otherwise than in fit: 3.0 for 3, TRUE for True
            at = folded.get(word.casefold(), place.get(word.removesuffix(".0")))
        if at is None:
            at = other
        if at is None:
            unseen.append(len(found))
        found.append(MISSING_CODE if at is None else at)
    if unseen and (n_unseen := int(np.isin(codes, unseen).sum())):
        shown = ", ".join(repr(word) for word in words.take(unseen[:5]).to_pylist())
        _warn(recipe["from"], f"{n_unseen} value(s) not seen in fit ({shown})")
    coded = np.array([*found, MISSING_CODE], np.int32)[codes]
    return [(recipe["made"][0], categories_of(coded, kept, ordered=recipe["as"] == "ordinal"))]


# ---------------------------------------------------------------- text


def _learn_words(column: RawColumn, recipe: Recipe, settings: dict[str, Any]) -> bool:
    if settings["text"] == "drop":
        return False
    pipeline = learn_text(
        column,
        chinese=recipe["how"].get("chinese", False),
        components=settings["max_components"],
        random_state=settings["random_state"],
    )
    if pipeline is None:
        return False
    recipe["pipeline"] = pipeline
    width = pipeline.named_steps["directions"].n_components
    recipe["made"] = [f"{column.name}_{j + 1}" for j in range(width)]
    return True


def _make_words(column: RawColumn, recipe: Recipe) -> Made:
    values = apply_text(column, recipe["pipeline"])
    return [(name, _floats(np.ascontiguousarray(values[:, j]))) for j, name in enumerate(recipe["made"])]


# ---------------------------------------------------------------- shared


def _floats(values: np.ndarray, column: RawColumn | None = None) -> pa.Array:
    """Numbers as Arrow floats, missing ones as nulls; the column's own memory where it is that already."""
    if column is not None and column.array.type == pa.float64() and values is column.numbers:
        return column.array
    return pa.array(values, pa.float64(), from_pandas=True)


def _tell_unread(column: RawColumn, recipe: Recipe, lost: np.ndarray, wanted: str) -> None:
    """Warn of words that fit did not meet; raise where nothing at all can be read."""
    if column.storage not in ("word", "category") or recipe["strays"] or not lost.any():
        return
    codes, words = column.coded
    odd = np.unique(codes[lost & (codes >= 0)])
    odd = odd[~are_markers(words.take(odd))] if len(odd) else odd
    if not len(odd):
        return
    shown = ", ".join(repr(word) for word in words.take(odd[:3]).to_pylist())
    if lost.all():
        raise ValueError(
            f"column {recipe['from']!r} must hold {wanted}, as it did in fit; got {shown}. Check that it is the same "
            "column, or fit again."
        )
    _warn(recipe["from"], f"{int(np.isin(codes, odd).sum())} value(s) that are no {wanted} ({shown})")


def _warn(name: str, what: str) -> None:
    warnings.warn(f"column {name!r} has {what}; they are treated as missing.", UnseenCategoryWarning, stacklevel=2)


_LEARN: dict[str, Callable[[RawColumn, Recipe, dict[str, Any]], bool]] = {
    "numeric": _learn_numbers,
    "boolean": _learn_truths,
    "date": _learn_dates,
    "nominal": _learn_categories,
    "ordinal": _learn_categories,
    "text": _learn_words,
}
_APPLY: dict[str, Callable[[RawColumn, Recipe], Made]] = {
    "numeric": _make_numbers,
    "boolean": _make_truths,
    "date": _make_dates,
    "nominal": _make_categories,
    "ordinal": _make_categories,
    "text": _make_words,
}
