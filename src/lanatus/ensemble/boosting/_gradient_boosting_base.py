"""What the gradient boosting classifier and regressor share."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from lanatus.base import Columns, Estimator, Floats, Takes, check_is_fitted, check_positive_weight
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import Contender
from lanatus.ensemble.boosting._gradient_boosting_fit import Boosted, Settings, TrainingRows, boost
from lanatus.ensemble.boosting._losses import BoostingLoss
from lanatus.params import COMMON, Array, Choice, Flag, Integer, Nothing, ParameterRule, Real, Satisfies
from lanatus.spaces import Span
from lanatus.tree import Tree
from lanatus.tree.grow import Bins, CompactForest, as_dense, compact_of, nominal_sizes, packed, unpacked

_BLOCK = 1 << 24  # numbers of a sparse matrix written out at a time
_MANY = 10_000  # rows from which early_stopping="auto" stops early
# Nominal columns of many values: added to the Hessian when they are put in order, and to the L2 of their splits.
_SMOOTHING, _NOMINAL_L2 = 10.0, 10.0

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
    "max_leaf_nodes": Integer(low=2) | Nothing(),
    "max_depth": Integer(low=1) | Nothing(),
    "min_samples_leaf": Integer(low=1),
    "min_child_weight": Real(low=0),
    "min_gain_to_split": Real(low=0),
    "l2_regularization": Real(low=0),
    "l1_regularization": Real(low=0),
    "subsample": Real(above=0, high=1),
    "max_features": Integer(low=1) | Real(above=0, high=1) | Nothing(),
    "max_bins": Integer(low=2, high=255),
    "early_stopping": Flag() | Choice("auto"),
    "validation_fraction": Real(above=0, below=1) | Nothing(),
    "n_iter_no_change": Integer(low=1),
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
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    min_child_weight: float
    min_gain_to_split: float
    l2_regularization: float
    l1_regularization: float
    subsample: float
    max_features: Any
    max_bins: int
    early_stopping: Any
    validation_fraction: float | None
    n_iter_no_change: int
    tol: float
    monotonic_cst: Any
    interaction_cst: Any
    warm_start: bool
    random_state: Any

    trees_: list[list[Tree]]
    baseline_: np.ndarray
    n_iter_: int
    train_score_: np.ndarray
    validation_score_: np.ndarray

    def _loss(self) -> BoostingLoss:
        raise NotImplementedError

    # ------------------------------------------------------------ fitting

    def _boost(self, X: Any, n_values: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> None:
        """Learn the trees; y as the loss wants it, all that is needed to call `_loss` set before."""
        if weight is not None:
            check_positive_weight(weight)
            if not weight.all():
                keep = np.flatnonzero(weight)
                X, y, weight = X[keep], y[keep], weight[keep]
        going_on = self.warm_start and hasattr(self, "trees_")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        stops = len(y) > _MANY if self.early_stopping == "auto" else bool(self.early_stopping)
        learning, held = self._parts(X, y, weight, seed) if stops else ((X, y, weight), None)
        loss = self._loss()
        loss.check(y)
        bins = Bins.of(learning[0], n_values, learning[2], self.max_bins)
        start = np.atleast_1d(np.asarray(loss.init(learning[1], learning[2]), dtype=np.float64))
        if not going_on:
            self.baseline_ = start
        train, validation = (self._rows(part, bins, going_on) for part in (learning, held))
        assert train is not None
        result = Boosted()
        if going_on:
            if self.n_estimators < len(self.trees_):
                raise ValueError(
                    f"n_estimators={self.n_estimators} is less than the {len(self.trees_)} rounds there are already."
                )
            result = Boosted(list(self.trees_), [*self.train_score_], [*self.validation_score_])
        learned = {"baseline_": self.baseline_, **({"classes_": self.classes_} if hasattr(self, "classes_") else {})}
        progress = Progress(self, X, weight, max_iter=self.n_estimators)
        boost(
            loss,
            bins,
            train,
            validation,
            self._settings(len(train.y), X.shape[1], n_values, seed, stops=stops),
            progress,
            result,
            learned,
        )
        attributes = result.attributes(len(result.trees), learned)
        for name, value in attributes.items():
            setattr(self, name, value)
        progress.finish(attributes)

    def _parts(self, X: Any, y: np.ndarray, weight: np.ndarray | None, seed: int) -> tuple[Any, Any]:
        """Rows to learn from, and rows held out to stop early by, or None."""
        if self.validation_fraction is None or len(y) < 3:
            return (X, y, weight), None
        by_class = y if y.dtype.kind == "i" or getattr(self, "_estimator_type", "") == "classifier" else None
        if by_class is not None and np.unique(by_class, return_counts=True)[1].min() < 2:
            by_class = None
        try:
            rows, held = train_test_split(
                np.arange(len(y)), test_size=self.validation_fraction, random_state=seed % 2**32, stratify=by_class
            )
        except ValueError:  # fewer rows held out than classes
            rows, held = train_test_split(
                np.arange(len(y)), test_size=self.validation_fraction, random_state=seed % 2**32
            )
        rows, held = np.sort(rows), np.sort(held)
        kept, out = ((X[part], y[part], None if weight is None else weight[part]) for part in (rows, held))
        return kept, out

    def _rows(self, part: Any, bins: Bins, going_on: bool) -> TrainingRows | None:
        if part is None:
            return None
        X, y, weight = part
        raw = np.tile(self.baseline_, (len(y), 1))
        if going_on and self.trees_:
            raw += self._sums(X)
        return TrainingRows(bins.codes(X), y, weight, raw)

    def _settings(self, n: int, d: int, n_values: np.ndarray, seed: int, *, stops: bool) -> Settings:
        leaves = n if self.max_leaf_nodes is None else self.max_leaf_nodes
        if self.max_depth is not None and self.max_depth < 31:
            leaves = min(leaves, 2**self.max_depth)
        columns = None
        if self.max_features is not None:
            share = not isinstance(self.max_features, int | np.integer)
            columns = max(1, round(self.max_features * d)) if share else min(int(self.max_features), d)
        return Settings(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            growth={
                "max_leaves": leaves,
                "max_depth": min(self.max_depth or 2**31 - 1, 2**31 - 1),
                "learning_rate": self.learning_rate,
                "min_rows": self.min_samples_leaf,
                "min_hessian": self.min_child_weight,
                "min_gain": self.min_gain_to_split,
                "l1": self.l1_regularization,
                "l2": self.l2_regularization,
                "smoothing": _SMOOTHING,
                "nominal_l2": _NOMINAL_L2,
                "monotone": self._monotone(n_values),
                "groups": self._groups(d),
            },
            subsample=self.subsample,
            n_columns=columns,
            patience=self.n_iter_no_change if stops else None,
            tol=self.tol,
            seed=seed,
        )

    def _place(self, column: Any) -> int:
        """Number of a column given by number or name."""
        if isinstance(column, str):
            if column not in self.schema_.names:
                raise ValueError(f"there is no column {column!r}; there are {', '.join(self.schema_.names)}.")
            return self.schema_.names.index(column)
        if not 0 <= int(column) < self.n_features_in_:
            raise ValueError(f"there is no column {column}; they go from 0 to {self.n_features_in_ - 1}.")
        return int(column)

    def _monotone(self, n_values: np.ndarray) -> np.ndarray | None:
        if self.monotonic_cst is None:
            return None
        signs = np.zeros(len(n_values), np.int8)
        if isinstance(self.monotonic_cst, dict):
            for column, sign in self.monotonic_cst.items():
                signs[self._place(column)] = sign
        elif len(self.monotonic_cst) != len(signs):
            raise ValueError(f"monotonic_cst has {len(self.monotonic_cst)} entries for {len(signs)} columns.")
        else:
            signs[:] = self.monotonic_cst
        if not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError("monotonic_cst must be -1, 0 or 1 for each column.")
        if (signs[n_values > 0] != 0).any():
            raise ValueError("monotonic_cst must be 0 for nominal columns: their values have no order.")
        return signs

    def _groups(self, d: int) -> tuple[np.ndarray, np.ndarray] | None:
        if self.interaction_cst is None:
            return None
        if self.interaction_cst == "no_interactions":
            groups = [[j] for j in range(d)]
        elif self.interaction_cst == "pairwise":
            groups = [[i, j] for i in range(d) for j in range(i + 1, d)] or [[0]]
        else:
            groups = [sorted({self._place(column) for column in group}) for group in self.interaction_cst]
            if rest := sorted(set(range(d)).difference(*groups)):
                groups.append(rest)
        start = np.cumsum([0, *map(len, groups)])
        return start.astype(np.int32), np.array([j for group in groups for j in group], dtype=np.int32)

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
        _ = nominal_sizes(self.schema_)
        if not self.trees_:
            return np.tile(self.baseline_, (matrix.shape[0], 1))
        return self._sums(matrix) + self.baseline_

    def _staged(self, X: Any) -> Iterator[np.ndarray]:
        """Scores after each round."""
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        raw = np.tile(self.baseline_, (len(matrix), 1))
        for trees in self.trees_:
            raw = raw + CompactForest(trees, self.n_features_in_, len(trees), range(len(trees))).predict_sum(matrix)
            yield raw

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row in each tree.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples, n_rounds, n_outputs)
        """
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
