"""Ratings of users and items: factors, new users, explanations, rankings; and what all estimators promise.

X is a table of two columns, user and item, of which most checks of tests/conformance know nothing; so they are here.
"""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import lanatus
from lanatus.sparse import CollaborativeFilter, ranking_measures
from lanatus.table import UnseenCategoryWarning

TABLE = {  # Table 11.1, books as numbers
    "赵大": {0: 5, 3: 3, 4: 2},
    "钱二": {1: 5, 2: 3, 4: 5},
    "孙三": {0: 5, 1: 3},
    "李四": {0: 3, 2: 5, 3: 4},
}
READERS = pd.DataFrame(
    [(reader, f"book {book}", float(r)) for reader, rated in TABLE.items() for book, r in rated.items()],
    columns=["reader", "book", "rating"],
)


def drawn(n_users=60, n_items=40, k=2, share=0.4, noise=0.0, seed=0):
    """Ratings of rank k, of which a share is known: pairs and ratings of those known, and of the rest."""
    rng = np.random.RandomState(seed)
    whole = 3 + rng.randn(n_users, k) @ rng.randn(k, n_items) + noise * rng.randn(n_users, n_items)
    pairs = np.column_stack([np.repeat(np.arange(n_users), n_items), np.tile(np.arange(n_items), n_users)])
    seen = rng.rand(len(pairs)) < share
    return pairs[seen], whole.ravel()[seen], pairs[~seen], whole.ravel()[~seen]


@pytest.mark.covers("sparse.collaborative-filtering")
def test_ratings_of_low_rank_are_told():
    X, y, rest, wanted = drawn()
    model = CollaborativeFilter(3, reg=1e-4, bias=False, max_iter=500, tol=1e-10, random_state=0).fit(X, y)
    assert np.abs(model.predict(X) - y).max() < 0.01
    assert np.sqrt(np.mean((model.predict(rest) - wanted) ** 2)) < 0.05


@pytest.mark.covers("sparse.collaborative-filtering")
def test_the_factors_solve_their_equations():
    """Alternating least squares ends where each item's factor is the ridge regression of its ratings on the users'."""
    X, y, *_ = drawn(noise=0.5)
    model = CollaborativeFilter(3, reg=0.2, random_state=0, max_iter=50).fit(X, y)
    for item in (0, 7, 39):
        own = X[:, 1] == item
        P = model.user_factors_[X[own, 0]]
        rest = y[own] - model.mean_ - model.user_bias_[X[own, 0]] - model.item_bias_[item]
        wanted = np.linalg.solve(P.T @ P + 0.2 * own.sum() * np.eye(3), P.T @ rest)
        np.testing.assert_allclose(model.item_factors_[item], wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.covers("sparse.collaborative-filtering")
def test_biases_alone_are_a_damped_ridge_regression():
    X, y, *_ = drawn(20, 15, noise=0.5)
    model = CollaborativeFilter(0, bias_reg=4.0).fit(X, y)
    assert model.user_factors_.shape == (20, 0)
    mean = y.mean()
    design = np.zeros((len(X), 35))
    design[np.arange(len(X)), X[:, 0]] = design[np.arange(len(X)), 20 + X[:, 1]] = 1
    wanted = np.linalg.solve(design.T @ design + 4 * np.eye(35), design.T @ (y - mean))
    np.testing.assert_allclose(model.user_bias_, wanted[:20], atol=1e-3)
    np.testing.assert_allclose(model.predict(X), mean + design @ wanted, atol=1e-3)


@pytest.mark.covers("sparse.collaborative-filtering")
def test_readers_of_table_11_1():
    X, y = READERS[["reader", "book"]], READERS["rating"]
    model = CollaborativeFilter(2, reg=0.05, random_state=0).fit(X, y)
    assert np.sqrt(np.mean((model.predict(X) - y) ** 2)) < 0.5
    unread = model.recommend("赵大")
    assert {item for item, _ in unread} == {"book 1", "book 2"}
    assert unread[0][1] >= unread[1][1]
    assert len(model.recommend("赵大", seen=True)) == 5
    shares = model.explain("赵大", "book 1")
    assert {item for item, _ in shares} <= {"book 0", "book 3", "book 4"}
    with pytest.raises(ValueError, match="周五"):
        model.recommend("周五")


@pytest.mark.covers("sparse.collaborative-filtering")
def test_shares_of_own_ratings_add_up_to_what_the_factor_tells():
    X, y, *_ = drawn(noise=0.3)
    model = CollaborativeFilter(2, random_state=0, max_iter=300, tol=1e-14).fit(X, y)
    shares = model.explain(5, 3, n_items=100)
    told = model.predict([[5, 3]])[0] - model.mean_ - model.user_bias_[5] - model.item_bias_[3]
    assert sum(share for _, share in shares) == pytest.approx(told, abs=1e-4)


@pytest.mark.covers("sparse.collaborative-filtering")
def test_a_new_user_is_folded_in_as_if_learned():
    X, y, *_ = drawn(noise=0.3)
    model = CollaborativeFilter(2, bias=False, random_state=0, max_iter=500, tol=1e-15).fit(X, y)
    own = X[:, 0] == 9
    _, factor = model.fold_in(X[own, 1], y[own])
    np.testing.assert_allclose(factor, model.user_factors_[9], atol=1e-4)
    assert np.all(model.fold_in([], [])[1] == 0)


@pytest.mark.covers("sparse.collaborative-filtering")
def test_the_unknown_get_the_mean_and_the_others_bias():
    X, y, *_ = drawn()
    model = CollaborativeFilter(2, random_state=0).fit(X, y)
    told = model.predict([[999, 999], [999, 3], [4, 999]])
    np.testing.assert_allclose(
        told, [model.mean_, model.mean_ + model.item_bias_[3], model.mean_ + model.user_bias_[4]]
    )


@pytest.mark.covers("sparse.collaborative-filtering")
def test_movielens_better_than_the_means(shared_data):
    table = pd.read_parquet(shared_data / "movielens_100k_latest_small.parquet")
    X, y = table[["userId", "movieId"]].to_numpy(), table["rating"].to_numpy(dtype=float)
    order = np.random.RandomState(0).permutation(len(X))
    learn, ask = order[:80_000], order[80_000:]
    rmse = {}
    for k in (0, 10):
        model = CollaborativeFilter(k, max_iter=5, random_state=0).fit(X[learn], y[learn])
        told = model.predict(X[ask])
        rmse[k] = float(np.sqrt(np.mean((told - y[ask]) ** 2)))
    assert rmse[10] < rmse[0] < float(y[ask].std())
    ranks = ranking_measures(X[ask, 0], y[ask], told)
    assert ranks["pairs"] > 0.6


@pytest.mark.covers("sparse.collaborative-filtering")
def test_ranking_measures_by_hand():
    found = ranking_measures(["a"] * 4, [5, 3, 1, 4], [4.0, 3.0, 2.0, 1.0], k=2, relevant=4)
    best = 31 / np.log2(2) + 15 / np.log2(3)
    assert found["precision"] == pytest.approx(0.5)
    assert found["recall"] == pytest.approx(0.5)
    assert found["ndcg"] == pytest.approx((31 + 7 / np.log2(3)) / best)
    assert found["pairs"] == pytest.approx(4 / 6)  # 4 stands last, behind 3 and 1
    ties = ranking_measures(["a", "a"], [1, 2], [3.0, 3.0])
    assert ties["pairs"] == 0.5
    with pytest.raises(ValueError, match="wanted as many"):
        ranking_measures(["a"], [1, 2], [1, 2])


@pytest.mark.parametrize("kind", ["pandas", "polars", "array", "lists"])
def test_tables_of_every_kind_tell_the_same(kind):
    X, y = READERS[["reader", "book"]], READERS["rating"].to_numpy()
    expected = CollaborativeFilter(2, random_state=0).fit(X, y).predict(X)
    other = {
        "pandas": lambda: X.astype("category"),
        "polars": lambda: pl.from_pandas(X),
        "array": lambda: X.to_numpy(dtype=object),
        "lists": lambda: X.to_numpy().tolist(),
    }[kind]()
    np.testing.assert_allclose(CollaborativeFilter(2, random_state=0).fit(other, y).predict(other), expected)


def test_saved_cloned_and_pickled_models_tell_the_same(tmp_path):
    X, y = READERS[["reader", "book"]], READERS["rating"]
    model = CollaborativeFilter(2, random_state=0).fit(X, y)
    expected = model.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)
    loaded = lanatus.load(lanatus.save(model, tmp_path / "ratings.skops"))
    np.testing.assert_array_equal(loaded.predict(X), expected)
    assert loaded.recommend("赵大") == model.recommend("赵大")
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), expected)


