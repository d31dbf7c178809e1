"""``python -m bench.quality [FOLDER]``: trees and ensembles against peers on real data; writes docs/quality.md."""

import os

if __name__ == "__main__":
    # One thread a fit, two fits at a time: the same for all, and no two pools of threads fight for a core.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MPLBACKEND="agg")

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import sklearn.ensemble as peers
import xgboost
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bench.tables import DATA
from bench.weka import J48
from lanatus import ensemble, tree
from lanatus.evaluation import Comparison, compare

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "quality.md"
JOURNALS = ROOT / "build" / "quality"

CLASSES = [
    "breast_cancer_wisconsin", "car", "credit_a", "credit_g", "glass", "heart_c", "horse_colic", "house_votes_84",
    "ionosphere", "kr_vs_kp", "penguins", "pima_missing", "segment", "sick", "sonar", "tic_tac_toe", "titanic",
    "vehicle", "wdbc",
]  # fmt: skip
NUMBERS = ["abalone", "auto_mpg", "bodyfat", "boston_housing", "concrete", "diabetes", "ozone", "stock"]

# Ours, and the peers it is measured against.
CLASSIFIER_PAIRS = {
    "DecisionTree": ["sklearn DecisionTree"],
    "CART": ["sklearn DecisionTree"],
    "C45": ["Weka J48", "sklearn DecisionTree"],
    "Bagging": ["sklearn Bagging"],
    "RandomForest": ["sklearn RandomForest"],
    "ExtraTrees": ["sklearn ExtraTrees"],
    "AdaBoost": ["sklearn AdaBoost"],
    "GradientBoosting": ["sklearn HistGradientBoosting", "LightGBM", "XGBoost"],
}
REGRESSOR_PAIRS = {
    "DecisionTree": ["sklearn DecisionTree"],
    "CART": ["sklearn DecisionTree"],
    "Bagging": ["sklearn Bagging"],
    "RandomForest": ["sklearn RandomForest"],
    "ExtraTrees": ["sklearn ExtraTrees"],
    "GradientBoosting": ["sklearn HistGradientBoosting", "LightGBM", "XGBoost"],
}
SINGLE_TREES = {"DecisionTree", "CART", "C45"}
MANY_ERRORS = 3.0  # a difference of so many standard errors on one data set is looked into


# ---------------------------------------------------------------- what is compared


def ours(pairs: dict[str, list[str]], kind: str) -> dict[str, Any]:
    """Our estimators as they come."""
    return {name: getattr(tree if name in SINGLE_TREES else ensemble, name + kind)() for name in pairs}


def on_numbers(learner: Any) -> Any:
    """Nominal columns as indicators, a missing value being one more; missing numbers only filled where they must be."""
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    takes_missing = learner.__sklearn_tags__().input_tags.allow_nan
    numbers = "passthrough" if takes_missing else SimpleImputer(strategy="median")
    by_kind = make_column_transformer(
        (words, make_column_selector(dtype_include="category")), remainder=numbers, verbose_feature_names_out=False
    )
    return make_pipeline(by_kind, learner)


def classifiers() -> dict[str, Any]:
    """Ours and the peers, all with their own defaults."""
    return {
        **ours(CLASSIFIER_PAIRS, "Classifier"),
        "Weka J48": J48(),
        "sklearn DecisionTree": on_numbers(DecisionTreeClassifier()),
        "sklearn Bagging": on_numbers(peers.BaggingClassifier()),
        "sklearn RandomForest": on_numbers(peers.RandomForestClassifier()),
        "sklearn ExtraTrees": on_numbers(peers.ExtraTreesClassifier()),
        "sklearn AdaBoost": on_numbers(peers.AdaBoostClassifier()),
        "sklearn HistGradientBoosting": peers.HistGradientBoostingClassifier(),
        "LightGBM": lightgbm.LGBMClassifier(n_jobs=1, verbose=-1),
        "XGBoost": xgboost.XGBClassifier(n_jobs=1, enable_categorical=True),
    }


def regressors() -> dict[str, Any]:
    """Ours and the peers, all with their own defaults."""
    return {
        **ours(REGRESSOR_PAIRS, "Regressor"),
        "sklearn DecisionTree": on_numbers(DecisionTreeRegressor()),
        "sklearn Bagging": on_numbers(peers.BaggingRegressor()),
        "sklearn RandomForest": on_numbers(peers.RandomForestRegressor()),
        "sklearn ExtraTrees": on_numbers(peers.ExtraTreesRegressor()),
        "sklearn HistGradientBoosting": peers.HistGradientBoostingRegressor(),
        "LightGBM": lightgbm.LGBMRegressor(n_jobs=1, verbose=-1),
        "XGBoost": xgboost.XGBRegressor(n_jobs=1, enable_categorical=True),
    }


