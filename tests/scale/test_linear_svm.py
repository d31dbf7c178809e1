"""Linear support vector machines in memory, streamed and on Dask: the same model."""

import numpy as np
import pytest
from scale.data import frame, parquet
from sklearn.base import clone

import lanatus
from lanatus.kernel import LinearSVC, LinearSVR

COLUMNS = ["a", "b", "c", "d", "colour"]
MODELS = [
    pytest.param(LinearSVC(tol=1e-8), "label", 1e-6, marks=pytest.mark.covers("kernel.dual-coordinate-descent-svm")),
    pytest.param(LinearSVC(tol=1e-8, class_weight="balanced", fit_intercept=False), "label", 1e-6),
    pytest.param(LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1, tol=1e-8), "target", 1e-6),
]


@pytest.fixture(scope="module")
def table():
    whole = frame(3000)
    whole["d"] -= 1e4
    whole["target"] = whole["a"] - 2 * whole["c"] + (whole["colour"] == "red")
    return whole


@pytest.mark.parametrize(("model", "y", "rtol"), MODELS)
def test_streamed_is_in_memory(model, y, rtol, table, tmp_path):
    kept = table[[*COLUMNS, y, "weight"]]
    whole = clone(model).fit(table[COLUMNS], table[y], table["weight"])
    source = lanatus.scan(parquet(tmp_path, kept), target=y, weight="weight")
    streamed = clone(model).fit(source)
    np.testing.assert_allclose(streamed.coef_, whole.coef_, rtol=rtol, atol=1e-7)
    np.testing.assert_allclose(streamed.intercept_, whole.intercept_, rtol=rtol, atol=1e-7)
    said = np.asarray(streamed.predict(source))
    expected = whole.predict(table[COLUMNS])
    if y == "label":
        assert (said == expected).all()
    else:
        np.testing.assert_allclose(said, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("model", "y", "rtol"), MODELS)
def test_dask_is_in_memory(model, y, rtol, table):
    dd = pytest.importorskip("dask.dataframe")
    whole = clone(model).fit(table[COLUMNS], table[y], table["weight"])
    parts = dd.from_pandas(table, npartitions=4)
    made = clone(model).fit(parts[COLUMNS], parts[y], parts["weight"])
    np.testing.assert_allclose(made.coef_, whole.coef_, rtol=rtol, atol=1e-7)


@pytest.mark.covers("kernel.svm-perf")
def test_planes_meet_in_one_objective(table, tmp_path):
    # which planes are taken hangs on the last digits, and these on the order of sums: the objective is the same
    dd = pytest.importorskip("dask.dataframe")
    for y, model in (
        ("target", LinearSVR(epsilon=0.1, solver="cutting-plane", tol=1e-5)),
        ("sure", LinearSVC(loss="hinge", solver="cutting-plane", tol=1e-5)),
    ):
        whole = table.assign(sure=table["label"] == "x")[[*COLUMNS, y, "weight"]]
        parts = dd.from_pandas(whole, npartitions=3)
        folder = tmp_path / y
        folder.mkdir()
        models = [
            clone(model).fit(whole[COLUMNS], whole[y], whole["weight"]),
            clone(model).fit(lanatus.scan(parquet(folder, whole), target=y, weight="weight")),
            clone(model).fit(parts[COLUMNS], parts[y], parts["weight"]),
        ]
        values = [cost(made, whole[COLUMNS], whole[y], whole["weight"]) for made in models]
        np.testing.assert_allclose(values, values[0], rtol=1e-5)


def cost(model, X, y, weight):
    """The objective that a model reached."""
    if isinstance(model, LinearSVC):
        gap = 1 - np.where(y, 1, -1) * model.decision_function(X)
    else:
        gap = np.abs(model.predict(X) - y) - model.epsilon
    size = float((model.coef_**2).sum() + (model.intercept_**2).sum())
    return 0.5 * size + float((weight * np.maximum(gap, 0)).sum())


def test_what_is_solved_in_the_dual_needs_rows_in_memory(table, tmp_path):
    source = lanatus.scan(parquet(tmp_path, table[[*COLUMNS, "label"]]), target="label")
    for how in ({"solver": "dcd"}, {"loss": "hinge", "solver": "pegasos"}, {"penalty": "l1"}, {"dual": True},
                {"multi_class": "crammer_singer"}):  # fmt: skip
        with pytest.raises(ValueError, match="primal"):
            LinearSVC(**how).fit(source)
    with pytest.raises(ValueError, match="arrays in memory"):
        LinearSVC(measure="f1").fit(source)
    hinge = LinearSVC(loss="hinge", tol=1e-2).fit(source)
    exact = LinearSVC(loss="hinge").fit(table[COLUMNS], table["label"])
    assert abs(hinge.score(table[COLUMNS], table["label"]) - exact.score(table[COLUMNS], table["label"])) < 0.02
