"""One data set in the three forms that the engines take."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq


def frame(n: int = 6000, *, holes: bool = False) -> pd.DataFrame:
    """Three overlapping classes, a string column that says something, and weights."""
    rng = np.random.RandomState(7)
    label = rng.randint(0, 3, n)
    X = rng.normal(size=(n, 4)) + np.array([[0, 0, 0, 1e4], [3, 0, 1, 1e4], [0, 4, 2, 1e4 + 2]])[label]
    out = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    if holes:
        out.loc[rng.rand(n) < 0.1, "b"] = np.nan
    out["colour"] = np.array(["red", "green", "blue"], dtype=object)[np.where(rng.rand(n) < 0.7, label, 0)]
    out["label"] = np.array(["x", "y", "z"], dtype=object)[label]
    out["weight"] = rng.randint(1, 4, n).astype(float)
    return out


def parquet(folder: Path, whole: pd.DataFrame, files: int = 5) -> str:
    """The frame as several Parquet files with several row groups each; the pattern that finds them."""
    for i, part in enumerate(np.array_split(np.arange(len(whole)), files)):
        table = pa.Table.from_pandas(whole.iloc[part], preserve_index=False)
        pq.write_table(table, folder / f"part-{i}.parquet", row_group_size=317)
    return str(folder / "part-*.parquet")


def assert_close(one: Any, other: Any, names: list[str], rtol: float = 1e-9) -> None:
    """Fitted attributes of two models agree."""
    for name in names:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, err_msg=name)
