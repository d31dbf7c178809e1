"""Mutual information of columns: scikit-learn's, and what is known of normal columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import digamma
from sklearn import feature_selection as peer
from threadpoolctl import threadpool_limits

from lanatus.select import mutual_info_classif, mutual_info_regression


def rows(n=400, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 5)
    X[:, 1] = X[:, 1].round()  # ties
    X[:, 2] *= 1e6
    X[:, 3] = rng.randint(4, size=n)
    X[:, 4] = 7.0
    y = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.randn(n)
    return X, y


@pytest.mark.filterwarnings("ignore:Clustering metrics")  # scikit-learn's, of codes that are no whole numbers
@pytest.mark.parametrize("discrete", ["auto", [1, 3], [3], [False, True, False, True, False]])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_same_numbers_as_scikit_learn(discrete, k):
    X, y = rows()
    how = {"discrete_features": discrete, "n_neighbors": k, "random_state": 0}
    labels = np.digitize(y, [-1, 0, 1])
    np.testing.assert_allclose(
        mutual_info_classif(X, labels, **how), peer.mutual_info_classif(X, labels, **how), atol=1e-10
    )
    ours, theirs = mutual_info_regression(X, y, **how), peer.mutual_info_regression(X, y, **how)
    numbers = np.ones(5, dtype=bool) if discrete == "auto" else ~np.isin(np.arange(5), np.arange(5)[discrete])
    np.testing.assert_allclose(ours[numbers], theirs[numbers], atol=1e-10)
    # Of classes of a few rows scikit-learn's tree counts a row that is no nearer than the k-th, by its rounding; the
    # next test counts one by one.
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_neighbours_counted_one_by_one(k):
    X, y = rows()
    codes, t = X[:, 1], y
    size, near, within = np.zeros(400), np.zeros(400), np.zeros(400)
    for code in np.unique(codes):
        own = codes == code
        size[own], near[own] = own.sum(), min(k, own.sum() - 1)
        for i in np.flatnonzero(own):
            reach = np.sort(np.abs(t[own] - t[i]))[int(near[i])]
            within[i] = (np.abs(t - t[i]) < reach).sum()
    expected = digamma(400) + digamma(near).mean() - digamma(size).mean() - digamma(within).mean()
    found = mutual_info_regression(X[:, [1]], y, discrete_features=True, n_neighbors=k, random_state=0)
    np.testing.assert_allclose(found[0], max(expected, 0), atol=1e-9)


def test_normal_columns_have_the_information_of_their_correlation():
    rng = np.random.RandomState(0)
    x, noise = rng.randn(2, 4000)
    for r in (0.0, 0.5, 0.9):
        y = r * x + np.sqrt(1 - r**2) * noise
        found = mutual_info_regression(x[:, None], y, random_state=0)[0]
        assert found == pytest.approx(-0.5 * np.log(1 - r**2), abs=0.03)
    labels = rng.randint(2, size=4000)
    sure = mutual_info_classif((x + 100 * labels)[:, None], labels, random_state=0)[0]
    assert sure == pytest.approx(np.log(2), abs=0.01)


def test_sparse_codes_labels_of_words_and_a_class_of_one_row():
    X, y = rows()
    words = np.where(y > 0, "high", "low").astype(object)
    codes = X[:, [1, 3]]
    expected = peer.mutual_info_classif(codes, y > 0, discrete_features=True)
    np.testing.assert_allclose(mutual_info_classif(sp.csr_array(codes), words), expected, atol=1e-10)
    with pytest.raises(ValueError, match="continuous"):
        mutual_info_classif(sp.csr_array(codes), words, discrete_features=False)
    words[0] = "alone"
    how = {"random_state": 0}
    theirs = peer.mutual_info_classif(X, words.astype(str), **how)
    np.testing.assert_allclose(mutual_info_classif(X, words, **how), theirs, atol=1e-10)
    with pytest.raises(ValueError, match="mask"):
        mutual_info_classif(X, words, discrete_features=[True, False])


def test_threads_do_not_matter():
    X, y = rows(3000)
    found = []
    for team in (1, 2, 5):
        with threadpool_limits(team):
            found.append(
                np.r_[mutual_info_classif(X, y > 0, random_state=0), mutual_info_regression(X, y, random_state=0)]
            )
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
