"""LIBSVM files: round trips, agreement with scikit-learn, errors that name file and line."""

import bz2
import gzip
import io

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.datasets

from lanatus.data.readers._errors import DataError, FileError, FormatError
from lanatus.data.readers._libsvm import dump_svmlight_file, load_svmlight_file


@pytest.mark.covers("data.libsvm-format")
@pytest.mark.parametrize("name", ["a.svm", "a.svm.gz", "a.svm.bz2"])
@pytest.mark.parametrize("zero_based", [True, False])
def test_round_trip(tmp_path, name, zero_based):
    rng = np.random.default_rng(0)
    X = sp.random_array((30, 12), density=0.3, rng=rng, format="csr")
    y = rng.integers(0, 3, 30)
    path = tmp_path / name
    dump_svmlight_file(X, y, path, zero_based=zero_based, comment="melons")
    again, labels = load_svmlight_file(path, n_features=12, zero_based=zero_based)
    np.testing.assert_allclose(again.toarray(), X.toarray(), rtol=1e-15)  # 16 digits are written
    np.testing.assert_array_equal(labels, y)


def test_packed_files_are_packed(tmp_path):
    for name, opener in (("a.gz", gzip.open), ("a.bz2", bz2.open)):
        dump_svmlight_file([[1.0, 0.0]], [1], tmp_path / name)
        with opener(tmp_path / name) as stream:
            assert stream.read() == b"1 0:1\n"


@pytest.mark.covers("data.libsvm-format")
def test_agrees_with_scikit_learn(tmp_path):
    text = b"# head\n1 qid:3 1:0.5 4:-2e3 # note\n\n-1 qid:4 2:nan\n+3 qid:4\n"
    (tmp_path / "a.svm").write_bytes(text)
    ours = load_svmlight_file(tmp_path / "a.svm", query_id=True)
    theirs = sklearn.datasets.load_svmlight_file(str(tmp_path / "a.svm"), query_id=True)
    np.testing.assert_array_equal(ours[0].toarray(), theirs[0].toarray())
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_array_equal(ours[2], theirs[2])


def test_multilabel_and_offset(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1,2 1:1\n3 2:1\n")
    assert load_svmlight_file(path, multilabel=True)[1] == [(1.0, 2.0), (3.0,)]
    path.write_text("1 1:1\n2 2:1\n3 1:5\n")
    X, y = load_svmlight_file(path, n_features=2, offset=3, length=5, zero_based=False)
    assert (X.toarray().tolist(), y.tolist()) == ([[0, 1]], [2])


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ("x 1:2", "the label 'x', expected a number"),
        ("1,2 1:2", "the label '1,2'.*multilabel=True"),
        ("1 3:4:5", "the value '4:5' of index 3"),
        ("1 1:2 3", "'3' without a colon"),
        ("1 2:1 1:1", "index 1 after 2.*sort"),
        ("1 1:1 1:1", "index 1 after 1"),
        ("1 1:", "the value '' of index 1"),
        ("1 -4:1", "the index -4"),
        ("1 1.5:1", "the index '1.5', expected a whole number"),
        ("1 99999999999:1", "the index 99999999999, expected below"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_malformed_rows(tmp_path, row, match, packed):
    text = f"# comment\n1 1:1\n\n{row}\n1 1:1\n".encode()
    path = tmp_path / ("bad.svm.gz" if packed else "bad.svm")
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(FormatError, match=match) as caught:
        load_svmlight_file(path)
    assert (caught.value.file, caught.value.line) == (str(path), 4)
    if not packed:
        with pytest.raises(FormatError, match=match) as caught:
            load_svmlight_file(io.BytesIO(text))
        assert caught.value.line == 4


def test_bad_query_id(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 qid:x 1:1\n")
    with pytest.raises(FormatError, match="'qid:x', expected qid:number") as caught:
        load_svmlight_file(path, query_id=True)
    assert caught.value.line == 1


def test_index_zero_in_a_one_based_file(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n1 0:1\n")
    with pytest.raises(FormatError, match="the index 0, expected 1 or more") as caught:
        load_svmlight_file(path, zero_based=False)
    assert caught.value.line == 2


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        load_svmlight_file(tmp_path / "none.svm")
    (tmp_path / "a.svm").write_bytes(b"")
    with pytest.raises(FormatError, match="an empty file"):
        load_svmlight_file(tmp_path / "a.svm")
    (tmp_path / "a.svm").write_bytes(b"# nothing\n")
    with pytest.raises(FormatError, match="only comments"):
        load_svmlight_file(tmp_path / "a.svm")
    (tmp_path / "a.svm").write_bytes(b"PAR1\0\0")
    with pytest.raises(FormatError, match="a Parquet file"):
        load_svmlight_file(tmp_path / "a.svm")
    (tmp_path / "a.svm.gz").write_bytes(gzip.compress(b"1 1:1\n" * 5000)[:-9])
    with pytest.raises(FormatError, match="truncated or damaged compressed file"):
        load_svmlight_file(tmp_path / "a.svm.gz")
    with pytest.raises(DataError, match="no such file"):
        dump_svmlight_file([[1.0]], [1], tmp_path / "none" / "a.svm")
