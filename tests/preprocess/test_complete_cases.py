"""Rows without missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from lanatus.data import load_watermelon
from lanatus.preprocess import drop_incomplete
from lanatus.table import Table


@pytest.mark.covers("data.drop-incomplete")
def test_the_book_leaves_four_melons():
    """Section 4.4.2: of watermelon 2.0alpha only 4, 7, 14 and 16 are complete."""
    melons = load_watermelon("2.0a")
    X, y = drop_incomplete(melons.data, melons.target)
    assert (X.index + 1).tolist() == [4, 7, 14, 16]
    assert y.tolist() == melons.target.iloc[[3, 6, 13, 15]].tolist()


@pytest.mark.covers("data.drop-incomplete")
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "numpy", "lists", "table"])
def test_every_container_comes_back_as_it_was(kind):
    columns = {"a": [1.0, None, 3.0, 4.0], "b": ["x", "y", None, "z"]}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    given = {
        "pandas": lambda: pd.DataFrame(columns),
        "polars": lambda: pl.DataFrame(columns),
        "pyarrow": lambda: pa.table(columns),
        "numpy": lambda: np.array(rows, dtype=object),
        "lists": lambda: rows,
        "table": lambda: Table.of(pd.DataFrame(columns)),
    }[kind]()
    X, y, w = drop_incomplete(given, [1, 2, 3, 4], np.arange(4.0))
    assert type(X) is type(given)
    assert (y, w.tolist()) == ([1, 4], [0.0, 3.0])
    assert Table.of(X).codes.shape == (2, 1) if kind != "table" else len(X) == 2
    assert not (X if kind == "table" else Table.of(X)).missing()


def test_sparse_and_whole_and_wrong():
    X = sp.csr_matrix([[1.0, 0.0], [np.nan, 2.0], [0.0, 0.0]])
    assert drop_incomplete(X).toarray().tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert drop_incomplete(sp.coo_matrix(X)).shape == (2, 2)
    whole = np.ones((3, 2))
    assert drop_incomplete(whole).tolist() == whole.tolist()
    assert drop_incomplete(np.full((2, 2), np.nan)).shape == (0, 2)
    with pytest.raises(ValueError, match="column 2 has 2 entries, wanted one for each of 3 rows"):
        drop_incomplete(whole, [1, 2, 3], [1, 2])
