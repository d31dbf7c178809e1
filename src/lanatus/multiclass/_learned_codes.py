"""Coding matrices that are learned from the data: DECOC, ECOC-ONE, and the continuous codes of Crammer and Singer."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import take_rows
from lanatus.table import Table

if TYPE_CHECKING:
    from lanatus.multiclass._output_code import OutputCodeClassifier

_BINS = 8
_SOFTNESS = (1.0, 0.1, 0.01, 0.001, 0.0001)  # of the largest rival, as continuous codes are learned


# ---------------------------------------------------------------- DECOC


def discriminant_code(X: Any, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """A tree that splits the classes in two until each is alone: N - 1 columns (Pujol, Radeva and Vitria 2006).

    A split is the one whose side tells most of the attributes: the sum over attributes of the mutual information of the
    side with the attribute in eight bins, found by floating search.
    """
    binned = _binned(X)
    columns = []
    open_sets = [list(range(n_classes))]
    while open_sets:
        group = open_sets.pop()
        if len(group) < 2:
            continue
        left = _best_half(binned, codes, group)
        right = [c for c in group if c not in left]
        column = np.zeros(n_classes, dtype=np.int8)
        column[left], column[right] = 1, -1
        columns.append(column)
        open_sets += [right, left]
    return np.column_stack(columns)


def _binned(X: Any) -> np.ndarray:
    """Each attribute as a small whole number: categories as they are, numbers by quantiles; -1 is missing."""
    if isinstance(X, Table):
        return np.column_stack([_quantile_bins(np.asarray(X.numeric, dtype=float)), X.codes])
    if sp.issparse(X):
        X = X.toarray()
    array = np.asarray(X)
    if array.dtype.kind in "fiub":
        return _quantile_bins(array.astype(float))
    return _binned(Table.of(X))


def _quantile_bins(numbers: np.ndarray) -> np.ndarray:
    out = np.empty(numbers.shape, dtype=np.int64)
    for j, column in enumerate(numbers.T):
        known = column[~np.isnan(column)]
        cuts = np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1)[1:-1])) if len(known) else np.empty(0)
        out[:, j] = np.where(np.isnan(column), -1, np.searchsorted(cuts, column, side="right"))
    return out


def _best_half(binned: np.ndarray, codes: np.ndarray, group: list[int]) -> list[int]:
    """Half of a group of classes by sequential floating search, at most half of them."""
    counts = _class_counts(binned, codes, group)

    def told(half: set[int]) -> float:
        side = np.array([c in half for c in group])
        return sum(_information(table[side].sum(axis=0), table[~side].sum(axis=0)) for table in counts)

    now: set[int] = set()
    records: dict[int, tuple[float, set[int]]] = {}  # the best half of each size so far

    def is_record(half: set[int]) -> bool:
        value = told(half)
        better = len(half) not in records or value > records[len(half)][0]
        if better:
            records[len(half)] = value, half
        return better

    while len(now) < max(1, len(group) // 2):
        now = now | {max((c for c in group if c not in now), key=lambda c: told(now | {c}))}
        is_record(now)
        while len(now) > 2:  # back a step, while that tells more than any half of that size did
            smaller = max((now - {c} for c in sorted(now)), key=told)
            if not is_record(smaller):
                break
            now = smaller
    return sorted(max(records.values(), key=lambda record: record[0])[1])


def _class_counts(binned: np.ndarray, codes: np.ndarray, group: list[int]) -> list[np.ndarray]:
    """For each attribute, how often each class of the group has each of its values."""
    tables = []
    for column in binned.T:
        width = int(column.max(initial=0)) + 2
        tables.append(np.array([np.bincount(column[codes == c] + 1, minlength=width)[1:] for c in group], dtype=float))
    return tables


def _information(left: np.ndarray, right: np.ndarray) -> float:
    """Mutual information, in nats, of the side with the value."""
    joint = np.stack([left, right])
    total = joint.sum()
    if not total:
        return 0.0
    share = joint / total
    apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
    seen = share > 0
    return float((share[seen] * np.log(share[seen] / apart[seen])).sum())


# ---------------------------------------------------------------- ECOC-ONE


def embed_nodes(
    model: "OutputCodeClassifier", X: Any, codes: np.ndarray, weight: np.ndarray | None, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Grow one-vs-rest by a column at a time for the two classes confused most (Pujol, Escalera and Radeva 2008).

    A third of the rows is kept aside to look for confusion. A new column splits that pair; each other class joins the
    side that the learner puts most of its rows on, or stays out where these are torn. Columns weigh log((1 - e) / e)
    of their error e. It ends when nothing is confused, or after as many columns as there are classes (or `length`).
    """
    n = len(model.classes_)
    aside = _some_of_each(codes, rng)
    if len(np.unique(codes[~aside])) < n or not aside.any():
        return model.problems_, model.weights_
    inside, outside = np.flatnonzero(~aside), np.flatnonzero(aside)
    trial = type(model)(model.estimator, decoding=model.decoding, n_jobs=model.n_jobs)
    trial.classes_ = model.classes_
    trial.problems_ = trial.code_book_ = model.problems_
    train, tested = take_rows(X, inside), take_rows(X, outside)
    heavy = None if weight is None else weight[inside]
    trial._fit_problems(train, codes[inside], heavy)
    learners = list(trial.estimators_)
    for _ in range(model._length() or n):
        answers = trial._answers(tested)
        trial.weights_ = _column_weights(answers, trial.problems_, codes[outside])
        guess = trial._nearness(answers).argmax(axis=1)
        confused = np.zeros((n, n))
        np.add.at(confused, (codes[outside], guess), 1.0)
        np.fill_diagonal(confused, 0.0)
        both = confused + confused.T
        if not both.any():
            break
        first, second = np.unravel_index(int(np.argmax(both)), both.shape)
        column = _new_column(trial, train, codes[inside], heavy, int(first), int(second))
        if _is_known(column, trial.problems_):  # then the two alone
            column = np.zeros_like(column)
            column[first], column[second] = 1, -1
        if _is_known(column, trial.problems_):
            break
        wider = np.column_stack([trial.problems_, column])
        trial.problems_ = column[:, None]
        trial._fit_problems(train, codes[inside], heavy)
        learners += trial.estimators_
        trial.problems_ = trial.code_book_ = wider
        trial.estimators_ = learners
    weights = _column_weights(trial._answers(tested), trial.problems_, codes[outside])
    return trial.problems_, weights


