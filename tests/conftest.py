"""Shared by all tests."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Machines are shared: no deadlines; and a landing must not hang on a new random example.
hypothesis.settings.register_profile("lanatus", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("lanatus")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real data sets, which only developers have."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data beside the checkout")
    return folder


@pytest.fixture(scope="session")
def methods_csv() -> Path:
    """The checklist of methods, which only developers have."""
    path = SHARED / "methods.csv"
    if not path.is_file():
        pytest.skip("no ../shared/methods.csv beside the checkout")
    return path


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    """Figures that a test leaves open, matplotlib would warn of in another one."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")
