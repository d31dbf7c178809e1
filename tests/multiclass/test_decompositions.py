"""Decompositions of multi-class problems: the book's codes, scikit-learn's answers, and every way to split."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import multiclass as theirs
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import cross_val_score
from sklearn.multioutput import MultiOutputClassifier as TheirRelevance
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.book import ex_3_9
from lanatus.data import load_ecoc_codes
from lanatus.multiclass import (
    ClassifierChain,
    DAGClassifier,
    HierarchicalClassifier,
    MLkNN,
    MultiOutputClassifier,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    code_bit_diagnostics,
    code_distances,
    code_quality,
    decode,
    exhaustive_code,
    optimal_code,
    random_code,
)
from lanatus.multiclass._codes import one_vs_one_code, one_vs_rest_code
from lanatus.multiclass._learned_codes import _best_half, _column_weights, continuous_code

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)


# ---------------------------------------------------------------- one against ...


@pytest.mark.covers("multiclass.one-vs-rest")
@pytest.mark.parametrize("learner", [LogisticRegression(), GaussianNB(), DecisionTreeClassifier(random_state=0)])
def test_one_vs_rest_is_scikit_learns(learner):
    X, y = WINE
    ours = OneVsRestClassifier(learner).fit(X / X.std(axis=0), y)
    expected = theirs.OneVsRestClassifier(learner).fit(X / X.std(axis=0), y)
    np.testing.assert_array_equal(ours.predict(X / X.std(axis=0)), expected.predict(X / X.std(axis=0)))
    assert len(ours.estimators_) == 3


@pytest.mark.covers("multiclass.one-vs-one")
def test_one_vs_one_votes_as_scikit_learns():
    X, y = load_digits(return_X_y=True)
    X = X[:600] / 16
    y = y[:600]
    ours = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    expected = theirs.OneVsOneClassifier(LogisticRegression()).fit(X, y)
    assert len(ours.estimators_) == 45
    np.testing.assert_array_equal(ours.predict(X), expected.predict(X))
    sums = OneVsOneClassifier(LogisticRegression(), combine="confidences").fit(X, y)
    assert sums.score(X, y) > 0.95


@pytest.mark.covers("multiclass.one-vs-one")
def test_one_vs_one_sees_only_the_rows_of_two_classes():
    seen = []

    class Spy(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append((len(y), sorted(set(y))))
            return super().fit(X, y)

    OneVsOneClassifier(Spy()).fit(*IRIS)
    assert seen == [(100, [0, 1])] * 3


@pytest.mark.covers("multiclass.dag-decomposition")
def test_dag_asks_fewer_learners_and_agrees_where_all_agree():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500]
    graph = DAGClassifier(LogisticRegression()).fit(X, y)
    votes = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    winner = votes.decision_function(X).max(axis=1) > 9 - 1e-9  # beats all nine others: so on every path
    np.testing.assert_array_equal(graph.predict(X)[winner], votes.predict(X)[winner])
    assert winner.mean() > 0.9


@pytest.mark.covers("multiclass.dag-decomposition")
def test_dag_rules_out_one_class_at_each_node():
    """First against last class that are left."""
    X, y = IRIS
    model = DAGClassifier(GaussianNB()).fit(X, y)
    a_c = model.estimators_[model.pairs_.index((0, 2))].predict(X)
    a_b = model.estimators_[model.pairs_.index((0, 1))].predict(X)
    b_c = model.estimators_[model.pairs_.index((1, 2))].predict(X)
    expected = np.where(a_c == 1, np.where(b_c == 1, 2, 1), np.where(a_b == 1, 1, 0))
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.covers("multiclass.hierarchical-split")
@pytest.mark.parametrize("split", ["halves", "informative"])
def test_hierarchy_ends_in_one_class(split):
    X, y = load_digits(return_X_y=True)
    model = HierarchicalClassifier(DecisionTreeClassifier(random_state=0), split=split).fit(X, y)
    assert model.splits_.shape == (10, 9)
    assert set(model.splits_[:, 0]) == {-1, 1}
    np.testing.assert_array_equal(model.predict(X), y)  # trees that fit without error lead every row home
    assert cross_val_score(model, X, y, cv=3).mean() > 0.7


# ---------------------------------------------------------------- codes


@pytest.mark.covers("multiclass.ecoc-decoding")
@pytest.mark.parametrize(
    ("kind", "hamming", "euclidean", "answer"),
    [
        ("binary", [3, 4, 1, 2], [12**0.5, 4, 2, 8**0.5], 2),
        ("ternary", [4, 2, 5, 3], [4, 2, 20**0.5, 10**0.5], 1),
    ],
)
def test_figure_3_5(kind, hamming, euclidean, answer):
    """ch01-03 G17-G19."""
    bunch = load_ecoc_codes(kind)
    book, test = np.asarray(bunch.data), [bunch.test_code]
    np.testing.assert_allclose(code_distances(test, book)[0], hamming)
    np.testing.assert_allclose(code_distances(test, book, distance="euclidean")[0], euclidean)
    for distance in ("hamming", "euclidean", "exponential", "hinge"):
        assert decode(test, book, distance=distance).tolist() == [answer]


@pytest.mark.covers("multiclass.ecoc-decoding")
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_hamming_and_euclidean_agree_on_binary_codes_of_signs(seed):
    rng = np.random.default_rng(seed)
    book = random_code(5, 8, random_state=seed % 1000, n_tries=3)
    said = rng.choice([-1.0, 1.0], size=(20, 8))
    near, far = code_distances(said, book), code_distances(said, book, distance="euclidean")
    np.testing.assert_allclose(far**2, 4 * near, atol=1e-9)


@pytest.mark.covers("multiclass.ecoc-decoding")
def test_a_code_of_distance_d_corrects_half_of_it():
    book = optimal_code(4, 7)
    assert code_quality(book) == code_quality(-book)
    assert code_quality(book).correctable == 1
    for c in range(4):
        for wrong in range(7):
            said = book[c].copy()
            said[wrong] *= -1
            assert decode([said], book).tolist() == [c]


@pytest.mark.covers("multiclass.ecoc-exhaustive-code")
@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_exhaustive_codes_have_every_split_once(n):
    code = exhaustive_code(n)
    assert code.shape == (n, 2 ** (n - 1) - 1)
    splits = {tuple(column) for column in code.T.tolist()}
    assert len(splits) == code.shape[1]
    assert not splits & {tuple(-np.array(split)) for split in splits}
    assert all({-1, 1} == set(split) for split in splits)


@pytest.mark.covers("multiclass.ecoc-random-codes")
@pytest.mark.parametrize("sparse", [False, True])
def test_random_codes_are_usable(sparse):
    code = random_code(6, 12, sparse=sparse, random_state=0)
    assert code.shape == (6, 12)
    assert (0 in code) == sparse
    assert all({-1, 1} <= set(column) for column in code.T.tolist())
    assert code_quality(code).row_distance >= 3
    np.testing.assert_array_equal(code, random_code(6, 12, sparse=sparse, random_state=0))
    assert random_code(4, sparse=sparse, random_state=0).shape == (4, 7)
    assert random_code(8, sparse=sparse, random_state=0, n_tries=2).shape == (8, 45 if sparse else 30)


@pytest.mark.covers("multiclass.ecoc-optimal-code")
def test_optimal_codes_of_four_classes():
    """Exercise 3.7: 1, 2, 2, 3, 4, 4, 5, 6 for lengths 2 to 9."""
    found = [code_quality(optimal_code(4, length)).row_distance for length in range(2, 10)]
    assert found == [1, 2, 2, 3, 4, 4, 5, 6]
    nine = optimal_code(4, 9)
    halves = [tuple(column * column[0]) for column in nine.T.tolist() for column in [np.array(column)]]
    assert sorted(pd.Series(halves).value_counts().tolist()) == [3, 3, 3]


@pytest.mark.covers("multiclass.many-vs-many", "multiclass.ecoc-binary", "multiclass.ecoc-ternary")
def test_codes_of_one_vs_rest_and_one_vs_one_are_those_schemes():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500]
    learner = LogisticRegression()
    rest = OutputCodeClassifier(learner, code=one_vs_rest_code(10), decoding="hinge").fit(X, y)
    expected = OneVsRestClassifier(learner).fit(X, y)
    for ours, theirs_ in zip(rest.estimators_, expected.estimators_, strict=True):
        np.testing.assert_allclose(ours.coef_, theirs_.coef_)
    pairs = OutputCodeClassifier(learner, code="one-vs-one").fit(X, y)
    votes = OneVsOneClassifier(learner).fit(X, y)
    near = pairs.decision_function(X)
    counts = np.round(votes.decision_function(X))
    np.testing.assert_allclose(near - near.min(axis=1, keepdims=True), counts - counts.min(axis=1, keepdims=True))
    assert len(pairs.estimators_) == one_vs_one_code(10).shape[1] == 45


@pytest.mark.covers(
    "multiclass.many-vs-many",
    "multiclass.ecoc-binary",
    "multiclass.ecoc-ternary",
    "multiclass.decoc",
    "multiclass.ecoc-one",
    "multiclass.ecoc-problem-dependent",
)
@pytest.mark.parametrize("code", ["dense", "sparse", "exhaustive", "optimal", "decoc", "ecoc-one", "crammer-singer"])
def test_every_code_learns(code):
    X, y = WINE
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = OutputCodeClassifier(LogisticRegression(), code=code, random_state=0)
    assert cross_val_score(model, X, y, cv=5).mean() > 0.93
    model.fit(X, np.array(["甲", "乙", "丙"])[y])
    assert set(model.predict(X)) == {"甲", "乙", "丙"}
    assert model.problems_.shape == (3, len(model.estimators_))


@pytest.mark.covers("multiclass.decoc")
def test_decoc_splits_off_what_the_attributes_tell_most():
    """Setosa is told apart from the other two by every attribute."""
    model = OutputCodeClassifier(GaussianNB(), code="decoc").fit(*IRIS)
    assert model.problems_.shape == (3, 2)
    assert model.problems_[0, 0] == -model.problems_[1, 0] == -model.problems_[2, 0]
    assert model.problems_[0, 1] == 0


@pytest.mark.covers("multiclass.ecoc-one")
def test_ecoc_one_adds_the_pair_that_is_confused():
    """Versicolor and virginica are the ones that one-vs-rest confuses."""
    model = OutputCodeClassifier(LogisticRegression(), code="ecoc-one", random_state=0).fit(*IRIS)
    added = model.problems_[:, 3:]
    assert added.shape[1] >= 1
    assert added[1, 0] == -added[2, 0] != 0
    assert (model.weights_ > 0).all()
    assert len(set(model.weights_)) > 1


@pytest.mark.covers("multiclass.ecoc-problem-dependent")
def test_continuous_codes_fit_the_rows_better_than_the_random_ones():
    X, y = load_digits(return_X_y=True)
    X, y = X[:800] / 16, y[:800]
    plain = OutputCodeClassifier(DecisionTreeClassifier(max_depth=3), code="dense", length=15, random_state=0)
    learned = OutputCodeClassifier(
        DecisionTreeClassifier(max_depth=3), code="crammer-singer", length=15, random_state=0
    )
    assert learned.fit(X, y).score(X, y) > plain.fit(X, y).score(X, y)
    assert learned.code_book_.dtype == np.float64


@pytest.mark.covers("multiclass.ecoc-ideal-conditions")
def test_bit_diagnostics():
    X, y = WINE
    model = OutputCodeClassifier(GaussianNB(), code="exhaustive").fit(X[::2], y[::2])
    found = code_bit_diagnostics(model, X[1::2], y[1::2])
    for k, learner in enumerate(model.estimators_):
        truth = model.problems_[y[1::2], k] > 0
        assert found.error[k] == pytest.approx(np.mean((learner.predict(X[1::2]) == 1) != truth))
    assert found.correlation.shape == (3, 3)
    np.testing.assert_array_equal(found.correlation, found.correlation.T)
    assert found.spread >= 0
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        code_bit_diagnostics(model, X, y + 1)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (np.zeros((3, 2)), r"columns \[0, 1\] .* lack"),
        (np.full((3, 2), 2), "-1, 0 .* and \\+1 only"),
        (one_vs_rest_code(4), "has 4 rows; wanted one for each of 3 classes"),
        ("morse", "code"),
    ],
)
def test_bad_codes(code, words):
    with pytest.raises(ValueError, match=words):
        OutputCodeClassifier(GaussianNB(), code=code).fit(*IRIS)


def test_decode_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="2 answers, the coding matrix 3"):
        decode([[1, -1]], exhaustive_code(3))
    with pytest.raises(ValueError, match="must not have NaN"):
        decode([[1, -1, np.nan]], exhaustive_code(3))
    with pytest.raises(ValueError, match="distance must be one of"):
        decode([[1, -1, 1]], exhaustive_code(3), distance="edit")
    with pytest.raises(ValueError, match="weights have shape"):
        decode([[1, -1, 1]], exhaustive_code(3), weights=[1.0])


SCHEMES = [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier, DAGClassifier, HierarchicalClassifier]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_workers_weights_and_two_classes(scheme):
    X, y = WINE
    one = scheme(GaussianNB()).fit(X, y)
    if scheme is not OutputCodeClassifier:
        np.testing.assert_array_equal(scheme(GaussianNB(), n_jobs=2).fit(X, y).predict(X), one.predict(X))
    weight = np.where(y == 2, 0.0, 1.0) + np.random.default_rng(0).uniform(0, 1, len(y))
    assert scheme(GaussianNB()).fit(X, y, sample_weight=weight).score(X, y) > 0.8
    two = scheme(GaussianNB()).fit(X[y < 2], y[y < 2])
    np.testing.assert_array_equal(two.predict(X), GaussianNB().fit(X[y < 2], y[y < 2]).predict(X))
    with pytest.raises(ValueError, match="1 class"):
        scheme(GaussianNB()).fit(X[y == 0], y[y == 0])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_mixed_frames_go_to_our_learners_whole(scheme):
    """A category that only one class has is known to the learners of the others too: no warning."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    frame = pd.DataFrame(
        {"色泽": np.where(y == "c", "浅白", rng.choice(["青绿", "乌黑"], 60)), "糖": rng.normal(size=60)}
    )
    model = scheme(GaussianNB()).fit(frame, y)
    assert (model.predict(frame)[40:] == "c").all()
    assert list(model.feature_names_in_) == ["色泽", "糖"]


