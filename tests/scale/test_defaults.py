"""Every method that streams, at its defaults: in memory, streamed and on Dask the same model, to a millionth."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conformance.cases import ENTRIES, answers, mixed, numbers
from scale.data import parquet
from sklearn.utils import get_tags

import lanatus
from lanatus import catalog
from lanatus.tree import Tree

STREAMING = [entry for entry in ENTRIES if entry.streams]
CLOSE = 1e-6


def test_all_that_stream_are_tested_here():
    assert {entry.name for entry in STREAMING} == {entry.name for entry in catalog.estimators() if entry.streams}
    assert len(STREAMING) > 20


def table(entry: catalog.Entry, n: int = 2400) -> tuple[pd.DataFrame, np.ndarray]:
    """Clusters that overlap, so that no model is certain; with nominal columns where the method takes them."""
    X, y = numbers(entry, n, spread=5.0)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    if not get_tags(entry.object()).input_tags.categorical and entry.takes is not None and entry.takes.nominal:
        frame["色泽"] = mixed(entry, n)[0]["色泽"].astype(str).astype(object)
    return frame, y


def fitted_at_every_scale(model: Any, X: pd.DataFrame, y: Any, folder: Any) -> dict[str, Any]:
    """The model fitted in memory, streamed from several files and on a Dask frame of several partitions."""
    import dask.dataframe as dd
    from sklearn.base import clone

    whole = X.assign(target=y)
    source = lanatus.scan(parquet(folder, whole), target="target")
    parts = dd.from_pandas(whole, npartitions=4, sort=False)
    return {
        "memory": clone(model).fit(X, y),
        "streamed": clone(model).fit(source),
        "dask": clone(model).fit(parts[list(X.columns)], parts["target"]),
    }


def assert_same_model(one: Any, other: Any, X: Any) -> None:
    """All that two models learned, and all that they answer, agrees."""
    mine, its = learned(one), learned(other)
    assert its.keys() >= mine.keys() - {"labels_"}
    for name, value in mine.items():
        if name in its:
            assert_near(its[name], value, name)
    here, there = answers(one, X), answers(other, X)
    for verb, value in here.items():
        assert_near(there[verb], value, verb)


def learned(model: Any) -> dict[str, Any]:
    """Numbers, arrays and trees among the fitted attributes."""
    kinds = (np.ndarray, float, int, Tree)
    return {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and isinstance(value, kinds)
    }


def assert_near(got: Any, wanted: Any, name: str) -> None:
    if isinstance(wanted, Tree):
        for part in ("feature", "kind", "threshold", "n_rows", "weight", "value"):
            assert_near(getattr(got, part), getattr(wanted, part), f"{name}.{part}")
        return
    got, wanted = np.asarray(got), np.asarray(wanted)
    if wanted.dtype.kind == "f":
        finite = np.abs(wanted[np.isfinite(wanted)])
        np.testing.assert_allclose(got, wanted, rtol=CLOSE, atol=CLOSE * finite.max(initial=0.0), err_msg=name)
    else:
        np.testing.assert_array_equal(got, wanted, err_msg=name)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("entry", STREAMING, ids=lambda entry: entry.name)
def test_defaults_give_the_same_model_at_every_scale(entry, tmp_path):
    X, y = table(entry)
    model = entry.object()
    if "random_state" in model.get_params():
        model.set_params(random_state=3)
    made = fitted_at_every_scale(model, X, y, tmp_path)
    assert_same_model(made["memory"], made["streamed"], X)
    assert_same_model(made["memory"], made["dask"], X)
