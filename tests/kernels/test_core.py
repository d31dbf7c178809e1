"""The ground under the kernels: random numbers, BLAS, the finite check, threads."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from lanatus._core import core

FLOATS = [np.float32, np.float64]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ],
)
def test_philox_gives_the_published_vectors(word, expected):
    assert core.philox_block(word, word, word) == expected


def test_philox_published_vector_of_pi():
    # Random123 kat_vectors: counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0
    block = core.philox_block(0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E)
    assert block == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


def test_streams_depend_on_seed_and_index_only():
    whole = core.philox_uniform(7, 0, 100_000, n_threads=1)
    assert np.array_equal(whole, core.philox_uniform(7, 0, 100_000, n_threads=7))
    assert np.array_equal(whole[500:600], core.philox_uniform(7, 500, 100))
    assert not np.array_equal(whole, core.philox_uniform(8, 0, 100_000))


def test_uniform_is_uniform():
    u = core.philox_uniform(1, 0, 200_000)
    assert u.min() >= 0
    assert u.max() < 1
    assert abs(u.mean() - 0.5) < 5 * np.sqrt(1 / 12 / u.size)


def test_normal_has_its_moments():
    z = core.philox_normal(1, 0, 200_000)
    assert abs(z.mean()) < 5 / np.sqrt(z.size)
    assert abs(z.var() - 1) < 5 * np.sqrt(2 / z.size)
    assert abs((z**3).mean()) < 5 * np.sqrt(15 / z.size)


@pytest.mark.parametrize("high", [1, 2, 10, 2**40])
def test_integers_stay_below_high(high):
    drawn = core.philox_integers(3, 0, 50_000, high)
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert drawn.max() < high
    assert abs(drawn.mean() - (high - 1) / 2) <= 5 * high / np.sqrt(12 * drawn.size)


@pytest.mark.parametrize("high", [0, 2**63 + 1])
def test_integers_refuse_a_bad_bound(high):
    with pytest.raises(ValueError, match="high"):
        core.philox_integers(3, 0, 5, high)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (40, 17, 33), (0, 3, 2)])
def test_gemm_is_the_matrix_product(dtype, shape):
    m, k, n = shape
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
    C = core.gemm(A, B)
    assert C.dtype == dtype
    np.testing.assert_allclose(C, A @ B, rtol=0, atol=50 * np.finfo(dtype).eps)


def test_gemm_refuses_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="fit"):
        core.gemm(np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_all_finite(dtype, n_threads):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_001, 23)).astype(dtype)
    X[5, 5], X[6, 6], X[7, 7] = np.finfo(dtype).max, -np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    assert core.all_finite(X, allow_nan=False, n_threads=n_threads)
    for i in (0, 12_345, 30_000):
        for value, with_nan in [(np.nan, True), (-np.nan, True), (np.inf, False), (-np.inf, False)]:
            bad = X.copy()
            bad[i, 22] = value
            assert not core.all_finite(bad, allow_nan=False, n_threads=n_threads)
            assert core.all_finite(bad, allow_nan=True, n_threads=n_threads) is with_nan
    assert core.all_finite(X[:0], allow_nan=False, n_threads=n_threads)
    assert core.all_finite(X[:, 0].copy(), allow_nan=False, n_threads=n_threads)


def test_machine():
    assert core.isa() in {"baseline", "avx2", "avx512"}
    assert core.max_threads() >= 1


def test_arrays_of_other_types_are_refused():
    with pytest.raises(TypeError):
        core.all_finite(np.ones((3, 3), dtype=np.int64), allow_nan=False, n_threads=1)
    with pytest.raises(TypeError):
        core.all_finite(np.ones((6, 6))[:, ::2], allow_nan=False, n_threads=1)
    with pytest.raises(ValueError, match="n_threads"):
        core.all_finite(np.ones((3, 3)), allow_nan=False, n_threads=0)


def test_misaligned_arrays_are_refused_by_kernels_and_copied_by_estimators():
    from lanatus.bayes import GaussianNB
    from lanatus.cluster import KMeans

    rng = np.random.RandomState(0)
    X = rng.rand(40, 3)
    buffer = np.zeros(X.nbytes + 8, np.uint8)
    odd = buffer[3 : 3 + X.nbytes].view(np.float64).reshape(X.shape)
    odd[:] = X
    assert not odd.flags.aligned
    with pytest.raises(ValueError, match="not aligned"):
        core.gemm(odd, np.eye(3))
    weight = np.zeros(8 * 40 + 8, np.uint8)[5 : 5 + 320].view(np.float64)
    weight[:] = 1
    y = X[:, 0] > 0.5
    np.testing.assert_array_equal(GaussianNB().fit(odd, y, weight).theta_, GaussianNB().fit(X, y).theta_)
    np.testing.assert_array_equal(
        KMeans(2, random_state=0).fit(odd, sample_weight=weight).labels_, KMeans(2, random_state=0).fit(X).labels_
    )


def test_threads_serve_several_callers_at_once():
    wanted = core.philox_uniform(7, 0, 300_000, n_threads=1)
    with ThreadPoolExecutor(6) as callers:
        for got in callers.map(lambda n: core.philox_uniform(7, 0, 300_000, n_threads=n), [1, 2, 3, 4, 7, 2] * 20):
            assert np.array_equal(got, wanted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    wanted = core.philox_uniform(7, 0, 300_000, n_threads=3)  # the parent's threads are there now
    child = os.fork()
    if child == 0:
        same = all(np.array_equal(core.philox_uniform(7, 0, 300_000, n_threads=3), wanted) for _ in range(5))
        os._exit(0 if same else 1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0