# ---------------------------------------------------------------- several labels


@pytest.mark.covers("multiclass.multi-label")
def test_binary_relevance_and_chains(shared_data):
    table = pd.read_parquet(shared_data / "multilabel_yeast.parquet")
    Y = table.iloc[:, -14:].astype(int).to_numpy()
    X = table.iloc[:, :-14].astype(float).to_numpy()
    relevance = MultiOutputClassifier(LogisticRegression(max_iter=500)).fit(X[:800], Y[:800])
    expected = TheirRelevance(LogisticRegression(max_iter=500)).fit(X[:800], Y[:800])
    np.testing.assert_array_equal(relevance.predict(X[800:]), expected.predict(X[800:]))
    chain = ClassifierChain(LogisticRegression(max_iter=500)).fit(X[:800], Y[:800])
    neighbours = MLkNN().fit(X[:800], Y[:800])
    majority = np.tile(Y[:800].mean(axis=0) > 0.5, (len(Y) - 800, 1))
    for model in (relevance, chain, neighbours):
        assert (model.predict(X[800:]) == Y[800:]).mean() > (majority == Y[800:]).mean()
    exact = [(model.predict(X[800:]) == Y[800:]).all(axis=1).mean() for model in (relevance, chain)]
    assert exact[1] > exact[0]  # a chain knows which labels go together


