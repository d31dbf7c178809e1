"""Bags, wrong labels, rows of another task, and axes from pairs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs
from sklearn.model_selection import StratifiedKFold

from lanatus.bayes import GaussianNB
from lanatus.callbacks import Recorder
from lanatus.kernel import SVC
from lanatus.linear import LogisticRegression
from lanatus.reduce import PCA
from lanatus.semi import SSDR, MultiInstanceClassifier, TransferBoost, remove_noisy_labels
from lanatus.tree import DecisionTreeClassifier


def bags_of_digits(wanted, seed, count=80):
    """Bags of three to six digits, of the second class if the wanted one is among them."""
    rng = np.random.default_rng(seed)
    X, digit = load_digits(return_X_y=True)
    rows, bags, labels = [], [], []
    for bag in range(count):
        size = rng.integers(3, 7)
        mine = list(rng.choice(np.flatnonzero(digit != wanted), size))
        if bag % 2:
            mine[0] = rng.choice(np.flatnonzero(digit == wanted))
        rows += mine
        bags += [f"bag {bag:03}"] * size
        labels += [bag % 2] * size
    return X[rows] / 16.0, np.array(labels), np.array(bags)


@pytest.mark.covers("semi.weak-supervision")
@pytest.mark.parametrize(
    ("mode", "learner", "least"),
    [("witness", SVC(C=10.0, gamma=0.05), 0.85), ("extremes", SVC(C=10.0, gamma=0.02), 0.6)],
    ids=["witness", "extremes"],
)
def test_bags_are_told_by_one_of_their_rows(mode, learner, least):
    X, y, bags = bags_of_digits(0, 0)
    new, labels, groups = bags_of_digits(0, 1)
    model = MultiInstanceClassifier(learner, mode=mode).fit(X, y, groups=bags)
    said = model.predict(new, groups=groups)
    one = pd.Series(said).groupby(groups)
    assert (one.nunique() == 1).all()  # a label a bag
    right = one.first() == pd.Series(labels).groupby(groups).first()
    assert right.mean() >= least


@pytest.mark.covers("semi.weak-supervision")
def test_what_a_bag_is_taught_as():
    X, y, bags = bags_of_digits(3, 2, 40)
    model = MultiInstanceClassifier(SVC(gamma=0.05)).fit(X, y, groups=bags)
    names = np.unique(bags)
    table = np.array([np.r_[X[bags == b].min(axis=0), X[bags == b].max(axis=0)] for b in names])
    label = np.array([y[bags == b][0] for b in names])
    same = SVC(gamma=0.05).fit(table, label)
    np.testing.assert_array_equal(model.predict(X, groups=bags), same.predict(table)[np.searchsorted(names, bags)])
    # unlabelled bags are left out; order of the rows is nothing
    holes = np.where(np.isin(bags, names[:5]), -1, y)
    order = np.random.default_rng(0).permutation(len(X))
    few = MultiInstanceClassifier(SVC(gamma=0.05)).fit(X[order], holes[order], groups=bags[order])
    again = SVC(gamma=0.05).fit(table[5:], label[5:])
    np.testing.assert_array_equal(few.predict(X, groups=bags), again.predict(table)[np.searchsorted(names, bags)])
    with pytest.raises(ValueError, match="rows of different labels"):
        MultiInstanceClassifier(SVC()).fit(X, 1 - y[order], groups=bags)
    with pytest.raises(ValueError, match="tells two classes apart"):
        MultiInstanceClassifier(SVC(), mode="witness").fit(X, np.arange(len(X)) % 3)


@pytest.mark.covers("semi.weak-supervision")
def test_a_witness_is_the_surest_row():
    X, y, bags = bags_of_digits(0, 3, 40)
    model = MultiInstanceClassifier(SVC(C=10.0, gamma=0.05), mode="witness").fit(X, y, groups=bags)
    assert model.n_iter_ > 1
    score = model.estimator_.decision_function(X)
    witness = [X[bags == b][score[bags == b].argmax()] for b in np.unique(bags[y == 1])]
    same = SVC(C=10.0, gamma=0.05).fit(np.vstack([X[y == 0], witness]), np.r_[np.zeros((y == 0).sum()), np.ones(20)])
    np.testing.assert_allclose(same.decision_function(X), score, atol=1e-2)


@pytest.mark.covers("semi.weak-supervision")
def test_musk(shared_data):
    """At least 85 % in ten folds. The file names no molecules, so that each conformation is a bag of its own."""
    frame = pd.read_parquet(shared_data / "musk1.parquet")
    X, y = frame.drop(columns="Class").to_numpy(float), frame["Class"].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    right = []
    for seen, unseen in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        model = MultiInstanceClassifier(SVC(C=10.0)).fit(X[seen], y[seen])
        right.append((model.predict(X[unseen]) == y[unseen]).mean())
    assert np.mean(right) >= 0.85


@pytest.mark.covers("semi.weak-supervision")
def test_wrong_labels_are_found():
    X, truth = load_breast_cancer(return_X_y=True)
    names = np.array(["bad", "good"], dtype=object)[truth]
    rng = np.random.default_rng(0)
    flipped = rng.permutation(len(names))[:57]
    noisy = names.copy()
    noisy[flipped] = np.where(names[flipped] == "good", "bad", "good")
    noisy[np.setdiff1d(np.arange(20), flipped)] = None  # without a label a row stays
    cleaned = remove_noisy_labels(X, noisy, random_state=0)
    out = np.flatnonzero(~cleaned.kept)
    assert len(set(out) & set(flipped)) > 0.8 * 57
    assert len(set(out) - set(flipped)) < 0.1 * len(names)
    np.testing.assert_array_equal(cleaned.X, X[cleaned.kept])
    assert list(cleaned.y) == list(noisy[cleaned.kept])
    known = np.array([label is not None for label in noisy])
    before = DecisionTreeClassifier(random_state=0).fit(X[known], noisy[known]).score(X, names)
    still = cleaned.kept & known
    assert DecisionTreeClassifier(random_state=0).fit(X[still], noisy[still]).score(X, names) > before
    frame = pd.DataFrame(X)
    assert len(remove_noisy_labels(frame, names, estimator=LogisticRegression(), cv=3).X) > 500
    assert remove_noisy_labels(X[:10], np.zeros(10)).kept.all()


@pytest.mark.covers("semi.weak-supervision")
def test_the_thresholds_are_those_of_confident_learning():
    class Rote(GaussianNB):
        """Knows probabilities by heart: the second column of X is that of class 1."""

        def fit(self, X, y, sample_weight=None):
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 1], X[:, 1]])

    p = np.array([0.1, 0.2, 0.6, 0.9, 0.95, 0.5, 0.85])
    y = np.array([0, 0, 0, 0, 1, 1, 1])
    # t_0 = mean(.9, .8, .4, .1) = .55, t_1 = mean(.95, .5, .85) = .7667: only row 3 is above the other's threshold;
    # row 2, although 1 is likelier, reaches neither
    kept = remove_noisy_labels(np.column_stack([p, p]), y, estimator=Rote(), cv=2).kept
    assert np.flatnonzero(~kept).tolist() == [3]


def two_tasks(seed, shift=1.5):
    """A task with a diagonal border, and another whose border lies elsewhere on half of its rows."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(460, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    misleading = (np.arange(460) < 400) & (X[:, 0] > 1)
    y[misleading] = 1 - y[misleading]
    return X, y, np.arange(460) < 400, misleading


