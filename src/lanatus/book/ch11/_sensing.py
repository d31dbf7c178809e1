"""Section 11.6: sampling, recovery of sparse signals and of matrices of low rank."""

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lanatus.book._pictures import picture, row_of_axes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.sparse import (
    KSVD,
    MatrixCompletion,
    basis_pursuit,
    l0_recover,
    measure,
    measurement_matrix,
    sparse_basis,
    sparse_encode,
)

_TONES = {3: 1.0, 7: -0.6, 12: 0.8}  # frequency and amplitude of a signal of a second


def _signal(t: np.ndarray) -> np.ndarray:
    return np.sum([size * np.cos(2 * np.pi * f * t) for f, size in _TONES.items()], axis=0)


def _interpolated(samples: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The trigonometric polynomial of least frequencies through evenly spaced samples of a period."""
    n = len(samples)
    waves = np.fft.fft(samples) / n
    return np.real(np.exp(2j * np.pi * np.outer(t, np.fft.fftfreq(n, 1 / n))) @ waves)


def _from_few(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of n random samples, the signal at 64 places, and what basis pursuit makes of the samples."""
    t = np.arange(64) / 64
    at = np.sort(np.random.RandomState(seed).permutation(64)[:n])
    waves = sparse_basis("fourier", 64)
    return at, _signal(t), waves @ basis_pursuit(waves[at], _signal(t)[at])


@method(
    "sparse.nyquist",
    section="11.6",
    task="transform",
    kind="experiment",
    en="Nyquist sampling",
    zh="奈奎斯特采样",
)
@example("11.6", en="Samples at twice the highest frequency, and fewer", zh="奈奎斯特采样与压缩感知")
def nyquist() -> Iterator[Figure]:
    """Samples at more than twice the highest frequency say all; fewer even ones do not; fewer random ones may.

    The signal is the sum of three cosines, of 3, 7 and 12 Hz. From 25 even samples of a second it comes back whole; of
    18, what is above 9 Hz is taken for something slower: 12 Hz for 6. That the rate is sufficient is not to say that it
    is necessary: 20 samples at random places are enough for basis pursuit, for the signal has few frequencies.

    Book: section 11.6.

    Yields
    ------
    Figure
        Errors of the signals that come back.

    Examples
    --------
    >>> from lanatus.book import nyquist
    >>> all(figure.agrees for figure in nyquist())
    True
    """
    t = np.linspace(0, 1, 500, endpoint=False)
    whole, few = (_interpolated(_signal(np.arange(n) / n), t) for n in (25, 18))
    error = float(np.abs(whole - _signal(t)).max())
    yield Figure("25 even samples a second: largest error", None, error, 9, right=0.0)
    lost = float(np.sqrt(np.mean((few - _signal(t)) ** 2)))
    yield Figure("18 even samples a second: root of the mean squared error", None, lost, 9, right=0.8)
    at = np.arange(18) / 18
    gap = float(np.abs(np.cos(2 * np.pi * 12 * at) - np.cos(2 * np.pi * 6 * at)).max())
    yield Figure("18 samples of 12 Hz less those of 6 Hz", None, gap, 9, right=0.0)
    _, signal, back = _from_few(20, 0)
    yield Figure("20 random samples, L1: largest error", None, float(np.abs(back - signal).max()), 6, right=0.0)


@picture("11.6 nyquist")
def draw_nyquist() -> Any:
    """The signal, what even samples make of it, and what few random ones do."""
    t = np.linspace(0, 1, 500, endpoint=False)
    figure, axes = row_of_axes(3)
    for ax, n in zip(axes, (25, 18), strict=False):
        at = np.arange(n) / n
        ax.plot(t, _signal(t), color="0.7", lw=3)
        ax.plot(t, _interpolated(_signal(at), t), color="C0", lw=1)
        ax.plot(at, _signal(at), "k.", ms=5)
        ax.set(title=f"每秒{n}个均匀采样", xlabel="t")
    at, signal, back = _from_few(20, 0)
    axes[2].plot(np.arange(64) / 64, signal, color="0.7", lw=3)
    axes[2].plot(np.arange(64) / 64, back, color="C0", lw=1)
    axes[2].plot(at / 64, signal[at], "k.", ms=5)
    axes[2].set(title="20个随机采样, 基寻踪", xlabel="t")
    return figure


def _drawn(n: int, m: int, k: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian matrix, and a vector with k entries."""
    s = np.zeros(m)
    s[rng.permutation(m)[:k]] = rng.standard_normal(k)
    return measurement_matrix(n, m, random_state=rng), s


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.abs(one - other).max() <= 1e-5 * np.abs(other).max())


@method(
    "sparse.l1-l0-phase-transition",
    section="11.6",
    task="transform",
    kind="experiment",
    en="The L1 and the L0 solution agree for few entries",
    zh="L1与L0恢复一致性",
)
@example("11.6", en="Where L1 and L0 agree, and where they part", zh="L1与L0恢复一致性")
def l1_l0_phase() -> Iterator[Figure]:
    """For few entries the least L1 norm finds the sparsest solution; for more it ever more seldom does.

    Gaussian problems of 10 measurements and 20 unknowns, 40 for each number of entries. The sparsest solution, by
    enumeration, is the truth as long as there are no more than half as many entries as measurements.

    Book: section 11.6.

    Yields
    ------
    Figure
        How often L1 finds the truth, and L0.

    Examples
    --------
    >>> from lanatus.book import l1_l0_phase
    >>> next(iter(l1_l0_phase())).agrees
    True
    """
    rng = np.random.RandomState(0)
    rates = []
    for k in range(1, 9):
        problems = [_drawn(10, 20, k, rng) for _ in range(40)]
        rates.append(float(np.mean([_same(basis_pursuit(A, A @ s), s) for A, s in problems])))
    yield Figure("one entry: share where L1 finds it", None, rates[0], 9, right=1.0)
    yield Figure("up to three entries: nine of ten, or more", None, str(min(rates[:3]) >= 0.9), right="True")
    yield Figure("eight entries: one of ten, or fewer", None, str(rates[7] <= 0.1), right="True")
    yield Figure("fewer and fewer on the way", None, str(bool(np.all(np.diff(rates) <= 0))), right="True")
    true = [
        _same(l0_recover(A, A @ s), s) for k in (1, 2, 3, 4, 5) for A, s in (_drawn(10, 20, k, rng) for _ in range(3))
    ]
    yield Figure("up to five entries: share where L0 does", None, float(np.mean(true)), 9, right=1.0)


@cache
def _phase(m: int = 40, steps: int = 8, draws: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of measurements, shares of entries among them, and how often L1 finds the truth."""
    rng = np.random.RandomState(0)
    rows, filled = np.linspace(0.15, 0.95, steps), np.linspace(0.06, 0.9, steps)
    found = np.zeros((steps, steps))
    for i, share in enumerate(rows):
        n = round(share * m)
        for j, full in enumerate(filled):
            for _ in range(draws):
                A, s = _drawn(n, m, max(1, round(full * n)), rng)
                found[j, i] += _same(basis_pursuit(A, A @ s), s) / draws
    return rows, filled, found


@picture("11.6 phase")
def draw_phase() -> Any:
    """How often basis pursuit finds the truth, by measurements and entries: a border runs through the plane."""
    import matplotlib.pyplot as plt

    rows, filled, found = _phase()
    figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
    mesh = ax.pcolormesh(rows, filled, found, cmap="gray", vmin=0, vmax=1, shading="nearest")
    figure.colorbar(mesh, label="L1恢复的比例")
    ax.set(xlabel="测量数 n / m", ylabel="非零元 k / n", title="L1恢复的相变, m = 40")
    return figure


_SIZES = ((20, 1), (40, 1), (40, 2))  # rows and columns, rank
_SHARES = (0.04, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)


@cache
def _recoveries() -> np.ndarray:
    """For each size and share of known entries, how many of four matrices come back."""
    rng = np.random.RandomState(0)
    found = np.zeros((len(_SIZES), len(_SHARES)))
    for i, (m, r) in enumerate(_SIZES):
        for j, share in enumerate(_SHARES):
            for _ in range(4):
                whole = rng.standard_normal((m, r)) @ rng.standard_normal((r, m))
                holes = np.where(rng.rand(m, m) < share, whole, np.nan)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)  # where there is no recovery
                    back = MatrixCompletion(tol=1e-4, max_iter=200).fit_transform(holes)
                found[i, j] += np.linalg.norm(back - whole) < 0.01 * np.linalg.norm(whole)
    return found / 4


@method(
    "sparse.matrix-recovery-rate",
    section="11.6",
    task="transform",
    kind="experiment",
    en="How many entries suffice for the recovery of a matrix",
    zh="矩阵恢复样本数",
)
@example("11.6", en="How many entries recover a matrix", zh="矩阵恢复所需的样本数")
def matrix_recovery_rate() -> Iterator[Figure]:
    r"""About :math:`m r \ln^2 m` random entries bring back a matrix of rank r; its own numbers are too few.

    A matrix of m rows and columns and rank r has :math:`r(2m - r)` free numbers. Known entries are drawn at random; the
    completion of least nuclear norm is the matrix itself as soon as there are some times as many. The larger the
    matrix, the smaller the share.

    Book: section 11.6.

    Yields
    ------
    Figure
        Whether all come back from so many entries, and none from too few.

    Examples
    --------
    >>> from lanatus.book import matrix_recovery_rate
    >>> all(figure.agrees for figure in matrix_recovery_rate())
    True
    """
    found = _recoveries()
    for (m, r), rates in zip(_SIZES, found, strict=True):
        entries = np.array(_SHARES) * m * m
        enough = entries >= 1.5 * m * r * np.log(m) ** 2
        if enough.any():
            most = float(rates[enough].min())
            yield Figure(f"m = {m}, r = {r}: of those with 1.5 m r ln(m)^2 entries", None, most, 9, right=1.0)
        few = entries < r * (2 * m - r)
        yield Figure(f"m = {m}, r = {r}: of those with too few", None, float(rates[few].max()), 9, right=0.0)
    least = [_SHARES[int((rates >= 0.75).argmax())] for rates in found]
    yield Figure("a smaller share is enough for the larger matrix", None, str(least[1] < least[0]), right="True")
    yield Figure("and a larger one for the higher rank", None, str(least[2] > least[1]), right="True")


@picture("11.6 recovery")
def draw_recoveries() -> Any:
    """How many matrices come back, by the number of entries over m r ln(m)^2."""
    figure, (left, right) = row_of_axes(2)
    for (m, r), rates in zip(_SIZES, _recoveries(), strict=True):
        left.plot(_SHARES, rates, marker="o", label=f"m = {m}, r = {r}")
        right.plot(np.array(_SHARES) * m * m / (m * r * np.log(m) ** 2), rates, marker="o")
    left.set(xlabel="已知元素的比例", ylabel="恢复的比例")
    left.legend()
    right.set(xlabel="已知元素个数 / (m r ln² m)", xlim=(0, 3))
    return figure


@cache
def _learned() -> dict[str, Any]:
    """Signals of two atoms each: a dictionary learned of some, and what it does for others."""
    rng = np.random.RandomState(0)
    atoms = rng.standard_normal((24, 24))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)

    def signals(n: int) -> np.ndarray:
        S = np.zeros((n, 24))
        for s in S:
            s[rng.permutation(24)[:2]] = rng.standard_normal(2) + np.sign(rng.standard_normal(2))
        return np.asarray(S @ atoms)

    X, new = signals(1000), signals(20)
    D = KSVD(24, n_nonzero_coefs=2, max_iter=100, random_state=0).fit(X).components_
    Phi = measurement_matrix(12, 24, random_state=rng)
    cosines = sparse_basis("cosine", 24)
    back = {
        "learned": np.array([D.T @ basis_pursuit(Phi @ D.T, measure(x, Phi)) for x in new]),
        "cosine": np.array([cosines @ basis_pursuit(Phi @ cosines, measure(x, Phi)) for x in new]),
    }
    codes = sparse_encode(new, D, algorithm="omp", n_nonzero_coefs=2)
    waves = sparse_encode(new, cosines.T, algorithm="omp", n_nonzero_coefs=2)
    return {
        "new": new,
        "back": back,
        "told by two atoms": _share(new - codes @ D, new),
        "told by two cosines": _share(new - waves @ cosines.T, new),
        "errors": {name: _share(one - new, new) for name, one in back.items()},
    }


