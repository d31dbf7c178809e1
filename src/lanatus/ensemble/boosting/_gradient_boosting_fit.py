"""The loop of gradient boosting: rounds of trees, each grown on the gradients that the trees before leave."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from lanatus._core import ensemble as kernels
from lanatus.base import n_threads
from lanatus.callbacks import Progress
from lanatus.ensemble.boosting._losses import BoostingLoss
from lanatus.tree import Tree, cost_complexity_path
from lanatus.tree.grow import LEAF, SUBSET, THRESHOLD, Bins

FEW = 1 << 19  # entries of X below which threads cost more than they bring


@dataclass
class TrainingRows:
    """Binned rows with targets and weights, and their scores so far."""

    codes: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    raw: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    def mean_loss(self, loss: BoostingLoss, rows: np.ndarray | None = None) -> float:
        """Mean loss of the scores, of all rows or of some."""
        if rows is None:
            return self.mean_of(loss, loss.total(self.y, self.raw, self.weight))
        weight = None if self.weight is None else self.weight[rows]
        part = TrainingRows(self.codes[:0], self.y[rows], weight, self.raw[rows])
        return part.mean_loss(loss)

    def mean_of(self, loss: BoostingLoss, total: float) -> float:
        """The mean loss whose weighted sum this is."""
        mass = float(len(self)) if self.weight is None else float(self.weight.sum())
        return loss.factor * total / mass if mass > 0 else np.nan


@dataclass
class Settings:
    """What a fit wants of its rounds and trees."""

    n_estimators: int
    learning_rate: float
    growth: dict[str, Any]
    subsample: float = 1.0
    n_columns: int | None = None  # drawn for each tree; None takes all
    ccp_alpha: float = 0.0
    patience: int | None = None  # rounds without gain before the fit stops; None never stops
    tol: float = 0.0
    seed: int = 0

    @property
    def draws(self) -> bool:
        """Whether rounds differ by what they draw."""
        return self.subsample < 1 or self.n_columns is not None


@dataclass
class Boosted:
    """Trees, a list for each round, and the mean loss after each and, of the first fit, before the first.

    `oob_score` is that of the rows which the round's trees had not drawn.
    """

    trees: list[list[Tree]] = field(default_factory=list)
    train_score: list[float] = field(default_factory=list)
    validation_score: list[float] = field(default_factory=list)
    oob_score: list[float] = field(default_factory=list)
    before: float | None = None  # the watched loss
    oob_before: float = np.nan

    def attributes(self, rounds: int, learned: dict[str, Any]) -> dict[str, Any]:
        """The learned attributes of a model of some rounds."""
        found = {
            **learned,
            "trees_": self.trees[:rounds],
            "n_iter_": rounds,
            "train_score_": np.array(self.train_score[:rounds]),
            "validation_score_": np.array(self.validation_score[:rounds]),
        }
        if self.oob_score:
            scores = np.array(self.oob_score[:rounds])
            found |= {"oob_scores_": scores, "oob_score_": float(scores[-1])}
            found["oob_improvement_"] = -np.diff(scores, prepend=self.oob_before)
        return found

    def is_flat(self, patience: int | None, tol: float) -> bool:
        """Whether none of the last rounds was better than the best before them, by more than tol."""
        watched = self.validation_score or self.train_score
        scores = watched if self.before is None else [self.before, *watched]
        if patience is None or len(scores) <= patience:
            return False
        return not min(scores[-patience:]) < min(scores[:-patience]) - tol


# Told of each round by its number and what makes a model of the moment; whether to stop.
Watch = Callable[[int, Callable[[], dict[str, Any]]], bool]


def boost(
    loss: BoostingLoss,
    bins: Bins,
    train: TrainingRows,
    validation: TrainingRows | None,
    settings: Settings,
    progress: Progress,
    result: Boosted,
    learned: dict[str, Any],
    watch: Watch | None = None,
) -> None:
    """Add rounds to `result` until there are ``n_estimators``, or the loss no longer falls.

    `learned` is what else makes a model of the trees of any moment.
    """
    team = 1 if train.codes.size < FEW else n_threads()
    is_nominal = (bins.n_values > 0).astype(np.uint8)
    grower = kernels.Round(
        train.codes, bins.n_bins, is_nominal, loss.n_outputs, repeats=_repeats(train.weight), n_threads=team
    )
    train.codes = train.codes[:0]  # the grower has its own
    growth = kernels.Growth(curbed=loss.curbs_steps, **settings.growth)
    shape = loss.n_outputs, len(train.y)
    g, h = np.empty(shape), np.empty(shape)
    loss_now = loss.fill(train.y, train.raw, train.weight, g, h)
    if not result.train_score:
        result.before = train.mean_of(loss, loss_now) if validation is None else validation.mean_loss(loss)
    for iteration in progress.iterations(start=len(result.trees)):
        number = iteration.number
        rng = np.random.RandomState((settings.seed + 7919 * number) % 2**32)
        bag = _bag(rng, len(train.y), settings.subsample)
        out = None if bag is None else np.setdiff1d(np.arange(len(train.y)), bag, assume_unique=True)
        if out is not None and not result.oob_score:
            result.oob_before = train.mean_loss(loss, out)
        columns = np.stack([_columns(rng, len(bins.n_bins), settings.n_columns) for _ in range(loss.n_outputs)])
        # How gradients are rounded depends on the round alone: without draws, a fit without a seed is always the same.
        seeds = ((number * loss.n_outputs + np.arange(loss.n_outputs)) % 2**32).astype(np.uint32)
        grown = grower.grow(g, h, bag, columns, seeds, growth, n_threads=team)
        trees = []
        for output, nodes in enumerate(grown):
            tree = _tree(nodes, bins)
            if loss.refits_leaves:
                _refit(tree, grower, output, nodes, loss, train, settings)
            values, tree = _pruned(tree, grower, output, settings.ccp_alpha)
            _advance(grower, values, output, train, out, validation, team)
            trees.append(tree)
        result.trees.append(trees)
        loss_now = loss.fill(train.y, train.raw, train.weight, g, h)
        result.train_score.append(train.mean_of(loss, loss_now))
        if validation is not None:
            result.validation_score.append(validation.mean_loss(loss))
        if out is not None:
            result.oob_score.append(train.mean_loss(loss, out))
        elif result.oob_score:
            result.oob_score.append(np.nan)
        attributes = partial(result.attributes, len(result.trees), learned)
        iteration.done(state=dict, attributes=attributes)
        stops = watch is not None and watch(number, attributes)
        stops |= not settings.draws and not any(len(tree) > 1 for tree in trees)  # nor would the next be
        if stops or result.is_flat(settings.patience, settings.tol):
            break


def _repeats(weight: np.ndarray | None) -> np.ndarray | None:
    """Weights that are small whole numbers as such: gradients are rounded as those of repeated rows are."""
    if weight is None or weight.max() > 4 or (weight % 1 != 0).any():
        return None
    return weight.astype(np.uint8)


def _bag(rng: np.random.RandomState, n: int, share: float) -> np.ndarray | None:
    if share >= 1:
        return None
    return np.sort(rng.permutation(n)[: max(1, int(share * n))]).astype(np.int64)


def _columns(rng: np.random.RandomState, d: int, wanted: int | None) -> np.ndarray:
    if wanted is None or wanted >= d:
        return np.arange(d, dtype=np.int32)
    return np.sort(rng.permutation(d)[:wanted]).astype(np.int32)


def _advance(
    grower: Any,
    values: np.ndarray,
    output: int,
    train: TrainingRows,
    out: np.ndarray | None,
    validation: TrainingRows | None,
    team: int,
) -> None:
    """Add what the last tree says to all scores."""
    grower.add_to(train.raw, output, n_threads=team)
    if out is not None:
        train.raw[out, output] += values[grower.apply_rows(output, out, n_threads=team)]
    if validation is not None:
        validation.raw[:, output] += values[grower.apply(output, validation.codes, n_threads=team)]


def _pruned(tree: Tree, grower: Any, output: int, ccp_alpha: float) -> tuple[np.ndarray, Tree]:
    """What each node of a grown tree says, and the tree, both without subtrees that gain less than this a leaf."""
    values = tree.outputs[:, 0]
    if ccp_alpha <= 0:
        return values, tree
    closed, values = cost_complexity_path(tree)[2] <= ccp_alpha, values.copy()
    shorter = tree.cut(closed)
    for node in range(1, len(tree)):  # a parent stands before its children
        above = tree.parent[node]
        if closed[above]:
            closed[node], values[node] = True, values[above]
    grower.set_values(output, values)
    return values, shorter


def _refit(
    tree: Tree, grower: Any, output: int, nodes: Any, loss: BoostingLoss, train: TrainingRows, settings: Settings
) -> None:
    """The loss's own best values for the leaves, within the limits of monotone columns."""
    rows, begin, n_rows, low, high = grower.rows(output), nodes.begin, nodes.n_rows, nodes.low, nodes.high
    for leaf in np.flatnonzero(tree.is_leaf):
        own = rows[begin[leaf] : begin[leaf] + n_rows[leaf]]
        weight = None if train.weight is None else train.weight[own]
        best = loss.leaf(train.y[own], train.raw[own, output], weight)
        tree.outputs[leaf, 0] = settings.learning_rate * float(np.clip(best, low[leaf], high[leaf]))
    for node in range(len(tree) - 1, -1, -1):  # above, the mean of what is below
        if not tree.is_leaf[node]:
            children = [*tree.children(node)]
            tree.outputs[node] = np.average(tree.outputs[children], axis=0, weights=tree.n_rows[children])
    grower.set_values(output, np.ascontiguousarray(tree.outputs[:, 0]))