def test_threads_and_the_order_of_ratings_do_not_matter():
    X, y, *_ = drawn(300, 200, noise=0.3)
    told = []
    for team in (1, 2, 5):
        with threadpool_limits(team):
            told.append(CollaborativeFilter(4, random_state=0).fit(X, y).predict(X))
    np.testing.assert_array_equal(told[0], told[1])
    np.testing.assert_array_equal(told[0], told[2])
    order = np.random.RandomState(1).permutation(len(X))
    other = CollaborativeFilter(4, random_state=0).fit(X[order], y[order]).predict(X)
    np.testing.assert_allclose(other, told[0], rtol=1e-8)


def test_bad_ratings_are_refused_and_leave_the_model_as_it_was():
    X, y, *_ = drawn(10, 10)
    model = CollaborativeFilter(2, random_state=0).fit(X, y)
    expected = model.predict(X)
    holes = X.astype(float)
    holes[0, 0] = np.nan
    for bad_X, bad_y, words in [
        (np.column_stack([X, X[:, 0]]), y, "two, user and item"),
        (X, np.where(np.arange(len(y)) == 2, np.nan, y), "NaN|missing"),
        (X, y[:-1], "inconsistent|length|rows|samples"),
        (holes, y, "NaN"),
        (X[:0], y[:0], "0 "),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(bad_X, bad_y)
        np.testing.assert_array_equal(model.predict(X), expected)
        fresh = CollaborativeFilter(2)
        with pytest.raises(ValueError, match=words):
            fresh.fit(bad_X, bad_y)
        assert not [name for name in vars(fresh) if name.endswith("_")]


def test_one_rating_equal_ratings_and_a_pair_twice():
    one = CollaborativeFilter(2, random_state=0).fit([["ann", "dune"]], [4.0])
    with pytest.warns(UnseenCategoryWarning):
        np.testing.assert_allclose(one.predict([["ann", "dune"], ["bob", "emma"]]), 4.0)
    X, y, *_ = drawn(8, 6)
    np.testing.assert_allclose(CollaborativeFilter(2, random_state=0).fit(X, np.full(len(y), 3.0)).predict(X), 3.0)
    twice = CollaborativeFilter(0, bias_reg=0.0).fit([[0, 0], [0, 0]], [1.0, 3.0])
    np.testing.assert_allclose(twice.predict([[0, 0]]), 2.0)