@pytest.mark.covers("multiclass.multi-label")
def test_relevance_works_with_our_learners():
    X, y = IRIS
    Y = np.column_stack([y == 0, y > 0, y == 2]).astype(int)
    model = MultiOutputClassifier(GaussianNB()).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.95


def test_ml_knn_by_hand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    Y = (X > 0).astype(int)
    model = MLkNN(n_neighbors=3, s=1.0).fit(X, Y)
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    near = Y[np.argsort(distances, axis=1)[:, :3]].sum(axis=1)
    for label in range(2):
        has = Y[:, label] == 1
        assert model.prior_[label] == pytest.approx((1 + has.sum()) / (2 + 40))
        counts = np.bincount(near[has, label], minlength=4)
        np.testing.assert_allclose(model.with_label_[label], (1 + counts) / (4 + has.sum()))
    query = np.array([[0.5, -0.5]])
    c = Y[np.argsort(((query - X) ** 2).sum(axis=1))[:3]].sum(axis=0)
    yes = model.prior_ * model.with_label_[[0, 1], c]
    no = (1 - model.prior_) * model.without_label_[[0, 1], c]
    np.testing.assert_allclose(model.predict_proba(query)[0], yes / (yes + no))


@pytest.mark.parametrize(
    ("Y", "words"),
    [([0, 1, 1], "a column for each label"), ([[0], [2], [1]], "0 and 1"), ([[0], [1]], "X has 3 rows and y has 2")],
)
def test_ml_knn_refuses_what_are_no_labels(Y, words):
    with pytest.raises(ValueError, match=words):
        MLkNN(n_neighbors=1).fit([[0.0], [1.0], [2.0]], Y)