def _share(gap: np.ndarray, X: np.ndarray) -> float:
    return float(np.linalg.norm(gap) / np.linalg.norm(X))


@method(
    "sparse.dictionary-vs-compressed-sensing",
    section="ex 11.9",
    task="transform",
    kind="experiment",
    en="Sparsity in dictionary learning and in compressed sensing",
    zh="字典学习与压缩感知比较",
)
@example(
    "11.6", en="Dictionary learning and compressed sensing (exercise 11.9)", zh="字典学习与压缩感知比较 (习题11.9)"
)
def ex_11_9() -> Iterator[Figure]:
    """One looks for a basis in which signals are sparse; the other relies on one, to measure less.

    Signals of 24 numbers are sums of two unknown atoms. A dictionary learned of 1000 of them tells new ones by two
    weights; cosines, chosen beforehand, do not. Compressed sensing takes 12 random measurements of each new signal and
    gets it back by L1, if it knows the basis in which it is sparse: the learned one, which brings both together.

    Book: exercise 11.9.

    Yields
    ------
    Figure
        Errors, as shares of the signals.

    Examples
    --------
    >>> from lanatus.book import ex_11_9
    >>> all(figure.agrees for figure in ex_11_9())
    True
    """
    found = _learned()
    small, large = found["told by two atoms"], found["told by two cosines"]
    yield Figure("two learned atoms tell new signals to a tenth", None, str(small < 0.1), right="True")
    yield Figure("two cosines do not to a half", None, str(large > 0.5), right="True")
    errors = found["errors"]
    yield Figure(
        "12 measurements, sparse in learned atoms: to a fifth", None, str(errors["learned"] < 0.2), right="True"
    )
    yield Figure("12 measurements, sparse in cosines: not to a half", None, str(errors["cosine"] > 0.5), right="True")


@picture("ex 11.9")
def draw_learned() -> Any:
    """A new signal, and what 12 measurements give back with either basis."""
    found = _learned()
    figure, axes = row_of_axes(2)
    for ax, (name, title) in zip(axes, (("learned", "学得的字典"), ("cosine", "余弦基")), strict=True):
        ax.plot(found["new"][0], color="0.7", lw=3, label="信号")
        ax.plot(found["back"][name][0], color="C0", lw=1, label="由12个测量恢复")
        ax.set(title=title)
        ax.legend()
    return figure
