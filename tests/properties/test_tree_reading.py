"""Whatever the rows: rules, JSON and contributions tell the same tree."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from lanatus.explain import explain_path, tree_shap
from lanatus.tree import DecisionTreeClassifier, export_json, export_rules, export_text, import_json


@st.composite
def tables(draw):
    n = draw(st.integers(2, 25))
    number = st.one_of(st.integers(-3, 3).map(float), st.just(np.nan))
    word = st.sampled_from(["青绿", "乌黑", "浅白", "其他", None])
    X = pd.DataFrame(
        {
            "a": draw(st.lists(number, min_size=n, max_size=n)),
            "b": draw(st.lists(number, min_size=n, max_size=n)),
            "c": pd.Series(draw(st.lists(word, min_size=n, max_size=n)), dtype=object),
        }
    )
    X.loc[0, "c"] = "青绿"
    return X, np.array(draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=n, max_size=n)))


@settings(max_examples=30)
@given(
    table=tables(),
    split=st.sampled_from(["binary", "multiway"]),
    missing=st.sampled_from(["branch", "weights", "virtual", "majority"]),
)
def test_all_readings_agree(table, split, missing):
    X, y = table
    model = DecisionTreeClassifier(split=split, missing=missing).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(export_rules(model).values(X), shares, rtol=0, atol=1e-12)
    shap = tree_shap(model, X)
    total = np.asarray(shap.base + shap.values.sum(axis=1)).reshape(len(X), -1)
    np.testing.assert_allclose(total, shares, rtol=0, atol=1e-9)
    assert export_json(import_json(export_json(model.tree_))) == export_json(model.tree_)
    assert len(export_text(model).splitlines()) == max(len(model.tree_) - 1, 1)
    found = explain_path(model, X.iloc[[0]])
    np.testing.assert_allclose(found.shares[0], shares[0], rtol=0, atol=1e-12)
