"""Chapter 7, semi-naive Bayes: the figures of the examples, and the terms of AODE one by one."""

import numpy as np
import pytest

from lanatus.bayes import AODE, SPODE, TAN, samples_needed
from lanatus.book import examples
from lanatus.book.ch07 import _semi_naive as book

TERMS = {  # W7.4: P(c, x_i) prod P(x_j | c, x_i) of 测1 for 是, 否
    "色泽": (0.00869565217, 0.00128824477),
    "根蒂": (0.0235830745, 0.000483091787),
    "敲声": (0.00834973460, 0.00108650381),
    "纹理": (0.0233739130, 0.000208695652),
    "脐部": (0.0235830745, 0.000626086957),
    "触感": (0.0213382106, 0.000457247371),
}


def test_the_exercises_are_there():
    titles = " ".join(one.zh for one in examples("7.4"))
    assert "7.6" in titles
    assert "7.7" in titles


@pytest.mark.covers("bayes.aode")
def test_aode_adds_the_terms_of_its_super_parents():
    X, y, melon = book.discrete_melons()
    counts = AODE(0).fit(X, y).counts_
    sizes, order = (3, 3, 3, 3, 3, 2), [1, 0]  # 是, 否
    total = np.zeros(2)
    for j, (name, (yes, no)) in enumerate(TERMS.items()):
        term = book.joint(SPODE(name).fit(X, y), melon)
        # A SPODE has P(c) P(x_i | c), smoothed apart, where AODE has P(c, x_i).
        at, size = sum(sizes[:j]), sizes[j]
        own = counts[at, at, order]
        priors = (np.array([8, 9]) + 1) / 19 * (own + 1) / (np.array([8, 9]) + size)
        term = term / priors * (own + 1) / (17 + 2 * size)
        np.testing.assert_allclose(term, (yes, no), rtol=1e-8)
        total += term
    np.testing.assert_allclose(book.joint(AODE(0).fit(X, y), melon), total, rtol=1e-12)


@pytest.mark.covers("bayes.aode")
def test_the_printed_prior_does_not_sum_to_one():
    """Claim 22: (7.24) as printed sums to 23/20 over two classes and three values, 1 once it is normalised."""
    X, y, _ = book.discrete_melons()
    for printed, total in ((True, 23 / 20), (False, 1.0)):
        joint = np.exp(AODE(0, printed_prior=printed).fit(X, y)._chain[0][0])
        for j in range(5):
            assert joint[3 * j : 3 * j + 3].sum() == pytest.approx(total)


@pytest.mark.covers("bayes.aode")
def test_looked_up_lazy_and_incremental_agree():
    X, y, _ = book.discrete_melons()
    looked_up = AODE(3).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(AODE(3, mode="lazy").fit(X, y).predict_proba(X), looked_up)
    for mode in ("lookup", "lazy"):
        grown = AODE(3, mode=mode)
        for i in np.random.RandomState(0).permutation(17):
            grown.partial_fit(X[i : i + 1], y[i : i + 1], classes=["是", "否"])
        np.testing.assert_allclose(grown.predict_proba(X), looked_up, rtol=1e-12)


@pytest.mark.covers("bayes.tan", "bayes.spode", "bayes.conditional-mutual-information")
def test_figures():
    for example in (book.aode, book.tan, book.spode, book.special_cases, book.sample_need):
        figures = list(example())
        assert figures
        assert all(figure.agrees for figure in figures), [figure for figure in figures if not figure.agrees]


@pytest.mark.covers("bayes.aode-sample-need")
def test_samples_needed():
    assert samples_needed(7, model="naive") == (60, 60)
    assert samples_needed(7) == (120, 60 * 8)
    assert samples_needed(1) == (120, 120)
    assert samples_needed(3, n_classes=4, per_cell=10, n_values=3) == (120, 40 * 7)
    for wrong in ({"d": 0}, {"d": 1, "per_cell": 0}, {"d": 1, "model": "bayes"}):
        with pytest.raises(ValueError, match=r"must be"):
            samples_needed(**wrong)
    # The worst case, built: all samples of a class alike, then one more value of one attribute at a time.
    d, m = 4, 5
    rows = [np.zeros(d, dtype=int)] * m + [np.eye(d, dtype=int)[j] for j in range(d) for _ in range(m)]
    table = np.array(rows)
    assert 2 * len(table) == samples_needed(d, per_cell=m).worst
    assert all((table[:, j] == v).sum() >= m for j in range(d) for v in (0, 1))
    assert (table[:-1, d - 1] == 1).sum() < m  # not one sample less


@pytest.mark.parametrize("root", ["色泽", "脐部", 5])
def test_the_root_changes_directions_not_the_tree(root):
    X, y, _ = book.discrete_melons()
    model = TAN(root).fit(X, y)
    edges = {frozenset((j, above[0])) for j, above in enumerate(model.parents_) if above}
    assert edges == {frozenset(edge) for edge in model.edges_}
    assert model.parents_[list(X.columns).index(root) if isinstance(root, str) else root] == []
