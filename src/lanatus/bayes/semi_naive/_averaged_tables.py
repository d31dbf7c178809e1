"""Tables of averaged n-dependence estimators: what is looked up to score rows (section 7.4)."""

from dataclasses import dataclass

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.bayes._posterior import logarithm
from lanatus.bayes.semi_naive._discretized import smoothed_logs
from lanatus.bayes.semi_naive._pair_counts import Slots, team


@dataclass(frozen=True)
class Rules:
    """How counts become probabilities, and which parents count."""

    alpha: float
    smoothing: str
    min_count: float = 0.0
    literal: bool = False
    printed: bool = False


_AT_ONCE = 1 << 20  # counts that become logarithms in one go, so that what is needed on the way stays small

Tables = tuple[np.ndarray, np.ndarray, np.ndarray]


def make_tables(counts: np.ndarray, mass: np.ndarray, slots: Slots, rules: Rules) -> Tables:
    """What sets of values say as parents of all the others, from counts of one value more.

    Returns
    -------
    joint : ndarray of shape (n_sets, n_classes), log P(c, values of the set)
    child : ndarray of shape (n_sets * n_slots * n_classes,), log P(value | c, values of the set)
    support : ndarray of shape (n_sets,), uint8, whether enough rows have the values of the set
    """
    own = set_counts(counts) if counts.ndim > 2 else mass
    enough = own.sum(axis=-1) >= rules.min_count if counts.ndim > 2 else np.array([True])
    joint = _joint_logs(own, slots, rules).reshape(-1, len(mass))
    return joint, child_logs(counts, slots, rules).ravel(), enough.ravel().astype(np.uint8)


def make_chain(counts: np.ndarray, mass: np.ndarray, slots: Slots, rules: Rules) -> list[Tables]:
    """Tables for sets of n values, then of n - 1 and so on down to none, which is naive Bayes."""
    chain = [make_tables(counts, mass, slots, rules)]
    while counts.ndim > 2:
        counts = np.ascontiguousarray(set_counts(counts))
        chain.append(make_tables(counts, mass, slots, rules))
    return chain


def chain_scores(codes: np.ndarray, chain: list[Tables], slots: Slots, literal: bool) -> np.ndarray:
    """Logarithms of (7.23) for each row and class, by the first tables of a chain in which the row has support."""
    scores = np.empty((len(codes), chain[0][0].shape[1]))
    rest = np.arange(len(codes))
    for order in range(len(chain) - 1, -1, -1):
        tables = chain[len(chain) - 1 - order]
        some = codes if len(rest) == len(codes) else np.ascontiguousarray(codes[rest])
        options = {"literal": literal, "n_threads": team(codes)}
        scores[rest], sets = kernels.averaged_scores(some, slots.n_values, order, *tables, **options)
        rest = rest[sets == 0]
        if not len(rest):
            break
    return scores


def set_counts(counts: np.ndarray) -> np.ndarray:
    """Counts of the values of a set alone: those of the set with its last value once more."""
    return np.einsum("...aac->...ac", counts)


def child_logs(counts: np.ndarray, slots: Slots, rules: Rules, *, less: float = 0.0) -> np.ndarray:
    """(7.25): log P(x_j | c, set) for every value of every column.

    `less` is the weight of a row to be left out, one that has the values of the cell.
    """
    shares = _overall(counts, slots)[:, None]
    sizes = slots.spread(slots.n_values, 0)[:, None]
    lines = counts.reshape(-1, slots.n, counts.shape[-1])
    out = np.empty_like(lines)
    step = max(1, _AT_ONCE // lines[0].size)
    for at in range(0, len(lines), step):
        some = lines[at : at + step]
        totals = slots.spread(slots.sums(some, -2), -2)
        if less:
            some, totals = np.maximum(some - less, 0.0), np.maximum(totals - less, 0.0)
        out[at : at + step] = smoothed_logs(some, totals, shares, sizes, rules.alpha, rules.smoothing)
    return out.reshape(counts.shape)


def _overall(counts: np.ndarray, slots: Slots) -> np.ndarray:
    """Share of every value among those of its column, in all rows."""
    while counts.ndim > 2:
        counts = set_counts(counts)
    single = counts.sum(axis=-1)
    totals = slots.spread(slots.sums(single, 0), 0)
    return np.divide(single, totals, out=1 / slots.spread(slots.n_values, 0), where=totals > 0)


def _joint_logs(own: np.ndarray, slots: Slots, rules: Rules) -> np.ndarray:
    """(7.24): log P(c, set). Right is to add alpha for each class too, lest they sum to more than 1."""
    k, order = own.shape[-1], own.ndim - 1
    total = np.asarray(own.sum(axis=-1))
    for axis in range(order):
        total = slots.spread(slots.sums(total, axis), axis)
    cells = np.ones(())
    for _ in range(order):
        cells = np.multiply.outer(cells, slots.spread(slots.n_values, 0))
    if rules.smoothing == "lidstone":
        above, below = own + rules.alpha, total + rules.alpha * cells * (1 if rules.printed and order else k)
    else:
        share = own.sum(axis=-1, keepdims=True) / np.maximum(total, 1e-300)[..., None]
        above, below = own + rules.alpha * share / k, total + rules.alpha
    below = np.broadcast_to(below[..., None], above.shape)
    return logarithm(np.divide(above, below, out=np.zeros_like(above), where=below > 0))