def table(folder: Path, name: str, classes: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers as they are, all else as categories; the target is the last column, classes being 0, 1, ..."""
    whole = pd.read_parquet(folder / f"{name}.parquet")
    X, y = whole.iloc[:, :-1], whole.iloc[:, -1]
    X.columns = [f"column_{j}" for j in range(X.shape[1])]  # LightGBM refuses some signs in names
    X = X.apply(lambda column: column.astype(float if column.dtype.kind in "fiub" else "category"))
    if len(empty := X.columns[X.isna().all()]):  # two of the peers fail on a column without a value
        X = X.drop(columns=empty)
    return X, pd.factorize(y, sort=True)[0] if classes else y.to_numpy(dtype=float)


def run(folder: Path, names: Sequence[str], classes: bool) -> tuple[Comparison, dict[str, Any]]:
    """Ten folds, the same for all; a run that was stopped goes on where it was."""
    data = {name: table(folder, name, classes) for name in names}
    kind, splitter = ("classes", StratifiedKFold) if classes else ("numbers", KFold)
    JOURNALS.mkdir(parents=True, exist_ok=True)
    result = compare(
        classifiers() if classes else regressors(),
        data,
        splitter=splitter(10, shuffle=True, random_state=0),
        measures=["accuracy", "auc"] if classes else "r2",
        n_jobs=2,
        checkpoint=JOURNALS / f"{kind}.jsonl",
    )
    if result.failures:
        raise RuntimeError(f"{len(result.failures)} fits failed, the first: {result.failures[0]}")
    return result, data


# ---------------------------------------------------------------- what is said of it


def pair(result: Comparison, one: str, other: str) -> Comparison:
    """Two learners of a comparison."""
    return replace(result, learners=(one, other), runs=[r for r in result.runs if r.learner in (one, other)])


def on_sets(result: Comparison, names: Sequence[str]) -> Comparison:
    """Some data sets of a comparison."""
    return replace(result, data_sets=tuple(names), runs=[r for r in result.runs if r.data_set in names])


def far_apart(two: Comparison, measure: str) -> tuple[list[str], list[str]]:
    """Data sets on which the first is better, and worse, by many standard errors of the folds' differences."""
    values = two.values(measure)
    rest = values[:, 0] - values[:, 1]
    error = np.maximum(rest.std(axis=1, ddof=1) / np.sqrt(rest.shape[1]), 1e-12)
    ratio = np.where(np.abs(rest).max(axis=1) > 0, rest.mean(axis=1) / error, 0.0)
    named = dict(zip(two.data_sets, ratio, strict=True))
    return [n for n, r in named.items() if r > MANY_ERRORS], [n for n, r in named.items() if r < -MANY_ERRORS]


def verdicts(result: Comparison, pairs: dict[str, list[str]], measure: str) -> Iterator[str]:
    """Each of ours against its peers."""
    yield "| ours | peer | mean | its mean | won / even / lost | Wilcoxon p | verdict | far better on | far worse on |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, rivals in pairs.items():
        for rival in rivals:
            two = pair(result, name, rival)
            means = two.means(measure)
            rest = np.round(means[:, 0] - means[:, 1], 12)
            p = two.test(measure).overall.p_value
            verdict = "within noise" if not p < 0.05 else "**better**" if rest.mean() > 0 else "**worse**"
            better, worse = (", ".join(names) for names in far_apart(two, measure))
            yield (
                f"| {name} | {rival} | {means[:, 0].mean():.4f} | {means[:, 1].mean():.4f} | {(rest > 0).sum()} / "
                f"{(rest == 0).sum()} / {(rest < 0).sum()} | {p:.3f} | {verdict} | {better} | {worse} |"
            )


def ranks(result: Comparison, measure: str) -> Iterator[str]:
    """Mean ranks, best first, and what the tests say of them."""
    found = result.mean_ranks(measure)
    means = result.means(measure).mean(axis=0)
    yield "| learner | mean rank | mean |"
    yield "|---|---|---|"
    for j in np.argsort(found, kind="stable"):
        mark = "**" if result.learners[j] in CLASSIFIER_PAIRS else ""
        yield f"| {mark}{result.learners[j]}{mark} | {found[j]:.2f} | {means[j]:.4f} |"
    overall = result.test(measure).overall
    groups = result.plot(measure).groups()
    yield ""
    yield f"{overall.test}: p = {overall.p_value:.2g}. What Nemenyi's test cannot part at level {result.alpha:g}:"
    yield "; ".join(f"({', '.join(group)})" for group in groups) + "."


def scores(result: Comparison, measure: str) -> Iterator[str]:
    """Mean of the folds, data sets x learners; the best of a row is bold."""
    yield f"| data set | {' | '.join(result.learners)} |"
    yield "|---|" + "---|" * len(result.learners)
    for name, row in zip(result.data_sets, np.round(result.means(measure), 4), strict=True):
        cells = [f"**{v:.4f}**" if v == row.max() else f"{v:.4f}" for v in row]
        yield f"| {name} | {' | '.join(cells)} |"


def data_rows(data: dict[str, Any], classes: bool) -> Iterator[str]:
    """What the data sets are."""
    yield f"| data set | rows | numeric | nominal | missing cells |{' classes |' if classes else ''}"
    yield "|---|---|---|---|---|" + ("---|" if classes else "")
    for name, (X, y) in data.items():
        nominal = sum(isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes)
        end = f" {len(np.unique(y))} |" if classes else ""
        yield f"| {name} | {len(y)} | {X.shape[1] - nominal} | {nominal} | {int(X.isna().sum().sum())} |{end}"


INTRO = f"""---
nav: 71
---
# Quality

Trees and ensembles against their peers on real data: ten folds (stratified by class), the same for all, every learner
with the defaults of its own library, nothing tuned. Ours, LightGBM, XGBoost and HistGradientBoosting get the tables as
they are, with nominal columns and missing values; the other learners of scikit-learn get nominal columns as indicators,
and missing numbers filled with medians where they do not take them. CART has no peer of its own here and is measured
against scikit-learn's tree; C4.5 is measured against Weka's J48 too. Made by `python -m bench.quality`.

A verdict is by Wilcoxon's signed-rank test over the data sets at level 0.05. The last two columns name single data sets
where the mean difference of the ten folds is more than {MANY_ERRORS:g} of its standard errors. There are hundreds of
these comparisons, and folds share training rows: a few are named by chance, on either side.
"""

# Looked into by hand, on other folds than those of the tables.
NOTES = """
## What lies behind the larger differences

- C4.5 on `car` and `tic_tac_toe`: one branch a value uses an attribute up at once. Our binary trees score there as the
  peer's.
- `ozone` has nominal columns of up to 31 values that say little. Our forests split them by subsets and follow chance:
  in three other runs of ten folds the forest had an R2 of 0.65 (scikit-learn 0.68; 0.68 with these columns given as
  numbers). Boosting takes off a split of many values what it gains by chance: 0.705 in three such runs (0.673 without;
  LightGBM 0.713).
- `anneal`, not among the sets because a peer fails on it: its holes mean that an attribute does not apply. C4.5 and
  CART take a hole for a value that is not known (0.945 and 0.945; Weka's J48 0.915); with the holes named as a value
  they score 0.984 and 0.999 (J48 0.989), as our decision trees do as they come (0.999), which learn where holes go.
- `hypothyroid`, not among the sets either: a class of two rows. Newton's step of a leaf of almost certain rows is far
  too long there; ours is curbed (0.996; LightGBM 0.995, XGBoost 0.992, HistGradientBoosting 0.970, on three folds).
"""


def page(classes: Comparison, class_data: dict[str, Any], numbers: Comparison, number_data: dict[str, Any]) -> str:
    """The page as Markdown."""
    two = [name for name, (_, y) in class_data.items() if len(np.unique(y)) == 2]
    parts = [
        INTRO,
        f"## Classification: accuracy on {len(class_data)} data sets\n",
        *verdicts(classes, CLASSIFIER_PAIRS, "accuracy"),
        "\n### Ranks\n",
        *ranks(classes, "accuracy"),
        "\n![Mean ranks and critical difference](quality-classes.svg)\n",
        f"## Classification: AUC on the {len(two)} data sets of two classes\n",
        *verdicts(on_sets(classes, two), CLASSIFIER_PAIRS, "auc"),
        f"\n## Regression: R2 on {len(number_data)} data sets\n",
        *verdicts(numbers, REGRESSOR_PAIRS, "r2"),
        "\n### Ranks of the regressors\n",
        *ranks(numbers, "r2"),
        "\n![Mean ranks and critical difference](quality-numbers.svg)",
        NOTES,
        "## Accuracy by data set\n",
        *scores(classes, "accuracy"),
        "\n## R2 by data set\n",
        *scores(numbers, "r2"),
        "\n## The data sets\n",
        *data_rows(class_data, True),
        "",
        *data_rows(number_data, False),
    ]
    return "\n".join(parts) + "\n"


def main(folder: Path) -> None:
    """Run all, write the page and its pictures, and put the journals aside: they do not know of changes in our code."""
    classes, class_data = run(folder, CLASSES, True)
    numbers, number_data = run(folder, NUMBERS, False)
    PAGE.write_text(page(classes, class_data, numbers, number_data), encoding="utf-8")
    for name, result in (("classes", classes), ("numbers", numbers)):
        PAGE.with_name(f"quality-{name}.svg").write_text(result.to_svg(), encoding="utf-8")
    for journal in JOURNALS.glob("*.jsonl"):
        journal.replace(journal.with_suffix(".done"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
