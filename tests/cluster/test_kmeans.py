"""k-means: what it adds up, and what it says when it cannot go on."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lanatus.bayes import GaussianNB
from lanatus.cluster import KMeans


def test_entries_of_a_sparse_matrix_add_up():
    twice = sp.csr_matrix(
        (np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 0]), np.array([0, 2, 3, 4])), shape=(3, 2)
    )
    assert KMeans(1).fit(twice).inertia_ == pytest.approx(KMeans(1).fit(twice.toarray()).inertia_, rel=1e-12)


def test_kmeans_says_what_went_wrong():
    X = np.random.RandomState(0).rand(300, 3)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        KMeans(8, max_iter=1, random_state=0, tol=0).fit(X)
    with pytest.raises(ValueError, match="positive weight"):
        KMeans(5, init="random").fit(X, sample_weight=np.r_[1, 1, 1, np.zeros(297)])
    with pytest.raises(ValueError, match="too large to square"):
        KMeans(3, random_state=0).fit(X * 1e200)
    with pytest.raises(ValueError, match="too large to square"):
        GaussianNB().fit(X * 1e200, X[:, 0] > 0.5)
    with pytest.raises(TypeError, match="collect"):
        KMeans(2).fit(pl.LazyFrame({"a": [1.0, 2.0]}))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_of_either_type_take_weights(dtype):
    X = sp.random(60, 8, 0.3, format="csr", random_state=0, dtype=dtype)
    weight = np.arange(60.0)
    start = X[[5, 20, 40]].toarray()
    found = KMeans(3, init=start, n_init=1).fit(X, sample_weight=weight)
    dense = KMeans(3, init=start, n_init=1).fit(X.toarray(), sample_weight=weight)
    np.testing.assert_array_equal(found.labels_, dense.labels_)
    assert found.inertia_ == pytest.approx(dense.inertia_, rel=1e-5)
    assert KMeans(3, random_state=0).fit(X, sample_weight=weight).cluster_centers_.dtype == dtype
