"""Networks at their defaults beside scikit-learn's behind a scaler, on fifteen real tables; growth with the rows.

``python -m bench.neural_quality`` prints the table that docs/neural.md shows.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.compose import TransformedTargetRegressor, make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bench.runner import Finding
from bench.tables import DATA
from lanatus.neural import MLPClassifier, MLPRegressor

SUITE = "neural"
CLASSES = ["wdbc", "ionosphere", "sonar", "vehicle", "segment", "credit_g", "glass", "pima", "titanic"]
NUMBERS = ["concrete", "boston_housing", "auto_mpg", "abalone", "diabetes", "stock"]
WAYS = ("lanatus", "scikit-learn", "scikit-learn, target scaled")


def table(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers as they are, words as categories, holes; the target is the last column."""
    whole = pd.read_parquet(DATA / f"{name}.parquet")
    X, y = whole.iloc[:, :-1], whole.iloc[:, -1]
    X = X.apply(lambda column: column.astype(float if column.dtype.kind in "fiub" else "category"))
    return X, pd.factorize(y, sort=True)[0] if name in CLASSES else y.to_numpy(float)


def scaled(learner: Any) -> Any:
    """Numbers filled and scaled, words as indicators: what ours does inside."""
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    by_kind = make_column_transformer((words, make_column_selector(dtype_include="category")), remainder=numbers)
    return make_pipeline(by_kind, learner)


def learners(name: str) -> dict[str, Any]:
    """Ours as it comes; theirs behind a scaler of the columns, and of the target too."""
    if name in CLASSES:
        return {WAYS[0]: MLPClassifier(random_state=0), WAYS[1]: scaled(TheirClassifier(random_state=0))}
    theirs = scaled(TheirRegressor(random_state=0))
    both = TransformedTargetRegressor(scaled(TheirRegressor(random_state=0)), transformer=StandardScaler())
    return {WAYS[0]: MLPRegressor(random_state=0), WAYS[1]: theirs, WAYS[2]: both}


def scores(name: str) -> dict[str, float]:
    """Mean accuracy or share of the variance explained, over five folds."""
    X, y = table(name)
    made = (StratifiedKFold if name in CLASSES else KFold)(5, shuffle=True, random_state=0)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rounds that ran out, which is what both do at their defaults
        for way, learner in learners(name).items():
            each = [learner.fit(X.iloc[a], y[a]).score(X.iloc[b], y[b]) for a, b in made.split(X, y)]
            found[way] = float(np.mean(each))
    return {WAYS[2]: found[WAYS[1]], **found}


def ranks(found: dict[str, dict[str, float]], other: str) -> tuple[float, float]:
    """Mean ranks of ours and another over the tables; 1 is better."""
    pairs = [rankdata([-round(one[WAYS[0]], 6), -round(one[other], 6)]) for one in found.values()]
    ours, theirs = np.mean(pairs, axis=0)
    return float(ours), float(theirs)


def growth() -> Finding:
    """Time of a round with four times the rows."""
    rng = np.random.default_rng(0)
    seconds = []
    for n in (50_000, 200_000):
        X, y = rng.normal(size=(n, 20)), rng.integers(0, 2, n)
        net = MLPClassifier((50,), max_iter=3, tol=0.0, random_state=0)
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net.fit(X, y)
        seconds.append(time.perf_counter() - begin)
    ratio = seconds[1] / seconds[0]
    return Finding("time of a fit with four times the rows", "< 6 times", f"{ratio:.1f} times", ratio < 6)


def measure(say: Callable[[str], None]) -> list[Finding]:
    """Mean ranks over the tables, and growth."""
    findings = []
    if DATA.exists():
        found = {name: scores(name) for name in (*CLASSES, *NUMBERS)}
        say("| table | " + " | ".join(WAYS) + " |")
        for name, one in found.items():
            say(f"| {name} | " + " | ".join(f"{one[way]:.3f}" for way in WAYS) + " |")
        for other in WAYS[1:]:
            ours, theirs = ranks(found, other)
            what = f"mean rank on {len(found)} tables, against {other}"
            findings.append(Finding(what, "the smaller", f"{ours:.2f} to {theirs:.2f}", ours < theirs))
    findings.append(growth())
    for finding in findings:
        say(f"    {finding.what}: {finding.got}, wanted {finding.wanted}")
    return findings


if __name__ == "__main__":
    measure(print)
