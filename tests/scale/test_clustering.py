"""BIRCH at every scale: a source makes the tree that rows in memory make, Dask one of the same clusters."""

import numpy as np
import pandas as pd
import pytest
from scale.data import parquet
from sklearn.datasets import make_blobs

import lanatus
from lanatus.cluster import Birch, adjusted_rand_score

dd = pytest.importorskip("dask.dataframe")


@pytest.mark.covers("cluster.birch")
def test_birch_at_every_scale(tmp_path):
    X, y = make_blobs(3000, 4, centers=5, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    whole = Birch(n_clusters=5, threshold=1.0).fit(frame)
    source = lanatus.scan(parquet(tmp_path, frame, 4))
    streamed = Birch(n_clusters=5, threshold=1.0).fit(source)
    np.testing.assert_allclose(streamed.subcluster_centers_, whole.subcluster_centers_, rtol=1e-12)
    np.testing.assert_array_equal(streamed.subcluster_labels_, whole.subcluster_labels_)
    assert not hasattr(streamed, "labels_")
    np.testing.assert_array_equal(np.asarray(streamed.predict(source)), whole.labels_)
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    spread = Birch(n_clusters=5, threshold=1.0).fit(lazy)
    assert spread.subcluster_weights_.sum() == 3000
    mean = np.average(spread.subcluster_centers_, axis=0, weights=spread.subcluster_weights_)
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-9)
    assert adjusted_rand_score(y, spread.predict(frame)) == 1
    radius = np.sqrt(spread.subcluster_deviations_ / spread.subcluster_weights_)
    assert radius.max() <= 1.0 + 1e-12
