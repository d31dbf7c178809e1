"""Rows that all linear models are tested on."""

import numpy as np
import pytest


@pytest.fixture
def tall() -> tuple[np.ndarray, np.ndarray]:
    """Many more rows than columns, and a target that three of the four columns tell, with noise."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(60, 4))
    return X, X @ [1.0, 2.0, 0.0, -1.0] + 0.3 * rng.normal(size=60)


@pytest.fixture
def wide() -> tuple[np.ndarray, np.ndarray]:
    """More columns than rows, and a target that none of them tells."""
    rng = np.random.RandomState(1)
    return rng.normal(size=(10, 30)), rng.normal(size=10)
