"""The data tables printed in the books.

The files in ``tables/`` hold what is printed, in the words of the books; what is misprinted is put right
here, in the loader, which lists it under ``errata``. English words are translations kept in the registry
below.
"""

import csv
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils import Bunch

from lanatus.data._schema import Column, Kind

Frame = Literal["pandas", "polars", "pyarrow", "numpy"]
Language = Literal["zh", "en"]


# ------------------------------------------------------------ columns into containers


@dataclass(frozen=True)
class Attribute:
    """One printed column: its name in both languages, its kind and its values as (printed, English) pairs."""

    name: str
    en: str
    kind: Kind = "numeric"
    values: tuple[tuple[str, str], ...] = ()
    whole: bool = False

    def column(self, language: str) -> Column:
        """Name, kind and ordered domain in one language."""
        name = self.en if language == "en" else self.name
        domain = tuple(pair[language == "en"] for pair in self.values)
        return Column(name, self.kind, domain, "int64" if self.whole else "float64")

    def read(self, cells: Sequence[str], language: str) -> list[Any]:
        """Printed cells as numbers or words of one language; an empty cell is missing."""
        if self.kind == "numeric":
            number = int if self.whole else float
            return [number(cell) if cell else None for cell in cells]
        word = {printed: (printed, en)[language == "en"] for printed, en in self.values}
        return [word[cell] if cell else None for cell in cells]


def choice(name: str, got: object, wanted: Sequence[object]) -> None:
    """Refuse a value that is not among those wanted."""
    if got not in wanted:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, wanted))}; got {got!r}.")


def resolve_frame(frame: Frame | None) -> str:
    """The container to use: the one named if it is installed, or for None pandas, or else numpy."""
    if frame is None:
        return "pandas" if importlib.util.find_spec("pandas") else "numpy"
    choice("frame", frame, (*get_args(Frame), None))
    if frame != "numpy" and importlib.util.find_spec(frame) is None:
        raise ImportError(
            f"frame={frame!r} needs {frame}, which is not installed: pip install 'lanatus[frames]'."
        )
    return frame


def _in_numpy(column: Column, values: Sequence[Any]) -> np.ndarray:
    if column.kind != "numeric":
        return np.array(values, dtype=object)
    return np.array(
        [np.nan if v is None else v for v in values], dtype=None if column.dtype == "int64" else float
    )


