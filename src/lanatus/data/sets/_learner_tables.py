"""Tables of the books about learners: compared by tests, fused, voting, coded for many classes."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from lanatus.catalog import method
from lanatus.data.sets._printed import BOOK, BookTable, describe, load_table, rows_of
from lanatus.params import check_choice
from lanatus.table import Attribute, Column, Frame, resolve_frame, whole_frame

_RANKS = BookTable(
    "algorithm_ranks.csv",
    "算法比较序值表",
    "Ranks of three algorithms on four data sets",
    f"{BOOK}, section 2.4.4, Table 2.5",
    (Attribute("A", "A"), Attribute("B", "B"), Attribute("C", "C")),
    notes="The last row of the printed table, the mean ranks 1, 2.125 and 2.875, is left out.",
)


def load_algorithm_comparison(*, frame: Frame | None = None) -> Bunch:
    """Ranks of algorithms A, B and C on four data sets (Table 2.5), for the Friedman and Nemenyi tests.

    Parameters
    ----------
    frame : {"pandas", "polars", "pyarrow", "numpy"} or None, default=None
        Container of `data`; None is pandas.

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
    return load_table(_RANKS, return_X_y=False, frame=frame, language="zh")


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
        Container of `frame`; None is pandas.

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
    check_choice("which", which, tuple(_CRITICAL))
    file, title, number, misprints = _CRITICAL[which]
    header, rows = rows_of(file)
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
        [key[axis] if name == "alpha" else int(key[axis]) for key in entries] for axis, name in enumerate(names)
    ]
    table = whole_frame([*columns, Column("value", "numeric")], [*values, list(entries.values())], resolve_frame(frame))
    places = {
        name: np.array(axis if name == "alpha" else [int(place) for place in axis])
        for name, axis in zip(names, axes, strict=True)
    }
    return Bunch(
        data=np.array(list(entries.values())).reshape([len(axis) for axis in axes]),
        frame=table,
        errata=tuple(errata),
        DESCR=describe(f"Critical values: {title}", "临界值表", f"{BOOK}, section 2.4, {number}", "", errata),
        **places,
    )


@method(
    "data.fusion-tables",
    section="CB 11.4",
    task="data",
    kind="dataset",
    en="Rank-level and measurement-level fusion tables",
    zh="排序层与度量层融合表",
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
    header, ranks = rows_of("fusion_ranks.csv")
    _, scored = rows_of("fusion_scores.csv")
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
        DESCR=describe(
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
    header, rows = rows_of("voting_toy.csv")
    cases, names = (tuple(dict.fromkeys(row[j] for row in rows)) for j in (0, 1))
    right = np.array([row[2:] for row in rows], dtype=int).astype(bool)
    return Bunch(
        data=right.reshape(len(cases), len(names), len(header) - 2),
        cases=cases,
        classifiers=names,
        errata=(),
        DESCR=describe(
            "Voting by three classifiers",
            "集成个体应好而不同",
            f"{BOOK}, section 8.1, Figure 8.2",
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
    check_choice("coding", coding, ("binary", "ternary"))
    header, rows = rows_of(f"ecoc_{coding}.csv")
    codes = np.array([row[1:] for row in rows], dtype=int)
    return Bunch(
        data=codes[:-1],
        test_code=codes[-1],
        classes=tuple(row[0] for row in rows[:-1]),
        classifiers=tuple(header[1:]),
        errata=(),
        DESCR=describe(
            f"Error-correcting output codes, {coding}",
            "纠错输出码",
            f"{BOOK}, section 3.5, Figure 3.5",
            "Recalled, as the figure is missing from our source; consistent with the text.",
        ),
    )
