"""Tuning on one validation set."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV

from lanatus.base import n_rows
from lanatus.evaluation.splitting._holdout import train_validation_split
from lanatus.table import as_frame


class ValidationSearch(GridSearchCV):
    """Grid search that judges each candidate on one validation set, then fits the best on all data.

    It is cheaper than cross-validation by the number of folds, and the usual way where data are plenty. Apart
    from the split it is scikit-learn's ``GridSearchCV``, with the same attributes.

    Book: section 2.2.4. Cost: one fit for each candidate, and one more on all rows.

    Parameters
    ----------
    estimator : estimator
        What to tune.
    param_grid : dict or list of dict
        Values to try for each parameter.
    scoring : str, callable, list, dict or None, default=None
        As in ``GridSearchCV``; None is the estimator's own score.
    validation_size : float or int, default=0.25
        Validation part: a fraction in (0, 1) or a number of rows. Classes keep their shares.
    refit : bool, str or callable, default=True
        Whether (or by which score) to fit the best candidate again, on training and validation rows together.
    random_state : int, RandomState or None, default=None
        Seed of the split.
    n_jobs : int or None, default=None
        Candidates fitted at once.
    error_score : "raise" or number, default=nan
        Score of a candidate whose fit fails.
    return_train_score : bool, default=False
        Whether ``cv_results_`` has the scores on the training part too.

    Attributes
    ----------
    best_params_ : dict, the candidate with the best validation score
    best_score_ : float, that score; optimistic, as the validation set chose it
    best_estimator_ : the best candidate, fitted on all rows
    cv_results_ : dict of arrays, one entry a candidate
    validation_rows_ : ndarray, the rows that were the validation set, counted after the training rows if given

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lanatus.evaluation import ValidationSearch
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = ValidationSearch(tree, {"max_depth": [1, 3]}, random_state=0).fit(X, y)
    >>> search.best_params_, len(search.validation_rows_)
    ({'max_depth': 3}, 38)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        validation_size: float | int = 0.25,
        refit: Any = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.validation_size = validation_size
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, *, validation: tuple[Any, Any] | None = None, **params: Any
    ) -> "ValidationSearch":
        """Try every candidate, keep the best, fit it on all rows.

        Parameters
        ----------
        X, y : array-like or frame
            Data and target.
        validation : (X_validation, y_validation) or None, default=None
            A validation set of one's own, of the same kind as X and y; None takes one out of X.
        **params : dict
            Passed to the estimator's ``fit``, such as weights (of the training rows, then of the validation rows).

        Returns
        -------
        self
        """
        if validation is None:
            train, held_out = train_validation_split(
                np.arange(n_rows(X)), y, validation_size=self.validation_size, random_state=self.random_state
            )[:2]
        else:
            train, held_out = np.split(np.arange(n_rows(X) + n_rows(validation[0])), [n_rows(X)])
            X, y = _stacked(X, validation[0]), _stacked(y, validation[1])
        self.cv = [(train, held_out)]  # GridSearchCV's; not a parameter here, but the one split of this fit
        super().fit(X, y, **params)
        self.validation_rows_ = held_out
        return self


def _stacked(first: Any, second: Any) -> Any:
    """Rows of one, then of the other, which must be of the same kind."""
    if first is None or second is None:
        if first is not second:
            raise ValueError("got a target for one of the training and the validation set; wanted both or none.")
        return None
    if sp.issparse(first):
        return sp.vstack([first, second], format="csr")
    if hasattr(first, "iloc") and hasattr(second, "iloc"):
        import pandas as pd

        if hasattr(first, "columns") and set(first.columns) != set(second.columns):
            raise ValueError("the training and the validation set have different columns; wanted the same.")
        return pd.concat([first, second])
    above, below = as_frame(first), as_frame(second)
    if above is not None and below is not None:
        import narwhals as nw

        return nw.concat([above, below.select(above.columns)]).to_native()
    if above is not None or below is not None:
        raise ValueError(
            f"the training set is a {type(first).__name__} and the validation set a {type(second).__name__}; "
            "give both as the same kind."
        )
    return np.concatenate([np.asarray(first), np.asarray(second)])
