"""Real tables of `../shared/data`, where that folder is: their numbers, in units of each column's spread."""

from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def real_table(name: str, target: str | None = None, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The first rows of a table: its numbers, scaled to one deviation, and its target (by default the last) as text."""
    frame = pd.read_parquet(DATA / f"{name}.parquet").iloc[:most]
    y = frame.pop(target or frame.columns[-1]).astype(str).to_numpy()
    X = frame.select_dtypes("number").to_numpy(dtype=np.float64)
    X = X[:, X.std(axis=0) > 0]
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0)), y
