"""Columns that a fitted model needs: by its weights or importances, or by the splits of its trees."""

from collections.abc import Callable
from copy import deepcopy
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Function, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.select._selector import FeatureSelector
from lanatus.table import Schema
from lanatus.wrapping import LEARNER, Wrapper

_SPARSE = 1e-5  # above which a weight of an L1 model counts as one


def _learned(selector: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """A clone of the selector's model, fitted to X, which it takes."""
    rows = selector._take(X, reset=True)
    weights = {} if sample_weight is None else {"sample_weight": selector._weights(sample_weight, rows)}
    model = clone(selector.estimator)
    model.fit(rows, y, **weights)
    return model


def _with_target(tags: Any, model: Any) -> Any:
    """Tags of a selector, which needs a target if its model does."""
    tags.target_tags.required = get_tags(model).target_tags.required
    return tags


@method(
    "select.embedded-selection-l1",
    section="11.4",
    task="transform",
    en="Embedded selection by a model's weights",
    zh="嵌入式特征选择",
    peers=["scikit-learn:SelectFromModel"],
)
class SelectFromModel(Wrapper, FeatureSelector):
    r"""The columns to which a model gives weight: those that the LASSO leaves, or of most importance.

    A column is worth the norm of its weights over the outputs, or its importance, and kept if that is at least the
    threshold: for L1 penalties above zero, as sparse solutions have it (figure 11.2), for others the mean.

    Book: sections 11.1 and 11.4. Cost: that of the model.

    Parameters
    ----------
    estimator : estimator
        The model, with ``coef_`` or ``feature_importances_`` once it is fitted.
    threshold : float, str or None, default=None
        What a column must be worth; "mean", "median" or "1.25*mean" are of the worths. None is 1e-5 for models with an
        L1 penalty, and "mean" for others.
    prefit : bool, default=False
        Whether `estimator` is fitted, to these columns, and taken as it is.
    norm_order : int, inf or -inf, default=1
        Of the norm over several outputs, and over the indicators of a nominal column.
    max_features : int, callable or None, default=None
        Most columns to keep, or a function of X that says so; -inf as `threshold` keeps just so many.
    importance_getter : str or callable, default="auto"
        Where the weights are: an attribute, or a function of the model. "auto" is ``coef_``, or
        ``feature_importances_``.

    Attributes
    ----------
    estimator_ : estimator, the fitted model
    importances_ : ndarray of shape (n_features,), what each column is worth
    threshold_ : float, the threshold
    max_features_ : int, most columns to keep, where there is such a number
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A new `threshold` counts at once; the model need not be fitted again for it. Of a frame a nominal column is kept or
    left out as one, whatever number of indicators the model made of it.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.linear import Lasso
    >>> from lanatus.select import SelectFromModel
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> SelectFromModel(Lasso(0.1)).fit(X, X[:, 1] - 2 * X[:, 4]).support_.tolist()
    [False, True, False, False, True]
    """

    _state: ClassVar = {}
    estimator_: Any

    def __init__(
        self,
        estimator: Any,
        *,
        threshold: Any = None,
        prefit: bool = False,
        norm_order: float = 1,
        max_features: Any = None,
        importance_getter: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.prefit = prefit
        self.norm_order = norm_order
        self.max_features = max_features
        self.importance_getter = importance_getter

    _params = rules_for(
        __init__,
        estimator=LEARNER,
        threshold=Real()
        | Satisfies(lambda value: isinstance(value, str) or value in (np.inf, -np.inf), "a statistic or infinity")
        | Nothing(),
        prefit=Flag(),
        norm_order=Integer(low=1) | Satisfies(lambda value: value in (np.inf, -np.inf), "infinity"),
        max_features=Integer(low=0) | Function() | Nothing(),
        importance_getter=Choice("auto")
        | Satisfies(lambda value: isinstance(value, str), "the name of an attribute")
        | Function(),
    )

    def __sklearn_tags__(self) -> Any:
        return _with_target(super().__sklearn_tags__(), self.estimator)

    @property
    def importances_(self) -> np.ndarray:
        """What each column is worth to the model."""
        check_is_fitted(self, "estimator_")
        return importances_of(self.estimator_, self.importance_getter, self.norm_order, self.schema_)

    @property
    def threshold_(self) -> float:
        """The threshold, by the parameters of now."""
        return threshold_of(self.threshold, self.estimator_, self.importances_)

    @property
    def support_(self) -> np.ndarray:  # type: ignore[override]
        """Which columns are kept, by the parameters of now."""
        worth = self.importances_
        kept = worth >= self.threshold_
        if self.max_features is not None:
            first = np.argsort(-worth, kind="stable")[: self.max_features_]
            kept &= np.isin(np.arange(len(worth)), first)
        return np.asarray(kept)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model to X and y, or take it as it is."""
        if self.prefit:
            try:
                check_is_fitted(self.estimator)
            except NotFittedError as wrong:
                raise NotFittedError("prefit=True takes the estimator as it is, and it is not fitted.") from wrong
            self._take(X, reset=True)
            self._limit(X)
            self.estimator_ = self.estimator
        else:
            self.estimator_ = _learned(self, X, y, sample_weight)
            self._limit(X)
        return self

    @available_if(lambda self: hasattr(self.estimator, "partial_fit"))
    @fitting
    def partial_fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Let the model learn from more rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,), optional
            Their targets.
        **params
            What else the model's ``partial_fit`` wants, such as ``classes``.
        """
        first = not hasattr(self, "estimator_")
        rows = self._take(X, reset=first)
        if first:
            self._limit(X)
        model = clone(self.estimator) if first and not self.prefit else self.estimator if first else self.estimator_
        self.estimator_ = deepcopy(model).partial_fit(rows, y, **params)  # in a copy: a failure leaves the old one
        return self

    def _limit(self, X: Any) -> None:
        """Learn how many columns may be kept at most, and refuse a threshold that is none."""
        if isinstance(self.threshold, str):
            threshold_of(self.threshold, None, np.ones(1))
        self.__dict__.pop("max_features_", None)
        if self.max_features is None:
            return
        most, d = self.max_features(X) if callable(self.max_features) else self.max_features, len(self.schema_)
        if not isinstance(most, int | np.integer):
            raise TypeError(f"max_features must be an instance of int, not {type(most).__name__}.")
        if not 0 <= most <= d:
            raise ValueError(f"max_features == {most}, must be from 0 to the {d} columns of X.")
        self.max_features_ = int(most)


def importances_of(model: Any, getter: str | Callable[[Any], Any], order: float, schema: Schema) -> np.ndarray:
    """What each column of a table is worth to a fitted model: norms of its weights."""
    if callable(getter):
        found = getter(model)
    elif getter != "auto":
        found = attrgetter(getter)(model)
    elif hasattr(model, "coef_") or hasattr(model, "feature_importances_"):
        found = model.coef_ if hasattr(model, "coef_") else model.feature_importances_
    else:
        raise ValueError(
            f"{type(model).__name__} has neither coef_ nor feature_importances_; say by importance_getter where its "
            "weights are, or take another estimator."
        )
    values = np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)
    worth = np.abs(values) if values.ndim == 1 else np.linalg.norm(values, axis=0, ord=order)
    if len(worth) == len(schema):
        return worth
    if len(worth) != schema.n_expanded:
        raise ValueError(f"the model has weights of {len(worth)} columns, X has {len(schema)}.")
    ends = np.cumsum([column.width for column in schema.columns])[:-1]
    return np.array([np.linalg.norm(part, ord=order) if len(part) else 0.0 for part in np.split(worth, ends)])


def threshold_of(wanted: Any, model: Any, worth: np.ndarray) -> float:
    """A threshold from what the user said: a number, a statistic, or a multiple of one."""
    if wanted is None:
        penalty = getattr(model, "penalty", None)
        ratio = getattr(model, "l1_ratio_", getattr(model, "l1_ratio", None))
        sparse = penalty == "l1" or ratio == 1 or "Lasso" in type(model).__name__
        wanted = _SPARSE if sparse else "mean"
    if not isinstance(wanted, str):
        return float(wanted)
    scale, _, name = wanted.rpartition("*")
    statistics: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}
    try:
        return float(scale or 1.0) * float(statistics[name.strip()](worth))
    except (KeyError, ValueError):
        raise ValueError(f"got threshold={wanted!r}, wanted 'mean', 'median', or such as '1.25*mean'.") from None


