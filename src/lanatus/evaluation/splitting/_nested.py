"""Nested cross-validation: the score of a learner together with its tuning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.utils import check_random_state

from lanatus.catalog import method
from lanatus.evaluation.significance._samples import level
from lanatus.evaluation.splitting._holdout import has_classes


@dataclass(frozen=True)
class NestedResult:
    """Outcome of a nested cross-validation.

    Attributes
    ----------
    scores : ndarray of shape (n_outer,)
        Score on each outer test part of the model that was tuned without it.
    mean, deviation : float
        Their mean and standard deviation.
    interval : tuple of float
        Interval of the mean by Student's t, widened because the training parts overlap.
    best_params : list of dict
        What the inner search chose in each outer split.
    inner_scores : ndarray of shape (n_outer,)
        Score of that choice in the inner search: optimistic, since it was chosen by it.
    estimators : list
        The fitted searches, if asked for.
    """

    scores: np.ndarray
    mean: float
    deviation: float
    interval: tuple[float, float]
    best_params: list[dict[str, Any]]
    inner_scores: np.ndarray
    estimators: list[Any] = field(default_factory=list, repr=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each outer split: its scores and the parameters chosen, ready for a frame."""
        return [
            {"split": i, "score": float(score), "inner_score": float(inner), **chosen}
            for i, (score, inner, chosen) in enumerate(
                zip(self.scores, self.inner_scores, self.best_params, strict=True)
            )
        ]

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"nested score {self.mean:.4g} +- {self.deviation:.2g} over {len(self.scores)} outer splits "
            f"(interval {low:.4g} to {high:.4g}); the searches themselves said {self.inner_scores.mean():.4g}"
        )


@method(
    section="2.2.4",
    task="tuning",
    en="Nested cross-validation",
    zh="嵌套交叉验证",
    peers=["scikit-learn:cross_validate"],
)
def nested_cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    param_grid: Mapping[str, Any] | list[Mapping[str, Any]] | None = None,
    inner: Any = 5,
    outer: Any = 10,
    scoring: Any = None,
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    return_estimators: bool = False,
) -> NestedResult:
    """Score of a learner together with its tuning, by cross-validation around the search.

    In each outer split the parameters are tuned on the training part alone, by inner folds of it; the outer test
    part plays no role in the choice. The best score of a search is optimistic; this one is not.

    Book: section 2.2.4.

    Parameters
    ----------
    estimator : estimator
        What to tune by `param_grid`; or, without one, a search such as ``RandomizedSearchCV``.
    X, y : array-like or frame
        Data and target.
    param_grid : dict, list of dict or None, default=None
        Values to try for each parameter.
    inner, outer : int or splitter, default=5 and 10
        Folds of the search and of the evaluation; a number gives shuffled folds, stratified for a classifier. A
        search given as estimator has its own inner folds.
    scoring : str, callable or None, default=None
        One score, for search and evaluation both; None is the estimator's own (or the search's).
    confidence : float, default=0.95
        Confidence of the interval.
    random_state : int, RandomState or None, default=None
        Seed of the folds.
    n_jobs : int or None, default=None
        Outer splits at once.
    return_estimators : bool, default=False
        Whether to keep the fitted searches.

    Returns
    -------
    NestedResult
        The scores, their mean and interval, and what was chosen where.

    Notes
    -----
    The interval is mean +- t s sqrt(1/k + n_test/n_train), after Nadeau and Bengio: without the second term it
    would be too narrow, since the training parts overlap.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lanatus.evaluation import nested_cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> result = nested_cross_validate(tree, X, y, param_grid={"max_depth": [1, 3]}, inner=3, outer=5, random_state=0)
    >>> result.best_params[0], len(result.scores), result.mean > 0.9
    ({'max_depth': 3}, 5, True)

    References
    ----------
    Varma and Simon (2006), Bias in error estimation when using cross-validation for model selection.
    Nadeau and Bengio (2003), Inference for the generalization error.
    """
    level(confidence, "confidence")
    rng = check_random_state(random_state)
    stratified = is_classifier(estimator) and has_classes(y)
    outer, inner = _folds(outer, stratified, rng), _folds(inner, stratified, rng)
    if param_grid is not None:
        estimator = GridSearchCV(estimator, param_grid, scoring=scoring, cv=inner)
    elif not hasattr(estimator, "refit"):
        raise ValueError(
            f"got {type(estimator).__name__} and no param_grid; give the values to try, or a search as estimator."
        )
    found = cross_validate(
        estimator, X, y, scoring=scoring, cv=outer, n_jobs=n_jobs, return_estimator=True, return_indices=True
    )
    if "test_score" not in found:
        raise ValueError(f"scoring must name one score; got {scoring!r}.")
    scores = found["test_score"]
    if np.isnan(scores).any():
        raise ValueError(
            f"{np.isnan(scores).sum()} of {len(scores)} outer splits have no score: the search failed there, or does "
            "not refit its best candidate. The warnings tell why."
        )
    if len(scores) < 2:
        raise ValueError("outer gave a single split; wanted two or more, or there is no deviation.")
    parts = zip(found["indices"]["train"], found["indices"]["test"], strict=True)
    overlap = np.mean([len(test) / len(train) for train, test in parts])
    deviation = float(scores.std(ddof=1))
    return NestedResult(
        scores,
        float(scores.mean()),
        deviation,
        _t_interval(float(scores.mean()), deviation, len(scores), float(overlap), confidence),
        [search.best_params_ for search in found["estimator"]],
        np.array([search.best_score_ for search in found["estimator"]]),
        list(found["estimator"]) if return_estimators else [],
    )


def _folds(folds: Any, stratified: bool, rng: np.random.RandomState) -> Any:
    if not isinstance(folds, Integral):
        return folds
    seed = rng.randint(2**31 - 1)
    return (StratifiedKFold if stratified else KFold)(int(folds), shuffle=True, random_state=seed)


def _t_interval(mean: float, deviation: float, k: int, overlap: float, confidence: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    half = float(stdtrit(k - 1, (1 + confidence) / 2)) * deviation * float(np.sqrt(1 / k + overlap))
    return mean - half, mean + half
