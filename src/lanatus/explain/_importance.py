"""How much a model needs each column."""

from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch, check_random_state

from lanatus.base import check_is_fitted, n_rows
from lanatus.explain._additive import wanted
from lanatus.explain._changed_column import ColumnChanger


def feature_importance(
    model: Any, kind: Literal["gain", "split", "permutation"] = "gain", X: Any = None, y: Any = None, **options: Any
) -> np.ndarray:
    """How much a tree model needs each column, as shares of the sum.

    Book: section 4.2 (gain), 11.1. Cost: linear in the nodes; "permutation" predicts X once a column and repeat.

    Parameters
    ----------
    model : fitted tree, forest, bagged trees or gradient boosting; any fitted model for "permutation"
        Whose columns.
    kind : {"gain", "split", "permutation"}, default="gain"
        What the splits on a column gained, by weight (the model's ``feature_importances_``); how many splits there are;
        how much the score falls when the column is shuffled. The first two know only the training rows and favour
        columns of many values.
    X, y : arrays or frames, optional
        Rows and targets, for "permutation"; better ones that the model has not seen.
    **options
        Of `permutation_importance`.

    Returns
    -------
    ndarray of shape (n_features,)
        Summing to 1 (or all 0); for "permutation" the mean falls of the score as they are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.explain import feature_importance
    >>> from lanatus.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(max_depth=3).fit(*load_iris(return_X_y=True))
    >>> feature_importance(tree, "split").tolist()
    [0.0, 0.0, 0.75, 0.25]
    """
    if kind == "permutation":
        if X is None or y is None:
            raise ValueError("kind='permutation' shuffles columns of rows: give X and y.")
        return np.asarray(permutation_importance(model, X, y, **options).importances_mean)
    if kind not in ("gain", "split"):
        raise ValueError(f"kind must be 'gain', 'split' or 'permutation'; got {kind!r}.")
    if X is not None or y is not None or options:
        raise ValueError(f"kind={kind!r} looks at the trees only; X, y and options are for 'permutation'.")
    check_is_fitted(model)
    if kind == "gain" and hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_)
    parts = wanted(model)
    counts = np.zeros(model.n_features_in_)
    for tree in parts.trees:
        inner = ~tree.is_leaf
        worth = tree.gain[inner] * tree.weight[inner] if kind == "gain" else np.ones(int(inner.sum()))
        counts += np.bincount(tree.feature[inner], worth, minlength=len(counts))
    return counts / counts.sum() if counts.sum() > 0 else counts


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
) -> Bunch:
    """How much a model's score falls when the values of one column are shuffled among the rows.

    Columns of frames and tables are shuffled as they are, so nominal ones count as one. Of columns that tell the same,
    shuffling one costs little.

    Book: section 11.1. Cost: ``n_features * n_repeats`` predictions of X and one copy of it a job.

    Parameters
    ----------
    model : fitted estimator
        Any one with ``predict``.
    X : array, sparse matrix, frame or Table of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        The targets.
    scoring : str or callable, optional
        As in scikit-learn; the model's ``score`` by default.
    n_repeats : int, default=5
        How often each column is shuffled.
    n_jobs : int, optional
        Columns at the same time, in threads; results do not depend on it.
    random_state : int, RandomState or None, default=None
        For the shuffles.
    sample_weight : array of shape (n_samples,), optional
        Weights for the score.

    Returns
    -------
    Bunch
        ``importances`` of shape (n_features, n_repeats), ``importances_mean`` and ``importances_std``, as
        scikit-learn's.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.explain import permutation_importance
    >>> from lanatus.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = permutation_importance(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y, random_state=0)
    >>> (found.importances_mean > 0.1).tolist()
    [False, False, True, True]

    References
    ----------
    Breiman: Random forests, 2001.
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1; got {n_repeats}.")
    columns = ColumnChanger(X)
    scorer = check_scoring(model, scoring=scoring)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    n, d = n_rows(columns.X), len(columns.names)
    rng = check_random_state(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=d)
    baseline = float(scorer(model, columns.X, y, **weights))

    def falls(j: int) -> list[float]:
        own = np.random.RandomState(seeds[j])
        orders = (own.permutation(n) for _ in range(n_repeats))
        return [baseline - float(scorer(model, columns.shuffled(j, order), y, **weights)) for order in orders]

    drops = np.array(Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(falls)(j) for j in range(d)))
    return Bunch(importances=drops, importances_mean=drops.mean(axis=1), importances_std=drops.std(axis=1))
