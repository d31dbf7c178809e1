"""Sparse matrices at the door of the kernels: what is malformed is refused and named, never read."""

import numpy as np
import pytest
import scipy.sparse as sp
from lanatus._core import core


class Parts:
    """What SciPy would check, unchecked."""

    def __init__(self, **changed):
        self.format, self.shape = "csr", (3, 4)
        self.data, self.indices = np.array([1.0, 2.0, 3.0]), np.array([0, 3, 2], np.int32)
        self.indptr = np.array([0, 2, 2, 3], np.int32)
        vars(self).update(changed)


def ints(*numbers):
    return np.array(numbers, np.int32)


def test_the_sound_one_is_taken():
    assert core.csr(Parts()).shape == (3, 4)
    assert core.csc(Parts(format="csc", shape=(4, 3))).shape == (4, 3)
    assert core.csr(sp.csr_matrix((0, 5))).shape == (0, 5)
    assert core.csr(sp.csr_matrix((5, 0))).shape == (5, 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
def test_types_of_values(dtype):
    assert type(core.csr(sp.eye(3, format="csr", dtype=dtype))).__name__ == f"Csr{np.dtype(dtype).name.capitalize()}"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"indptr": ints(0, 2, 3)}, "indptr has length 3, wanted 4"),
        ({"indptr": ints()}, "indptr has length 0, wanted 4"),
        ({"indptr": ints(1, 2, 2, 3)}, "indptr begins at 1, wanted 0"),
        ({"indptr": ints(0, 3, 2, 3)}, "indptr falls from 3 to 2 at entry 2"),
        ({"indptr": ints(0, -5, 2, 3)}, "indptr falls from 0 to -5 at entry 1"),
        ({"indptr": ints(0, 2, 2, 2)}, "indptr ends at 2, wanted the length of data, 3"),
        ({"indptr": ints(0, 2, 2, 900)}, "indptr ends at 900, wanted the length of data, 3"),
        ({"indices": ints(0, 3)}, "indices has length 2, wanted that of data, 3"),
        ({"indices": ints(0, 4, 2)}, "indices holds 4, wanted from 0 on and below 4, the number of columns"),
        ({"indices": ints(0, -1, 2)}, "indices holds -1"),
        ({"shape": (3, 3)}, "indices holds 3"),
        ({"shape": (3, 0)}, "indices holds 0"),
        ({"format": "csc"}, "must be a csr matrix, got csc"),
    ],
)
def test_the_malformed_one_is_refused_by_name(changed, said):
    with pytest.raises(ValueError, match=said):
        core.csr(Parts(**changed))


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"indices": ints(0, 4, 2)}, "below 4, the number of rows"), ({"indptr": ints(0, 2, 3)}, "there are columns")],
)
def test_columns_are_called_columns(changed, said):
    with pytest.raises(ValueError, match=f"CSC matrix: .*{said}"):
        core.csc(Parts(format="csc", shape=(4, 3), **changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"indices": np.array([0, 3, 2])},
        {"indptr": np.array([0, 2, 2, 3])},
        {"data": np.array([1j, 2, 3])},
        {"data": np.ones((3, 1))},
        {"data": np.ones(6)[::2]},
    ],
)
def test_other_types_are_refused(changed):
    with pytest.raises(TypeError):
        core.csr(Parts(**changed))


@pytest.mark.parametrize("at", [0, 1, 15, 16, 17, 4095, 9999])
def test_one_bad_index_among_many_is_found(at):
    X = sp.csr_matrix(np.ones((100, 100)))
    X.indices[at] = 100
    with pytest.raises(ValueError, match="holds 100"):
        core.csr(X)


def test_the_arrays_live_as_long_as_what_was_made_of_them():
    X = sp.csr_matrix(np.ones((50, 3)))
    ready = core.csr(X)
    del X
    assert ready.shape == (50, 3)


@pytest.mark.parametrize("changed", [{"indptr": np.array([0, 1, 9], np.int32)}, {"indices": np.array([0], np.int32)}])
def test_lengths_are_looked_at_even_of_what_is_said_to_be_sound(changed):
    with pytest.raises(ValueError, match="X is no sound CSR matrix"):
        core.csr(Parts(**changed), sound=True)