def test_ml_knn_needs_enough_rows():
    with pytest.raises(ValueError, match="n_neighbors=10 needs more rows"):
        MLkNN().fit(np.zeros((5, 2)), np.zeros((5, 1)))


@pytest.mark.covers("multiclass.ovr-imbalance-cancels")
def test_rescaling_one_vs_rest_changes_little():
    figures = list(ex_3_9())
    assert all(figure.agrees for figure in figures)
    assert abs(figures[0].computed) < 0.005


@pytest.mark.parametrize(
    "scheme", [OneVsRestClassifier, OneVsOneClassifier, DAGClassifier, HierarchicalClassifier, OutputCodeClassifier]
)
def test_a_regressor_learns_zeros_and_ones(scheme):
    X, y = load_iris(return_X_y=True)
    model = scheme(DecisionTreeRegressor(max_depth=3, random_state=0)).fit(X, y)
    assert model.score(X, y) > 0.9


def test_huge_confidences_are_told_apart():
    book = [[1, 1], [-1, 1], [-1, -1]]
    distances = code_distances([[-1e6, -500.0]], book, distance="exponential")
    assert np.isfinite(distances).all()
    assert decode([[-1e6, -500.0]], book, distance="exponential").tolist() == [2]


def test_decoding_refuses_bad_answers_and_weights():
    book = [[1], [-1]]
    for weights in ([-1.0], [np.nan]):
        with pytest.raises(ValueError, match="finite numbers of 0 or more"):
            decode([[1]], book, weights=weights)
    with pytest.raises(ValueError, match="3 dimensions"):
        decode(np.ones((1, 1, 1)), book)


