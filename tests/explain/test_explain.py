"""Paths of single rows, importances, partial dependence."""

import matplotlib as mpl
from samples import melons

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.inspection
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression

from lanatus.bayes import GaussianNB
from lanatus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from lanatus.explain import explain_path, feature_importance, partial_dependence, permutation_importance
from lanatus.table import Table
from lanatus.tree import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LeafModelTree,
    ObliqueTreeClassifier,
)

# ------------------------------------------------------------ paths


def test_the_path_of_a_melon():
    X, y = melons()
    model = C45Classifier(subtree_raising=False).fit(X, y)
    found = explain_path(model, X.iloc[[0]])
    assert str(found).splitlines() == [
        "all rows: 否 0.529, 是 0.471",
        "  含糖率 > 0.126 (is 0.46): 否 0.333, 是 0.667",
        "    密度 > 0.382 (is 0.697): 否 0.2, 是 0.8",
        "      纹理 = 清晰: 否 0, 是 1 -> 是",
        "says 是",
    ]
    assert [step.node for step in found.steps] == model.decision_path(X.iloc[[0]]).indices.tolist()
    assert str(explain_path(model, X.iloc[0].to_dict())) == str(found)
    assert str(explain_path(model, Table.of(X.iloc[[0]], like=model.schema_))) == str(found)


def test_a_row_in_parts():
    X, y = melons()
    model = C45Classifier(subtree_raising=False).fit(X, y)
    row = X.iloc[[0]].assign(密度=np.nan, 含糖率=np.nan)
    found = explain_path(model, row)
    np.testing.assert_allclose(found.shares[0], model.predict_proba(row)[0], rtol=1e-12)
    assert found.prediction == model.predict(row)[0]
    assert sum(step.part for step in found.steps if step.is_leaf) == pytest.approx(1)
    assert "missing, so by shares), 0.294 of the row" in str(found)


def test_a_missing_value_by_another_column_or_to_its_branch():
    X, y = melons()
    model = CARTClassifier(missing="surrogate").fit(X, y)
    row = X.iloc[[0]].assign(纹理=None)
    found = explain_path(model, row)
    assert "纹理 = 清晰 (missing, so by " in str(found)
    for i in range(len(X)):
        gone = X.iloc[[i]].assign(纹理=None, 密度=np.nan)
        assert explain_path(model, gone).prediction == model.predict(gone)[0]
    branch = DecisionTreeClassifier().fit(X, y)
    assert "(missing)" in str(explain_path(branch, row))


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), CARTClassifier(), C45Classifier(prune=None)])
def test_every_row_ends_where_the_tree_says(model):
    X, y = melons()
    model.fit(X, y)
    for i in range(len(X)):
        found = explain_path(model, X.iloc[[i]])
        assert found.steps[-1].node == model.apply(X.iloc[[i]])[0]
        assert found.prediction == model.predict(X.iloc[[i]])[0]


def test_numbers_bare_trees_and_sums():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=3).fit(X, y)
    found = explain_path(model, X[7], decimals=6)
    assert float(found.prediction) == pytest.approx(model.predict(X[[7]])[0], abs=1e-5)
    assert str(explain_path(model.tree_, X[7])) == str(explain_path(model, X[7]))
    X, y = load_iris(return_X_y=True)
    oblique = ObliqueTreeClassifier().fit(X, y)
    assert explain_path(oblique, X[[60]]).prediction == str(oblique.predict(X[[60]])[0])
    two = DecisionTreeClassifier(max_depth=2).fit(X, np.column_stack([y, y > 0]))
    assert explain_path(two, X[60]).prediction == "1, 1"
    assert "x3" in str(explain_path(DecisionTreeClassifier(max_depth=2).fit(X, y), list(X[60])))


def test_html_is_escaped():
    model = DecisionTreeClassifier().fit(pd.DataFrame({"<a>": [1.0, 2.0]}), ["x & y", "z"])
    text = explain_path(model, {"<a>": 1.0}).to_html()
    assert "&lt;a&gt; &lt;= 1.5" in text
    assert "<b>x &amp; y</b>" in text
    assert text.count("<tr>") == 3


