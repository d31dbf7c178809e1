"""What the gradient boosting classifier and regressor share."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from lanatus.base import (
    Columns,
    Estimator,
    Floats,
    Takes,
    check_is_fitted,
    check_positive_weight,
    is_plain_numbers,
    take_rows,
)
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import Contender
from lanatus.ensemble._one_learner import takes_weights
from lanatus.ensemble._sequence import each_member, member, member_count
from lanatus.ensemble.boosting._gradient_boosting_fit import Boosted, TrainingRows, Watch, boost
from lanatus.ensemble.boosting._gradient_boosting_settings import settings_of
from lanatus.ensemble.boosting._losses import BoostingLoss
from lanatus.ensemble.boosting._news import News
from lanatus.params import COMMON, Array, Choice, Flag, Integer, Nothing, ParameterRule, Real, Satisfies
from lanatus.spaces import Span
from lanatus.tree import DecisionTreeRegressor, Tree
from lanatus.tree.grow import (
    Bins,
    CompactForest,
    as_dense,
    compact_of,
    nominal_sizes,
    packed,
    unpacked,
)
from lanatus.wrapping import LEARNER

_BLOCK = 1 << 24  # numbers of a sparse matrix written out at a time
_MANY = 10_000  # rows from which early_stopping="auto" stops early
_OF_ROUNDS = ("monotonic_cst", "random_state", "validation_fraction")  # of the fit, not of one tree

BOOSTING = Contender(
    simplicity=5,
    starts=(
        {"early_stopping": "auto", "n_estimators": 100},
        {
            "early_stopping": "auto", "learning_rate": 0.05, "n_estimators": 200, "max_leaf_nodes": 15,
            "min_samples_leaf": 10, "l2_regularization": 1.0, "subsample": 0.8, "max_features": 0.6,
        },
        {
            "early_stopping": "auto", "learning_rate": 0.06, "n_estimators": 150, "max_leaf_nodes": 5,
            "min_samples_leaf": 5, "l2_regularization": 1.0, "subsample": 0.7, "max_features": 0.5,
        },
        {
            "early_stopping": "auto", "learning_rate": 0.03, "n_estimators": 500, "max_leaf_nodes": 63,
            "min_samples_leaf": 10, "l2_regularization": 3.0, "subsample": 0.8, "max_features": 0.4,
        },
    ),
    space={
        "learning_rate": Span(0.01, 0.3, log=True),
        "n_estimators": Span(30, 1000, log=True, whole=True),
        "max_leaf_nodes": Span(3, 128, log=True, whole=True),
        "min_samples_leaf": Span(1, 60, log=True, whole=True),
        "l2_regularization": Span(1e-3, 100.0, log=True),
        "subsample": Span(0.5, 1.0),
        "max_features": Span(0.2, 1.0),
    },
)  # fmt: skip

BOOSTING_PARAMS: dict[str, ParameterRule] = COMMON | {
    "learning_rate": Real(above=0),
    "n_estimators": Integer(low=1),
    "max_leaf_nodes": Choice("auto") | Integer(low=2) | Nothing(),
    "max_depth": Integer(low=1) | Nothing(),
    "min_samples_split": Integer(low=2) | Real(above=0, high=1),
    "min_samples_leaf": Choice("auto") | Integer(low=1) | Real(above=0, below=1),
    "min_weight_fraction_leaf": Real(low=0, high=0.5),
    "min_impurity_decrease": Real(low=0),
    "min_child_weight": Real(low=0),
    "min_gain_to_split": Real(low=0),
    "l2_regularization": Real(low=0),
    "l1_regularization": Real(low=0),
    "subsample": Real(above=0, high=1),
    "max_features": Integer(low=1) | Real(above=0, high=1) | Choice("sqrt", "log2") | Nothing(),
    "max_bins": Integer(low=2, high=255),
    "ccp_alpha": Real(low=0),
    "init": Nothing() | Choice("zero") | LEARNER,
    "early_stopping": Flag() | Choice("auto") | Nothing(),
    "validation_fraction": Real(above=0, below=1) | Nothing(),
    "n_iter_no_change": Integer(low=1) | Nothing(),
    "monotonic_cst": Array(ndim=1) | Satisfies(lambda value: isinstance(value, dict), "a dict") | Nothing(),
    "interaction_cst": Choice("pairwise", "no_interactions")
    | Satisfies(lambda value: isinstance(value, list | tuple), "a list of sets of columns")
    | Nothing(),
}


class GradientBoostingBase(CallbackSupportMixin, Estimator):
    """Fitting and scoring, given a loss."""

    _state: ClassVar = {"baseline_": Floats("outputs")}

    _takes = Takes(nominal=True, missing=True, sparse=True)
    _wants = Columns()

    learning_rate: float
    n_estimators: int
    loss: Any
    max_leaf_nodes: Any
    max_depth: int | None
    min_samples_split: float = 2
    min_samples_leaf: Any
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_child_weight: float
    min_gain_to_split: float
    l2_regularization: float
    l1_regularization: float
    subsample: float
    max_features: Any
    max_bins: int
    ccp_alpha: float = 0.0
    init: Any = None
    early_stopping: Any
    validation_fraction: float | None
    n_iter_no_change: int | None
    tol: float
    monotonic_cst: Any
    interaction_cst: Any
    verbose: int = 0
    warm_start: bool
    random_state: Any

    trees_: list[list[Tree]]
    baseline_: np.ndarray
    n_iter_: int
    train_score_: np.ndarray
    validation_score_: np.ndarray
    oob_improvement_: np.ndarray
    oob_scores_: np.ndarray
    oob_score_: float
    max_features_: int

    def _loss(self) -> BoostingLoss:
        raise NotImplementedError

    # ------------------------------------------------------------ fitting

    def _boost(
        self, X: Any, y: np.ndarray, weight: np.ndarray | None, *, given: Any, labels: np.ndarray, monitor: Any = None
    ) -> None:
        """Learn the trees; y as the loss wants it, all that is needed to call `_loss` set before.

        `given` is X as it came and `labels` the targets as they came, for `init`.
        """
        going_on = self.warm_start and hasattr(self, "trees_")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        rows, held = self._parts(y, weight, seed)
        n_values = nominal_sizes(self.schema_)
        loss = self._loss()
        loss.check(y if weight is None else y[weight > 0])
        if not going_on:
            self._begin(loss, given, labels, y, weight, rows)
        learned_from = X if len(rows) == len(y) else X[rows]
        bins = Bins.of(learned_from, n_values, None if weight is None else weight[rows], self.max_bins)
        train, validation = (
            None if part is None else self._rows(part, X, given, y, weight, bins, going_on) for part in (rows, held)
        )
        assert train is not None
        result = self._so_far() if going_on else Boosted()
        learned = {name: vars(self)[name] for name in ("baseline_", "init_", "classes_") if name in vars(self)}
        progress = Progress(self, X, weight, max_iter=self.n_estimators)
        stops = self._stops(len(rows) + (0 if held is None else len(held)))
        settings = settings_of(self, train, n_values, loss, stops, seed)
        boost(loss, bins, train, validation, settings, progress, result, learned, self._watch(monitor))
        attributes = result.attributes(len(result.trees), learned)
        for name, value in attributes.items():
            setattr(self, name, value)
        progress.finish(attributes)

    def _so_far(self) -> Boosted:
        """What an earlier fit has learned."""
        if self.n_estimators < len(self.trees_):
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {len(self.trees_)} rounds there are "
                "already, for warm_start=True."
            )
        result = Boosted(list(self.trees_), [*self.train_score_], [*self.validation_score_])
        if hasattr(self, "oob_scores_"):
            result.oob_score = [*self.oob_scores_]
            result.oob_before = float(self.oob_scores_[0] + self.oob_improvement_[0])
        elif self.subsample < 1:
            result.oob_score = [np.nan] * len(self.trees_)  # which left nothing out
        return result

    def _begin(
        self,
        loss: BoostingLoss,
        given: Any,
        labels: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None,
        rows: np.ndarray,
    ) -> None:
        """The scores before the first tree: the best constant, zero, or what `init` makes of the rows."""
        self.baseline_ = np.zeros(loss.n_outputs)
        for name in ("init_", "oob_scores_", "oob_score_", "oob_improvement_"):
            self.__dict__.pop(name, None)
        weight = None if weight is None else weight[rows]
        if self.init is None:
            self.baseline_ = np.atleast_1d(np.asarray(loss.init(y[rows], weight), dtype=np.float64))
        elif not isinstance(self.init, str):
            if hasattr(self, "classes_") and not hasattr(self.init, "predict_proba"):
                raise ValueError(f"init must have predict_proba; {type(self.init).__name__} has not.")
            if weight is not None and not takes_weights(self.init):
                raise ValueError(f"The initial estimator {type(self.init).__name__} does not support sample weights.")
            more = {} if weight is None else {"sample_weight": weight}
            self.init_ = clone(self.init).fit(take_rows(given, rows), labels[rows], **more)

    def _start(self, given: Any, n: int) -> np.ndarray:
        """Scores of rows before the first tree, shape (n, n_outputs)."""
        scores = np.tile(self.baseline_, (n, 1))
        return scores + self._init_scores(given) if hasattr(self, "init_") else scores

    def _init_scores(self, given: Any) -> np.ndarray:
        """What `init_` says of rows, as scores."""
        raise NotImplementedError

    def _stops(self, n: int) -> bool:
        """Whether to stop early: as asked, or because `n_iter_no_change` says when."""
        if self.early_stopping == "auto":
            return n > _MANY
        return self.n_iter_no_change is not None if self.early_stopping is None else bool(self.early_stopping)

    def _parts(self, y: np.ndarray, weight: np.ndarray | None, seed: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Rows to learn from, and rows held out to stop early by, or None; rows of no weight are left out."""
        if weight is not None:
            check_positive_weight(weight)
        known = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
        if not self._stops(len(known)) or self.validation_fraction is None or len(known) < 3:
            return known, None
        by_class = y[known] if hasattr(self, "classes_") else None
        if by_class is not None and np.unique(by_class, return_counts=True)[1].min() < 2:
            by_class = None
        how = {"test_size": self.validation_fraction, "random_state": seed % 2**32}
        try:
            rows, held = train_test_split(known, stratify=by_class, **how)
        except ValueError:  # fewer rows held out than classes
            rows, held = train_test_split(known, **how)
        return np.sort(rows), np.sort(held)

    def _rows(
        self,
        part: np.ndarray,
        X: Any,
        given: Any,
        y: np.ndarray,
        weight: np.ndarray | None,
        bins: Bins,
        going_on: bool,
    ) -> TrainingRows:
        if len(part) < len(y):
            given, X = take_rows(given, part) if hasattr(self, "init_") else given, X[part]
        raw = self._start(given, len(part))
        if going_on and self.trees_:
            raw += self._sums(X)
        return TrainingRows(bins.codes(X), y[part], None if weight is None else weight[part], raw)

    def _watch(self, monitor: Any) -> Watch | None:
        """What is told of each round: a line for `verbose`, and the caller's `monitor`, which may stop the fit."""
        if not self.verbose and monitor is None:
            return None
        news = News(self) if self.verbose else None

        def watch(number: int, attributes: Any) -> bool:
            for name, value in attributes().items():
                setattr(self, name, value)
            if news is not None:
                news.round(number)
            return bool(monitor(number, self, {"i": number, "self": self})) if monitor is not None else False

        return watch

    # ------------------------------------------------------------ predicting

    def _compact(self) -> CompactForest:
        flat = [tree for round_ in self.trees_ for tree in round_]
        k = len(self.baseline_)
        return compact_of(self, flat, self.n_features_in_, k, np.tile(np.arange(k), len(self.trees_)).tolist())

    def _sums(self, X: Any) -> np.ndarray:
        forest = self._compact()
        if not sp.issparse(X):
            return forest.predict_sum(X)
        step = max(1, _BLOCK // max(X.shape[1], 1))
        return np.concatenate([forest.predict_sum(X[i : i + step].toarray()) for i in range(0, X.shape[0], step)])

    def _raw(self, X: Any) -> np.ndarray:
        """Scores, shape (n, n_outputs)."""
        check_is_fitted(self)
        matrix = self._take(X, reset=False)
        if hasattr(self, "init_"):
            return self._start(as_given(X, matrix), matrix.shape[0]) + self._sums(matrix)
        if not self.trees_:
            return np.tile(self.baseline_, (matrix.shape[0], 1))
        return self._sums(matrix) + self.baseline_

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        """Scores after each round."""
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        raw = self._start(as_given(X, matrix), len(matrix))
        for trees in self.trees_:
            raw = raw + CompactForest(trees, self.n_features_in_, len(trees), range(len(trees))).predict_sum(matrix)
            yield raw

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row in each tree."""
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        return self._compact().apply(matrix).reshape(len(matrix), len(self.trees_), len(self.baseline_))

    @property
    def feature_importances_(self) -> np.ndarray:
        """Part of each column in the gains of all splits."""
        check_is_fitted(self)
        gains = np.zeros(self.n_features_in_)
        for trees in self.trees_:
            for tree in trees:
                inner = tree.feature >= 0
                np.add.at(gains, tree.feature[inner], tree.gain[inner])
        total = gains.sum()
        return gains / total if total > 0 else gains

    # ------------------------------------------------------------ one by one

    @property
    def n_estimators_(self) -> int:
        """Number of rounds."""
        check_is_fitted(self)
        return self.n_iter_

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round."""
        check_is_fitted(self)
        return len(self.baseline_)

    @property
    def estimators_(self) -> np.ndarray:
        """The trees as estimators, which predict what each adds to a score: shape (n_estimators_, trees of a round)."""
        check_is_fitted(self)
        found = np.empty((len(self.trees_), len(self.baseline_)), dtype=object)
        for t, trees in enumerate(self.trees_):
            for k, tree in enumerate(trees):
                found[t, k] = self._as_estimator(tree)
        return found

    __len__, __getitem__, __iter__ = member_count, member, each_member

    def _as_estimator(self, tree: Tree) -> DecisionTreeRegressor:
        auto = {name: None for name in ("max_leaf_nodes", "min_samples_leaf") if isinstance(getattr(self, name), str)}
        estimator = DecisionTreeRegressor(method="hist")
        shared = [name for name in estimator.get_params() if name in self.get_params() and name not in auto]
        estimator.set_params(**{name: getattr(self, name) for name in shared if name not in _OF_ROUNDS})
        estimator._remember(self.schema_)
        estimator._hold(tree)
        estimator.n_outputs_, estimator.max_features_ = 1, self.max_features_
        return estimator

    # ------------------------------------------------------------ saving

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "trees_" in state:
            state["trees_"] = packed([tree for trees in state["trees_"] for tree in trees])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if isinstance(state.get("trees_"), dict):
            flat = unpacked(state["trees_"])
            k = max(len(state["baseline_"]), 1)
            state["trees_"] = [flat[i : i + k] for i in range(0, len(flat), k)]
        super().__setstate__(state)


def as_given(X: Any, matrix: Any) -> Any:
    """X for an estimator of the user's own: the matrix where it is numbers, else as it came."""
    return matrix if is_plain_numbers(X) else X