def _tree(nodes: Any, bins: Bins) -> Tree:
    """A `Tree` with thresholds and categories in place of bins."""
    feature, bin_, n_rows, g, h = nodes.feature, nodes.bin, nodes.n_rows, nodes.g, nodes.h
    parent, left = nodes.parent, nodes.left
    inner = feature >= 0
    is_set = inner & (bin_ < 0)
    kind = np.where(is_set, SUBSET, np.where(inner, THRESHOLD, LEAF))
    threshold = np.full(len(feature), np.nan)
    edges, edge_start, _, _ = bins.arrays
    tests = np.flatnonzero(inner & (bin_ >= 0))
    at = edge_start[feature[tests]] + bin_[tests]
    # All bins up to the last: only missing values go to the other side.
    last = at >= edge_start[feature[tests] + 1]
    threshold[tests] = np.where(last, np.inf, edges[np.minimum(at, max(len(edges) - 1, 0))] if len(edges) else np.inf)
    purity = np.divide(g, h, out=np.zeros(len(g)), where=h > 0) ** 2  # a split gains what its children's mean rises
    share = np.ones(len(feature))
    share[1:] = n_rows[1:] / np.maximum(n_rows[parent[1:]], 1)
    words = {int(node): _words(bins, int(feature[node]), left[node]) for node in np.flatnonzero(is_set)}
    lengths = np.array([len(words[node]) if node in words else 0 for node in range(len(feature))])
    return Tree(
        feature=feature,
        kind=kind,
        threshold=threshold,
        first_child=nodes.first_child,
        n_children=np.where(inner, 2, 0),
        parent=parent,
        missing=nodes.missing,
        share=share,
        weight=h,
        n_rows=n_rows,
        impurity=purity.max() - purity,
        gain=nodes.gain,
        outputs=nodes.value.reshape(-1, 1),
        subset_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        subset=np.concatenate([np.zeros(0, np.uint32), *words.values()], dtype=np.uint32),
    )


def _words(bins: Bins, column: int, left: np.ndarray) -> np.ndarray:
    """Bits of the categories whose bins go left."""
    goes = np.unpackbits(left.view(np.uint8), bitorder="little")[bins.category_bins[column]]
    return np.packbits(np.pad(goes, (0, -len(goes) % 32)), bitorder="little").view(np.uint32)
