"""Malformed sparse matrices are refused with the part named, whatever their format; sound ones pass as they are."""

import numpy as np
import pytest
import scipy.sparse as sp

from lanatus.table import sound_sparse

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 0.0]])


def spoiled(matrix, **parts):
    for name, part in parts.items():
        setattr(matrix, name, np.asarray(part))
    return matrix


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_matrix, sp.bsr_matrix])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sound_ones_pass_as_they_are(kind, index):
    matrix = kind(DENSE)
    for name in ("indices", "indptr"):
        if hasattr(matrix, name):
            setattr(matrix, name, getattr(matrix, name).astype(index))
    assert sound_sparse(matrix) is matrix


@pytest.mark.parametrize("kind", [sp.lil_matrix, sp.dok_matrix, sp.dia_matrix])
def test_rare_formats_become_csr(kind):
    csr = sound_sparse(kind(DENSE))
    assert csr.format == "csr"
    np.testing.assert_array_equal(csr.toarray(), DENSE)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize(
    ("part", "values", "words"),
    [
        ("indices", [0, 2, 2, 0, 3], "indices holds 3, wanted from 0 on and below 3"),
        ("indices", [0, -1, 2, 0, 1], "indices holds -1"),
        ("indices", [0, 2, 2, 0], "indices has length 4, wanted that of data, 5"),
        ("indptr", [0, 3, 2, 5], "indptr falls from 3 to 2 at entry 2"),
        ("indptr", [1, 2, 3, 5], "indptr begins at 1"),
        ("indptr", [0, 2, 3, 4], "indptr ends at 4, wanted the length of data, 5"),
        ("indptr", [0, 2, 5], "indptr has length 3, wanted 4"),
        ("indptr", [-1, 2, 3, 5], "indptr begins at -1"),
    ],
)
def test_compressed_parts_are_named(kind, index, part, values, words):
    with pytest.raises(ValueError, match=f"no sound (CSR|CSC) matrix: {words}"):
        sound_sparse(spoiled(kind(DENSE), **{part: np.array(values, dtype=index)}))


def test_types_dimensions_blocks_and_coordinates():
    with pytest.raises(ValueError, match="indices is of type float64, wanted int32 or int64"):
        sound_sparse(spoiled(sp.csr_matrix(DENSE), indices=np.zeros(5)))
    with pytest.raises(ValueError, match="data is 2-dimensional, wanted 1"):
        sound_sparse(spoiled(sp.csr_matrix(DENSE), data=np.zeros((5, 1))))
    with pytest.raises(ValueError, match=r"blocks have shape \(2, 2\), which does not divide \(3, 3\)"):
        sound_sparse(spoiled(sp.bsr_matrix(DENSE, blocksize=(3, 3)), data=np.zeros((1, 2, 2))))
    coordinates = sp.coo_matrix(DENSE)
    coordinates.coords = (coordinates.row, coordinates.col + 1)
    with pytest.raises(ValueError, match="no sound COO matrix: col holds 1 to 3, wanted from 0 on and below 3"):
        sound_sparse(coordinates)