def _pandas_frame(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> Any:
    import pandas as pd

    def series(column: Column, cells: Sequence[Any]) -> Any:
        if column.kind == "numeric":
            return _in_numpy(column, cells)
        return pd.Categorical(cells, categories=list(column.categories), ordered=column.kind == "ordinal")

    return pd.DataFrame({c.name: series(c, cells) for c, cells in zip(columns, values, strict=True)})


def _polars_frame(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> Any:
    import polars as pl

    def dtype(column: Column) -> Any:
        if column.kind == "numeric":
            return pl.Int64 if column.dtype == "int64" else pl.Float64
        return pl.Enum(column.categories)

    return pl.DataFrame(
        [pl.Series(c.name, cells, dtype=dtype(c)) for c, cells in zip(columns, values, strict=True)]
    )


def _arrow_table(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> Any:
    import pyarrow as pa

    def array(column: Column, cells: Sequence[Any]) -> Any:
        if column.kind == "numeric":
            return pa.array(cells, pa.int64() if column.dtype == "int64" else pa.float64())
        position = {value: code for code, value in enumerate(column.categories)}
        codes = pa.array([None if cell is None else position[cell] for cell in cells], pa.int32())
        domain = pa.array(column.categories, pa.string())
        return pa.DictionaryArray.from_arrays(codes, domain, ordered=column.kind == "ordinal")

    return pa.table({c.name: array(c, cells) for c, cells in zip(columns, values, strict=True)})


_FRAMES: dict[str, Callable[[Sequence[Column], Sequence[Sequence[Any]]], Any]] = {
    "pandas": _pandas_frame,
    "polars": _polars_frame,
    "pyarrow": _arrow_table,
}


def _matrix(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> np.ndarray:
    """A float matrix when every column is numeric, or else an object matrix in which None is missing."""
    mixed = any(column.kind != "numeric" for column in columns)
    matrix = np.empty((len(values[0]), len(columns)), dtype=object if mixed else float)
    for j, (column, cells) in enumerate(zip(columns, values, strict=True)):
        matrix[:, j] = _in_numpy(column, cells)
    return matrix


def whole_frame(columns: Sequence[Column], values: Sequence[Sequence[Any]], frame: str) -> Any:
    """All columns in the data frame asked for; None for numpy, which has none."""
    return None if frame == "numpy" else _FRAMES[frame](columns, values)


def _features(columns: Sequence[Column], values: Sequence[Sequence[Any]], frame: str) -> Any:
    return _matrix(columns, values) if frame == "numpy" else _FRAMES[frame](columns, values)


def tabular_bunch(
    columns: Sequence[Column],
    values: Sequence[Sequence[Any]],
    *,
    target: str | None,
    frame: Frame | None,
    **extra: Any,
) -> Bunch:
    """A Bunch from columns of plain Python values, the target being one of the columns or absent."""
    how = resolve_frame(frame)
    at = [j for j, column in enumerate(columns) if column.name != target]
    features = [columns[j] for j in at]
    whole = whole_frame(columns, values, how)
    bunch = Bunch(
        data=_features(features, [values[j] for j in at], how),
        frame=whole,
        feature_names=[column.name for column in features],
        schema_kinds={column.name: column.kind for column in features},
        categories={column.name: column.categories for column in features if column.kind != "numeric"},
    )
    if target is not None:
        column, cells = next((c, v) for c, v in zip(columns, values, strict=True) if c.name == target)
        bunch.target = _in_numpy(column, cells) if whole is None else whole[target]
        bunch.target_name = target
        if column.kind != "numeric":
            bunch.target_names = column.categories
    bunch.update(extra)
    return bunch


# ------------------------------------------------------------ registry


@dataclass(frozen=True)
class BookTable:
    """What a printed table is called, where it stands, what its columns mean and what is wrong with it."""

    file: str
    zh: str
    en: str
    source: str
    attributes: tuple[Attribute, ...]
    target: str | None = None
    notes: str = ""
    errata: tuple[str, ...] = ()
    query: tuple[str, ...] = ()

    def describe(self) -> str:
        """Text for ``DESCR``."""
        lines = [f"{self.en} ({self.zh})", f"Source: {self.source}.", "", "Columns:"]
        for attribute in self.attributes:
            domain = ", ".join(zh if zh == en else f"{zh} {en}" for zh, en in attribute.values)
            role = " [target]" if attribute.name == self.target else ""
            what = f"{attribute.kind}{role}" + (f": {domain}" if domain else "")
            name = attribute.name if attribute.name == attribute.en else f"{attribute.name} {attribute.en}"
            lines.append(f"- {name}, {what}")
        return "\n".join(lines + _remarks(self.notes, self.errata)) + "\n"


def _remarks(notes: str, errata: Sequence[str]) -> list[str]:
    lines = ["", notes] if notes else []
    return lines + (["", "Errata:", *(f"- {erratum}" for erratum in errata)] if errata else [])


def _descr(en: str, zh: str, source: str, notes: str = "", errata: Sequence[str] = ()) -> str:
    return "\n".join([f"{en} ({zh})", f"Source: {source}.", *_remarks(notes, errata)]) + "\n"


def _nominal(name: str, en: str, values: str, kind: Kind = "nominal") -> Attribute:
    """An attribute from ``"printed english, printed english"``."""
    pairs = [value.split() for value in values.split(",")]
    return Attribute(name, en, kind, tuple((printed, english) for printed, english in pairs))


_COLOUR = _nominal("色泽", "colour", "青绿 green, 乌黑 black, 浅白 white")
_ROOT = _nominal("根蒂", "root", "蜷缩 curled, 稍蜷 slightly_curled, 硬挺 stiff")
_SOUND = _nominal("敲声", "sound", "浊响 muffled, 沉闷 dull, 清脆 crisp")
_TEXTURE = _nominal("纹理", "texture", "清晰 clear, 稍糊 slightly_blurry, 模糊 blurry")
_NAVEL = _nominal("脐部", "navel", "凹陷 sunken, 稍凹 slightly_sunken, 平坦 flat")
_TOUCH = _nominal("触感", "touch", "硬滑 hard_smooth, 软粘 soft_sticky")
_DENSITY = Attribute("密度", "density")
_SUGAR = Attribute("含糖率", "sugar")
_GOOD = _nominal("好瓜", "good", "是 yes, 否 no")
_SIX = (_COLOUR, _ROOT, _SOUND, _TEXTURE, _NAVEL, _TOUCH)

_BOOK = "Zhou Zhihua, Machine Learning (机器学习, 2016)"

_WATERMELON: dict[str, BookTable] = {
    "toy": BookTable(
        "watermelon_toy.csv",
        "西瓜数据集",
        "Watermelon toy set",
        f"{_BOOK}, section 1.2, Table 1.1",
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
        f"{_BOOK}, section 4.2.1, Table 4.1; split as in section 4.3, Table 4.2",
        (*_SIX, _GOOD),
        "好瓜",
        errata=("Section 4.2.1 prints Gain(D, 色泽) = 0.109; the table gives 0.108125.",),
    ),
    "2.0a": BookTable(
        "watermelon_2_0a.csv",
        "西瓜数据集 2.0α",
        "Watermelon 2.0alpha, with missing values",
        f"{_BOOK}, section 4.4.2, Table 4.4",
        (*_SIX, _GOOD),
        "好瓜",
        notes="Watermelon 2.0 with 13 cells missing; a dash is printed there.",
    ),
    "3.0": BookTable(
        "watermelon_3_0.csv",
        "西瓜数据集 3.0",
        "Watermelon 3.0",
        f"{_BOOK}, section 4.4.1, Table 4.3",
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
        f"{_BOOK}, section 4.5, Table 4.5",
        (_DENSITY, _SUGAR, _GOOD),
        "好瓜",
    ),
    "4.0": BookTable(
        "watermelon_4_0.csv",
        "西瓜数据集 4.0",
        "Watermelon 4.0",
        f"{_BOOK}, section 9.4.1, Table 9.1",
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

_LOAN = BookTable(
    "loan.csv",
    "贷款申请数据表",
    "Loan application table",
    "Lecture slides on statistical machine learning, section 4.2",
    (
        _nominal("年龄", "age", "青年 young, 中年 middle_aged, 老年 old", "ordinal"),
        _nominal("有工作", "has_job", "否 no, 是 yes"),
        _nominal("有房子", "owns_house", "否 no, 是 yes"),
        _nominal("信贷情况", "credit", "一般 fair, 好 good, 非常好 very_good", "ordinal"),
        _nominal("类别", "approved", "否 no, 是 yes"),
    ),
    "类别",
    notes="The slides call the attributes A1 to A4 and split them by value, without using the order of A1 "
    "and A4.",
    errata=("The gain of 年龄 among those without a house is printed 0.251; it is 0.252 (0.251629).",),
)

_SEX = BookTable(
    "sex.csv",
    "性别分类数据表",
    "Age, hair, heel, clothes and sex",
    "A chapter on statistical machine learning, section 5.2, Table 5.1 (called 5.2 later in its text)",
    (
        _nominal("年龄", "age", "青年 young, 中年 middle_aged, 老年 old", "ordinal"),
        _nominal("发长", "hair", "短发 short, 中发 medium, 长发 long", "ordinal"),
        _nominal("鞋跟", "heel", "平底 flat, 高跟 high"),
        _nominal("服装", "clothes", "深色 dark, 浅色 light, 花色 patterned"),
        _nominal("性别", "sex", "男性 male, 女性 female"),
    ),
    "性别",
    notes="query: the person to classify in section 5.2.",
    errata=("The score of 女性 for the query is printed 0.007030; it is 12/1715 = 0.006997.",),
    query=("青年", "中发", "平底", "花色"),
)

_THREE_POINTS = BookTable(
    "svm_three_points.csv",
    "三点支持向量机例",
    "Three-point SVM example",
    "Lecture slides on statistical machine learning, section 4.1",
    (Attribute("x1", "x1"), Attribute("x2", "x2"), Attribute("y", "y", whole=True)),
    "y",
)

_RATINGS = BookTable(
    "book_ratings.csv",
    "图书评分表",
    "Book ratings with unknown entries",
    f"{_BOOK}, section 11.6, Table 11.1",
    (
        Attribute("笑傲江湖", "The Smiling, Proud Wanderer"),
        Attribute("万历十五年", "1587, a Year of No Significance"),
        Attribute("人间词话", "Remarks on Lyrics in the Human World"),
        Attribute("云海玉弓缘", "Jade Bow in the Sea of Clouds"),
        Attribute("人类的故事", "The Story of Mankind"),
    ),
    notes="5 is the best; 9 of the 20 entries are unknown. The 1st and 4th are martial-arts novels, the "
    "2nd and 5th "
    "history, the 3rd poetry criticism.",
)
_READERS = {"赵大": "Zhao Da", "钱二": "Qian Er", "孙三": "Sun San", "李四": "Li Si"}
_GENRES = ("wuxia", "history", "poetry", "wuxia", "history")

_RANKS = BookTable(
    "algorithm_ranks.csv",
    "算法比较序值表",
    "Ranks of three algorithms on four data sets",
    f"{_BOOK}, section 2.4.4, Table 2.5",
    (Attribute("A", "A"), Attribute("B", "B"), Attribute("C", "C")),
    notes="The last row of the printed table, the mean ranks 1, 2.125 and 2.875, is left out.",
)

_CITIES = {
    "北京": "Beijing",
    "天津": "Tianjin",
    "上海": "Shanghai",
    "重庆": "Chongqing",
    "呼市": "Hohhot",
    "乌市": "Urumqi",
    "拉萨": "Lhasa",
    "银川": "Yinchuan",
    "南宁": "Nanning",
    "哈尔滨": "Harbin",
}

_STATES = {"健康": "healthy", "缺水": "dry", "溢水": "flooded", "凋亡": "dead"}
_ACTIONS = {"浇水": "water", "不浇水": "no_water"}


def _rows(file: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a file in ``tables/``."""
    text = files("lanatus.data").joinpath("tables", file).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return header, rows


def _load(
    table: BookTable,
    *,
    return_X_y: bool,
    frame: Frame | None,
    language: Language,
    order: Sequence[str] | None = None,
    id_words: Mapping[str, str] | None = None,
    **extra: Any,
) -> Any:
    """Read one registered table; `order` picks the rows by their printed numbers."""
    choice("language", language, get_args(Language))
    header, rows = _rows(table.file)
    if order is not None:
        by_id = {row[0]: row for row in rows}
        rows = [by_id[number] for number in order]
    cells = {name: [row[j] for row in rows] for j, name in enumerate(header)}
    columns = [attribute.column(language) for attribute in table.attributes]
    values = [attribute.read(cells[attribute.name], language) for attribute in table.attributes]
    ids = cells[header[0]]
    if id_words is not None and language == "en":
        ids = [id_words[word] for word in ids]
    target = next(
        (c.name for c, a in zip(columns, table.attributes, strict=True) if a.name == table.target), None
    )
    bunch = tabular_bunch(
        columns,
        values,
        target=target,
        frame=frame,
        ids=np.array([int(i) for i in ids]) if all(i.isdigit() for i in ids) else np.array(ids, dtype=object),
        errata=table.errata,
        DESCR=table.describe(),
        **extra,
    )
    if table.query:
        asked = table.attributes[: len(table.query)]
        query = [a.read([cell], language) for a, cell in zip(asked, table.query, strict=True)]
        bunch.query = _features(columns[: len(asked)], query, resolve_frame(frame))
    return (bunch.data, bunch.target) if return_X_y else bunch


# ------------------------------------------------------------ loaders


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
        Container of `data` and `target`; None is pandas where it is installed, or else numpy.
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
    choice("version", version, (*_WATERMELON, "5.0"))
    if split and version != "2.0":
        raise ValueError(
            f"split=True is for version '2.0', whose split is Table 4.2; got version={version!r}."
        )
    if version == "5.0":
        if return_X_y:
            raise ValueError("version '5.0' is relational and has no X and y; call it with return_X_y=False.")
        return _relations(frame, language)
    extra: dict[str, Any] = {}
    if split:
        _, parts = _rows("watermelon_2_0_parts.csv")
        extra = {"order": [number for number, _ in parts], "part": np.array([part for _, part in parts])}
    elif version == "4.0":
        extra = {
            "must_link": np.array([[4, 25], [12, 20], [14, 17]]) - 1,
            "cannot_link": np.array([[2, 21], [13, 23], [19, 23]]) - 1,
            "seeds": np.array([[4, 25], [12, 20], [14, 17]]) - 1,
        }
    table = _WATERMELON[version]
    return _load(table, return_X_y=return_X_y, frame=frame, language=language, **extra)


def _relations(frame: Frame | None, language: Language) -> Bunch:
    """Watermelon 5.0: which melon is darker, duller ... and better than which."""
    choice("language", language, get_args(Language))
    _, rows = _rows("watermelon_5_0.csv")
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
        DESCR=_descr(
            "Watermelon 5.0, relations between melons",
            "西瓜数据集 5.0",
            f"{_BOOK}, section 15.4, Table 15.1",
            "Built from the training melons of Table 4.2; the numbers are theirs. 更好 better is the "
            "predicate to learn.",
            errata,
        ),
    )


def load_loan(*, return_X_y: bool = False, frame: Frame | None = None, language: Language = "zh") -> Any:
    """Fifteen loan applications: age, job, house, credit, and whether the loan was granted.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas where it is installed, or else numpy.
    language : {"zh", "en"}, default="zh"
        Words for columns and values: as printed, or in English.

    Returns
    -------
    Bunch
        As :func:`load_watermelon` returns. Age and credit are ordinal.

    Examples
    --------
    >>> from lanatus.data import load_loan
    >>> load_loan(language="en").categories["credit"]
    ('fair', 'good', 'very_good')
    """
    return _load(_LOAN, return_X_y=return_X_y, frame=frame, language=language)


def load_sex_table(*, return_X_y: bool = False, frame: Frame | None = None, language: Language = "zh") -> Any:
    """Fifteen people: age, length of hair, heels, clothes, and their sex.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas where it is installed, or else numpy.
    language : {"zh", "en"}, default="zh"
        Words for columns and values: as printed, or in English.

    Returns
    -------
    Bunch
        As :func:`load_watermelon` returns, with the chapter's ``query``. Age and hair are ordinal.

    Examples
    --------
    >>> from lanatus.data import load_sex_table
    >>> load_sex_table(language="en", frame="numpy").query.tolist()
    [['young', 'medium', 'flat', 'patterned']]
    """
    return _load(_SEX, return_X_y=return_X_y, frame=frame, language=language)


def load_svm_three_points(*, return_X_y: bool = False, frame: Frame | None = None) -> Any:
    """The slides' support vector machine by hand: (3, 3) and (4, 3) against (1, 1).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas where it is installed, or else numpy.

    Returns
    -------
    Bunch
        As :func:`load_watermelon` returns; the target is 1 or -1.

    Examples
    --------
    >>> from lanatus.data import load_svm_three_points
    >>> X, y = load_svm_three_points(return_X_y=True, frame="numpy")
    >>> X.tolist(), y.tolist()
    ([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1])
    """
    return _load(_THREE_POINTS, return_X_y=return_X_y, frame=frame, language="en", target_names=(1, -1))


def load_book_ratings(*, frame: Frame | None = None, language: Language = "zh") -> Bunch:
    """Ratings of five books by four readers, nine of them unknown (Table 11.1).

    Parameters
    ----------
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data`; None is pandas where it is installed, or else numpy.
    language : {"zh", "en"}, default="zh"
        Titles and names: as printed, or in English.

    Returns
    -------
    Bunch
        ``data`` and ``frame`` (readers by books, unknown ratings missing), ``feature_names`` (titles),
        ``ids`` (readers), ``genres`` (title to genre), ``schema_kinds``, ``errata`` and ``DESCR``.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.data import load_book_ratings
    >>> ratings = load_book_ratings(frame="numpy", language="en")
    >>> ratings.ids[0], ratings.data[0].tolist()
    ('Zhao Da', [5.0, nan, nan, 3.0, 2.0])
    """
    bunch = _load(_RATINGS, return_X_y=False, frame=frame, language=language, id_words=_READERS)
    bunch.genres = dict(zip(bunch.feature_names, _GENRES, strict=True))
    return bunch


def load_algorithm_comparison(*, frame: Frame | None = None) -> Bunch:
    """Ranks of algorithms A, B and C on four data sets (Table 2.5), for the Friedman and Nemenyi tests.

    Parameters
    ----------
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data`; None is pandas where it is installed, or else numpy.

    Returns
    -------
    Bunch
        ``data`` and ``frame`` (data sets by algorithms), ``feature_names`` (algorithms), ``ids`` (data sets),
        ``schema_kinds``, ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_algorithm_comparison
    >>> load_algorithm_comparison(frame="numpy").data.mean(axis=0).tolist()
    [1.0, 2.125, 2.875]
    """
    return _load(_RANKS, return_X_y=False, frame=frame, language="zh")


def load_city_distances(
    *, fix_beijing_chongqing: bool = True, frame: Frame | None = None, language: Language = "zh"
) -> Bunch:
    """Distances in km between ten Chinese cities, for multidimensional scaling (cookbook 9.2).

    Parameters
    ----------
    fix_beijing_chongqing : bool, default=True
        Use 2026 for Beijing-Chongqing, printed 3026 one way and 3006 the other. False gives the print,
        which is not symmetric.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `frame`; None is pandas where it is installed, or else numpy (no frame).
    language : {"zh", "en"}, default="zh"
        Names of the cities: as printed, or in English.

    Returns
    -------
    Bunch
        ``data`` (array of shape (10, 10)), ``names``, ``frame``, ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_city_distances
    >>> cities = load_city_distances(language="en")
    >>> cities.names[0], cities.names[3], int(cities.data[0, 3])
    ('Beijing', 'Chongqing', 2026)
    """
    choice("language", language, get_args(Language))
    header, rows = _rows("city_distances.csv")
    names = tuple(_CITIES[city] if language == "en" else city for city in header[1:])
    data = np.array([row[1:] for row in rows], dtype=float)
    if fix_beijing_chongqing:
        i, j = header.index("北京") - 1, header.index("重庆") - 1
        data[i, j] = data[j, i] = 2026
    errata = (
        "Beijing-Chongqing is printed 3026 in one half and 3006 in the other; Tianjin bounds it by 2079.",
    )
    columns = [Column(name, "numeric") for name in names]
    return Bunch(
        data=data,
        names=names,
        frame=whole_frame(columns, data.T.tolist(), resolve_frame(frame)),
        errata=errata,
        DESCR=_descr(
            "Distances between ten Chinese cities",
            "十城市距离表",
            "Machine Learning Cookbook, section 9.2.2",
            "Four more pairs break the triangle inequality, by 110 km at most, and are kept as printed.",
            errata,
        ),
    )


_CRITICAL: dict[str, tuple[str, str, str, dict[tuple[float, ...], tuple[float, float]]]] = {
    "t": ("t_critical.csv", "Two-sided t test, k - 1 degrees of freedom", "Table 2.3", {}),
    "friedman-f": (
        "friedman_f_critical.csv",
        "Friedman test, the F version",
        "Table 2.6",
        {(0.1, 4, 9): (1.940, 1.941)},
    ),
    "nemenyi": (
        "nemenyi_q.csv",
        "Nemenyi test, q_alpha",
        "Table 2.7",
        {(0.05, 7): (2.949, 2.948), (0.1, 5): (2.459, 2.460)},
    ),
}


def load_critical_values(which: str = "t", *, frame: Frame | None = None) -> Bunch:
    """Critical values of the tests that compare learners (Tables 2.3, 2.6 and 2.7).

    Parameters
    ----------
    which : {"t", "friedman-f", "nemenyi"}, default="t"
        The test: two-sided t, Friedman's in its F version, or Nemenyi's q.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `frame`; None is pandas where it is installed, or else numpy (no frame).

    Returns
    -------
    Bunch
        ``data`` with one axis for each of ``alpha``, ``n_datasets`` (Friedman only) and ``k``, which name
        its places; ``frame`` with one value a row; ``errata`` and ``DESCR``. Three entries whose last
        printed digit is off by one are put right.

    Examples
    --------
    >>> from lanatus.data import load_critical_values
    >>> q = load_critical_values("nemenyi")
    >>> float(q.data[list(q.alpha).index(0.05), list(q.k).index(3)])
    2.344
    """
    choice("which", which, tuple(_CRITICAL))
    file, title, number, misprints = _CRITICAL[which]
    header, rows = _rows(file)
    n_keys = header.index("2")
    ks = [int(k) for k in header[n_keys:]]
    entries = {
        (*(float(key) for key in row[:n_keys]), float(k)): float(value)
        for row in rows
        for k, value in zip(ks, row[n_keys:], strict=True)
    }
    errata = []
    for key, (printed, right) in misprints.items():
        entries[key] = right
        place = ", ".join(f"{name}={v:g}" for name, v in zip((*header[:n_keys], "k"), key, strict=True))
        errata.append(f"{place} is printed {printed:.3f}; rounded rightly it is {right:.3f}.")
    axes = [list(dict.fromkeys(key[axis] for key in entries)) for axis in range(n_keys + 1)]
    names = [*header[:n_keys], "k"]
    columns = [Column(name, "numeric", dtype="float64" if name == "alpha" else "int64") for name in names]
    values: list[list[Any]] = [
        [key[axis] if name == "alpha" else int(key[axis]) for key in entries]
        for axis, name in enumerate(names)
    ]
    table = whole_frame(
        [*columns, Column("value", "numeric")], [*values, list(entries.values())], resolve_frame(frame)
    )
    places = {
        name: np.array(axis if name == "alpha" else [int(place) for place in axis])
        for name, axis in zip(names, axes, strict=True)
    }
    return Bunch(
        data=np.array(list(entries.values())).reshape([len(axis) for axis in axes]),
        frame=table,
        errata=tuple(errata),
        DESCR=_descr(f"Critical values: {title}", "临界值表", f"{_BOOK}, section 2.4, {number}", "", errata),
        **places,
    )


def load_fusion_tables() -> Bunch:
    """Six classifiers' outputs for three classes, to be fused by rank and by score (cookbook 11.4).

    Returns
    -------
    Bunch
        ``ranking`` (array of shape (6, 3): the classes from first to last), ``scores`` (array of shape (6,
        3): of classes 1, 2 and 3), ``points`` (3, 2, 1 for first, second, third), ``classes``,
        ``classifiers``, ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_fusion_tables
    >>> fusion = load_fusion_tables()
    >>> fusion.scores.sum(axis=0).round(2).tolist()
    [2.8, 2.1, 1.0]
    """
    header, ranks = _rows("fusion_ranks.csv")
    _, scored = _rows("fusion_scores.csv")
    scores = np.zeros((len(header) - 1, len(ranks)))
    for row in scored:
        for i, cell in enumerate(row[1:]):
            label, score = cell.split(":")
            scores[i, int(label) - 1] = float(score)
    errata = (
        "By rank, class 2 is printed to get 14 points and win; the table gives it 13, a tie with class 1.",
        "By score, class 3 is printed to get 1.9; the table gives it 1.0. Class 1 wins either way.",
    )
    return Bunch(
        ranking=np.array([row[1:] for row in ranks], dtype=int).T,
        scores=scores,
        points=np.array([3, 2, 1]),
        classes=np.array([1, 2, 3]),
        classifiers=tuple(header[1:]),
        errata=errata,
        DESCR=_descr(
            "Rank-level and measurement-level fusion tables",
            "排序层与度量层融合表",
            "Machine Learning Cookbook, section 11.4",
            "The scores of h4 sum to 0.6 and those of h5 to 1.3: they are not normalised.",
            errata,
        ),
    )


def load_voting_toy() -> Bunch:
    """Three classifiers on three test cases: where voting helps, does nothing, and harms (Fig. 8.2).

    Returns
    -------
    Bunch
        ``data`` (bool array of shape (3, 3, 3): situation, classifier, test case; True is right), ``cases``
        (the situations), ``classifiers``, ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_voting_toy
    >>> toy = load_voting_toy()
    >>> (toy.data.sum(axis=1) >= 2).mean(axis=1).round(3).tolist()
    [1.0, 0.667, 0.0]
    """
    header, rows = _rows("voting_toy.csv")
    cases, names = (tuple(dict.fromkeys(row[j] for row in rows)) for j in (0, 1))
    right = np.array([row[2:] for row in rows], dtype=int).astype(bool)
    return Bunch(
        data=right.reshape(len(cases), len(names), len(header) - 2),
        cases=cases,
        classifiers=names,
        errata=(),
        DESCR=_descr(
            "Voting by three classifiers",
            "集成个体应好而不同",
            f"{_BOOK}, section 8.1, Figure 8.2",
            "(a) voting is better than each, (b) the same, (c) worse.",
        ),
    )


def load_ecoc_codes(coding: str = "binary") -> Bunch:
    """Error-correcting output codes of four classes, with a test sample's outputs (Fig. 3.5).

    The figure is not in the text that we could check: the entries are recalled, and agree with all that the
    text says of them.

    Parameters
    ----------
    coding : {"binary", "ternary"}, default="binary"
        Figure 3.5 (a), codes of -1 and 1, or (b), where 0 leaves a class out.

    Returns
    -------
    Bunch
        ``data`` (int array, classes by classifiers), ``test_code``, ``classes``, ``classifiers``,
        ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_ecoc_codes
    >>> codes = load_ecoc_codes()
    >>> (codes.data != codes.test_code).sum(axis=1).tolist()
    [3, 4, 1, 2]
    """
    choice("coding", coding, ("binary", "ternary"))
    header, rows = _rows(f"ecoc_{coding}.csv")
    codes = np.array([row[1:] for row in rows], dtype=int)
    return Bunch(
        data=codes[:-1],
        test_code=codes[-1],
        classes=tuple(row[0] for row in rows[:-1]),
        classifiers=tuple(header[1:]),
        errata=(),
        DESCR=_descr(
            f"Error-correcting output codes, {coding}",
            "纠错输出码",
            f"{_BOOK}, section 3.5, Figure 3.5",
            "Recalled, as the figure is missing from our source; consistent with the text.",
        ),
    )


def load_watering_mdp(*, frame: Frame | None = None, language: Language = "zh") -> Bunch:
    """Watering melons as a Markov decision process (Fig. 16.2).

    States, actions, rewards and the best policy are in the text; the transition probabilities were only in
    the figure, which is missing from our source, and are recalled. They agree with all that the text says.

    Parameters
    ----------
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `frame`; None is pandas where it is installed, or else numpy (no frame).
    language : {"zh", "en"}, default="zh"
        Words for states and actions: as printed, or in English.

    Returns
    -------
    Bunch
        ``transition`` and ``reward`` (arrays of shape (4, 2, 4): state, action, next state; the reward is
        that of the state arrived in), ``states``, ``actions``, ``terminal`` (the absorbing state),
        ``frame`` (one transition a row), ``errata`` and ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_watering_mdp
    >>> mdp = load_watering_mdp(language="en")
    >>> mdp.states, mdp.transition[0, 0].tolist()
    (('healthy', 'dry', 'flooded', 'dead'), [0.6, 0.0, 0.4, 0.0])
    """
    choice("language", language, get_args(Language))
    _, rows = _rows("watering_mdp.csv")
    states, actions = list(_STATES), list(_ACTIONS)
    transition = np.zeros((len(states), len(actions), len(states)))
    arrival = np.zeros(len(states))
    for state, action, after, p, r in rows:
        transition[states.index(state), actions.index(action), states.index(after)] = float(p)
        arrival[states.index(after)] = float(r)
    word = {**_STATES, **_ACTIONS} if language == "en" else {name: name for name in (*_STATES, *_ACTIONS)}
    shown, doing = tuple(word[s] for s in states), tuple(word[a] for a in actions)
    columns = [
        Column("state", "nominal", shown),
        Column("action", "nominal", doing),
        Column("next", "nominal", shown),
        Column("p", "numeric"),
        Column("r", "numeric"),
    ]
    values: list[list[Any]] = [[word[row[j]] for row in rows] for j in range(3)]
    values += [[float(row[j]) for row in rows] for j in (3, 4)]
    return Bunch(
        transition=transition,
        reward=np.broadcast_to(arrival, transition.shape).copy(),
        states=shown,
        actions=doing,
        terminal=word["凋亡"],
        frame=whole_frame(columns, values, resolve_frame(frame)),
        errata=(),
        DESCR=_descr(
            "Watering melons, a Markov decision process",
            "给西瓜浇水的马尔可夫决策过程",
            f"{_BOOK}, section 16.1, Figure 16.2",
            "The probabilities are recalled, not printed in our source; the rest is the text's.",
        ),
    )


@dataclass(frozen=True)
class _Graph:
    zh: str
    en: str
    section: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    directed: bool
    nodes_en: tuple[str, ...] = ()
    cliques: tuple[tuple[str, ...], ...] = ()
    potentials: tuple[tuple[tuple[float, ...], ...], ...] = ()
    notes: str = ""


def _links(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((a, b) for a, b in (pair.split("-") for pair in text.split()))


_GRAPHS = {
    "7.2": _Graph(
        "西瓜问题的贝叶斯网",
        "Bayesian network of the melon problem",
        "7.5",
        ("好瓜", "甜度", "敲声", "色泽", "根蒂"),
        _links("好瓜-敲声 好瓜-色泽 甜度-色泽 甜度-根蒂"),
        directed=True,
        nodes_en=("good", "sweetness", "sound", "colour", "root"),
        notes="Of its tables only P(根蒂=硬挺 | 甜度=高) = 0.1 is in the text. That x3 is 敲声 is inferred.",
    ),
    "14.2": _Graph(
        "马尔可夫随机场",
        "Markov random field",
        "14.2",
        ("x1", "x2", "x3", "x4", "x5", "x6"),
        _links("x1-x2 x1-x3 x2-x4 x2-x5 x2-x6 x3-x5 x5-x6"),
        directed=False,
        cliques=(("x1", "x2"), ("x1", "x3"), ("x2", "x4"), ("x3", "x5"), ("x2", "x5", "x6")),
    ),
    "14.4": _Graph(
        "由三部分构成的马尔可夫随机场",
        "Markov random field of three variables, with potentials",
        "14.2",
        ("A", "B", "C"),
        _links("A-C B-C"),
        directed=False,
        cliques=(("A", "C"), ("B", "C")),
        potentials=(((1.5, 0.1), (0.1, 1.5)), ((0.2, 1.3), (1.3, 0.2))),
    ),
    "14.7": _Graph(
        "变量消去的有向图",
        "Directed graph for variable elimination",
        "14.4.1",
        ("x1", "x2", "x3", "x4", "x5"),
        _links("x1-x2 x2-x3 x3-x4 x3-x5"),
        directed=True,
    ),
}


def load_graph(figure: str = "14.4", *, language: Language = "zh") -> Bunch:
    """Graphs of the book's graphical models, with potentials where it prints them.

    Parameters
    ----------
    figure : {"7.2", "14.2", "14.4", "14.7"}, default="14.4"
        Number of the figure: the melon Bayesian network, two Markov random fields (the second with
        numbers), and the graph of variable elimination.
    language : {"zh", "en"}, default="zh"
        Names of the variables: as printed, or in English.

    Returns
    -------
    Bunch
        ``nodes``, ``edges`` (parent first where ``directed``), ``cliques`` (the maximal ones; of undirected
        graphs), ``potentials`` (clique to array over the values 0 and 1, in figure 14.4), ``errata`` and
        ``DESCR``.

    Examples
    --------
    >>> from lanatus.data import load_graph
    >>> field = load_graph("14.4")
    >>> field.potentials["A", "C"].tolist()
    [[1.5, 0.1], [0.1, 1.5]]
    """
    choice("figure", figure, tuple(_GRAPHS))
    choice("language", language, get_args(Language))
    graph = _GRAPHS[figure]
    if language == "en" and graph.nodes_en:
        word = dict(zip(graph.nodes, graph.nodes_en, strict=True))
        graph = replace(graph, nodes=graph.nodes_en, edges=tuple((word[a], word[b]) for a, b in graph.edges))
    tables = zip(graph.cliques, graph.potentials, strict=True) if graph.potentials else ()
    return Bunch(
        nodes=graph.nodes,
        edges=graph.edges,
        directed=graph.directed,
        cliques=graph.cliques,
        potentials={clique: np.array(table) for clique, table in tables},
        errata=(),
        DESCR=_descr(graph.en, graph.zh, f"{_BOOK}, section {graph.section}, Figure {figure}", graph.notes),
    )
