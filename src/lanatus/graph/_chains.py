"""Chains of hidden states: what all paths sum to, the states given everything, and the best path."""

from typing import NamedTuple

import numpy as np

from lanatus._core import graph as kernels
from lanatus.base import aligned, n_threads


class Chains(NamedTuple):
    r"""Sequences of places, in each of which one of *k* states holds.

    A path weighs :math:`\pi_{s_0} e^{\phi_0(s_0)} \prod_t A_t(s_{t-1}, s_t) e^{\phi_t(s_t)}`, which is the joint
    probability of a hidden Markov model and the unnormalised one of a random field.

    Attributes
    ----------
    potential : ndarray of shape (n_places, k), the logarithms :math:`\phi`, -inf where a state cannot be
    start : ndarray of shape (n_sequences + 1,), int64, where each sequence begins, and the end of the last
    initial : ndarray of shape (k,), :math:`\pi`
    transition : ndarray of shape (k, k), *A*, or (n_places, k, k) with one for the step into each place
    """

    potential: np.ndarray
    start: np.ndarray
    initial: np.ndarray
    transition: np.ndarray


class ChainPosterior(NamedTuple):
    """What is known of the states of all places at once.

    Attributes
    ----------
    states : ndarray of shape (n_places, k), probabilities of the states given the whole sequence
    log_sum : ndarray of shape (n_sequences,), logarithm of the sum over all paths, -inf where none is possible
    pairs : ndarray of the shape of the transition, how often each step is expected, of all sequences together where one
        matrix serves all steps
    """

    states: np.ndarray
    log_sum: np.ndarray
    pairs: np.ndarray


def forward_backward(chains: Chains, *, weights: np.ndarray | None = None, pairs: bool = True) -> ChainPosterior:
    """Both recursions, scaled so that no sequence is too long; O(n k^2)."""
    states, log_sum, sums = kernels.forward_backward(*_arrays(chains), weights, pairs=pairs, n_threads=n_threads())
    return ChainPosterior(states, log_sum, sums.reshape(chains.transition.shape) if pairs else sums)


def forward(chains: Chains) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the states given the places so far, and the logarithm of the sum over all paths."""
    filtered, log_sum = kernels.forward(*_arrays(chains), n_threads=n_threads())
    return filtered, log_sum


def viterbi(chains: Chains) -> tuple[np.ndarray, np.ndarray]:
    """The best path of each sequence, and the logarithm of what it weighs; the lower state where two are equal."""
    path, log_product = kernels.viterbi(*_arrays(chains), n_threads=n_threads())
    return path, log_product


def draw_path(initial: np.ndarray, transition: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """A path drawn step by step, with one number of [0, 1) for each."""
    return np.asarray(kernels.draw_path(*(aligned(np.asarray(a, dtype=float)) for a in (initial, transition, uniform))))


def _arrays(chains: Chains) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    floats = [aligned(np.ascontiguousarray(a, dtype=np.float64)) for a in (chains.potential, chains.initial)]
    transition = aligned(np.ascontiguousarray(chains.transition, dtype=np.float64))
    return floats[0], np.ascontiguousarray(chains.start, dtype=np.int64), floats[1], transition
