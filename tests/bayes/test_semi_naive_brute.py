"""Semi-naive Bayes against loops over rows and values."""

from itertools import combinations

import numpy as np
import pytest
from bayes.semi_naive_data import LABELS, SIZES, count, dependent_columns, family_posterior, frame, prior, share

from lanatus.bayes import AODE, KDB, LBR, ODE, SPODE, TAN, AnDE, NBTree, SemiNaiveBayes, conditional_mutual_information
from lanatus.graph import parents_from_root

cases = pytest.mark.parametrize("holes", [0.0, 0.2])
weighing = pytest.mark.parametrize("weights", [False, True])


def fitted(model, X, y, weight):
    return model.fit(X, LABELS[y], sample_weight=weight)


def answers(model, X):
    """Probabilities in the order of the codes of the labels."""
    return model.predict_proba(X)[:, [list(model.classes_).index(label) for label in LABELS]]


@cases
@weighing
@pytest.mark.covers("bayes.one-dependent-estimator")
def test_ode(holes, weights):
    X, codes, y, weight = dependent_columns(holes=holes, weights=weights)
    model = fitted(ODE({"b": "a", "c": "b"}, alpha=0.7), X, y, weight)
    assert model.parents_ == [[], [0], [1], []]
    expected = [family_posterior(codes, y, weight, model.parents_, row, 0.7) for row in codes[:25]]
    np.testing.assert_allclose(answers(model, X[:25]), expected, rtol=1e-10)


@cases
@pytest.mark.covers("bayes.spode")
def test_spode_and_its_choice(holes):
    X, codes, y, weight = dependent_columns(60, holes=holes)
    chosen = fitted(SPODE(), X, y, weight)
    given = [fitted(SPODE(name), X, y, weight) for name in X.columns]
    right = []
    rows = np.arange(len(y))
    for s in range(4):
        parents = [[] if j == s else [s] for j in range(4)]
        expected = [family_posterior(codes, y, weight, parents, row) for row in codes[:15]]
        np.testing.assert_allclose(answers(given[s], X[:15]), expected, rtol=1e-10)
        guesses = [
            family_posterior(codes[rows != i], y[rows != i], weight[rows != i], parents, codes[i]).argmax()
            for i in rows
        ]
        right.append(np.mean(np.array(guesses) == y))
    np.testing.assert_allclose(chosen.cv_scores_, right, rtol=1e-12)
    assert chosen.super_parent_ == int(np.argmax(right))
    np.testing.assert_array_equal(answers(chosen, X), answers(given[chosen.super_parent_], X))