@pytest.mark.covers("semi.transfer-boost")
def test_the_rounds_of_tradaboost_from_the_text():
    X, y, source, _ = two_tasks(0)
    rounds = 6
    model = TransferBoost(DecisionTreeClassifier(max_depth=1), n_estimators=rounds).fit(X, y, source=source)
    weight, beta = np.where(source, 1 / 400, 1 / 60), 1 / (1 + np.sqrt(2 * np.log(400) / rounds))
    votes, worth = [], []
    for _ in range(rounds):
        stump = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight / weight.sum() * 460)
        wrong = stump.predict(X) != y
        error = weight[~source] @ wrong[~source] / weight[~source].sum()
        error = min(error, 0.499)
        ratio = error / (1 - error)
        weight = np.where(source, weight * np.where(wrong, beta, 1.0), weight * np.where(wrong, 1 / ratio, 1.0))
        votes.append(stump)
        worth.append(np.log(1 / ratio))
    np.testing.assert_allclose(model.estimator_weights_, worth[3:], rtol=1e-9)
    total = sum(w * (2 * s.predict(X) - 1) for w, s in zip(worth[3:], votes[3:], strict=True))
    np.testing.assert_array_equal(model.predict(X), (total > 0).astype(int))
    np.testing.assert_allclose(model.source_weights_, weight[source] / weight[source].max())


