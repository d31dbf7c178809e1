"""Rows without a target: said, tried, and kept only where that is better for certain."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial import KDTree
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_moons
from typer.testing import CliRunner

import lanatus
from lanatus.cli._app import app
from lanatus.table import Table


def moons(labelled, n, seed=0, noise=0.1):
    X, truth = make_moons(n, noise=noise, random_state=seed)
    y = np.array(["up", "down"], dtype=object)[truth]
    hidden = np.random.default_rng(seed).permutation(n)[labelled:]
    y[hidden] = None
    return pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "side": y}), np.array(["up", "down"])[truth]


def fitted(frame, **settings):
    how = {"budget": 8, "n_jobs": 1, "methods": ["LinearDiscriminantAnalysis"], "seed": 0, "measure": "accuracy"}
    return lanatus.fit(frame, "side", **{**how, **settings})


def notes(run):
    return [words.en for words in run.facts.warnings if "without a target" in words.en]


@pytest.fixture(scope="module")
def on_moons():
    frame, truth = moons(120, 900)
    return frame, truth, fitted(frame), fitted(frame, unlabelled="use")


def test_without_being_asked_rows_without_a_target_take_no_part(on_moons):
    frame, _, plain, _ = on_moons
    known = frame["side"].notna()
    same = fitted(frame[known])
    np.testing.assert_array_equal(plain.model.predict(frame), same.model.predict(frame))
    assert notes(plain) == []
    assert plain.facts.profile.dropped_rows == 780
    with pytest.raises(ValueError, match="'leave' or 'use'"):
        fitted(frame, unlabelled="all")


def test_they_are_kept_where_they_help_for_certain(on_moons):
    """A plane cannot follow the moons, with whatever labels: so what is kept must be what the test says."""
    frame, truth, plain, used = on_moons
    [said] = notes(used)
    assert said.startswith("780 rows without a target were tried with the winner")
    tried = re.findall(r"(\w+) ([+-][\d.]+) accuracy \(p ([\d.]+)\)", said)
    assert {name for name, _, _ in tried} == {"SelfTraining", "SafeEnsemble"}
    good = [name for name, gain, p in tried if float(gain) > 0 and float(p) <= 0.05]
    if not good:
        assert said.endswith("left out.")
        np.testing.assert_array_equal(used.model.predict(frame), plain.model.predict(frame))
    else:
        assert f"{good[0]} is better" in said
    assert (used.model.predict(frame) == truth).mean() >= (plain.model.predict(frame) == truth).mean() - 0.01


def test_a_learner_of_the_nearest_row_is_helped_by_labels_that_spread():
    frame, truth = moons(90, 700, noise=0.22)
    how = {"methods": ["DecisionTree"], "seed": 1}
    plain, used = fitted(frame, **how), fitted(frame, unlabelled="use", **how)
    [said] = notes(used)
    kept = re.search(r"(\w+) is better and is in the model", said)
    gain = (used.model.predict(frame) == truth).mean() - (plain.model.predict(frame) == truth).mean()
    assert gain >= (-0.01 if kept is None else 0.0)


def test_a_gain_that_is_certain_is_kept_and_one_that_is_not_is_not(monkeypatch):
    """The decision itself, with a way that knows the answers and one that guesses."""
    from lanatus.auto import _unlabelled

    frame, truth = moons(150, 600, noise=0.35)
    nearest = KDTree(frame[["u", "v"]].to_numpy())  # rows whose columns were shuffled, to see what they weigh, are new

    class Knows(ClassifierMixin, BaseEstimator):
        def __init__(self, base, right):
            self.base, self.right = base, right

        def fit(self, X, y):
            self.classes_ = np.array([0, 1]) if np.asarray(y).dtype.kind in "iu" else np.array(["down", "up"])
            return self

        def predict_proba(self, X):
            up = truth[nearest.query(np.asarray(Table.of(X).numeric, dtype=float))[1]] == "up"
            up = up if self.right else ~up
            return np.column_stack([~up, up]).astype(float)

        def predict(self, X):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def ways(n_classes):
        return {"Oracle": lambda base: Knows(base, True), "Liar": lambda base: Knows(base, False)}

    monkeypatch.setattr(_unlabelled, "_ways", ways)
    run = fitted(frame, unlabelled="use")
    assert "Oracle is better and is in the model" in notes(run)[0]
    assert (run.model.predict(frame) == truth).all()
    monkeypatch.setattr(_unlabelled, "_ways", lambda n: {"Liar": ways(n)["Liar"]})
    run = fitted(frame, unlabelled="use")
    assert notes(run)[0].endswith("None is better for certain: left out.")


def test_numbers_and_classes_that_mean_unlabelled():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"u": rng.uniform(size=300), "v": rng.uniform(size=300)})
    frame["side"] = np.where(np.arange(300) < 100, np.sin(6 * frame["u"]) + 0.1 * rng.normal(size=300), np.nan)
    run = fitted(frame, unlabelled="use", methods=["Ridge"], measure="r2")
    assert "CoReg" in notes(run)[0]
    assert np.isfinite(run.model.predict(frame)).all()
    frame["side"] = np.where(np.arange(300) < 100, np.where(frame["u"] > 0.5, 1.0, -1.0), np.nan)
    run = fitted(frame, unlabelled="use", task="classification")
    assert "a class named -1" in " ".join(words.en for words in run.facts.warnings)
    whole = frame.dropna()
    assert notes(fitted(whole, unlabelled="use", task="classification")) == []


def test_the_command_says_how_many_and_takes_the_option(tmp_path):
    frame, _ = moons(80, 400)
    path = tmp_path / "moons.csv"
    frame.to_csv(path, index=False)
    ask = [
        "fit",
        str(path),
        "-t",
        "side",
        "-o",
        str(tmp_path / "out"),
        "-m",
        "NaiveBayes",
        "--jobs",
        "1",
        "--budget",
        "8",
    ]
    told = CliRunner().invoke(app, [*ask, "--unlabelled", "use"])
    assert told.exit_code == 0, told.output
    said = " ".join(told.output.split())
    assert "320 rows of 400 have no target" in said
    assert "320 rows without a target were tried with the winner" in said
    assert json.loads((tmp_path / "out" / "run.json").read_text())["unlabelled"] == "use"
    few = pd.concat([frame[frame["side"].notna()], frame[frame["side"].isna()].head(5)])
    few.to_csv(path, index=False)
    told = CliRunner().invoke(app, [*ask, "--force"])
    assert "5 rows without a target are left out." in " ".join(told.output.split())
