"""The search for the test of one node of an oblique tree."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanatus.tree.grow._decision_tree import grow_classes
from lanatus.tree.oblique._linear_tests import (
    least_squares_directions,
    linear_machine,
    logistic_directions,
    perceptron_directions,
)
from lanatus.tree.oblique._oc1 import oc1_direction, split_impurity

_GRID = 2.0**-36  # projections are told apart to this part of the largest, well above the rounding of their sums


@dataclass
class LinearTest:
    """Where rows go: by ``weights @ x <= threshold`` for one row of weights, else to the largest of several."""

    weights: np.ndarray
    constants: np.ndarray
    threshold: float
    gain: float


class NodeSearch:
    """Finds tests for the rows of nodes; `Z` are the columns of `X` standardised by `mean` and `scale`."""

    def __init__(
        self,
        X: np.ndarray,
        mean: np.ndarray,
        scale: np.ndarray,
        codes: np.ndarray,
        weight: np.ndarray,
        settings: Any,
        options: dict[str, Any],
        rng: np.random.RandomState,
    ) -> None:
        self.X, self.scale, self.codes, self.weight = X, scale, codes, weight
        self.Z = (X - mean) / scale
        self.mean = mean
        self.settings, self.options, self.rng = settings, options, rng

    def best(self, rows: np.ndarray) -> LinearTest | None:
        """The learner's test, or that of one column where it gains more or the learner finds none."""
        present, codes = np.unique(self.codes[rows], return_inverse=True)
        n_classes = len(present)
        axis = self._axis_parallel(rows, codes, n_classes)
        moving = np.flatnonzero(np.ptp(self.Z[rows], axis=0) > 0)
        if not len(moving):
            return None
        oblique = self._selected(rows, codes, n_classes, moving, axis)
        if oblique is None or (axis is not None and axis.gain > oblique.gain + 1e-9):
            return axis
        return oblique

    # ------------------------------------------------------------ which columns

    def _selected(
        self, rows: np.ndarray, codes: np.ndarray, n_classes: int, columns: np.ndarray, axis: LinearTest | None
    ) -> LinearTest | None:
        """The learner's test on all columns, or on the fewest whose gain is near the best met on the way."""

        def learn(some: np.ndarray) -> LinearTest | None:
            return self._learned(rows, codes, n_classes, np.sort(some), axis)

        how = self.settings.feature_elimination
        if how is None or len(columns) == 1:
            return learn(columns)
        met: list[tuple[int, LinearTest]] = []
        chosen = columns if how == "sbe" else columns[:0]
        if how == "sbe" and (first := learn(chosen)) is not None:
            met.append((len(chosen), first))
        while (len(chosen) > 1) if how == "sbe" else (len(chosen) < len(columns)):
            others = chosen if how == "sbe" else np.setdiff1d(columns, chosen)
            tried = [np.setdiff1d(chosen, [j]) if how == "sbe" else np.append(chosen, j) for j in others]
            tests = [learn(subset) for subset in tried]
            gains = [-np.inf if test is None else test.gain for test in tests]
            at = int(np.flatnonzero(np.array(gains) >= max(gains) - 1e-9)[0])
            chosen = tried[at]
            found = tests[at]
            if found is None:
                if how == "sbe":
                    break
                continue
            met.append((len(chosen), found))
            if how == "sbe" and found.gain < (1 - self.settings.elimination_loss) * max(t.gain for _, t in met):
                break
        if not met:
            return None
        enough = (1 - self.settings.elimination_loss) * max(test.gain for _, test in met) - 1e-9
        return min((pair for pair in met if pair[1].gain >= enough), key=lambda pair: (pair[0], -pair[1].gain))[1]

    # ------------------------------------------------------------ learners

    def _learned(
        self, rows: np.ndarray, codes: np.ndarray, n_classes: int, columns: np.ndarray, axis: LinearTest | None
    ) -> LinearTest | None:
        settings = self.settings
        Z, weight = self.Z[np.ix_(rows, columns)], self.weight[rows]
        if settings.node_learner == "linear_machine":
            return self._machine(rows, codes, n_classes, columns)
        if settings.node_learner == "least_squares":
            found = least_squares_directions(Z, codes, weight, n_classes)
        elif settings.node_learner == "logistic":
            found = logistic_directions(Z, codes, weight, n_classes, settings.C, settings.max_epochs)
        elif settings.node_learner == "perceptron":
            found = perceptron_directions(Z, codes, weight, n_classes, settings.max_epochs)
        else:
            mass = np.zeros((len(rows), n_classes))
            mass[np.arange(len(rows)), codes] = weight
            start = self._start(columns, axis)
            climbs = (settings.n_restarts, settings.n_jumps, self.rng)
            found = oc1_direction(Z, mass, start, settings.criterion, *climbs)[None, :-1]
        directions = np.zeros((len(found), self.X.shape[1]))
        size = np.linalg.norm(found, axis=1, keepdims=True)
        directions[:, columns] = np.divide(found, size, out=np.zeros_like(found), where=size > 0)
        return self._along(rows, codes, n_classes, directions / self.scale)

    def _start(self, columns: np.ndarray, axis: LinearTest | None) -> np.ndarray:
        """The axis-parallel split as coefficients on standardised columns, the constant last."""
        start = np.zeros(len(columns) + 1)
        at = -1 if axis is None else int(np.argmax(axis.weights[0]))
        place = np.flatnonzero(columns == at)
        if axis is None or not len(place):
            start[0] = 1.0
            return start
        start[place[0]] = 1.0
        start[-1] = -(axis.threshold - self.mean[at]) / self.scale[at]
        return start

    def _machine(self, rows: np.ndarray, codes: np.ndarray, n_classes: int, columns: np.ndarray) -> LinearTest | None:
        """A linear machine: a child for every class that wins some rows."""
        Z = self.Z[np.ix_(rows, columns)]
        weights, constants = linear_machine(Z, codes, self.weight[rows], n_classes, self.settings.max_epochs)
        whole = np.zeros((n_classes, self.X.shape[1]))
        whole[:, columns] = weights / self.scale[columns]
        constants = constants - whole @ self.mean
        went = (self.X[rows] @ whole.T + constants).argmax(axis=1)
        winners, went, sizes = np.unique(went, return_inverse=True, return_counts=True)
        if len(winners) < 2 or sizes.min() < self.options["min_samples_leaf"]:
            return None
        mass = np.zeros((len(winners), n_classes))
        np.add.at(mass, (went, codes), self.weight[rows])
        if mass.sum(axis=1).min() < self.options["min_leaf_weight"]:
            return None
        before = split_impurity(mass.sum(axis=0)[None], self.settings.criterion)
        gain = float(before - split_impurity(mass, self.settings.criterion))
        if gain <= 1e-9:
            return None
        return LinearTest(whole[winners], constants[winners], np.nan, gain)

    # ------------------------------------------------------------ cuts

    def _along(self, rows: np.ndarray, codes: np.ndarray, n_classes: int, directions: np.ndarray) -> LinearTest | None:
        """The best threshold along the best of some directions."""
        projections = self.X[rows] @ directions.T
        if not np.isfinite(projections).all():
            return None
        grid = np.abs(projections).max(axis=0) * _GRID
        projections = np.round(projections / np.where(grid > 0, grid, 1.0)) * np.where(grid > 0, grid, 1.0)
        found = self._cut(projections, codes, n_classes, self.weight[rows])
        if found is None:
            return None
        j, threshold, gain = found
        return LinearTest(directions[j : j + 1], np.zeros(1), threshold, gain)

    def _axis_parallel(self, rows: np.ndarray, codes: np.ndarray, n_classes: int) -> LinearTest | None:
        found = self._cut(self.X[rows], codes, n_classes, self.weight[rows])
        if found is None:
            return None
        j, threshold, gain = found
        return LinearTest(np.eye(1, self.X.shape[1], j), np.zeros(1), threshold, gain)

    def _cut(
        self, columns: np.ndarray, codes: np.ndarray, n_classes: int, weight: np.ndarray
    ) -> tuple[int, float, float] | None:
        """The column, threshold and gain of the best two-way split, None where nothing gains."""
        tree = grow_classes(
            columns,
            np.zeros(columns.shape[1], dtype=np.int32),
            codes[:, None],
            np.array([n_classes]),
            weight,
            self.settings.criterion,
            {**self.options, "max_features": columns.shape[1]},
        )
        if len(tree) == 1:
            return None
        return int(tree.feature[0]), float(tree.threshold[0]), float(tree.gain[0])
