"""PCA at every scale: memory, files and Dask give the same axes."""

import numpy as np
import pytest
from scale.data import assert_close, frame, parquet

import lanatus
from lanatus.reduce import PCA

dd = pytest.importorskip("dask.dataframe")
NAMES = ["mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_"]


@pytest.mark.covers("reduce.pca")
@pytest.mark.parametrize("weighted", [False, True])
def test_memory_streamed_and_dask(tmp_path, weighted):
    whole = frame(3000)
    columns = ["a", "b", "c", "d", "colour"]
    weight = whole["weight"] if weighted else None
    kept = whole[[*columns, "weight"]] if weighted else whole[columns]
    source = lanatus.scan(parquet(tmp_path, kept), **({"weight": "weight"} if weighted else {}))
    lazy = dd.from_pandas(whole, npartitions=4, sort=False)
    memory = PCA(3, svd_solver="covariance_eigh").fit(whole[columns], sample_weight=weight)
    streamed = PCA(3).fit(source)
    dask = PCA(3).fit(lazy[columns], sample_weight=lazy["weight"] if weighted else None)
    for other in (streamed, dask):
        assert_close(other, memory, NAMES, rtol=1e-8)
        np.testing.assert_allclose(other.components_, memory.components_, atol=1e-8)
        assert other.n_samples_ == 3000
    wanted = memory.transform(whole[columns])
    np.testing.assert_allclose(np.asarray(streamed.transform(source)), wanted, atol=1e-7)
    np.testing.assert_allclose(dask.transform(lazy[columns]).compute().to_numpy(), wanted, atol=1e-7)


@pytest.mark.covers("reduce.pca")
def test_what_sums_cannot_say_is_refused(tmp_path):
    holed = frame(500, holes=True)[["a", "b", "c"]]
    source = lanatus.scan(parquet(tmp_path, holed, 2))
    with pytest.raises(ValueError, match="EM fills"):
        PCA(2).fit(source)
    with pytest.raises(ValueError, match="all rows at once"):
        PCA(2, svd_solver="randomized").fit(source)
