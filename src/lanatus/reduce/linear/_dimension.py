"""How many components: by a share of the variance, by a learner, or by the probability of the data."""

from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.model_selection import check_cv

from lanatus.evaluation import KFold, StratifiedKFold
from lanatus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from lanatus.params import Integer, ParameterRule, Satisfies
from lanatus.reduce._reducer import top_eigen
from lanatus.reduce.linear._scatter import scatter_of

SPLITS: ParameterRule = Integer(low=2) | Satisfies(
    lambda value: hasattr(value, "split") or isinstance(value, list | tuple), "a splitter or a list of splits"
)
_EACH_UP_TO = 16  # dimensions that are all tried; beyond, each is a quarter more than the one before


def by_share(squares: np.ndarray, share: float) -> int:
    r"""Fewest components with :math:`\sum_{i \le d'} \lambda_i / \sum_i \lambda_i \ge t` (10.18)."""
    total = squares.sum()
    if not total > 0:
        return 1
    # A share that the sum of the first few is but for rounding is reached.
    return min(int(np.searchsorted(np.cumsum(squares) / total, share - 1e-12)) + 1, len(squares))


def by_evidence(variances: np.ndarray, n: float) -> int:
    """The number of components of greatest evidence, by Minka's (2000) approximation."""
    d = len(variances)
    tiny = np.finfo(np.float64).eps * max(float(variances.max(initial=0.0)), 1e-300)
    spectrum = np.maximum(variances, tiny)
    if d < 2:
        return d
    scores = [_evidence(spectrum, k, n) for k in range(1, d)]
    return int(np.argmax(scores)) + 1


def _evidence(spectrum: np.ndarray, k: int, n: float) -> float:
    d = len(spectrum)
    if spectrum[k - 1] <= np.finfo(np.float64).eps * spectrum[0] * 2:
        return -np.inf
    i = np.arange(1, k + 1)
    pu = -k * np.log(2.0) + (gammaln((d - i + 1) / 2) - np.log(np.pi) * (d - i + 1) / 2).sum()
    pl = -np.log(spectrum[:k]).sum() * n / 2
    noise = max(spectrum[k:].mean(), spectrum[-1])
    pv = -np.log(noise) * n * (d - k) / 2
    m = d * k - k * (k + 1) / 2
    pp = np.log(2 * np.pi) * (m + k) / 2
    hat = spectrum.copy()
    hat[k:] = noise
    j = np.triu_indices(k, 1, d)
    gaps = (spectrum[j[0]] - spectrum[j[1]]) * (1 / hat[j[1]] - 1 / hat[j[0]])
    pa = (np.log(np.maximum(gaps, 1e-300)) + np.log(n)).sum()
    return float(pu + pl + pv + pp - pa / 2 - k * np.log(n) / 2)


def dimensions_to_try(most: int) -> list[int]:
    """Numbers of components worth a try."""
    found = list(range(1, min(most, _EACH_UP_TO) + 1))
    while found and found[-1] < most:
        found.append(min(most, int(np.ceil(found[-1] * 1.25))))
    return found


def _folds(cv: Any, labels: np.ndarray, numeric: bool) -> Any:
    if not isinstance(cv, int | np.integer):
        return check_cv(cv)
    cv = min(cv, len(labels))
    least = 0 if numeric else int(np.unique(labels, return_counts=True)[1].min())
    if least > 1:
        return StratifiedKFold(min(cv, least), shuffle=True, random_state=0)
    return KFold(cv, shuffle=True, random_state=0)


def by_neighbours(
    X: np.ndarray, y: Any, weight: np.ndarray | None, cv: Any, n_neighbors: int
) -> tuple[int, dict[int, float]]:
    """The fewest components of the best cross-validated score of k nearest neighbours, and the score of each number.

    Axes are learned from the training rows of each fold alone.
    """
    labels = np.asarray(y)
    numeric = labels.dtype.kind == "f"
    learner: Any = KNeighborsRegressor(n_neighbors) if numeric else KNeighborsClassifier(n_neighbors)
    splits = list(_folds(cv, labels, numeric).split(X, labels))
    least_rows = min(len(train) for train, _ in splits)
    learner.set_params(n_neighbors=min(n_neighbors, least_rows))
    tries = dimensions_to_try(min(X.shape[1], least_rows))
    scores = np.zeros(len(tries))
    for train, test in splits:
        sums = scatter_of(X[train], None if weight is None else weight[train])
        axes = top_eigen(sums.scatter, tries[-1])[1]
        seen, asked = (X[train] - sums.mean) @ axes, (X[test] - sums.mean) @ axes
        for at, k in enumerate(tries):
            model = clone(learner).fit(np.ascontiguousarray(seen[:, :k]), labels[train])
            scores[at] += model.score(np.ascontiguousarray(asked[:, :k]), labels[test]) / len(splits)
    best = int(np.argmax(scores >= scores.max() - 1e-12))
    return tries[best], dict(zip(tries, scores.tolist(), strict=True))
