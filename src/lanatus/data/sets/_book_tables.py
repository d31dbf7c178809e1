"""Small tables of the books to learn from: loans, people, three points, ratings, cities."""

from typing import Any, get_args

import numpy as np
from sklearn.utils import Bunch

from lanatus.catalog import method
from lanatus.data.sets._printed import BOOK, BookTable, describe, load_table, rows_of, words
from lanatus.params import check_choice
from lanatus.table import Attribute, Column, Frame, Language, resolve_frame, whole_frame

_LOAN = BookTable(
    "loan.csv",
    "贷款申请数据表",
    "Loan application table",
    "Lecture slides on statistical machine learning, section 4.2",
    (
        words("年龄", "age", "青年 young, 中年 middle_aged, 老年 old", "ordinal"),
        words("有工作", "has_job", "否 no, 是 yes"),
        words("有房子", "owns_house", "否 no, 是 yes"),
        words("信贷情况", "credit", "一般 fair, 好 good, 非常好 very_good", "ordinal"),
        words("类别", "approved", "否 no, 是 yes"),
    ),
    "类别",
    notes="The slides call the attributes A1 to A4 and split them by value, without using the order of A1 and A4.",
    errata=("The gain of 年龄 among those without a house is printed 0.251; it is 0.252 (0.251629).",),
)


@method(
    "data.loan-table", section="SL 4.2", task="data", kind="dataset", en="Loan application table", zh="贷款申请数据表"
)
def load_loan(*, return_X_y: bool = False, frame: Frame | None = None, language: Language = "zh") -> Any:
    """Fifteen loan applications: age, job, house, credit, and whether the loan was granted.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas.
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
    return load_table(_LOAN, return_X_y=return_X_y, frame=frame, language=language)


_SEX = BookTable(
    "sex.csv",
    "性别分类数据表",
    "Age, hair, heel, clothes and sex",
    "A chapter on statistical machine learning, section 5.2, Table 5.1 (called 5.2 later in its text)",
    (
        words("年龄", "age", "青年 young, 中年 middle_aged, 老年 old", "ordinal"),
        words("发长", "hair", "短发 short, 中发 medium, 长发 long", "ordinal"),
        words("鞋跟", "heel", "平底 flat, 高跟 high"),
        words("服装", "clothes", "深色 dark, 浅色 light, 花色 patterned"),
        words("性别", "sex", "男性 male, 女性 female"),
    ),
    "性别",
    notes="query: the person to classify in section 5.2.",
    errata=("The score of 女性 for the query is printed 0.007030; it is 12/1715 = 0.006997.",),
    query=("青年", "中发", "平底", "花色"),
)


@method(
    "data.sex-table",
    section="CH5 5.2",
    task="data",
    kind="dataset",
    en="Age, hair, heel, clothes and sex table",
    zh="性别分类数据表",
)
def load_sex_table(*, return_X_y: bool = False, frame: Frame | None = None, language: Language = "zh") -> Any:
    """Fifteen people: age, length of hair, heels, clothes, and their sex.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas.
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
    return load_table(_SEX, return_X_y=return_X_y, frame=frame, language=language)


_THREE_POINTS = BookTable(
    "svm_three_points.csv",
    "三点支持向量机例",
    "Three-point SVM example",
    "Lecture slides on statistical machine learning, section 4.1",
    (Attribute("x1", "x1"), Attribute("x2", "x2"), Attribute("y", "y", whole=True)),
    "y",
)


@method(
    "data.svm-three-points",
    section="SL 4.1",
    task="data",
    kind="dataset",
    en="Three-point SVM example",
    zh="三点支持向量机例",
)
def load_svm_three_points(*, return_X_y: bool = False, frame: Frame | None = None) -> Any:
    """The slides' support vector machine by hand: (3, 3) and (4, 3) against (1, 1).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data` and `target`; None is pandas.

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
    return load_table(_THREE_POINTS, return_X_y=return_X_y, frame=frame, language="en", target_names=(1, -1))


_RATINGS = BookTable(
    "book_ratings.csv",
    "图书评分表",
    "Book ratings with unknown entries",
    f"{BOOK}, section 11.6, Table 11.1",
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


@method(
    "data.book-ratings",
    section="11.6",
    task="data",
    kind="dataset",
    en="Book ratings with unknown entries",
    zh="图书评分表",
)
def load_book_ratings(*, frame: Frame | None = None, language: Language = "zh") -> Bunch:
    """Ratings of five books by four readers, nine of them unknown (Table 11.1).

    Parameters
    ----------
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data`; None is pandas.
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
    bunch = load_table(_RATINGS, return_X_y=False, frame=frame, language=language, id_words=_READERS)
    bunch.genres = dict(zip(bunch.feature_names, _GENRES, strict=True))
    return bunch


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


@method(
    "data.city-distances",
    section="CB 9.2",
    task="data",
    kind="dataset",
    en="Distances between ten Chinese cities",
    zh="十城市距离表",
)
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
        Container of `frame`; None is pandas.
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
    check_choice("language", language, get_args(Language))
    header, rows = rows_of("city_distances.csv")
    names = tuple(_CITIES[city] if language == "en" else city for city in header[1:])
    data = np.array([row[1:] for row in rows], dtype=float)
    if fix_beijing_chongqing:
        i, j = header.index("北京") - 1, header.index("重庆") - 1
        data[i, j] = data[j, i] = 2026
    errata = ("Beijing-Chongqing is printed 3026 in one half and 3006 in the other; Tianjin bounds it by 2079.",)
    columns = [Column(name, "numeric") for name in names]
    return Bunch(
        data=data,
        names=names,
        frame=whole_frame(columns, data.T.tolist(), resolve_frame(frame)),
        errata=errata,
        DESCR=describe(
            "Distances between ten Chinese cities",
            "十城市距离表",
            "Machine Learning Cookbook, section 9.2.2",
            "Four more pairs break the triangle inequality, by 110 km at most, and are kept as printed.",
            errata,
        ),
    )
