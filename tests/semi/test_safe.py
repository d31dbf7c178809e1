"""Learners that tell and machines that find gaps: the newer ones, and the promise of safety."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from lanatus.bayes import GaussianNB
from lanatus.callbacks import Recorder
from lanatus.kernel import SVC
from lanatus.neighbors import KNeighborsRegressor
from lanatus.semi import (
    LDS,
    S3VM,
    S4VM,
    CoReg,
    DemocraticCoLearning,
    LabelSpreading,
    MeanS3VM,
    SemiSupervisedEnsemble,
    SemiSupervisedNB,
    StatisticalCoLearning,
)
from lanatus.semi._maximin import safest
from lanatus.semi.disagreement._statistical import quality, wilson
from lanatus.tree import DecisionTreeClassifier


def moons(n=120, each=3, noise=0.08, seed=0):
    X, truth = make_moons(n, noise=noise, random_state=seed)
    y = np.full(n, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:each]] = c
    return X, y, truth


def machine_sums(model, X, y, gamma):
    """Norm of the plane, scores, and the signs that are known: from the fitted coefficients alone."""
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    K = rbf_kernel(X, gamma=gamma)
    f = K @ beta + model.intercept_[0]
    np.testing.assert_allclose(f, model.decision_function(X), atol=1e-4)
    return beta @ K @ beta / 2, f, np.where(y == 1, 1.0, -1.0)[y >= 0]


@pytest.mark.covers("semi.s3vm-continuation", "semi.s3vm-annealing", "semi.s3vm-cccp")
@pytest.mark.parametrize("solver", ["continuation", "annealing", "cccp"])
def test_the_balance_is_kept_and_the_sum_is_what_it_says(solver):
    X, y, _ = moons()
    model = S3VM(C=5.0, C_unlabelled=0.5, gamma=4.0, solver=solver, positive_share=0.4, tol=1e-6).fit(X, y)
    norm, f, signs = machine_sums(model, X, y, 4.0)
    known = y >= 0
    assert f[~known].mean() == pytest.approx(2 * 0.4 - 1, abs=1e-4)
    slack = np.maximum(1 - signs * f[known], 0)
    if solver == "continuation":
        total = norm + 5.0 * (slack**2).sum() + 0.5 * np.exp(-3 * f[~known] ** 2).sum()
    elif solver == "cccp":
        total = norm + 5.0 * slack.sum() + 0.5 * np.minimum(1.3, np.maximum(1 - np.abs(f[~known]), 0)).sum()
    else:  # cold: each row has the label of its side, or both in shares that the balance asks for
        total = norm + 5.0 * (slack**2).sum() + 0.5 * (np.maximum(1 - np.abs(f[~known]), 0) ** 2).sum()
        assert model.objective_[0] >= total - 1e-3
        return
    assert model.objective_[0] == pytest.approx(total, rel=1e-3)


@pytest.mark.covers("semi.s3vm-continuation", "semi.s3vm-cccp")
@pytest.mark.parametrize("solver", ["continuation", "cccp"])
@pytest.mark.parametrize("seed", range(3))
def test_the_gap_between_moons_is_found(solver, seed):
    X, y, truth = moons(160, seed=seed)
    alone = SVC(C=10.0, gamma=5.0).fit(X[y >= 0], y[y >= 0]).score(X, truth)
    model = S3VM(C=10.0, C_unlabelled=1.0, gamma=5.0, solver=solver).fit(X, y)
    assert model.score(X, truth) > alone + 0.03
    K = rbf_kernel(X, gamma=5.0)
    same = S3VM(C=10.0, C_unlabelled=1.0, kernel="precomputed", solver=solver).fit(K, y)
    np.testing.assert_allclose(same.decision_function(K), model.decision_function(X), atol=1e-2)


@pytest.mark.covers("semi.s3vm-annealing")
def test_annealing_parts_two_clouds():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 2)) + 3.5 * np.column_stack([truth, np.zeros(120)])
    y = np.full(120, -1)
    y[[0, 60]] = 0, 1
    X[0], X[60] = (0.0, 2.5), (3.5, -2.5)  # labelled rows that mislead
    alone = SVC(kernel="linear", C=10.0).fit(X[y >= 0], y[y >= 0]).score(X, truth)
    model = S3VM(kernel="linear", C=10.0, solver="annealing").fit(X, y)
    assert model.score(X, truth) > max(alone, 0.93)


@pytest.mark.covers("semi.s3vm-cccp")
def test_all_rows_labelled_leave_a_convex_sum():
    X, _, truth = moons(60)
    for solver in ("continuation", "annealing", "cccp"):
        model = S3VM(C=2.0, gamma=1.0, solver=solver, tol=1e-8).fit(X, truth)
        K = rbf_kernel(X, gamma=1.0)
        inner = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        power = 1 if solver == "cccp" else 2

        def total(beta, inner=inner, power=power):
            slack = np.maximum(1 - np.where(truth == 1, 1, -1) * (inner @ beta), 0)
            return beta @ inner @ beta / 2 + 2.0 * (slack**power).sum()

        beta = np.zeros(60)
        beta[model.support_] = model.dual_coef_[0]
        assert model.objective_[0] == pytest.approx(total(beta), rel=1e-6)
        rng = np.random.default_rng(0)
        for step in (1e-3, 1e-2):
            assert all(total(beta + step * rng.normal(size=60)) >= total(beta) - 1e-9 for _ in range(20))


@pytest.mark.covers("semi.mean-s3vm")
def test_the_means_are_held_apart():
    X, y, _ = moons(100)
    model = MeanS3VM(C=2.0, C_unlabelled=3.0, gamma=3.0, tol=1e-8).fit(X, y)
    known = y >= 0
    K = rbf_kernel(X, gamma=3.0)
    labels = model.transduction_[~known]
    assert labels.sum() == 47  # as many as the labelled rows say: half
    _, f, signs = machine_sums(model, X, y, 3.0)
    order = np.argsort(-f[~known])
    assert set(np.flatnonzero(labels == 1)) == set(order[:47])  # no label changes any more

    def total(beta, b):
        f = K @ beta + b
        rho = min(f[~known][labels == 1].mean(), -f[~known][labels == 0].mean())
        return beta @ K @ beta / 2 + 2.0 * np.maximum(1 - signs * f[known], 0).sum() - 3.0 * rho

    beta = np.zeros(100)
    beta[model.support_] = model.dual_coef_[0]
    least = total(beta, model.intercept_[0])
    assert model.objective_[0] == pytest.approx(least, rel=1e-4, abs=1e-4)
    rng = np.random.default_rng(0)
    for step in (1e-4, 1e-3, 1e-2):
        for _ in range(20):
            assert total(beta + step * rng.normal(size=100), model.intercept_[0] + step * rng.normal()) >= least - 1e-6


@pytest.mark.covers("semi.mean-s3vm")
def test_moons_by_means():
    scores = []
    for seed in range(4):
        X, y, truth = moons(200, seed=seed)
        alone = SVC(C=10.0, gamma=5.0).fit(X[y >= 0], y[y >= 0]).score(X, truth)
        scores.append(MeanS3VM(C=10.0, C_unlabelled=1.0, gamma=5.0).fit(X, y).score(X, truth) - alone)
    assert np.mean(scores) > 0.05
    one = MeanS3VM(positive_share=0.0).fit(X, y)
    assert np.isfinite(one.decision_function(X)).all()


def gains(codes, candidates, base, lam):
    """From the text: rows earned less rows lost, whichever labelling is right."""
    return [((codes == t) & (t != base)).sum() - lam * ((codes != t) & (t == base)).sum() for t in candidates]


@pytest.mark.covers("semi.s4vm", "semi.ss-ensemble")
@settings(max_examples=40)
@given(st.integers(0, 2**31 - 1), st.integers(2, 3), st.floats(0.2, 3.0))
def test_no_labelling_is_safer_and_the_promise_holds(seed, k, lam):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, k, 6)
    candidates = np.where(rng.random((3, 6)) < 0.6, base, rng.integers(0, k, (3, 6)))
    found = safest(candidates, base, k, lam)
    assert found.weights.sum() == pytest.approx(1)
    if found.gain > 0:
        assert min(gains(found.codes, candidates, base, lam)) == pytest.approx(found.gain)
        # whichever labelling is right, at least as many rows are right as before, if a loss counts at least as much
        if lam >= 1:
            for truth in candidates:
                assert (found.codes == truth).sum() >= (base == truth).sum()
    else:
        np.testing.assert_array_equal(found.codes, base)
    if (candidates[0] == candidates).all() and (candidates != base).any():
        np.testing.assert_array_equal(found.codes, candidates[0])  # where all agree nothing is uncertain
    best = max(min(gains(np.array(codes), candidates, base, lam)) for codes in product(range(k), repeat=6))
    assert found.gain <= best + 1e-9


@pytest.mark.covers("semi.s4vm")
def test_s4vm_does_not_fall_below_the_plain_machine():
    X, truth = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    gap = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.full(len(truth), -1)
        for c, count in ((0, 5), (1, 8)):  # in the shares of the classes
            y[rng.permutation(np.flatnonzero(truth == c))[:count]] = c
        plain = SVC(gamma=0.02).fit(X[y >= 0], y[y >= 0])
        model = S4VM(gamma=0.02, n_draws=10, random_state=seed).fit(X, y)
        asked = y < 0
        gap.append((model.transduction_ == truth)[asked].mean() - (plain.predict(X) == truth)[asked].mean())
    assert min(gap) > -0.02
    assert np.mean(gap) > 0
    same = [S4VM(gamma=0.02, n_draws=5, random_state=3).fit(X, y).decision_function(X) for _ in range(2)]
    np.testing.assert_array_equal(*same)


@pytest.mark.covers("semi.lds")
def test_paths_and_coordinates_of_low_density_separation():
    X, y, truth = moons(60)
    model = LDS(rho=2.0).fit(X, y)
    away = cdist(X, X)
    unit = np.median(np.sort(away, axis=1)[:, 1])
    assert model.scale_ == pytest.approx(unit)
    paths = np.expm1(2.0 * away / unit)
    for k in range(60):  # Floyd's
        paths = np.minimum(paths, paths[:, k, None] + paths[None, k])
    np.testing.assert_allclose(model.paths_, paths, rtol=1e-8)
    squares = (np.log1p(paths) / 2.0) ** 2
    H = np.eye(60) - 1 / 60
    f = -0.5 * H @ squares @ H @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), f, atol=1e-6)
    asked = y < 0
    values, vectors = np.linalg.eigh(-0.5 * H @ squares @ H)
    used = values > 1e-9 * values.max()
    embedded = (vectors[:, used] * np.sqrt(values[used])) @ (vectors[:, used] * np.sqrt(values[used])).T
    inside = embedded @ model.dual_coef_[0] + model.intercept_[0]
    assert inside[asked].mean() == pytest.approx(0.0, abs=1e-6)  # labels in balance: 3 of each
    assert (model.transduction_ == truth).mean() > 0.95


@pytest.mark.covers("semi.lds")
def test_low_density_separation_learns_moons_and_new_rows():
    for seed in range(3):
        X, y, truth = moons(200, seed=seed)
        new, labels = make_moons(200, noise=0.08, random_state=50 + seed)
        assert LDS().fit(X, y).score(new, labels) > 0.95
        assert LDS(n_neighbors=10, n_components=20).fit(X, y).score(X, truth) > 0.95
    far = np.vstack([X, X + 1000.0])
    parts = LDS(n_neighbors=5).fit(far, np.r_[y, np.full(200, -1)])
    assert np.isfinite(parts.decision_function(far)).all()
    assert np.isfinite(LDS(rho=0.0).fit(X, y).decision_function(X)).all()


@pytest.mark.covers("semi.ss-ensemble")
def test_the_ensemble_takes_what_is_safe():
    X, y, truth = moons(200, 5)
    members = [LabelSpreading(kernel="knn", alpha=0.9), LDS(), SemiSupervisedNB()]
    model = SemiSupervisedEnsemble(members).fit(X, y)
    base = GaussianNB().fit(X[y >= 0], truth[y >= 0])
    asked = y < 0
    said = np.stack([member.fit(X, y).predict(X[asked]) for member in members])
    found = safest(said, base.predict(X[asked]), 2, 3.0)
    np.testing.assert_array_equal(model.transduction_[asked], found.codes)
    assert model.gain_ == found.gain > 0
    assert (model.transduction_ == truth).mean() >= base.score(X, truth)
    assert model.score(X, truth) >= base.score(X, truth)
    votes = SemiSupervisedEnsemble(members, safe=False).fit(X, y)
    majority = np.array([np.bincount(column, minlength=2).argmax() for column in said.T])
    np.testing.assert_array_equal(votes.transduction_[asked], majority)
    # a single member that contradicts the plain learner everywhere is followed; two that contradict each other are not
    with pytest.raises(ValueError, match="estimators"):
        SemiSupervisedEnsemble([]).fit(X, y)


@pytest.mark.covers("semi.ss-ensemble")
def test_where_nothing_is_sure_the_plain_learner_answers():
    X, y, truth = moons(80, 4)

    class Contrary(GaussianNB):
        def predict(self, X):
            return 1 - super().predict(X)

    model = SemiSupervisedEnsemble([SemiSupervisedNB(), LabelSpreading()], lam=50.0).fit(X, y)
    if model.gain_ == 0:
        base = GaussianNB().fit(X[y >= 0], truth[y >= 0])
        np.testing.assert_array_equal(model.predict(X), base.predict(X))


@pytest.mark.covers("semi.coreg")
def test_a_round_of_coreg_from_the_text():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(60, 2))
    truth = np.sin(2 * X[:, 0]) + X[:, 1]
    known = np.arange(60) < 15
    y = np.where(known, truth, np.nan)
    model = CoReg(2.0, 5.0, 3, pool_size=100, max_iter=1, random_state=0).fit(X, y)

    def gain(p, row):
        D = np.array([[np.linalg.norm(a - b, ord=p) for b in X] for a in X])
        labelled = np.flatnonzero(known)
        near = labelled[np.argsort(D[row, labelled])[:3]]
        value = truth[near].mean()
        total = 0.0
        for i in near:
            others = labelled[labelled != i]
            before = truth[others[np.argsort(D[i, others])[:3]]].mean()
            wide = np.append(others, row)
            numbers = {**dict(zip(others, truth[others], strict=True)), row: value}
            after = np.mean([numbers[j] for j in wide[np.argsort(D[i, wide])[:3]]])
            total += (truth[i] - before) ** 2 - (truth[i] - after) ** 2
        return total, value

    pool = list(np.flatnonzero(~known))
    for p, X_other, y_other in ((2.0, model.X_2_, model.y_2_), (5.0, model.X_1_, model.y_1_)):
        gained = {row: gain(p, row) for row in pool}
        best = max(gained, key=lambda row: gained[row][0])
        assert gained[best][0] > 0
        np.testing.assert_allclose(X_other[-1], X[best])
        assert y_other[-1] == pytest.approx(gained[best][1])
        pool.remove(best)
    assert len(model.X_1_) == len(model.X_2_) == 16


@pytest.mark.covers("semi.coreg")
def test_two_regressors_are_better_than_one():
    errors, alone = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.uniform(0, 1, size=(400, 3))
        truth = np.sin(4 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2]
        y = np.where(np.arange(400) < 40, truth + 0.1 * rng.normal(size=400), np.nan)
        recorder = Recorder()
        model = CoReg(random_state=seed).set_callbacks(recorder).fit(X, y)
        assert len(recorder) == model.n_iter_ > 5
        errors.append(((model.predict(X) - truth)[40:] ** 2).mean())
        one = KNeighborsRegressor(3).fit(X[:40], y[:40])
        alone.append(((one.predict(X) - truth)[40:] ** 2).mean())
        np.testing.assert_array_equal(model.transduction_[:40], y[:40])
    assert np.mean(errors) < np.mean(alone)
    full = CoReg().fit(X, truth)
    assert len(full.X_1_) == 400


@pytest.mark.covers("semi.statistical-co-learning")
def test_limits_and_the_worth_of_noisy_rows():
    from statsmodels.stats.proportion import proportion_confint

    for right, n in ((0, 5), (3, 7), (20, 20)):
        got = wilson(np.arange(n) < right, 1.959963984540054)
        np.testing.assert_allclose(got, proportion_confint(right, n, method="wilson"), atol=1e-9)
    assert wilson(np.empty(0, dtype=bool), 1.96) == (0.0, 1.0)
    assert quality(100, 0) == 100
    assert quality(100, 10) == pytest.approx(64)
    assert quality(100, 60) == 0


@pytest.mark.covers("semi.statistical-co-learning")
def test_different_learners_teach_each_other():
    X, truth = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    names = np.array(["bad", "good"], dtype=object)[truth]
    gain, rounds = [], []
    for seed in range(6):
        y = np.full(len(X), None, dtype=object)
        chosen = np.random.default_rng(seed).permutation(len(X))[:40]
        y[chosen] = names[chosen]
        model = StatisticalCoLearning(GaussianNB(), DecisionTreeClassifier(random_state=0), random_state=seed)
        recorder = Recorder()
        model.set_callbacks(recorder).fit(X, y)
        assert len(recorder) == model.n_iter_
        rounds.append(model.n_iter_)
        tree = DecisionTreeClassifier(random_state=0).fit(X[chosen], names[chosen])
        gain.append(model.score(X, names) - tree.score(X, names))
        assert (model.transduction_[chosen] == names[chosen]).all()
    assert max(rounds) > 1
    assert np.mean(gain) > -0.02
    # limits so wide that nobody is sure: nobody is taught
    strict = StatisticalCoLearning(GaussianNB(), DecisionTreeClassifier(random_state=0), z=50.0, random_state=0)
    strict.fit(X, y)
    assert strict.n_iter_ == 1
    tree = DecisionTreeClassifier(random_state=0).fit(X[chosen], (names[chosen] == "good").astype(int))
    np.testing.assert_array_equal(strict.estimators_[1].predict(X), tree.predict(X))


def test_the_majority_teaches_whom_it_outvotes():
    X, truth = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    gain = []
    for seed in range(4):
        y = np.full(len(X), -1)
        chosen = np.random.default_rng(seed).permutation(len(X))[:40]
        y[chosen] = truth[chosen]
        recorder = Recorder()
        learners = [GaussianNB(), DecisionTreeClassifier(random_state=0), SVC()]
        model = DemocraticCoLearning(learners, random_state=seed).set_callbacks(recorder).fit(X, y)
        assert len(recorder) == model.n_iter_ >= 1
        np.testing.assert_array_equal(model.transduction_[chosen], truth[chosen])
        alone = [learner.fit(X[chosen], truth[chosen]).score(X, truth) for learner in learners]
        gain.append(model.score(X, truth) - np.mean(alone))
    assert np.mean(gain) > 0


def test_a_round_of_democratic_co_learning_from_the_text():
    class Rote:
        def __init__(self, answers):
            self.answers = np.array(answers)

        def predict(self, rows):
            return self.answers[rows[:, 0].astype(int)]

    X = np.arange(8.0)[:, None]
    codes = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    model = DemocraticCoLearning()
    model.classes_ = np.array([0, 1])
    models = [Rote([0, 0, 1, 1, 0, 0, 1, 1]), Rote([0, 0, 1, 1, 0, 0, 1, 0]), Rote([0, 0, 1, 1, 1, 0, 1, 1])]
    taught, wrong = [codes.copy() for _ in range(3)], np.zeros(3)
    low, asked = np.full(3, 0.9), np.arange(4, 8)
    lessons = model._lessons(models, np.array([0.8, 0.7, 0.9]), low, X, asked, taught, wrong)
    assert lessons[0] is None  # never outvoted
    # outvoted on row 7, by 0.8 + 0.9 over 0.7: q = 5 (1 - 2 * 0.1 / 5)^2 = 4.608 > 4
    assert (lessons[1][0].tolist(), lessons[1][1].tolist()) == ([7], [1])
    assert lessons[1][2] == pytest.approx(0.1)
    # row 4: a majority of 0.8 + 0.7 against a single learner of 2.0 does not weigh enough
    lessons = model._lessons(models, np.array([0.8, 0.7, 2.0]), low, X, asked, taught, wrong)
    assert lessons[2] is None
    assert model._lessons(models, np.array([0.8, 0.7, 0.9]), np.full(3, 0.4), X, asked, taught, wrong) == [None] * 3
