"""In memory, streamed and on Dask: the same model."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from distributed import Client, LocalCluster
from scale.data import assert_close, frame, parquet

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.callbacks import Checkpoint, ProgressBar, Recorder
from lanatus.cluster import KMeans
from lanatus.data import DataError

FEATURES = ["a", "b", "c", "d", "colour"]
NB = ["class_prior_", "theta_", "var_", "epsilon_", "class_count_"]
KM = ["cluster_centers_", "inertia_", "n_iter_"]


@pytest.fixture(scope="module")
def whole():
    return frame()


@pytest.fixture(scope="module")
def pattern(whole, tmp_path_factory):
    return parquet(tmp_path_factory.mktemp("parts"), whole)


def dask_frame(whole, partitions=4):
    import dask.dataframe as dd

    return dd.from_pandas(whole, npartitions=partitions, sort=False)


@pytest.mark.covers("bayes.gaussian-naive-bayes")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("holes", [False, True])
def test_gaussian_nb_is_the_same_at_every_scale(client, tmp_path, weighted, holes):
    whole = frame(holes=holes)
    memory = GaussianNB().fit(whole[FEATURES], whole["label"], whole["weight"] if weighted else None)
    source = lanatus.scan(
        parquet(tmp_path, whole), target="label", weight="weight" if weighted else None, columns=FEATURES
    )
    streamed = GaussianNB().fit(source)
    parts = dask_frame(whole)
    on_dask = GaussianNB().fit(parts[FEATURES], parts["label"], parts["weight"] if weighted else None)
    for other in (streamed, on_dask):
        np.testing.assert_array_equal(other.classes_, memory.classes_)
        assert other.schema_ == memory.schema_
        assert_close(other, memory, NB)
    np.testing.assert_array_equal(np.asarray(memory.predict(source)), memory.predict(whole[FEATURES]))
    np.testing.assert_array_equal(memory.predict(parts[FEATURES]).compute(), memory.predict(whole[FEATURES]))


@pytest.mark.slow  # every round of k-means is a round of tasks on Dask
@pytest.mark.covers("cluster.kmeans")
@pytest.mark.parametrize("init", ["given", "random", "k-means||"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kmeans_is_the_same_at_every_scale(client, whole, pattern, init, weighted):
    numeric = ["a", "b", "c"]
    start = whole[numeric].to_numpy()[:3] if init == "given" else init
    model = KMeans(3, init=start, n_init=1 if init == "given" else 2, random_state=3, tol=1e-6)
    weight = "weight" if weighted else None
    memory = model.fit(whole[numeric], sample_weight=whole["weight"] if weighted else None)
    expected = {name: getattr(memory, name) for name in KM}
    labels = memory.labels_
    source = lanatus.scan(pattern, columns=numeric, weight=weight)
    streamed = KMeans(**model.get_params()).fit(source)
    parts = dask_frame(whole)
    on_dask = KMeans(**model.get_params()).fit(parts[numeric], sample_weight=parts["weight"] if weighted else None)
    for other in (streamed, on_dask):
        for name, value in expected.items():
            np.testing.assert_allclose(getattr(other, name), value, rtol=1e-9, err_msg=name)
        assert not hasattr(other, "labels_")
    np.testing.assert_array_equal(np.concatenate(list(streamed.predict(source))), labels)
    np.testing.assert_array_equal(on_dask.predict(parts[numeric]).compute(), labels)


def test_callbacks_stay_here_while_the_work_is_elsewhere(client, whole):
    recorder = Recorder()
    model = KMeans(3, random_state=0, tol=0).set_callbacks(recorder, ProgressBar())
    model.fit(dask_frame(whole)[["a", "b"]])
    assert len(recorder) == model.n_iter_
    np.testing.assert_array_equal(recorder[-1].cluster_centers_, model.cluster_centers_)


def test_dask_arrays_work_too(client, whole):
    import dask.array as da

    X = whole[["a", "b", "c"]].to_numpy()
    lazy = da.from_array(X, chunks=(1000, 2))
    model = KMeans(3, init=X[:3]).fit(lazy)
    assert_close(model, KMeans(3, init=X[:3]).fit(X), KM)
    assert model.transform(lazy).shape == (len(X), 3)
    np.testing.assert_allclose(model.transform(lazy).compute(), model.transform(X), rtol=1e-12)
    labels = da.from_array(whole["label"].to_numpy(dtype=str), chunks=1000)
    nb = GaussianNB().fit(lazy.rechunk((1000, 3)), labels)
    assert_close(nb, GaussianNB().fit(X, whole["label"]), NB)


@pytest.mark.slow  # until nothing moves: some fifty rounds of tasks on Dask
def test_empty_clusters_are_refilled_alike(client, whole):
    X = whole[["a", "b"]].to_numpy()
    start = np.vstack([X[:2], [[1e3, 1e3]], [[-1e3, 5e2]]])  # the last two win no row
    memory = KMeans(4, init=start, tol=0).fit(X)
    assert len(np.unique(memory.labels_)) == 4
    on_dask = KMeans(4, init=start, tol=0).fit(dask_frame(whole)[["a", "b"]])
    assert_close(on_dask, memory, KM)


# It has a cluster of its own, one of whose workers is killed.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_lost_worker_does_not_change_the_result(whole):
    numeric = ["a", "b", "c"]
    start = whole[numeric].to_numpy()[:3]
    expected = KMeans(3, init=start, tol=0, max_iter=40).fit(whole[numeric])
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        parts = dask_frame(whole, 12)[numeric].map_partitions(_slowly)
        victim = next(iter(client.run(os.getpid).values()))
        killed = threading.Event()

        def kill():
            time.sleep(1.5)
            os.kill(victim, signal.SIGKILL)
            killed.set()

        threading.Thread(target=kill).start()
        model = KMeans(3, init=start, tol=0, max_iter=40).fit(parts)
        assert killed.is_set(), "the fit was over before the worker died"
        assert victim not in client.run(os.getpid).values()
    assert_close(model, expected, KM)


def _slowly(part):
    time.sleep(0.02)
    return part


def test_a_failing_read_names_the_file(whole, tmp_path):
    pattern = parquet(tmp_path, whole, files=3)
    source = lanatus.scan(pattern, target="label", columns=["a", "b"])
    broken = tmp_path / "part-1.parquet"
    content = broken.read_bytes()
    broken.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"part-1\.parquet"):
        GaussianNB().fit(source)
    broken.unlink()
    with pytest.raises(DataError, match=r"part-1\.parquet"):
        GaussianNB().fit(source)


def test_wrong_companions_are_refused(client, whole, pattern):
    source = lanatus.scan(pattern, target="label", columns=["a", "b"])
    with pytest.raises(ValueError, match="its own y"):
        GaussianNB().fit(source, whole["label"])
    parts = dask_frame(whole)
    with pytest.raises(TypeError, match="must be too"):
        GaussianNB().fit(parts[["a", "b"]], whole["label"])
    with pytest.raises(ValueError, match="same partitions"):
        GaussianNB().fit(parts[["a", "b"]], dask_frame(whole, 3)["label"])
    with pytest.raises(ValueError, match="needs the data in memory"):
        KMeans(2, init=lambda X, k, random_state: X[:k]).fit(source)


def test_answers_are_written_block_by_block(whole, pattern, tmp_path):
    import pyarrow.parquet as pq

    source = lanatus.scan(pattern, target="label", columns=["a", "b", "colour"], block_rows=500)
    model = GaussianNB().fit(source)
    path = model.predict(source).write(tmp_path / "answers.parquet")
    written = pq.read_table(path)
    assert written.num_rows == len(whole)
    np.testing.assert_array_equal(written["predict"].to_pylist(), model.predict(whole[["a", "b", "colour"]]))
    shares = model.predict_proba(source).write(tmp_path / "shares.parquet")
    assert pq.read_table(shares).num_columns == 3


def test_partial_fit_equals_fit(whole):
    X, y = whole[["a", "b", "colour"]], whole["label"].to_numpy()
    first = GaussianNB().partial_fit(X[:6000:2], y[:6000:2], classes=["x", "y", "z"])
    first.partial_fit(X[1:6000:2], y[1:6000:2])
    assert_close(first, GaussianNB().fit(X, y), NB)
    with pytest.raises(ValueError, match="do not exist"):
        first.partial_fit(X[:3], ["new"] * 3)
    with pytest.raises(ValueError, match="first call"):
        GaussianNB().partial_fit(X, y)


def test_a_streamed_fit_goes_on_from_its_checkpoint(whole, pattern, tmp_path):
    path = tmp_path / "fit.ckpt"
    source = lanatus.scan(pattern, columns=["a", "b", "c"])

    class PowerCut(Recorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator)
            if len(self) == 4:
                raise KeyboardInterrupt

    whole_fit = KMeans(4, random_state=1, tol=1e-5)
    with pytest.raises(KeyboardInterrupt):
        KMeans(**whole_fit.get_params()).set_callbacks(Checkpoint(path), PowerCut()).fit(source)
    recorder, checkpoint = Recorder(), Checkpoint(path)
    resumed = KMeans(**whole_fit.get_params()).set_callbacks(checkpoint, recorder).fit(source)
    whole_fit.fit(source)
    assert checkpoint.resumed
    assert len(recorder) == whole_fit.n_iter_ - 4
    np.testing.assert_array_equal(resumed.cluster_centers_, whole_fit.cluster_centers_)
    other = lanatus.scan(pattern, columns=["a", "b", "d"])
    with pytest.raises(KeyboardInterrupt):
        KMeans(**whole_fit.get_params()).set_callbacks(Checkpoint(path), PowerCut()).fit(source)
    with pytest.raises(ValueError, match="another fit"):
        KMeans(**whole_fit.get_params()).set_callbacks(Checkpoint(path)).fit(other)