def test_contributions_of_many_trees():
    X, y = melons()
    forest = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    found = explain_path(forest, X.iloc[[0]])
    np.testing.assert_allclose(found.output, forest.predict_proba(X.iloc[[0]])[0], rtol=0, atol=1e-12)
    assert "含糖率 = 0.46" in str(found)
    assert "纹理 = 清晰" in str(found)
    sizes = [np.abs(part).sum() for _, _, part in found.contributions]
    assert sizes == sorted(sizes, reverse=True)
    boosting = GradientBoostingClassifier(n_estimators=10, min_samples_leaf=2).fit(X, y)
    found = explain_path(boosting, X.iloc[[0]], feature_names=list("abcdefgh"))
    assert found.output == pytest.approx(boosting.decision_function(X.iloc[[0]])[0])
    assert "d = 清晰" in str(found)
    assert "decision_function" in found.to_html()


def test_rows_that_are_not_one():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="one row; got 2"):
        explain_path(model, X[:2])
    with pytest.raises(TypeError, match="leaves hold models"):
        explain_path(LeafModelTree(leaf="perceptron", random_state=0).fit(X, y), X[0])


# ------------------------------------------------------------ importances


def test_gain_and_split_importances():
    X, y = load_iris(return_X_y=True)
    for model in (
        DecisionTreeClassifier(),
        RandomForestClassifier(n_estimators=5, random_state=0),
        GradientBoostingClassifier(n_estimators=5),
    ):
        model.fit(X, y)
        np.testing.assert_array_equal(feature_importance(model), model.feature_importances_)
        split = feature_importance(model, "split")
        assert split.sum() == pytest.approx(1)
        assert split.argmax() in (2, 3)
    stump = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert feature_importance(stump, "split").tolist() == [0.0]


def test_permutation_importance_of_any_table():
    X, y = melons()
    model = C45Classifier().fit(X, y)
    odd = X.set_axis(np.arange(len(X)) * 7 + 3)  # an index that must not matter
    tables = [X, odd, pl.from_pandas(X), Table.of(X), X.to_dict("records")]
    found = [permutation_importance(model, table, y, random_state=0, n_repeats=8).importances for table in tables]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    assert found[0].shape == (8, 8)
    used = np.unique(model.tree_.feature[model.tree_.feature >= 0])
    assert set(np.flatnonzero(found[0].any(axis=1))) <= set(used.tolist())
    side = permutation_importance(model, X, y, random_state=0, n_repeats=8, n_jobs=2)
    np.testing.assert_array_equal(side.importances, found[0])
    np.testing.assert_allclose(
        feature_importance(model, "permutation", X, y, random_state=0), side.importances[:, :5].mean(1)
    )


def test_permutation_importance_of_numbers_and_sparse_rows():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    dense = permutation_importance(model, X, y, random_state=0, scoring="r2")
    sparse = permutation_importance(model, sp.csr_matrix(X), y, random_state=0, scoring="r2")
    np.testing.assert_allclose(dense.importances, sparse.importances, rtol=0, atol=1e-9)
    theirs = sklearn.inspection.permutation_importance(model, X, y, random_state=0, n_repeats=30)
    ours = permutation_importance(model, X, y, random_state=0, n_repeats=30)
    np.testing.assert_allclose(ours.importances_mean, theirs.importances_mean, rtol=0, atol=0.08)
    weighted = permutation_importance(model, X, y, random_state=0, sample_weight=np.arange(len(y)))
    assert not np.allclose(weighted.importances, dense.importances)
    assert (load_diabetes().data == X).all()


def test_importances_that_are_refused():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="kind must be"):
        feature_importance(model, "weight")
    with pytest.raises(ValueError, match="give X and y"):
        feature_importance(model, "permutation")
    with pytest.raises(ValueError, match="for 'permutation'"):
        feature_importance(model, "gain", X, y)
    with pytest.raises(TypeError, match="gradient boosting"):
        feature_importance(GaussianNB().fit(X, y), "split")
    with pytest.raises(ValueError, match="n_repeats"):
        permutation_importance(model, X, y, n_repeats=0)


# ------------------------------------------------------------ partial dependence


def test_recursion_is_that_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X = X[:, [2, 3, 8]]
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    ours = DecisionTreeRegressor(max_depth=3).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    for features in (0, 2, (0, 2)):
        wanted = sklearn.inspection.partial_dependence(theirs, X, features, method="recursion", grid_resolution=9)
        grid = wanted["grid_values"]
        found = partial_dependence(ours, X, features, grid=grid[0] if len(grid) == 1 else grid)
        assert found.method == "recursion"
        np.testing.assert_allclose(found.average, wanted["average"], rtol=1e-9)