@method(
    "select.tree-feature-selection",
    section="11.1",
    task="transform",
    en="Selection by a decision tree",
    zh="决策树特征选择",
    peers=["scikit-learn:SelectFromModel"],
)
class TreeFeatureSelector(Wrapper, FeatureSelector):
    """The columns that a decision tree splits on: forward search by information gain, embedded in the tree.

    Each split adds the column of most gain, and growing ends where none gains: what the tree asks for is the subset.

    Book: section 11.1, at its end. Cost: that of the tree.

    Parameters
    ----------
    estimator : tree, or ensemble of trees
        Its splits say which columns are kept; those of all members of an ensemble.
    min_importance : float, default=0.0
        Columns of less importance, as a share of the gain of all splits, are left out all the same.

    Attributes
    ----------
    estimator_ : estimator, the fitted tree
    n_splits_ : ndarray of shape (n_features,), how many splits ask for each column
    support_ : ndarray of shape (n_features,), bool, which columns are kept
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A tree that makes no split keeps no column; its selector keeps the first, so that there is one.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.select import TreeFeatureSelector
    >>> from lanatus.tree import ID3Classifier
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> TreeFeatureSelector(ID3Classifier()).fit(X, melons.target).get_feature_names_out().tolist()
    ['色泽', '根蒂', '纹理', '触感']
    """

    _state: ClassVar = {}
    estimator_: Any

    def __init__(self, estimator: Any, *, min_importance: float = 0.0) -> None:
        self.estimator = estimator
        self.min_importance = min_importance

    _params = rules_for(__init__, estimator=LEARNER, min_importance=Real(low=0, high=1))

    def __sklearn_tags__(self) -> Any:
        return _with_target(super().__sklearn_tags__(), self.estimator)

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the tree, and see which columns it asks for."""
        self.estimator_ = model = _learned(self, X, y, sample_weight)
        d = len(self.schema_)
        self.n_splits_ = np.zeros(d, dtype=np.int64)
        for one in np.ravel(np.asarray(getattr(model, "estimators_", model), dtype=object)):
            if not hasattr(one, "tree_"):
                raise ValueError(f"{type(one).__name__} has no tree_; wanted a decision tree, or an ensemble of them.")
            asked = np.asarray(one.tree_.feature)
            self.n_splits_ += np.bincount(asked[asked >= 0], minlength=d)[:d]
        self.support_ = self.n_splits_ > 0
        if self.min_importance:
            self.support_ &= np.asarray(model.feature_importances_) >= self.min_importance
        if not self.support_.any():
            self.support_[0] = True
        return self