@pytest.mark.covers("semi.transfer-boost")
def test_rows_that_mislead_lose_their_weight_and_the_others_help():
    gain, alone, all_rows = [], [], []
    for seed in range(5):
        X, y, source, misleading = two_tasks(seed)
        rng = np.random.default_rng(100 + seed)
        new = rng.uniform(-3, 3, size=(1000, 2))
        labels = (new.sum(axis=1) > 0).astype(int)
        learner = DecisionTreeClassifier(max_depth=2)
        recorder = Recorder()
        few = np.r_[np.flatnonzero(source), np.flatnonzero(~source)[:25]]
        model = TransferBoost(learner, n_estimators=40).set_callbacks(recorder)
        model.fit(X[few], y[few], source=source[few])
        assert len(recorder) == model.n_iter_
        bad = misleading[few][source[few]]
        assert model.source_weights_[bad].mean() < model.source_weights_[~bad].mean()
        gain.append(model.score(new, labels))
        task = few[~source[few]]
        alone.append(TransferBoost(learner, n_estimators=40).fit(X[task], y[task]).score(new, labels))
        all_rows.append(TransferBoost(learner, n_estimators=40).fit(X[few], y[few]).score(new, labels))
    assert np.mean(gain) > np.mean(all_rows)
    assert np.mean(gain) > np.mean(alone) - 0.02
    with pytest.raises(ValueError, match="all labelled rows are of the other task"):
        TransferBoost(learner).fit(X, y, source=np.ones(460, dtype=bool))
    with pytest.raises(ValueError, match="source must be True or False"):
        TransferBoost(learner).fit(X, y, source=np.ones(460))


@pytest.mark.covers("semi.transfer-boost")
def test_several_classes_and_rows_without_a_label():
    X, truth = make_blobs(200, centers=3, cluster_std=0.6, random_state=0)
    names = np.array(["a", "b", "c"], dtype=object)[truth]
    y = np.where(np.arange(200) % 5 == 0, None, names)
    model = TransferBoost(DecisionTreeClassifier(max_depth=2), n_estimators=20)
    assert model.fit(X, y, source=np.arange(200) < 100).score(X, names) > 0.85
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.covers("semi.ssdr")
def test_axes_are_those_of_the_sum_over_pairs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [3, 1, 1, 0.5] + 5
    y = np.where(np.arange(30) < 12, rng.integers(0, 3, 30), -1)
    must, cannot = [(20, 21), (22, 23)], [(24, 25)]
    model = SSDR(3, alpha=2.0, beta=7.0, must_link=must, cannot_link=cannot).fit(X, y)
    n = len(X)
    S = np.full((n, n), 1 / n**2)
    pairs = [(i, j) for i in range(n) for j in range(i) if y[i] >= 0 and y[j] >= 0]
    same = [p for p in pairs if y[p[0]] == y[p[1]]] + must
    different = [p for p in pairs if y[p[0]] != y[p[1]]] + cannot
    for linked, share in ((different, 2.0 / len(different)), (same, -7.0 / len(same))):
        for i, j in linked:  # each pair once: half of it in each direction
            S[i, j] += share / 2
            S[j, i] += share / 2
    L = np.diag(S.sum(axis=1)) - S
    values, vectors = np.linalg.eigh(X.T @ L @ X)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:3], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.abs(model.components_ @ vectors[:, ::-1][:, :3]), np.eye(3), atol=1e-7)
    np.testing.assert_allclose(model.transform(X), (X - X.mean(axis=0)) @ model.components_.T)


@pytest.mark.covers("semi.ssdr")
def test_pairs_help_where_the_largest_spread_is_noise():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 5)) * [10, 5, 1, 1, 1] + 3 * np.outer(truth, [0, 0, 1, 1, 0])
    y = np.where(np.arange(200) < 20, truth, -1)

    def apart(Z):
        means = [Z[truth == c].mean() for c in (0, 1)]
        return abs(means[0] - means[1]) / Z.std()

    assert apart(SSDR(1).fit_transform(X, y)[:, 0]) > 1.5 > 0.5 > apart(PCA(1).fit_transform(X)[:, 0])
    plain = SSDR(2).fit(X)
    np.testing.assert_allclose(np.abs(plain.components_ @ PCA(2).fit(X).components_.T), np.eye(2), atol=1e-8)
    assert list(SSDR(2).fit(X).get_feature_names_out()) == ["ssdr0", "ssdr1"]
    with pytest.raises(ValueError, match="names the row"):
        SSDR(must_link=[(0, 200)]).fit(X)
