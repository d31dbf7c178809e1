"""Gradient boosting is as good as its peers on real data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from lanatus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, LogitBoostClassifier

pytestmark = pytest.mark.covers("ensemble.gradient-boosting")

CLASSES = ["segment", "vehicle", "phoneme", "credit_g", "wdbc", "page_blocks"]
RARE = pytest.param("hypothyroid", marks=pytest.mark.filterwarnings("ignore:The least populated class"))
NUMBERS = ["concrete", "kin8nm", "abalone", "cpu_act"]


@pytest.fixture(autouse=True)
def one_thread():
    """Tests run side by side: threads of the peers would wait for each other."""
    with threadpool_limits(1):
        yield


def sampled_table(shared_data, name: str, most: int = 4000) -> tuple[pd.DataFrame, np.ndarray]:
    """The last column is the target; strings become categories."""
    frame = pd.read_parquet(shared_data / f"{name}.parquet")
    frame = frame.dropna(axis=1, how="all").sample(min(most, len(frame)), random_state=0).reset_index(drop=True)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy()
    return X, y


def plain(X: pd.DataFrame) -> pd.DataFrame:
    """What scikit-learn's takes: categories by their type."""
    return X.apply(lambda column: column if column.dtype.kind in "fiub" else column.astype("category"))


def fold_scores(splits, X, y, model, score, convert=None) -> np.ndarray:
    out = []
    data = X if convert is None else convert(X)
    for train, test in splits:
        fitted = model.fit(data.iloc[train], y[train])
        out.append(score(y[test], fitted.predict(data.iloc[test])))
    return np.array(out)


def not_worse(ours: np.ndarray, peer: np.ndarray) -> bool:
    """Mean difference by folds within two standard errors, or a hair."""
    rest = ours - peer
    return bool(rest.mean() > -max(2 * rest.std(ddof=1) / np.sqrt(len(rest)), 0.006))


@pytest.mark.slow  # quality on real tables: cross-validation of ours and of the peer
@pytest.mark.parametrize("name", [*CLASSES, RARE])
def test_classes(shared_data, name):
    X, y = sampled_table(shared_data, name)
    y = y.astype(str)
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    ours = fold_scores(splits, X, y, GradientBoostingClassifier(n_estimators=60, random_state=0), accuracy_score)
    peer = HistGradientBoostingClassifier(
        max_iter=60, early_stopping=False, categorical_features="from_dtype", random_state=0
    )
    theirs = fold_scores(splits, X, y, peer, accuracy_score, plain)
    assert not_worse(ours, theirs), f"{ours.mean():.4f} against {theirs.mean():.4f}"


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(shared_data, name):
    X, y = sampled_table(shared_data, name)
    y = y.astype(float)
    splits = list(KFold(10, shuffle=True, random_state=0).split(X))
    ours = fold_scores(splits, X, y, GradientBoostingRegressor(n_estimators=60, random_state=0), r2_score)
    peer = HistGradientBoostingRegressor(
        max_iter=60, early_stopping=False, categorical_features="from_dtype", random_state=0
    )
    theirs = fold_scores(splits, X, y, peer, r2_score, plain)
    assert not_worse(ours, theirs), f"{ours.mean():.4f} against {theirs.mean():.4f}"


def test_logit_boost_is_about_as_good(shared_data):
    X, y = sampled_table(shared_data, "wdbc")
    y = y.astype(str)
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    ours = fold_scores(splits, X, y, LogitBoostClassifier(100, random_state=0), accuracy_score)
    assert ours.mean() > 0.94
