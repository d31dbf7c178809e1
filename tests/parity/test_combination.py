"""Voting and stacking give scikit-learn's answers with the same parts; DESlib's rules by brute force."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lanatus import ensemble as ours

TABLES = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}
CLASSIFIERS = [
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ("near", KNeighborsClassifier(3)),
]
REGRESSORS = [
    ("line", LinearRegression()),
    ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
    ("near", KNeighborsRegressor(5)),
]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "params", [{}, {"voting": "soft"}, {"weights": [2, 1, 1.5]}, {"voting": "soft", "weights": [1, 0, 3]}]
)
def test_votes(table, params):
    X, y = TABLES[table](return_X_y=True)
    labels = np.array(["c", "a", "b"])[y]
    one = ours.VotingClassifier(CLASSIFIERS, **params).fit(X[::2], labels[::2])
    other = theirs.VotingClassifier(CLASSIFIERS, **params).fit(X[::2], labels[::2])
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    np.testing.assert_allclose(one.transform(X), other.transform(X), rtol=1e-12)
    assert list(one.get_feature_names_out()) == list(other.get_feature_names_out())
    if params.get("voting") == "soft":
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, [1, 2, 0.5]])
def test_averages(weights):
    X, y = load_diabetes(return_X_y=True)
    one = ours.VotingRegressor(REGRESSORS, weights=weights).fit(X[::2], y[::2])
    other = theirs.VotingRegressor(REGRESSORS, weights=weights).fit(X[::2], y[::2])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-12)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("params", [{}, {"passthrough": True}, {"stack_method": "predict"}, {"cv": 3}])
def test_stacked_classifiers(table, params):
    X, y = TABLES[table](return_X_y=True)
    labels = np.array(["c", "a", "b"])[y]
    final = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    members = [*CLASSIFIERS, ("planes", RidgeClassifier())] if "stack_method" not in params else CLASSIFIERS
    one = ours.StackingClassifier(members, final, **params).fit(X, labels)
    other = theirs.StackingClassifier(members, final, **params).fit(X, labels)
    assert one.stack_method_ == other.stack_method_
    np.testing.assert_allclose(one.transform(X), other.transform(X), rtol=1e-12)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("verb", ["auto", "predict"])
def test_stacked_classifiers_that_came_fitted(verb):
    X, y = load_wine(return_X_y=True)
    labels = np.array(["c", "a", "b"])[y]
    members = [(name, m.fit(X[::2], labels[::2])) for name, m in CLASSIFIERS]
    final = LogisticRegression(max_iter=1000)
    one = ours.StackingClassifier(members, final, cv="prefit", stack_method=verb).fit(X, labels)
    if verb == "auto":
        other = theirs.StackingClassifier(members, final, cv="prefit").fit(X, labels)
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
        np.testing.assert_allclose(one.transform(X), other.transform(X), rtol=1e-12)
    else:
        assert set(np.unique(one.transform(X))) == {0.0, 1.0, 2.0}
        assert one.score(X, labels) > 0.8
    jobs = ours.StackingClassifier(CLASSIFIERS, final, n_jobs=2).fit(X, labels)
    np.testing.assert_array_equal(
        jobs.predict(X), ours.StackingClassifier(CLASSIFIERS, final).fit(X, labels).predict(X)
    )


@pytest.mark.parametrize("passthrough", [False, True])
def test_stacked_regressors(passthrough):
    X, y = load_diabetes(return_X_y=True)
    params = {"final_estimator": Ridge(2.0), "passthrough": passthrough, "cv": 4}
    one = ours.StackingRegressor(REGRESSORS, **params).fit(X, y)
    other = theirs.StackingRegressor(REGRESSORS, **params).fit(X, y)
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-10)


REAL = ["glass", "ionosphere", "sonar", "pima"]


@pytest.mark.slow  # quality on real tables: cross-validation of ours and of the peer
@pytest.mark.parametrize("name", REAL)
def test_quality_on_real_tables(shared_data, name):
    """Defaults of ours against scikit-learn's with the same members: scores within a percent."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    X, y = table_of(shared_data / f"{name}.parquet")
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for mine, peer in (
        (ours.VotingClassifier(CLASSIFIERS, voting="soft"), theirs.VotingClassifier(CLASSIFIERS, voting="soft")),
        (
            ours.StackingClassifier(CLASSIFIERS),
            theirs.StackingClassifier(CLASSIFIERS, LogisticRegression(max_iter=1000)),
        ),
    ):
        one, other = (cross_val_score(model, X, y, cv=folds).mean() for model in (mine, peer))
        assert one > other - 0.01


def table_of(path):
    """Numbers of a data set and its labels, which are the last column."""
    frame = pd.read_parquet(path)
    target = "class" if "class" in frame else frame.columns[-1]
    X = frame.drop(columns=target).select_dtypes("number")
    return X.to_numpy(float), frame[target].astype(str).to_numpy()