@cases
@weighing
@pytest.mark.covers("bayes.conditional-mutual-information")
@pytest.mark.parametrize("weighting", ["joint", "book"])
def test_information_and_tan(holes, weights, weighting):
    X, codes, y, weight = dependent_columns(holes=holes, weights=weights)
    model = fitted(TAN("c", weighting=weighting), X, y, weight)
    for i, j in combinations(range(4), 2):
        both = {f"x{i}": None, f"x{j}": None}
        total = count(codes, y, weight, **both)
        expected = 0.0
        for c in range(3):
            n = count(codes, y, weight, c, **both)
            for u in range(SIZES[i]):
                for v in range(SIZES[j]):
                    cell = count(codes, y, weight, c, **{f"x{i}": u, f"x{j}": v})
                    if cell:
                        left = count(codes, y, weight, c, **{f"x{i}": u, f"x{j}": None})
                        down = count(codes, y, weight, c, **{f"x{i}": None, f"x{j}": v})
                        expected += cell / (total if weighting == "joint" else n) * np.log(cell * n / (left * down))
        assert model.information_[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        columns = X.iloc[:, i], X.iloc[:, j]
        found = conditional_mutual_information(*columns, LABELS[y], weighting, sample_weight=weight)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    expected = [family_posterior(codes, y, weight, model.parents_, row) for row in codes[:20]]
    np.testing.assert_allclose(answers(model, X[:20]), expected, rtol=1e-10)
    assert model.parents_[2] == []


@pytest.mark.covers("bayes.tan")
def test_no_other_tree_of_attributes_is_more_likely():
    X, _, y, weight = dependent_columns(200, weights=True)

    def likelihood(model):
        rows = np.arange(len(y))
        places = np.searchsorted(model.classes_, LABELS[y])
        joint = model.predict_joint_log_proba(X)[rows, places]
        return float((weight * np.where(weight > 0, joint, 0.0)).sum())

    best = likelihood(fitted(TAN(alpha=0.0), X, y, weight))
    found = []
    for edges in combinations(list(combinations(range(4), 2)), 3):
        parents = parents_from_root(list(edges), 0, 4)
        if all(parents[1:]):  # a tree: every column but the root is reached
            choice = [None if not above else above[0] for above in parents]
            found.append(likelihood(fitted(ODE(choice, alpha=0.0), X, y, weight)))
    assert len(found) == 16
    assert best == pytest.approx(max(found), rel=1e-12)


def averaged(codes, y, weight, row, n, *, least, alpha=1.0, literal=False, printed=False):
    """(7.23) by loops."""
    known = [j for j in range(4) if row[j] >= 0]
    for order in range(n, -1, -1):
        terms = []
        for parents in combinations(known, order):
            given = {f"x{p}": row[p] for p in parents}
            if order and count(codes, y, weight, **given) < least:
                continue
            term = []
            for c in range(3):
                if order:
                    total = count(codes, y, weight, **dict.fromkeys(given))
                    cells = np.prod([SIZES[p] for p in parents]) * (1 if printed else 3)
                    p = (count(codes, y, weight, c, **given) + alpha) / (total + alpha * cells)
                else:
                    p = prior(y, weight, c, alpha)
                for j in known:
                    if literal or j not in parents:
                        p *= share(codes, y, weight, c, j, row[j], {q: row[q] for q in parents}, alpha)
                term.append(p)
            terms.append(term)
        if terms:
            break
    joint = np.sum(terms, axis=0)
    return joint / joint.sum()


@cases
@weighing
@pytest.mark.covers("bayes.aode")
@pytest.mark.parametrize(("literal", "printed"), [(False, False), (True, False), (False, True), (True, True)])
def test_aode(holes, weights, literal, printed):
    X, codes, y, weight = dependent_columns(80, holes=holes, weights=weights)
    for least in (0, 30, 1000):
        model = fitted(AODE(least, literal_product=literal, printed_prior=printed), X, y, weight)
        expected = [
            averaged(codes, y, weight, row, 1, least=least, literal=literal, printed=printed) for row in codes[:12]
        ]
        np.testing.assert_allclose(answers(model, X[:12]), expected, rtol=1e-10)


@cases
@pytest.mark.parametrize("n", [0, 1, 2])
def test_ande(holes, n):
    X, codes, y, weight = dependent_columns(80, holes=holes, weights=True)
    for least in (1, 12):
        model = fitted(AnDE(n, min_count=least, alpha=0.5), X, y, weight)
        expected = [averaged(codes, y, weight, row, n, least=least, alpha=0.5) for row in codes[:12]]
        np.testing.assert_allclose(answers(model, X[:12]), expected, rtol=1e-10)


@cases
@pytest.mark.covers("bayes.k-dependence")
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_kdb(holes, k):
    X, codes, y, weight = dependent_columns(holes=holes, weights=True)
    model = fitted(KDB(k), X, y, weight)
    order = np.argsort(-model.class_information_, kind="stable").tolist()
    assert model.order_ == order
    for at, j in enumerate(order):
        best = sorted(order[:at], key=lambda p: -model.information_[j, p])[:k]
        assert model.parents_[j] == best
    expected = [family_posterior(codes, y, weight, model.parents_, row) for row in codes[:20]]
    np.testing.assert_allclose(answers(model, X[:20]), expected, rtol=1e-10)


def test_information_about_the_class():
    X, codes, y, weight = dependent_columns(weights=True)
    model = fitted(KDB(1), X, y, weight)
    for j in range(4):
        total, expected = weight.sum(), 0.0
        for c in range(3):
            for v in range(SIZES[j]):
                cell = count(codes, y, weight, c, **{f"x{j}": v})
                if cell:
                    apart = count(codes, y, weight, **{f"x{j}": v}) * weight[y == c].sum() / total
                    expected += cell / total * np.log(cell / apart)
        assert model.class_information_[j] == pytest.approx(expected, rel=1e-9)


# ---------------------------------------------------------------- lazy rules, trees, joints


def naive(codes, y, used, row):
    """Most probable class by naive Bayes of the columns that are not used."""
    weight = np.ones(len(y))
    scores = []
    for c in range(3):
        score = np.log((y == c).sum() + 1)
        for j, v in enumerate(row):
            if v >= 0 and j not in used:
                score += np.log(share(codes, y, weight, c, j, v, {}))
        scores.append(score)
    return int(np.argmax(scores))


def wrong_left_out(codes, y, used):
    rows = np.arange(len(y))
    return np.array([naive(codes[rows != i], y[rows != i], used, codes[i]) != y[i] for i in rows])


@cases
@pytest.mark.covers("bayes.lazy-bayesian-rule")
def test_lazy_rules(holes):
    from scipy.stats import binomtest

    X, codes, y, _ = dependent_columns(70, holes=holes, seed=3)
    y = np.where((codes[:, 0] == 1) & (codes[:, 2] == 1), 2, y)
    model = LBR(significance=0.4).fit(X, LABELS[y])
    queries = np.unique(codes, axis=0)[::6]
    taken = model.antecedents(frame(queries))
    guesses = model.predict(frame(queries))
    assert taken.any() or holes
    for row, fixed, guess in zip(queries, taken, guesses, strict=True):
        here, used, wrong = np.ones(len(y), dtype=bool), [], wrong_left_out(codes, y, [])
        while True:
            best, gain = None, 0
            for a in range(4):
                inside = here & (codes[:, a] == row[a])
                if a in used or row[a] < 0 or not inside.any() or inside.sum() == here.sum():
                    continue
                now = wrong_left_out(codes[inside], y[inside], [*used, a])
                wins, losses = (wrong[inside] & ~now).sum(), (now & ~wrong[inside]).sum()
                if wins - losses > gain and binomtest(wins, wins + losses, alternative="greater").pvalue < 0.4:
                    best, gain = a, wins - losses
            if best is None:
                break
            used.append(best)
            inside = here & (codes[:, best] == row[best])
            fresh = np.zeros(len(y), dtype=bool)
            fresh[inside] = wrong_left_out(codes[inside], y[inside], used)
            here, wrong = inside, fresh
        assert sorted(used) == np.flatnonzero(fixed).tolist()
        assert guess == LABELS[naive(codes[here], y[here], used, row)]


@cases
@pytest.mark.covers("bayes.nbtree")
def test_nbtree(holes):
    X, codes, y, _ = dependent_columns(90, holes=holes, seed=5)
    y = np.where((codes[:, 0] == 1) & (codes[:, 2] == 1), 2, y)
    model = NBTree(min_count=10).fit(X, LABELS[y])
    assert model.feature_[0] >= 0
    stops = model.apply(X)

    def check(node, rows, used):
        wrong = wrong_left_out(codes[rows], y[rows], used)
        errors = []
        for j in range(4):
            values = np.unique(codes[rows, j][codes[rows, j] >= 0])
            if j in used or len(values) < 2:
                errors.append(np.inf)
                continue
            missing = wrong[codes[rows, j] < 0].sum()
            parts = [rows[codes[rows, j] == v] for v in values]
            errors.append(missing + sum(wrong_left_out(codes[part], y[part], [*used, j]).sum() for part in parts))
        best = int(np.argmin(errors))
        splits = len(rows) >= 10 and errors[best] < 0.95 * wrong.sum()
        assert model.feature_[node] == (best if splits else -1)
        stay = rows if not splits else rows[codes[rows, best] < 0]
        assert (stops[stay] == node).all()
        for i in stay[:5]:
            assert model.predict(X[i : i + 1])[0] == LABELS[naive(codes[rows], y[rows], used, codes[i])]
        if splits:
            for v in np.unique(codes[rows, best][codes[rows, best] >= 0]):
                check(model.child_[node, v], rows[codes[rows, best] == v], [*used, best])

    check(0, np.arange(len(y)), [])


@pytest.mark.covers("bayes.semi-naive-kononenko")
def test_the_first_values_joined():
    X, codes, y, weight = dependent_columns(150, seed=2)
    y = np.where((codes[:, 0] == 1) & (codes[:, 2] == 1), 2, y)
    model = SemiNaiveBayes(max_joined=1).fit(X, LABELS[y])
    shares = np.array([(y == c).mean() for c in range(3)])
    bounds = {}
    for i, j in combinations(range(4), 2):
        for u in range(SIZES[i]):
            for v in range(SIZES[j]):
                one, other = codes[:, i] == u, codes[:, j] == v
                if not (one & other).any():
                    continue
                p = [np.array([(y[rows] == c).mean() for c in range(3)]) for rows in (one & other, one, other)]
                epsilon = (shares * np.abs(p[0] - p[1] * p[2] / shares)).sum()
                bounds[(i, u), (j, v)] = 1 - 1 / (4 * epsilon**2 * (one & other).sum()) if epsilon else -np.inf
    best = max(bounds, key=lambda pair: round(bounds[pair], 12))
    assert bounds[best] > 0.5
    assert model.joints_ == [list(best)]
    # What a row with the joint is worth: the joint in the place of its two values.
    (i, u), (j, v) = best
    row = codes[(codes[:, i] == u) & (codes[:, j] == v)][0]
    joint = []
    for c in range(3):
        both = count(codes, y, weight, c, **{f"x{i}": u, f"x{j}": v})
        p = prior(y, weight, c) * (both + 1) / ((y == c).sum() + SIZES[i] * SIZES[j])
        for other in set(range(4)) - {i, j}:
            p *= share(codes, y, weight, c, other, row[other], {})
        joint.append(p)
    np.testing.assert_allclose(answers(model, frame(row[None]))[0], np.array(joint) / sum(joint), rtol=1e-10)
    plain = SemiNaiveBayes(max_joined=0).fit(X, LABELS[y])
    assert plain.joints_ == []
    np.testing.assert_allclose(plain.predict_proba(X), AnDE(0).fit(X, LABELS[y]).predict_proba(X), rtol=1e-10)
