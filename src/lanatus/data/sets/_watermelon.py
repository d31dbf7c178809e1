"""Watermelons, the running example of the book."""

from typing import Any, get_args

import numpy as np
from sklearn.utils import Bunch

from lanatus.catalog import method
from lanatus.data.sets._printed import BOOK, BookTable, describe, load_table, rows_of, words
from lanatus.params import check_choice
from lanatus.table import Attribute, Column, Frame, Language, resolve_frame, whole_frame

_COLOUR = words("色泽", "colour", "青绿 green, 乌黑 black, 浅白 white")
_ROOT = words("根蒂", "root", "蜷缩 curled, 稍蜷 slightly_curled, 硬挺 stiff")
_SOUND = words("敲声", "sound", "浊响 muffled, 沉闷 dull, 清脆 crisp")
_TEXTURE = words("纹理", "texture", "清晰 clear, 稍糊 slightly_blurry, 模糊 blurry")
_NAVEL = words("脐部", "navel", "凹陷 sunken, 稍凹 slightly_sunken, 平坦 flat")
_TOUCH = words("触感", "touch", "硬滑 hard_smooth, 软粘 soft_sticky")
_DENSITY = Attribute("密度", "density")
_SUGAR = Attribute("含糖率", "sugar")
_GOOD = words("好瓜", "good", "是 yes, 否 no")
_SIX = (_COLOUR, _ROOT, _SOUND, _TEXTURE, _NAVEL, _TOUCH)
_WATERMELON: dict[str, BookTable] = {
    "toy": BookTable(
        "watermelon_toy.csv",
        "西瓜数据集",
        "Watermelon toy set",
        f"{BOOK}, section 1.2, Table 1.1",
        (_COLOUR, _ROOT, _SOUND, _GOOD),
        "好瓜",
        notes="Domains are those of the later tables. The table itself shows 2, 3 and 3 values, and the "
        "text counts "
        "its hypotheses for domains of 3, 2 and 2 values. query: the new melon of section 1.4.",
        query=("青绿", "蜷缩", "沉闷"),
    ),
    "2.0": BookTable(
        "watermelon_2_0.csv",
        "西瓜数据集 2.0",
        "Watermelon 2.0",
        f"{BOOK}, section 4.2.1, Table 4.1; split as in section 4.3, Table 4.2",
        (*_SIX, _GOOD),
        "好瓜",
        errata=("Section 4.2.1 prints Gain(D, 色泽) = 0.109; the table gives 0.108125.",),
    ),
    "2.0a": BookTable(
        "watermelon_2_0a.csv",
        "西瓜数据集 2.0α",
        "Watermelon 2.0alpha, with missing values",
        f"{BOOK}, section 4.4.2, Table 4.4",
        (*_SIX, _GOOD),
        "好瓜",
        notes="Watermelon 2.0 with 13 cells missing; a dash is printed there.",
    ),
    "3.0": BookTable(
        "watermelon_3_0.csv",
        "西瓜数据集 3.0",
        "Watermelon 3.0",
        f"{BOOK}, section 4.4.1, Table 4.3",
        (*_SIX, _DENSITY, _SUGAR, _GOOD),
        "好瓜",
        notes="query: the test melon 测1 of section 7.3, equal to row 1.",
        errata=(
            "Section 7.3 prints P(蜷缩|是) = 5/8 = 0.375; it is 0.625.",
            "Section 7.3 prints P(凹陷|是) = 6/8 = 0.750; by the table it is 5/8 = 0.625.",
        ),
        query=("青绿", "蜷缩", "浊响", "清晰", "凹陷", "硬滑", "0.697", "0.460"),
    ),
    "3.0a": BookTable(
        "watermelon_3_0a.csv",
        "西瓜数据集 3.0α",
        "Watermelon 3.0alpha",
        f"{BOOK}, section 4.5, Table 4.5",
        (_DENSITY, _SUGAR, _GOOD),
        "好瓜",
    ),
    "4.0": BookTable(
        "watermelon_4_0.csv",
        "西瓜数据集 4.0",
        "Watermelon 4.0",
        f"{BOOK}, section 9.4.1, Table 9.1",
        (_DENSITY, _SUGAR, _GOOD),
        "好瓜",
        notes="The classes are not in the table but in a margin note: 9 to 21 are not good. Rows 1 to 17 "
        "are 3.0alpha. "
        "must_link, cannot_link and seeds are those of section 13.6, as row positions (the book's numbers "
        "less one).",
        errata=(
            "Section 9.4.1 starts k-means at x6, x12, x27, which stops in round 2; the rounds it tells of "
            "start at x6, x12, x24.",
            "Section 9.4.1 prints the distance of x1 and x27 as 0.166; it is 0.165.",
            "Section 9.4.2 prints p5' = (0.722; 0.442); it is (0.7222; 0.4465).",
        ),
    ),
}
_PREDICATES = {
    "色泽更深": "darker",
    "根蒂更蜷": "more_curled",
    "敲声更沉": "duller",
    "纹理更清": "clearer",
    "脐部更凹": "more_sunken",
    "触感更硬": "harder",
    "更好": "better",
}


