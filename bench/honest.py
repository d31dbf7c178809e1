"""``python -m bench.honest [RUNS]``: do the intervals of ``lanatus.fit`` hold, does it win on noise? Writes a page."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import lanatus

PAGE = Path(__file__).resolve().parents[1] / "docs" / "honesty.md"
METHODS = ["NaiveBayes", "LogisticRegression", "DecisionTree", "LogitBoost"]
NUMBER_METHODS = ["Ridge", "DecisionTree", "GradientBoosting"]
FRESH = 20_000
LEVEL = 0.95
SECONDS = 2.0


def draw(kind: str, n: int, rng: np.random.RandomState, noise: bool) -> pd.DataFrame:
    """Rows of a known law: two numbers, a word and idle columns; or a target that has nothing to do with them."""
    X = rng.randn(n, 6)
    word = rng.choice(["甲", "乙", "丙"], n)
    signal = 0.0 if noise else 1.2 * X[:, 0] - X[:, 1] * X[:, 2] + 0.8 * (word == "甲")
    if kind == "numbers":
        target: Any = signal + 1.5 * rng.randn(n)
    elif kind == "two":
        target = (signal + rng.logistic(size=n) > 0.3).astype(int)
    else:
        target = np.digitize(signal + rng.logistic(size=n), [-0.5, 1.0])
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(6)]).assign(word=word, target=target)


def one_run(kind: str, n: int, seed: int, noise: bool = False) -> dict[str, Any]:
    """One run: which intervals hold the score of the returned model on fresh rows, and whether a winner is claimed."""
    rng = np.random.RandomState(seed)
    methods = NUMBER_METHODS if kind == "numbers" else METHODS
    task = "regression" if kind == "numbers" else "classification"
    data = draw(kind, n, rng, noise)
    run = lanatus.fit(data, "target", budget=SECONDS, n_jobs=1, seed=seed, methods=methods, task=task)
    fresh = draw(kind, FRESH, rng, noise)
    X, y = fresh.drop(columns="target"), fresh["target"].to_numpy()
    said = run.model.predict(X) if kind == "numbers" else run.model.predict_proba(X)
    from lanatus.auto._scores import scores_for

    scores = scores_for(run.facts.profile.task).shown
    winner = run.facts.winner.scores
    true = {one.name: one.value(y.astype(float if kind == "numbers" else np.int64), np.asarray(said)) for one in scores}
    covered = {name: winner[name].low <= value <= winner[name].high for name, value in true.items()}
    baseline = next(one for one in run.facts.leaderboard if one.verdict == "baseline")
    first = scores[0]
    better = first.greater_is_better == (winner[first.name].value > baseline.scores[first.name].value)
    claimed = bool(better and baseline.p_value is not None and baseline.p_value <= 1 - LEVEL)
    bias = {name: winner[name].value - value for name, value in true.items()}
    return {"covered": covered, "claimed": claimed, "bias": bias}


def many(kind: str, n: int, runs: int, noise: bool) -> list[dict[str, Any]]:
    """Independent runs, one a core."""
    return list(Parallel(n_jobs=os.cpu_count())(delayed(one_run)(kind, n, 1000 + s, noise) for s in range(runs)))


def page(runs: int) -> Iterator[str]:
    """The page as Markdown."""
    yield "# Is `lanatus.fit` honest?\n"
    yield (
        f"Data of a known law is drawn, `lanatus.fit` runs on it, and the model that it returns is scored on {FRESH:,} "
        f"fresh rows. How often does the reported {LEVEL:.0%} interval hold that score? And where the target is pure "
        f"noise, how often is a winner claimed? {runs} runs a line, four methods (three for numbers), {SECONDS:g} "
        "seconds each on one core. Made by `python -m bench.honest`.\n"
    )
    yield "| target | rows | judged by | measure | intervals that hold | mean reported minus true |"
    yield "|---|---|---|---|---|---|"
    for kind, n in (("two", 300), ("two", 3000), ("many", 300), ("numbers", 300), ("numbers", 3000)):
        found = many(kind, n, runs, False)
        how = "nested folds" if n <= 2000 else "hold-out"
        for name in found[0]["covered"]:
            share = np.mean([one["covered"][name] for one in found])
            bias = np.mean([one["bias"][name] for one in found])
            yield f"| {kind} | {n} | {how} | {name} | {share:.1%} | {bias:+.4f} |"
    yield "\n| noise | rows | winner claimed |"
    yield "|---|---|---|"
    for kind, n in (("two", 300), ("many", 300), ("numbers", 300), ("two", 3000)):
        found = many(kind, n, runs, True)
        yield f"| {kind} | {n} | {np.mean([one['claimed'] for one in found]):.1%} |"
    error = np.sqrt(LEVEL * (1 - LEVEL) / runs)
    yield f"\nThe standard error of a share of {LEVEL:.0%} in {runs} runs is {error:.1%}.\n"


if __name__ == "__main__":
    lines = []
    for line in page(int(sys.argv[1]) if len(sys.argv) > 1 else 100):
        lines.append(line)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    PAGE.write_text("\n".join(lines), encoding="utf-8")
