"""Numbers as people write them: 1,234.5 and 1.234,5 and 1 234, ¥ 12, 45%, (300), full-width digits."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_PLAIN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_TAIL = r"([eE][+-]?\d+)?$"
# With a point for decimals the groups are 1,234,567 or the Indian 12,34,567; a group never starts with 0.
_POINT = r"^[+-]?(([1-9]\d{0,2}(,\d{2,3})*,\d{3}|\d+)(\.\d*)?|\.\d+)" + _TAIL
_COMMA = r"^[+-]?(([1-9]\d{0,2}(\.\d{3})+|\d+)(,\d*)?|,\d+)" + _TAIL
_SPACED = r"^[+-]?[1-9]\d{0,2}([ '’]\d{3})+([.,]\d*)?$"
_MONEY = r"(?:[¥$€£₩₹₽฿]|元|US\$|HK\$|(?i:usd|eur|gbp|cny|rmb|jpy|chf|inr))"
_CODE = r"^0\d{2,}$"  # 007 is a name, not a number


def tidied(words: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """Words with all that decorates a number taken away, and whether each had a percent sign."""
    if not pc.all(pc.string_is_ascii(words)).as_py():
        words = pc.utf8_normalize(words, form="NFKC")  # full-width digits and signs, special blanks
        words = pc.replace_substring_regex(words, "[−–]", "-")
    percent = pc.ends_with(words, "%")
    if not pc.any(pc.match_substring_regex(words, r"[^0-9.,eE+-]")).as_py():
        return words, np.zeros(len(words), bool)
    words = pc.replace_substring_regex(words, r"\s*%$", "")
    words = pc.replace_substring_regex(words, rf"^([+-]?)\s*{_MONEY}\s*([+-]?)|\s*{_MONEY}$", r"\1\2")
    words = pc.replace_substring_regex(words, r"^\(\s*([^-+()]*?)\s*\)$", r"-\1")
    words = pc.replace_substring_regex(words, rf"^(-?){_MONEY}\s*", r"\1")  # ($5)
    words = pc.replace_substring_regex(words, r"^([\d., ]+)-$", r"-\1")
    words = pc.replace_substring_regex(words, r"^([+-])\s+", r"\1")
    spaced = pc.match_substring_regex(words, _SPACED)
    if pc.any(spaced).as_py():
        words = pc.if_else(spaced, pc.replace_substring_regex(words, "[ '’]", ""), words)
    return words, np.asarray(percent)


def decimal_sign(words: pa.Array, weights: np.ndarray, hint: str | None = None) -> tuple[str, float, bool]:
    """The decimal sign by which most rows are numbers, their share, and whether the values tell or `hint` decided.

    Without a hint 1,234 is a thousand and 1.234 is not.
    """
    if not len(words):
        return ".", 0.0, False
    clean, _ = tidied(words)
    total = weights.sum()
    shares = {
        sign: float(weights[np.asarray(pc.match_substring_regex(clean, pattern))].sum() / total)
        for sign, pattern in ((".", _POINT), (",", _COMMA))
    }
    if shares["."] == shares[","]:
        return hint or ".", shares["."], False
    sign = max(shares, key=lambda key: shares[key])
    return sign, shares[sign], True


def are_codes(words: pa.Array) -> bool:
    """Whether some are digits with leading zeros, as in postal codes and account numbers."""
    return bool(pc.any(pc.match_substring_regex(words, _CODE)).as_py())


def are_plain(words: pa.Array) -> bool:
    """Whether all are written as a computer writes numbers."""
    return bool(pc.all(pc.match_substring_regex(words, _PLAIN)).as_py())


def parsed(words: pa.Array, decimal: str = ".") -> np.ndarray:
    """The numbers that words stand for, NaN where they stand for none; 45% is 0.45."""
    clean, percent = tidied(words)
    good = pc.match_substring_regex(clean, _POINT if decimal == "." else _COMMA)
    clean = pc.replace_substring(clean, "," if decimal == "." else ".", "")
    if decimal == ",":
        clean = pc.replace_substring(clean, ",", ".")
    clean = pc.if_else(good, clean, pa.scalar(None, clean.type))
    numbers = np.array(clean.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    numbers[percent] /= 100
    return numbers