@method(
    "data.watermelon-toy",
    "data.watermelon-2-0",
    "data.watermelon-2-0-split",
    "data.watermelon-2-0-alpha",
    "data.watermelon-3-0",
    "data.watermelon-3-0-alpha",
    "data.watermelon-4-0",
    "data.watermelon-5-0",
    section="4.2.1",
    task="data",
    kind="dataset",
    en="Watermelon data sets",
    zh="西瓜数据集",
)
def load_watermelon(
    version: str = "3.0",
    *,
    split: bool = False,
    return_X_y: bool = False,
    frame: Frame | None = None,
    language: Language = "zh",
) -> Any:
    """Watermelons, the running example of the book, in each of its versions.

    Parameters
    ----------
    version : {"toy", "2.0", "2.0a", "3.0", "3.0a", "4.0", "5.0"}, default="3.0"
        Tables 1.1, 4.1, 4.4 (missing values), 4.3, 4.5, 9.1 and 15.1 (relations between melons). The
        book's alpha may also be written ``"2.0α"``.
    split : bool, default=False
        With version 2.0: rows in the order of Table 4.2, and ``part`` telling which are for training and
        which for validation.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas.
    language : {"zh", "en"}, default="zh"
        Words for columns and values: as printed, or in English.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``frame`` (both together; None for numpy), ``feature_names``, ``target_name``,
        ``target_names``, ``schema_kinds`` (name to kind), ``categories`` (name to ordered values), ``ids``
        (the printed numbers), ``errata`` and ``DESCR``; ``query``, ``part``, ``must_link``, ``cannot_link``
        and ``seeds`` where the book has them.

        Version 5.0 has instead ``background`` (predicate to pairs of melons), ``positive`` and ``negative``
        (pairs for which ``target_predicate`` holds or not), ``facts`` (all that is true), ``examples`` (all
        pairs with True or False), ``constants`` and the ``frame`` of it all.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> melons = load_watermelon("3.0", language="en")
    >>> melons.data.shape, melons.target_names
    ((17, 8), ('yes', 'no'))
    >>> melons.categories["root"]
    ('curled', 'slightly_curled', 'stiff')
    >>> load_watermelon("5.0").background["色泽更深"][:2]
    [(1, 14), (1, 16)]
    """
    version = version.replace("α", "a") if isinstance(version, str) else version
    check_choice("version", version, (*_WATERMELON, "5.0"))
    if split and version != "2.0":
        raise ValueError(f"split=True is for version '2.0', whose split is Table 4.2; got version={version!r}.")
    if version == "5.0":
        if return_X_y:
            raise ValueError("version '5.0' is relational and has no X and y; call it with return_X_y=False.")
        return _relations(frame, language)
    extra: dict[str, Any] = {}
    if split:
        _, parts = rows_of("watermelon_2_0_parts.csv")
        extra = {"order": [number for number, _ in parts], "part": np.array([part for _, part in parts])}
    elif version == "4.0":
        extra = {
            "must_link": np.array([[4, 25], [12, 20], [14, 17]]) - 1,
            "cannot_link": np.array([[2, 21], [13, 23], [19, 23]]) - 1,
            "seeds": np.array([[4, 25], [12, 20], [14, 17]]) - 1,
        }
    table = _WATERMELON[version]
    return load_table(table, return_X_y=return_X_y, frame=frame, language=language, **extra)


def _relations(frame: Frame | None, language: Language) -> Bunch:
    """Watermelon 5.0: which melon is darker, duller ... and better than which."""
    check_choice("language", language, get_args(Language))
    _, rows = rows_of("watermelon_5_0.csv")
    word = _PREDICATES if language == "en" else {name: name for name in _PREDICATES}
    goal = word["更好"]
    pairs: dict[str, dict[str, list[tuple[int, int]]]] = {"background": {}, "positive": {}, "negative": {}}
    for part, predicate, x, y in rows:
        pairs[part].setdefault(word[predicate], []).append((int(x), int(y)))
    positive, negative = pairs["positive"][goal], pairs["negative"][goal]
    columns = [
        Column("kind", "nominal", tuple(pairs)),
        Column("predicate", "nominal", tuple(word.values())),
        Column("x", "numeric", dtype="int64"),
        Column("y", "numeric", dtype="int64"),
    ]
    values: list[list[Any]] = [
        [row[0] for row in rows],
        [word[row[1]] for row in rows],
        [int(row[2]) for row in rows],
        [int(row[3]) for row in rows],
    ]
    errata = (
        "The table is printed abridged. Its full content follows from the stated orders of the values: "
        "乌黑 > 青绿 > 浅白, 蜷缩 > 稍蜷 > 硬挺, 沉闷 > 浊响 > 清脆, 清晰 > 稍糊 > 模糊, 凹陷 > 稍凹 > "
        "平坦, 硬滑 > 软粘; "
        "it has the rows (1, 14) and (1, 16) of 色泽更深 and (1, 10) of 敲声更沉, which the print skips "
        "and the text uses.",
        "Section 15.5.1 writes 颜色更深 and 声音更沉 for 色泽更深 and 敲声更沉.",
    )
    return Bunch(
        facts={**pairs["background"], goal: positive},
        background=pairs["background"],
        positive=positive,
        negative=negative,
        examples=[(pair, True) for pair in positive] + [(pair, False) for pair in negative],
        target_predicate=goal,
        constants=tuple(sorted({int(i) for row in rows for i in row[2:]})),
        frame=whole_frame(columns, values, resolve_frame(frame)),
        errata=errata,
        DESCR=describe(
            "Watermelon 5.0, relations between melons",
            "西瓜数据集 5.0",
            f"{BOOK}, section 15.4, Table 15.1",
            "Built from the training melons of Table 4.2; the numbers are theirs. 更好 better is the "
            "predicate to learn.",
            errata,
        ),
    )