def test_brute_force_is_that_of_scikit_learn_for_any_model():
    X, y = load_diabetes(return_X_y=True)
    model = sklearn.tree.DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    for features in (2, (2, 8)):
        wanted = sklearn.inspection.partial_dependence(model, X, features, method="brute", grid_resolution=5)
        grid = wanted["grid_values"]
        found = partial_dependence(model, X, features, grid=grid[0] if len(grid) == 1 else grid)
        assert found.method == "brute"
        np.testing.assert_allclose(found.average, wanted["average"], rtol=1e-9)
    own = partial_dependence(model, X, 2, grid_resolution=5).grid_values[0]
    np.testing.assert_allclose(own[[0, -1]], np.quantile(X[:, 2], [0.05, 0.95]), rtol=1e-12)


def test_mixed_tables_of_any_kind():
    X, y = melons()
    model = CARTClassifier().fit(X, y)
    other = pd.DataFrame({name: X[name] for name in reversed(X.columns)})
    for features in ("纹理", ("纹理", "密度"), "密度"):
        found = [
            partial_dependence(model, table, features, method="brute", grid_resolution=4).average
            for table in (X, pl.from_pandas(X), Table.of(X), other)
        ]
        for part in found[1:]:
            np.testing.assert_allclose(found[0], part, rtol=1e-12)
        paths = partial_dependence(model, other, features, grid_resolution=4)
        assert paths.method == "recursion"
        np.testing.assert_allclose(paths.average.sum(axis=0), 1, rtol=1e-12)
    some = partial_dependence(model, X, "纹理", grid=["模糊"])
    assert some.average.shape == (2, 1)


def test_both_ways_agree_where_columns_are_independent():
    X = np.array([[a, b] for a in range(4) for b in range(4)], dtype=float)
    y = X[:, 0] + 2.0 * (X[:, 1] > 1)
    model = GradientBoostingRegressor(n_estimators=30, min_samples_leaf=1, learning_rate=0.5).fit(X, y)
    brute = partial_dependence(model, X, 0, method="brute")
    paths = partial_dependence(model, X, 0, method="recursion")
    np.testing.assert_allclose(brute.average, paths.average, rtol=0, atol=1e-6)
    weighted = partial_dependence(model, X, 0, method="brute", sample_weight=X[:, 1] > 1)
    np.testing.assert_allclose(weighted.average - brute.average, 1, rtol=0, atol=1e-3)


def test_boosting_gives_scores_or_by_rows_probabilities():
    X, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=5).fit(X, y)
    scores = partial_dependence(model, X, 2)
    assert (scores.response, scores.average.shape[0]) == ("decision_function", 3)
    chances = partial_dependence(model, X, 2, response_method="predict_proba")
    assert chances.method == "brute"
    np.testing.assert_allclose(chances.average.sum(axis=0), 1, rtol=1e-12)


def test_pictures_of_partial_dependence():
    X, y = melons()
    model = CARTClassifier().fit(X, y)
    found = partial_dependence(model, X, "密度").plot()
    assert found.ax_.get_xlabel() == "密度"
    assert found.ax_.get_ylabel() == "probability of 是"
    bars = partial_dependence(model, X, "纹理").plot(output="否")
    assert [tick.get_text() for tick in bars.ax_.get_xticklabels()] == ["清晰", "稍糊", "模糊"]
    mixed = partial_dependence(model, X, ("纹理", "密度")).plot()
    assert mixed.ax_.get_ylabel() == "密度"
    numbers = partial_dependence(model, X, ("含糖率", "密度")).plot()
    assert len(numbers.figure_.axes) == 2
    three = partial_dependence(DecisionTreeClassifier().fit(*load_iris(return_X_y=True)), load_iris().data, 2)
    assert len(three.plot().ax_.lines) == 3
    plt.close("all")


def test_partial_dependence_that_is_refused():
    X, y = melons()
    model = CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="no column '重量'"):
        partial_dependence(model, X, "重量")
    with pytest.raises(ValueError, match="one column or two"):
        partial_dependence(model, X, (0, 1, 2))
    with pytest.raises(ValueError, match=r"no values \['浓'\]"):
        partial_dependence(model, X, "纹理", grid=["浓"])
    with pytest.raises(ValueError, match="method='brute'"):
        partial_dependence(model, X, "纹理", method="recursion", response_method="predict")
    with pytest.raises(ValueError, match="percentiles"):
        partial_dependence(model, X, "纹理", percentiles=(0.9, 0.1))
    with pytest.raises(ValueError, match="output must be"):
        partial_dependence(model, X, "纹理").plot(output="坏")
    iris = DecisionTreeClassifier().fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="a map shows one output"):
        partial_dependence(iris, load_iris().data, (2, 3)).plot()
