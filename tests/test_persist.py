"""Model files: round trips, and files that are damaged, hostile or of something else."""

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from samples import PEAK_MB
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.preprocessing import StandardScaler as SklearnScaler

import lanatus
from lanatus.bayes import GaussianNB
from lanatus.callbacks import Recorder
from lanatus.cluster import KMeans
from lanatus.persist import ModelFileError, versions
from lanatus.preprocess import SimpleImputer, StandardScaler


@pytest.fixture
def model():
    X = np.random.RandomState(0).rand(60, 3)
    return GaussianNB().fit(X, X[:, 0] > 0.5)


@pytest.fixture
def saved(model, tmp_path):
    return lanatus.save(model, tmp_path / "model.skops")


def test_pipeline_of_both_libraries(tmp_path):
    X = np.random.RandomState(0).rand(60, 3)
    X[3, 1] = np.nan
    y = np.where(X[:, 0] > 0.5, "big", "small")
    pipeline = make_pipeline(SimpleImputer(), SklearnScaler(), GaussianNB()).fit(X, y)
    loaded = lanatus.load(lanatus.save(pipeline, tmp_path / "p.skops"))
    np.testing.assert_array_equal(loaded.predict_proba(X), pipeline.predict_proba(X))


def test_says_which_version_wrote_it(saved):
    note = versions(saved)
    assert note["lanatus"] == lanatus.__version__
    assert note["model"] == "GaussianNB"


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.7, 0.99])
def test_truncated(saved, keep):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(ModelFileError, match=r"model\.skops"):
        lanatus.load(saved)


def test_every_changed_byte_is_an_error_or_the_same_model(saved, model):
    content = bytearray(saved.read_bytes())
    rng = np.random.RandomState(0)
    X = rng.rand(20, 3)
    refused = 0
    for at in rng.choice(len(content), 60, replace=False):
        changed = bytearray(content)
        changed[at] ^= 0xFF
        saved.write_bytes(changed)
        try:
            loaded = lanatus.load(saved)
        except ModelFileError:
            refused += 1
        else:  # the byte was one that zip does not use
            np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert refused > 30


def test_not_a_model(tmp_path):
    text = tmp_path / "model.skops"
    text.write_text("密度,含糖率\n")
    with pytest.raises(ModelFileError, match=r"not a \.skops"):
        lanatus.load(text)
    with zipfile.ZipFile(text, "w") as archive:
        archive.writestr("hello.txt", "hi")
    with pytest.raises(ModelFileError, match="not a model"):
        lanatus.load(text)
    with pytest.raises(FileNotFoundError):
        lanatus.load(tmp_path / "none.skops")


def _rewrite(path, change):
    """Change the description of the model inside a file, keeping the archive valid."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(parts["schema.json"])
    change(schema)
    parts["schema.json"] = json.dumps(schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("builtins", "eval"), ("subprocess", "Popen"), ("lanatus._files", "atomic_write")],
)
def test_hostile_class_is_refused_and_not_run(saved, module, name):
    def change(schema):
        schema["__module__"], schema["__class__"] = module, name

    _rewrite(saved, change)
    with pytest.raises(ModelFileError, match=name):
        lanatus.load(saved)


def test_hostile_function_runs_nothing(tmp_path):
    flag = tmp_path / "ran"

    def touch(X):
        flag.touch()
        return X

    step = FunctionTransformer(touch)
    content = io.BytesIO()
    try:
        content.write(skops.io.dumps(step))
    except Exception:  # skops refuses local functions: name one instead
        step = FunctionTransformer(os.remove)
        content = io.BytesIO(skops.io.dumps(step))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr("lanatus.json", "{}")
    path = tmp_path / "evil.skops"
    path.write_bytes(content.getvalue())
    with pytest.raises(ModelFileError):
        lanatus.load(path)
    assert not flag.exists()


def test_garbled_description_is_one_clear_error(saved):
    _rewrite(saved, lambda schema: schema.update(__loader__="NoSuchNode"))
    with pytest.raises(ModelFileError, match=r"model\.skops"):
        lanatus.load(saved)


def test_foreign_types_are_refused_when_saving(model, tmp_path):
    with pytest.raises(ModelFileError, match="remove"):
        lanatus.save(make_pipeline(FunctionTransformer(os.remove), model), tmp_path / "m.skops")
    assert list(tmp_path.iterdir()) == []


def test_a_kill_in_mid_write_leaves_the_old_file(model, saved):
    before = saved.read_bytes()
    program = textwrap.dedent(
        f"""
        import os, time
        from lanatus._files import atomic_write
        with atomic_write({str(saved)!r}) as file:
            file.write(b"half"); file.flush()
            print("writing", flush=True)
            time.sleep(60)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"writing"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert saved.read_bytes() == before
    assert np.array_equal(lanatus.load(saved).theta_, model.theta_)


def test_kmeans_round_trip_is_exact(tmp_path):
    X = np.random.RandomState(0).rand(100, 2).astype(np.float32)
    model = KMeans(4, random_state=0).fit(X)
    loaded = lanatus.load(lanatus.save(model, tmp_path / "k.skops"))
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    assert loaded.cluster_centers_.dtype == np.float32


def test_callbacks_are_not_saved(tmp_path):
    X = np.random.RandomState(0).rand(50, 2)
    recorder = Recorder()
    model = KMeans(3, random_state=0).set_callbacks(recorder).fit(X)
    loaded = lanatus.load(lanatus.save(model, tmp_path / "k.skops"))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert not hasattr(loaded, "_skl_callbacks")
    assert model._skl_callbacks == [recorder]


@pytest.mark.parametrize("name", ["LassoCV", "ElasticNetCV", "ProximalGradient"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_linear_models_outside_the_catalogue_are_trusted_too(name, tmp_path):
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    model = getattr(lanatus.linear, name)().fit(X, y)
    loaded = lanatus.load(lanatus.save(model, tmp_path / "model.skops"))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_ordinary_models_can_be_saved(tmp_path):
    X = pd.DataFrame(np.random.RandomState(0).rand(60, 2), columns=["a", "b"])
    y = X["a"] > 0.5
    for model in (
        KMeans(3, init=X.iloc[:3], tol=0).fit(X),
        make_pipeline(StandardScaler(), KMeans(3, random_state=0).set_callbacks(Recorder())).fit(X),
        GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3).fit(X, y),
    ):
        loaded = lanatus.load(lanatus.save(model, tmp_path / "m.skops"))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(ModelFileError, match=r"cannot be written|may not name"):
        lanatus.save(GaussianNB(priors=open), tmp_path / "m.skops")


def test_a_small_file_that_unpacks_to_gigabytes_is_refused_before_it_does(tmp_path):
    path = lanatus.save(KMeans(2, init=[[0.0], [9.0]]).fit([[0.0], [9.0]]), tmp_path / "bomb.skops")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.npy", bytes(1 << 20))
        archive.infolist()[-1].file_size = 2 << 30  # as much as its owner says, without the seconds to pack it
    watch = PEAK_MB + textwrap.dedent(f"""
        import sys, lanatus
        from lanatus.persist import ModelFileError
        try:
            lanatus.load({str(path)!r})
        except ModelFileError as error:
            print(error)
        sys.exit(peak_mb() > 1024)
    """)
    ended = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert f"more than {1 << 30:,}; if you trust it, lanatus.load(path, max_bytes=" in ended.stdout
    with pytest.raises(ModelFileError, match=r"would unpack to .* more than 100;"):
        lanatus.load(lanatus.save(GaussianNB().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m.skops"), max_bytes=100)
