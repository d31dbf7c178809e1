"""Recording every iteration, and going on after a kill."""

import signal
import subprocess
import sys
import textwrap
import time
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.callbacks import Checkpoint, ProgressBar, Recorder
from lanatus.cluster import KMeans

X = np.random.RandomState(0).rand(4000, 3)


def test_recorder_keeps_every_iteration():
    recorder = Recorder()
    model = KMeans(5, random_state=0, n_init=2, tol=0).set_callbacks(recorder).fit(X)
    assert set(recorder.restarts) == {0, 1}
    kept = max(recorder.restarts.count(r) for r in (0, 1) if recorder.restarts.count(r) == model.n_iter_)
    assert kept == model.n_iter_
    inertia = [-one.score(X) for one, run in zip(recorder.models, recorder.restarts, strict=True) if run == 0]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(inertia))
    assert recorder[-1].predict(X[:3]).shape == (3,)


def test_a_callback_can_stop_the_iterations():
    class Stop(Recorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator)
            return len(self) == 3 and context.task_name == "iteration"

    assert KMeans(8, random_state=0, tol=0).set_callbacks(Stop()).fit(X).n_iter_ == 3


def test_progress_bar_of_scikit_learn_works(capsys):
    KMeans(4, random_state=0).set_callbacks(ProgressBar()).fit(X)
    assert "KMeans" in capsys.readouterr().out


PROGRAM = textwrap.dedent(
    """
    import sys, time
    import numpy as np
    from lanatus.callbacks import Checkpoint
    from lanatus.cluster import KMeans

    class Slow:
        def setup(self, estimator, context): pass
        def teardown(self, estimator, context): pass
        def on_fit_task_begin(self, estimator, context): pass
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "iteration":
                print("round", flush=True)
                time.sleep(float(sys.argv[2]))

    X = np.random.RandomState(0).rand(4000, 3)
    model = KMeans(12, init="random", n_init=3, random_state=5, tol=0, algorithm=sys.argv[3])
    model.set_callbacks(Checkpoint(sys.argv[1]), Slow()).fit(X)
    """
)


@pytest.mark.parametrize("algorithm", ["auto", "lloyd", "hamerly", "elkan"])
def test_killed_fit_goes_on_to_the_same_answer(tmp_path, algorithm):
    path = tmp_path / "fit.ckpt"
    settings = {"init": "random", "n_init": 3, "random_state": 5, "tol": 0, "algorithm": algorithm}
    whole = KMeans(12, **settings).fit(X)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), "0.05", algorithm], stdout=subprocess.PIPE, text=True
    )
    for _ in range(whole.n_iter_ + 15):  # somewhere in the second or third start
        assert process.stdout.readline() == "round\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert path.exists()
    recorder, checkpoint = Recorder(), Checkpoint(path)
    resumed = KMeans(12, **settings).set_callbacks(checkpoint, recorder).fit(X)
    assert checkpoint.resumed
    assert 0 not in recorder.restarts
    np.testing.assert_array_equal(resumed.cluster_centers_, whole.cluster_centers_)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    assert (resumed.inertia_, resumed.n_iter_) == (whole.inertia_, whole.n_iter_)
    assert not path.exists(), "a finished fit needs no checkpoint"


def test_checkpoint_of_another_fit_is_refused(tmp_path):
    path = tmp_path / "fit.ckpt"

    class Crash(Recorder):
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "iteration":
                raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        KMeans(4, random_state=0).set_callbacks(Checkpoint(path), Crash()).fit(X)
    assert path.exists()
    with pytest.raises(ValueError, match="another fit"):
        KMeans(5, random_state=0).set_callbacks(Checkpoint(path)).fit(X)
    with pytest.raises(ValueError, match="another fit"):
        KMeans(4, random_state=0).set_callbacks(Checkpoint(path)).fit(X[::-1])
    with pytest.raises(ValueError, match="another fit"):
        KMeans(4, random_state=0).set_callbacks(Checkpoint(path)).fit(X, sample_weight=np.arange(len(X)))
    path.write_bytes(b"junk")
    with pytest.raises(ValueError, match="not a checkpoint"):
        KMeans(4, random_state=0).set_callbacks(Checkpoint(path)).fit(X)


def test_checkpoint_may_be_seldom(tmp_path):
    path = tmp_path / "fit.ckpt"
    written = []

    class Watch(Recorder):
        def on_fit_task_end(self, estimator, context):
            written.append(path.stat().st_mtime_ns if path.exists() else None)

    start = time.monotonic()
    KMeans(4, random_state=0, tol=0).set_callbacks(Checkpoint(path, seconds=3600), Watch()).fit(X)
    assert time.monotonic() - start < 3600
    assert len({stamp for stamp in written if stamp}) == 1


def test_checkpoints_see_where_a_sparse_matrix_has_its_values(tmp_path):
    class Crash(Recorder):
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "iteration":
                raise RuntimeError

    left = sp.random(200, 20, density=0.2, format="csr", random_state=0)
    one = sp.csr_matrix((left.data, left.indices, left.indptr), shape=(200, 21))
    other = sp.csr_matrix((left.data, left.indices + 1, left.indptr), shape=(200, 21))
    one.sort_indices()  # so that the two differ in nothing but their columns
    other.sort_indices()
    np.testing.assert_array_equal(one.data, other.data)
    with pytest.raises(RuntimeError):
        KMeans(3, random_state=0).set_callbacks(Checkpoint(tmp_path / "c"), Crash()).fit(one)
    with pytest.raises(ValueError, match="another fit"):
        KMeans(3, random_state=0).set_callbacks(Checkpoint(tmp_path / "c")).fit(other)