def _is_known(column: np.ndarray, problems: np.ndarray) -> bool:
    return any(np.array_equal(column, old) or np.array_equal(column, -old) for old in problems.T)


def _some_of_each(codes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """A third of the rows of each class, rounded down."""
    aside = np.zeros(len(codes), dtype=bool)
    for c in np.unique(codes):
        rows = np.flatnonzero(codes == c)
        aside[rng.permutation(rows)[: len(rows) // 3]] = True
    return aside


def _column_weights(answers: np.ndarray, problems: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """log((1 - e) / e) of the error of each column on the rows of the classes it uses, none below a small weight."""
    truth = problems[codes]
    used = truth != 0
    wrong = (np.where(answers > 0, 1, -1) != truth) & used
    # Half an error more, so that a column without any is not beyond all others.
    error = (wrong.sum(axis=0) + 0.5) / (used.sum(axis=0) + 1.0)
    return np.maximum(np.log((1 - error) / error), 1e-3)


def _new_column(
    trial: "OutputCodeClassifier", X: Any, codes: np.ndarray, weight: np.ndarray | None, first: int, second: int
) -> np.ndarray:
    from lanatus.multiclass._decomposed import confidence

    pair = np.flatnonzero((codes == first) | (codes == second))
    learner = trial._fitted(X, (codes == first).astype(np.int64), pair, weight)
    sure = confidence(learner, X) > 0
    column = np.zeros(len(trial.classes_), dtype=np.int8)
    for c in range(len(column)):
        share = sure[codes == c].mean()
        column[c] = 1 if share >= 0.75 else -1 if share <= 0.25 else 0
    column[first], column[second] = 1, -1
    return column


# ---------------------------------------------------------------- continuous codes


def continuous_code(answers: np.ndarray, codes: np.ndarray, n_classes: int, weight: np.ndarray | None) -> np.ndarray:
    """Real numbers M that make M_y . h(x) larger by one than every other row, h being the signs of the learners.

    Minimises |M|^2 / 2 + C sum max(0, 1 - (M_y - M_r) . h)^2 over the most violating r of each row (Crammer and
    Singer 2002, with the loss squared), C = 1, by L-BFGS. The largest of the rivals has a kink where two are alike, as
    all are at the start, so it is a soft one, less and less.
    """
    from scipy.optimize import minimize

    signs = np.where(answers > 0, 1.0, -1.0)
    n, m = signs.shape
    share = np.ones(n) if weight is None else weight
    own = np.arange(n), codes

    def objective(flat: np.ndarray, softness: float) -> tuple[float, np.ndarray]:
        matrix = flat.reshape(n_classes, m)
        heights = signs @ matrix.T
        rivals = heights.copy()
        rivals[own] = -np.inf
        top = rivals.max(axis=1)
        part = np.exp((rivals - top[:, None]) / softness)
        total = part.sum(axis=1)
        slack = np.maximum(0.0, 1 - heights[own] + top + softness * np.log(total))
        push = 2 * share * slack
        slope = push[:, None] * part / total[:, None]
        slope[own] -= push
        value = 0.5 * flat @ flat + share @ slack**2
        return float(value), (matrix + slope.T @ signs).ravel()

    flat = np.zeros(n_classes * m)
    for softness in _SOFTNESS:
        how = {"args": (softness,), "jac": True, "method": "L-BFGS-B", "options": {"maxiter": 500}}
        flat = minimize(objective, flat, **how).x
    return np.asarray(flat.reshape(n_classes, m))