def test_diagnostics_of_something_else_and_of_unused_classes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="wants an OutputCodeClassifier; got GaussianNB"):
        code_bit_diagnostics(GaussianNB().fit(X, y), X, y)
    model = OutputCodeClassifier(GaussianNB(), code=[[1], [-1], [0]]).fit(X, y)
    assert np.isnan(code_bit_diagnostics(model, X[100:], y[100:]).spread)


def test_multi_label_neighbours_are_saved(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = MLkNN().fit(X, np.c_[y == 0, y > 0].astype(int))
    again = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.covers("multiclass.pairwise-codes")
@pytest.mark.parametrize("n", [2, 3, 5])
def test_one_vs_one_and_one_vs_rest_are_code_matrices(n):
    """Section 3.5: both are many-vs-many with a code of their own; learners by these codes are the same learners."""
    from lanatus.multiclass import one_vs_one_code, one_vs_rest_code

    rest, pairs = one_vs_rest_code(n), one_vs_one_code(n)
    assert rest.shape == (n, n)
    assert (rest.sum(axis=0) == 2 - n).all()
    assert (np.diagonal(rest) == 1).all()
    assert pairs.shape == (n, n * (n - 1) // 2)
    assert ((pairs == 1).sum(axis=0) == 1).all()
    assert ((pairs == -1).sum(axis=0) == 1).all()
    assert len({tuple(np.flatnonzero(column)) for column in pairs.T}) == n * (n - 1) // 2  # every pair once
    with pytest.raises(ValueError, match="n_classes"):
        one_vs_rest_code(1)


def test_columns_of_learned_codes_weigh_the_log_odds_of_being_right():
    problems = np.array([[1, 1], [-1, 0], [-1, -1]])
    codes = np.array([0, 0, 1, 2, 2])
    answers = np.array([[1, 1], [-1, 1], [-1, 1], [-1, 1], [-1, -1]])  # one of five wrong; one of four that count
    odds = [(5 - 1 + 0.5) / (1 + 0.5), (4 - 1 + 0.5) / (1 + 0.5)]
    np.testing.assert_allclose(_column_weights(answers, problems, codes), np.log(odds), rtol=1e-12)
    hopeless = _column_weights(-answers, problems, codes)
    np.testing.assert_array_equal(hopeless, 1e-3)


@pytest.mark.parametrize("seed", [0, 3, 4, 12, 13])
def test_the_half_of_four_classes_that_attributes_tell_most(seed):
    """Where the search by steps finds the best of all halves: the information is that of both sides' rows."""
    binned, codes = np.random.RandomState(seed).randint(0, 2, (24, 2)), np.repeat(np.arange(4), 6)

    def told(half):
        return sum(mutual_info_score(np.isin(codes, half), column) for column in binned.T)

    halves = [half for size in (1, 2) for half in combinations(range(4), size)]
    assert told(_best_half(binned, codes, [0, 1, 2, 3])) == pytest.approx(max(map(told, halves)), rel=1e-12)


def test_an_answer_of_zero_is_the_negative_side():
    rng = np.random.RandomState(0)
    codes = np.repeat([0, 1, 2], 20)
    signs = np.where(np.eye(3)[codes] > 0, 1.0, -1.0)
    answers = np.where(rng.rand(60, 3) < 0.3, 0.0, signs)
    negative = continuous_code(np.where(answers > 0, 0.2, -5.0), codes, 3, None)
    np.testing.assert_array_equal(continuous_code(answers, codes, 3, None), negative)


@pytest.mark.covers("multiclass.ecoc-problem-dependent")
@pytest.mark.parametrize("seed", range(3))
def test_no_code_near_a_continuous_one_costs_less(seed):
    """Rivals are all alike where the search begins, a kink that it must get away from."""
    rng = np.random.RandomState(seed)
    noise, codes = rng.randn(200, 6), rng.randint(0, 3, 200)
    signs = np.sign(noise + rng.randn(3, 6)[codes])
    own = np.arange(200), codes

    def cost(matrix):
        heights = signs @ matrix.T
        rivals = heights.copy()
        rivals[own] = -np.inf
        return 0.5 * (matrix**2).sum() + (np.maximum(0, 1 - heights[own] + rivals.max(axis=1)) ** 2).sum()

    found = continuous_code(signs, codes, 3, None)
    assert cost(found) < 0.98 * cost(0 * found)
    for size in (1e-3, 1e-2, 0.1):
        near = [cost(found + size * rng.randn(3, 6)) for _ in range(200)]
        assert min(near) > cost(found) * (1 - 1e-3)
