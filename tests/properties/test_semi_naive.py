"""What must hold for semi-naive Bayes on any small table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanatus._core import bayes as kernels

from lanatus.bayes import AODE, KDB, ODE, SPODE, TAN, AnDE, CategoricalNB, NaiveBayes, conditional_mutual_information


@st.composite
def tables(draw, holes=True):
    """Codes (with -1 for holes), labels, weights."""
    n, d = draw(st.integers(4, 30)), draw(st.integers(2, 4))
    low = -1 if holes else 0
    codes = np.array(draw(st.lists(st.lists(st.integers(low, 2), min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    weight[0] = 1.0
    frame = pd.DataFrame({f"x{j}": pd.Categorical.from_codes(codes[:, j], ["u", "v", "w"]) for j in range(d)})
    return frame, codes, y, weight


few = settings(max_examples=25)


@few
@given(tables())
def test_naive_bayes_is_a_special_case_of_all(data):
    X, _, y, weight = data
    naive = ODE().fit(X, y, weight).predict_proba(X)
    for model in (AnDE(0), KDB(0), AODE(1e9)):
        np.testing.assert_allclose(model.fit(X, y, weight).predict_proba(X), naive, rtol=1e-9)
    mass = np.array([weight[y == c].sum() for c in np.unique(y)])
    counted = CategoricalNB(class_prior=(mass + 1) / (mass + 1).sum()).fit(X, y, weight)
    np.testing.assert_allclose(counted.predict_proba(X), naive, rtol=1e-9)
    np.testing.assert_allclose(NaiveBayes().fit(X, y, weight).predict_proba(X), naive, rtol=1e-9)


@few
@given(tables(), st.sampled_from([TAN(), KDB(2), AODE(2), AnDE(2, min_count=2), SPODE(1)]), st.permutations([0, 1, 2]))
def test_labels_are_only_names(data, model, order):
    X, _, y, weight = data
    names = np.array(["a", "b", "c"])[order]
    one = model.fit(X, np.array(["a", "b", "c"])[y], weight)
    shares = {label: one.predict_proba(X)[:, c] for c, label in enumerate(one.classes_)}
    other = type(model)(**model.get_params()).fit(X, names[y], weight)
    for c, label in enumerate(other.classes_):
        old = "abc"[list(names).index(label)]
        np.testing.assert_allclose(other.predict_proba(X)[:, c], shares[old], rtol=1e-7, atol=1e-12)


@few
@given(tables())
def test_one_super_parent_for_all_columns(data):
    """AODE is the average of SPODEs but for the smoothing of P(c, x_i): without any they are the same."""
    X, _, y, weight = data
    whole = X.notna().all(axis=1).to_numpy() & (weight > 0)
    if not whole.any():
        return
    X, y, weight = X[whole], y[whole], weight[whole]
    joint = sum(np.exp(SPODE(s, alpha=0.0).fit(X, y, weight).predict_joint_log_proba(X)) for s in range(X.shape[1]))
    averaged = np.exp(AODE(0, alpha=0.0).fit(X, y, weight).predict_joint_log_proba(X))
    np.testing.assert_allclose(averaged, joint, rtol=1e-9, atol=1e-300)


@few
@given(tables())
def test_information_is_symmetric_and_not_negative(data):
    X, _, y, _ = data
    one = conditional_mutual_information(X["x0"], X["x1"], y)
    assert one >= 0
    assert one == pytest.approx(conditional_mutual_information(X["x1"], X["x0"], y), abs=1e-12)
    assert conditional_mutual_information(X["x0"], y, y) == pytest.approx(0, abs=1e-12)
    tree = TAN().fit(X, y)
    assert sum(len(above) for above in tree.parents_) == X.shape[1] - 1


@few
@given(tables(), st.integers(1, 29), st.integers(1, 40))
def test_counts_add_up_and_do_not_depend_on_how_they_are_packed(data, cut, repeats):
    _, codes, y, weight = data
    codes = np.tile(codes, (repeats, 1)).astype(np.int8)  # many rows are packed into groups of columns, few are not
    y, weight = np.tile(y, repeats).astype(np.int32), np.tile(weight, repeats)
    sizes = np.full(codes.shape[1], 3)

    def counted(rows):
        part = np.ascontiguousarray(codes[rows])
        return kernels.pair_counts(part, sizes, y[rows].copy(), weight[rows].copy(), 3, n_threads=2)

    whole = counted(slice(None))
    np.testing.assert_array_equal(whole, counted(slice(0, cut)) + counted(slice(cut, None)))
    np.testing.assert_array_equal(whole, whole.transpose(1, 0, 2))
    for dtype in (np.int16, np.int32):
        other = kernels.pair_counts(codes.astype(dtype), sizes, y, weight, 3, n_threads=1)
        np.testing.assert_array_equal(other, whole)
    i, j = 0, codes.shape[1] - 1
    for u in range(3):
        for v in range(3):
            rows = (codes[:, i] == u) & (codes[:, j] == v)
            expected = np.bincount(y[rows], weight[rows], 3)
            np.testing.assert_array_equal(whole[3 * i + u, 3 * j + v], expected)
