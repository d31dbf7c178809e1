"""Multi-layer networks as contenders of ``lanatus fit``."""

import numpy as np
import pandas as pd
import pytest

import lanatus
from lanatus.auto._trial import candidates
from lanatus.persist import load, save
from lanatus.table import Table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
NAMES = {"two-class": "MLPClassifier", "many-class": "MLPClassifier", "regression": "MLPRegressor"}


def mixed(n=300):
    """A number with holes and a word that go together: neither says anything by itself."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=n), "noise": rng.normal(size=n), "word": rng.choice(["a", "b"], n)})
    y = np.where(frame["word"] == "a", frame["x"], -frame["x"])
    frame.loc[::20, "x"] = np.nan
    return frame, y


@pytest.mark.parametrize("task", NAMES)
def test_networks_contend_with_every_start_and_all_that_is_searched(task, tmp_path):
    frame, y = mixed()
    y = y if task == "regression" else np.digitize(y, [0.0] if task == "two-class" else [-0.5, 0.5])
    (family,) = candidates(task, 300, 3, [NAMES[task]])
    assert "MLP" in [one.name for one in candidates(task, 300, 3)]
    rows, asked = frame[:200], frame[200:].dropna()
    for trial in family.starts():
        model = trial.build(0).fit(Table.of(rows), y[:200])
        assert model.score(Table.of(asked, like=Table.of(rows).schema), y[asked.index]) > 0.8
    rng = np.random.RandomState(0)
    for _ in range(3):
        drawn = {name: space.at(rng.random_sample()) for name, space in family.contender.space.items()}
        made = family.trial({**drawn, "max_iter": 2}).build(0).fit(Table.of(rows), y[:200])
        inside = made[-1] if hasattr(made, "steps") else made
        assert all(getattr(inside, name) == value for name, value in drawn.items())
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops").predict(Table.of(rows))
    np.testing.assert_array_equal(again, model.predict(Table.of(rows)))


def test_the_unit_of_the_target_does_not_matter():
    frame, y = mixed()
    (family,) = candidates("regression", 300, 3, ["MLPRegressor"])
    said = [
        next(family.starts()).build(0).fit(Table.of(frame), unit * y + 100 * unit).predict(Table.of(frame)) / unit - 100
        for unit in (1.0, 1e6)
    ]
    np.testing.assert_allclose(said[0], said[1], atol=0.02)


def test_a_whole_run_finds_the_network_better_than_one_answer_for_all():
    frame, y = mixed(200)
    run = lanatus.fit(
        frame.assign(y=np.where(y > 0, "up", "down")), target="y", budget=4, n_jobs=1, methods=["MLPClassifier"]
    )
    board = run.leaderboard.set_index("method")
    assert board.loc["MLP", "auc"] > 0.85
