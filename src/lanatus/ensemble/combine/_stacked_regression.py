"""Stacked regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin, TransformerMixin, clone, is_regressor

from lanatus.base import check_is_fitted, fitting, n_rows
from lanatus.catalog import method
from lanatus.ensemble._committee import (
    Committee,
    default_regressors,
    fitted,
    of_kind,
    of_own_type,
    one_target,
)
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.combine import _stacking_levels as levels
from lanatus.params import Choice, Nothing, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER


@method(
    "ensemble.nonnegative-stacked-weights",
    section="8.4.1",
    task="regression",
    en="Stacked regression",
    zh="非负堆叠回归权重",
    peers=["scikit-learn:StackingRegressor"],
)
class StackingRegressor(RegressorMixin, TransformerMixin, Committee):
    r"""A regressor on top of the answers of others, learned from rows that those had not seen.

    With "nnls" it is Breiman's: :math:`\min_{w \ge 0} \sum_i (y_i - \sum_t w_t z_{it})^2`, where :math:`z_{it}` is what
    learner t says of row i when it was fitted without the fold of row i.

    Book: sections 8.4.1 and 8.4.3.

    Parameters
    ----------
    estimators : list of (str, regressor) or None, default=None
        First-level learners; "drop" instead of one leaves it out. None is least squares and ridge regression.
    final_estimator : regressor, "nnls" or None, default=None
        Second-level learner; None is ridge regression. "nnls" finds weights of 0 or more, without a bias.
    cv : int, splitter, list of splits, "prefit" or None, default=None
        Folds; None is 5. "prefit" takes fitted `estimators` as they are.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    passthrough : bool, default=False
        Whether the second level sees X too (numbers, or a table as numbers).
    verbose : int, default=0
        Whether lines tell of the learners as they are fitted.

    Attributes
    ----------
    estimators_ : list of fitted regressors
        First-level learners.
    named_estimators_ : Bunch
        The same by name.
    final_estimator_ : fitted regressor
        The second-level learner.
    stack_method_ : list of str
        "predict" for each learner.

    Notes
    -----
    With fewer rows than folds there are fewer folds. Cost: k + 1 fits of each first-level learner and one of the second
    level.

    Examples
    --------
    >>> from lanatus.ensemble import StackingRegressor
    >>> from lanatus.linear import LinearRegression, Ridge
    >>> model = StackingRegressor([("plain", LinearRegression()), ("ridge", Ridge(50.0))], "nnls", cv=2)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).final_estimator_.coef_.round(4).tolist()
    [1.0, 0.0]

    References
    ----------
    Breiman (1996), Stacked regressions.
    """

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose

    _params = rules_for(__init__, RULES, final_estimator=Nothing() | LEARNER | Choice("nnls"))

    transform = levels.transform
    get_feature_names_out = levels.get_feature_names_out

    stack_method_: list[str]
    final_estimator_: Any

    def _default(self) -> list[tuple[str, Any]]:
        return default_regressors()

    def _final(self) -> Any:
        from lanatus.linear import LinearRegression, Ridge

        if isinstance(self.final_estimator, str):
            return LinearRegression(positive=True, fit_intercept=False)
        return Ridge() if self.final_estimator is None else clone(self.final_estimator)

    def _widths(self) -> list[int]:
        """Columns of each first-level learner."""
        return [1] * len(self.estimators_)

    def _outputs(self, model: Any, verb: str, rows: Any) -> np.ndarray:
        return np.asarray(model.predict(rows), dtype=np.float64).reshape(n_rows(rows), -1)

    def __sklearn_tags__(self) -> Any:
        return of_own_type(super().__sklearn_tags__())

    @fitting
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit both levels.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The targets.
        **fit_params : dict
            `sample_weight`, an array of shape (n_samples,), for learners that take it; both levels use it. The folds
            cut rows, so that a row of weight 2 is not quite two rows. What else there is goes to the first-level
            learners that ask for it, where scikit-learn's metadata routing is switched on.

        Returns
        -------
        self
        """
        if not is_regressor(self._final()):
            raise ValueError("'final_estimator' parameter should be a regressor.")
        of_kind(self._models(), regressors=True, who="StackingRegressor")
        rows = self._take(X, reset=True)
        target = one_target(y, rows)
        sample_weight, more = levels.parted_params(self, fit_params)
        weight = self._weights(sample_weight, rows)
        self.stack_method_ = ["predict"] * len(self._models())
        Z = levels.first_level(self, rows, target, weight, more, classifier=False)
        self.final_estimator_ = fitted(self._final(), Z, target, None, weight)
        return self

    @blockwise
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """Predicted number of each row of X.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        **predict_params : dict
            What ``predict`` of the second-level learner takes, such as ``return_std=True``.

        Returns
        -------
        ndarray of shape (n_samples,), or what the second level gives for such parameters
        """
        check_is_fitted(self)
        return self.final_estimator_.predict(self.transform(X), **predict_params)
