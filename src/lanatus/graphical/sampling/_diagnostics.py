"""How far chains of samples can be trusted."""

import numpy as np


def autocovariance(x: np.ndarray) -> np.ndarray:
    """Autocovariance of one chain at each lag, by the fast Fourier transform."""
    n = len(x)
    gap = np.fft.rfft(x - x.mean(), 2 * n)
    return np.asarray(np.fft.irfft(gap * gap.conj(), 2 * n)[:n] / n)


def effective_sample_size(chains: np.ndarray) -> float:
    """How many independent samples tell as much of the mean as these, by Geyer's initial monotone sequence.

    Parameters
    ----------
    chains : ndarray of shape (n_chains, n_samples) or (n_samples,)
        Chains of one number.

    Returns
    -------
    float
    """
    x = np.atleast_2d(np.asarray(chains, dtype=np.float64))
    m, n = x.shape
    if n < 4:
        return float(m * n)
    covariance = np.mean([autocovariance(chain) for chain in x], axis=0)
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + (x.mean(axis=1).var(ddof=1) if m > 1 else 0.0)
    if total <= 0:
        return float(m * n)
    rho = 1 - (within - covariance) / total
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    pairs[0] = 1 + rho[1]
    ends = np.flatnonzero(pairs < 0)
    pairs = np.minimum.accumulate(pairs[: ends[0]] if len(ends) else pairs)
    return float(m * n / max(2 * pairs.sum() - 1, 1 / np.log10(max(m * n, 10))))


def r_hat(chains: np.ndarray) -> float:
    """How much wider several chains are together than each is, cut in halves: about 1 once they have settled.

    Book: section 14.5.1 (of burn-in).

    Parameters
    ----------
    chains : ndarray of shape (n_chains, n_samples) or (n_samples,)
        Chains of one number.

    Returns
    -------
    float
        Above 1.01 or so they have not; 1 where nothing moves at all.

    References
    ----------
    Gelman et al. (2013), Bayesian data analysis, section 11.4.
    """
    x = np.atleast_2d(np.asarray(chains, dtype=np.float64))
    n = x.shape[1] // 2
    if n < 2:
        return float("inf")
    halves = np.concatenate([x[:, :n], x[:, -n:]])
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    if within == 0:
        return 1.0 if between == 0 else float("inf")
    return float(np.sqrt((n - 1) / n + between / within))
