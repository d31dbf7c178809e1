"""Measures of a task with what each row adds to them, so that every score has an interval and every difference a test.

A measure is a smooth function of means over rows. Its influence on a row, :math:`\\psi_i` (with mean 0), says how much
that row moves it: the variance of the score is :math:`\\sum_i \\psi_i^2 / n^2`, and that of the difference of two
methods on the same rows :math:`\\sum_i (\\psi_i - \\psi'_i)^2 / n^2`. For means this is the usual standard error, for
the AUC it is DeLong's.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from lanatus.profile import Task
from lanatus.report import Estimate

__all__ = ["Score", "Scores", "difference", "estimate", "scores_for"]


@dataclass(frozen=True)
class Score:
    """A measure.

    Attributes
    ----------
    name : str
        What tables call it.
    greater_is_better : bool
        Which way is better.
    value : callable
        ``value(y, answers) -> float``.
    influence : callable
        ``influence(y, answers) -> ndarray``, one number a row.
    in_unit : bool
        Whether it is a share, between 0 and 1.
    by_part : bool
        Whether it compares rows with each other, so that answers of different fits must not be mixed.
    """

    name: str
    greater_is_better: bool
    value: Callable[[np.ndarray, np.ndarray], float]
    influence: Callable[[np.ndarray, np.ndarray], np.ndarray]
    in_unit: bool = False
    by_part: bool = False

    def loss(self, y: np.ndarray, answers: np.ndarray) -> float:
        """The value, turned so that less is better."""
        value = self.value(y, answers)
        return -value if self.greater_is_better else value


@dataclass(frozen=True)
class Scores:
    """The measures of a task: those that are shown, the first of which decides, and the one to tune by."""

    shown: tuple[Score, ...]
    tuned: Score


# ---------------------------------------------------------------- classes


def _decided(answers: np.ndarray, cost: np.ndarray | None) -> np.ndarray:
    """The class answered: the most probable one, or that of the least expected cost."""
    return answers.argmax(axis=1) if cost is None else (answers @ cost).argmin(axis=1)


def _mean(each: Callable[..., np.ndarray], name: str, greater: bool, in_unit: bool = False) -> Score:
    """A measure that is the mean of something over the rows."""

    def influence(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
        values = each(y, answers)
        return np.asarray(values - values.mean())

    return Score(name, greater, lambda y, answers: float(each(y, answers).mean()), influence, in_unit)


def _log_losses(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    total = answers.sum(axis=1)
    chosen = answers[np.arange(len(y)), y] / np.where(total > 0, total, 1.0)
    # A probability of 0 for what came true would be an infinite loss: no answer is believed beyond 1 in 10^15.
    return np.asarray(-np.log(chosen.clip(1e-15, 1.0)))


def _brier_losses(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    hit = np.arange(answers.shape[1]) == y[:, None]
    return np.asarray(((answers - hit) ** 2).sum(axis=1) / 2)


def _auc_parts(y: np.ndarray, scores: np.ndarray) -> tuple[float, np.ndarray]:
    """AUC, and for each row the share of the other class that it stands on the right side of."""
    positive = y == 1
    m, n = int(positive.sum()), int((~positive).sum())
    if not m or not n:
        return 0.5, np.full(len(y), 0.5)
    ranks = stats.rankdata(scores)
    own = np.empty(len(y))
    own[positive] = (ranks[positive] - stats.rankdata(scores[positive])) / n
    own[~positive] = 1 - (ranks[~positive] - stats.rankdata(scores[~positive])) / m
    return float(own[positive].mean()), own


def _auc(y: np.ndarray, answers: np.ndarray) -> float:
    return _auc_parts(y, answers[:, 1])[0]


def _auc_influence(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    value, own = _auc_parts(y, answers[:, 1])
    share = np.bincount(y, minlength=2) / len(y)
    return np.asarray((own - value) / np.where(share > 0, share, 1.0)[y])


def _recalls(cost: np.ndarray | None) -> Score:
    """Mean share of each class that is found."""

    def hits(y: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        hit = (_decided(answers, cost) == y).astype(float)
        counts = np.bincount(y, minlength=answers.shape[1])
        return hit, counts, np.bincount(y, hit, answers.shape[1]) / np.maximum(counts, 1)

    def value(y: np.ndarray, answers: np.ndarray) -> float:
        _, counts, recall = hits(y, answers)
        return float(recall[counts > 0].mean())

    def influence(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
        hit, counts, recall = hits(y, answers)
        return np.asarray((hit - recall[y]) * len(y) / (counts[y] * (counts > 0).sum()))

    return Score("balanced_accuracy", True, value, influence, in_unit=True)


def _f1(cost: np.ndarray | None, classes: tuple[int, ...] | None, name: str) -> Score:
    """F1 of one class, or its mean over all that occur."""

    def each(y: np.ndarray, answers: np.ndarray) -> tuple[float, np.ndarray]:
        predicted = _decided(answers, cost)
        wanted = np.unique(y) if classes is None else np.array(classes)
        total, psi = 0.0, np.zeros(len(y))
        for c in wanted:
            both = 2.0 * ((predicted == c) & (y == c))
            any_ = (predicted == c).astype(float) + (y == c)
            if any_.sum() > 0:
                f = both.sum() / any_.sum()
                total += float(f)
                psi += (both - f * any_) / any_.mean()
        return total / len(wanted), psi / len(wanted)

    return Score(name, True, lambda y, a: each(y, a)[0], lambda y, a: each(y, a)[1], in_unit=True)


def _of_classes(task: Task, cost: np.ndarray | None) -> dict[str, Score]:
    found = [
        _mean(lambda y, a: (_decided(a, cost) == y).astype(float), "accuracy", True, True),
        _recalls(cost),
        _f1(cost, (1,), "f1") if task == "two-class" else _f1(cost, None, "f1_macro"),
        _mean(_log_losses, "log_loss", False),
        _mean(_brier_losses, "brier", False),
    ]
    if task == "two-class":
        found.insert(0, Score("auc", True, _auc, _auc_influence, in_unit=True, by_part=True))
    if cost is not None:
        found.insert(0, _mean(lambda y, a: cost[y, _decided(a, cost)], "cost", False))
    return {one.name: one for one in found}


# ---------------------------------------------------------------- numbers


def _squares(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.asarray((y - answers) ** 2)


def _r2(y: np.ndarray, answers: np.ndarray) -> float:
    spread = float(np.var(y))
    return 1.0 - float(_squares(y, answers).mean()) / spread if spread > 0 else 0.0


def _r2_influence(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    spread = float(np.var(y))
    if not spread > 0:
        return np.zeros(len(y))
    squares, about = _squares(y, answers), (y - y.mean()) ** 2
    rest = squares.mean() / spread
    return np.asarray((rest * (about - spread) - (squares - squares.mean())) / spread)


def _rmse(y: np.ndarray, answers: np.ndarray) -> float:
    return float(np.sqrt(_squares(y, answers).mean()))


def _rmse_influence(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    squares = _squares(y, answers)
    return np.asarray((squares - squares.mean()) / max(2 * np.sqrt(squares.mean()), 1e-300))


_NUMBERS = {
    "r2": Score("r2", True, _r2, _r2_influence),
    "rmse": Score("rmse", False, _rmse, _rmse_influence),
    "mae": _mean(lambda y, answers: np.abs(y - answers), "mae", False),
}


def scores_for(task: Task, measure: str | None = None, cost: np.ndarray | None = None) -> Scores:
    """The measures of a task, `measure` first; with costs their mean is, unless another is asked for."""
    known = _NUMBERS if task == "regression" else _of_classes(task, cost)
    if measure is None:
        usual = {"two-class": "auc", "many-class": "log_loss", "regression": "r2"}[task]
        measure = "cost" if cost is not None else usual
    if measure not in known:
        raise ValueError(f"no measure {measure!r} for a {task} target; there are {', '.join(known)}.")
    first = known[measure]
    # Costs and shares of hits jump as answers cross a threshold; probabilities are tuned by a loss that does not.
    jumps = measure in ("cost", "accuracy", "balanced_accuracy", "f1", "f1_macro")
    return Scores((first, *(one for one in known.values() if one is not first)), known["log_loss"] if jumps else first)


# ---------------------------------------------------------------- intervals and tests


def _judged(
    score: Score, y: np.ndarray, answers: np.ndarray, parts: np.ndarray
) -> tuple[float, np.ndarray, list[float]]:
    """Value, influence of each row, and the value on each part."""
    n_parts = int(parts.max()) + 1
    each = [score.value(y[parts == k], answers[parts == k]) for k in range(n_parts)]
    if not score.by_part or n_parts == 1:
        return score.value(y, answers), score.influence(y, answers), each
    psi = np.empty(len(y))
    for k in range(n_parts):
        psi[parts == k] = score.influence(y[parts == k], answers[parts == k])
    sizes = np.bincount(parts, minlength=n_parts)
    return float(np.average(each, weights=sizes)), psi, each


def _spread(psi: np.ndarray, parts: np.ndarray) -> float:
    """Standard error of a mean of influences.

    Folds share rows to learn from, so what they say is not independent: for k of them the variance counts
    k / (k - 1) times.
    """
    n, k = len(psi), int(parts.max()) + 1
    shared = k / (k - 1) if k > 1 else 1.0
    return float(np.sqrt(shared * np.sum((psi - psi.mean()) ** 2) / max(n - 1, 1) / n))


def estimate(
    score: Score, y: np.ndarray, answers: np.ndarray, parts: np.ndarray, level: float
) -> tuple[Estimate, tuple[float, ...]]:
    """A score with its interval, and the scores on the parts.

    Parameters
    ----------
    score : Score
        The measure.
    y, answers : ndarray
        Truth and answers for rows that took no part in the fits.
    parts : ndarray of int
        Which outer part a row belongs to.
    level : float
        Confidence of the interval.

    Returns
    -------
    Estimate, tuple of float
    """
    value, psi, each = _judged(score, y, answers, parts)
    error = _spread(psi, parts)
    t = float(stats.t.ppf(0.5 + level / 2, max(len(y) - 1, 1)))
    if score.in_unit:
        # Wilson's interval, as of a share seen in so many draws as have the same standard error.
        rarest = np.bincount(y)[np.unique(y)].min() if y.dtype.kind == "i" else len(y)
        draws = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else float(rarest)
        middle = (value + t * t / (2 * draws)) / (1 + t * t / draws)
        half = t / (1 + t * t / draws) * np.sqrt(value * (1 - value) / draws + t * t / (4 * draws * draws))
        low, high = max(0.0, middle - half), min(1.0, middle + half)
        return Estimate(value, float(min(low, value)), float(max(high, value))), tuple(each)
    return Estimate(value, value - t * error, value + t * error), tuple(each)


def difference(
    score: Score, y: np.ndarray, one: np.ndarray, other: np.ndarray, parts: np.ndarray
) -> tuple[float, float]:
    """How much better one method is than another on the same rows, and the two-sided p-value of no difference."""
    a, psi_a, _ = _judged(score, y, one, parts)
    b, psi_b, _ = _judged(score, y, other, parts)
    gain = (a - b) if score.greater_is_better else (b - a)
    error = _spread(psi_a - psi_b, parts)
    if error == 0:
        return gain, 1.0 if gain == 0 else 0.0
    return gain, float(2 * stats.t.sf(abs(gain) / error, max(len(y) - 1, 1)))
