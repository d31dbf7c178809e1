"""What models do with tables that have no column to learn from, or holes where they had none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans
from lanatus.table import Table


def test_tables_without_a_column_to_learn_from_do_not_crash():
    for frame in (pd.DataFrame(index=range(3)), pl.DataFrame()):
        with pytest.raises(ValueError, match=r"0 feature|minimum of 1"):
            GaussianNB().fit(frame, [0, 1, 0])
    with pytest.raises(ValueError, match="0 feature"):
        KMeans(1).fit(pd.DataFrame(index=range(3)))
    holes = GaussianNB().fit(pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]}), [0, 1])
    np.testing.assert_array_equal(holes.predict(pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]})), [0, 1])
    assert GaussianNB().fit(pd.DataFrame({"a": [None, None]}), [0, 1]).class_count_.tolist() == [1, 1]


def test_a_hole_is_refused_in_predict_as_in_fit():
    frame = pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0], "s": ["a", "a", "b", "b"]})
    model = KMeans(2, init=[[1, 1, 0], [9, 0, 1]]).fit(frame)
    holed = frame.assign(s=["a", None, "b", "b"])
    for rows in (holed, pl.from_pandas(holed), Table.of(holed)):
        with pytest.raises(ValueError, match=r"NaN.*'s' \(1\)"):
            model.predict(rows)
    array = KMeans(2, init=[[1, 1, 0], [9, 0, 1]]).fit(frame.to_numpy(dtype=object))
    with pytest.raises(ValueError, match=r"NaN.*'x1' \(1\)"):
        array.predict(holed.to_numpy(dtype=object))
