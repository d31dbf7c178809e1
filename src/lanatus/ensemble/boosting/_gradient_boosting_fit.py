"""The loop of gradient boosting: rounds of trees, each grown on the gradients that the trees before leave."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from lanatus._core import ensemble as kernels
from lanatus.base import n_threads
from lanatus.callbacks import Progress
from lanatus.ensemble.boosting._losses import BoostingLoss
from lanatus.tree import Tree
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

    @property
    def mass(self) -> float:
        """Sum of the weights."""
        return float(len(self)) if self.weight is None else float(self.weight.sum())


@dataclass
class Settings:
    """What a fit wants of its rounds and trees."""

    n_estimators: int
    learning_rate: float
    growth: dict[str, Any]
    subsample: float = 1.0
    n_columns: int | None = None  # drawn for each tree; None takes all
    patience: int | None = None  # rounds without gain before the fit stops; None never stops
    tol: float = 0.0
    seed: int = 0


@dataclass
class Boosted:
    """Trees, a list for each round, and the mean loss before the first and after each."""

    trees: list[list[Tree]] = field(default_factory=list)
    train_score: list[float] = field(default_factory=list)
    validation_score: list[float] = field(default_factory=list)

    def attributes(self, rounds: int, learned: dict[str, Any]) -> dict[str, Any]:
        """The learned attributes of a model of some rounds."""
        return {
            **learned,
            "trees_": self.trees[:rounds],
            "n_iter_": rounds,
            "train_score_": np.array(self.train_score[: rounds + 1]),
            "validation_score_": np.array(self.validation_score[: rounds + 1]),
        }


def boost(
    loss: BoostingLoss,
    bins: Bins,
    train: TrainingRows,
    validation: TrainingRows | None,
    settings: Settings,
    progress: Progress,
    result: Boosted,
    learned: dict[str, Any],
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
        _note(result, loss, loss_now, train, validation)
    for iteration in progress.iterations(start=len(result.trees)):
        number = iteration.number
        rng = np.random.RandomState((settings.seed + 7919 * number) % 2**32)
        bag = _bag(rng, len(train.y), settings.subsample)
        columns = np.stack([_columns(rng, len(bins.n_bins), settings.n_columns) for _ in range(loss.n_outputs)])
        seeds = ((settings.seed + number * loss.n_outputs + np.arange(loss.n_outputs)) % 2**32).astype(np.uint32)
        grown = grower.grow(g, h, bag, columns, seeds, growth, n_threads=team)
        trees = []
        for output, nodes in enumerate(grown):
            tree = _tree(nodes, bins)
            if loss.refits_leaves:
                _refit(tree, grower, output, nodes, loss, train, settings)
            _advance(grower, tree, output, train, bag, validation, team)
            trees.append(tree)
        result.trees.append(trees)
        _note(result, loss, loss.fill(train.y, train.raw, train.weight, g, h), train, validation)
        iteration.done(state=dict, attributes=partial(result.attributes, len(result.trees), learned))
        watched = result.validation_score if validation is not None else result.train_score
        if _is_flat(watched, settings.patience, settings.tol) or not any(len(tree) > 1 for tree in trees):
            break


def _note(
    result: Boosted, loss: BoostingLoss, total: float, train: TrainingRows, validation: TrainingRows | None
) -> None:
    result.train_score.append(total / train.mass if train.mass > 0 else np.nan)
    if validation is not None:
        of_validation = loss.total(validation.y, validation.raw, validation.weight)
        result.validation_score.append(of_validation / validation.mass if validation.mass > 0 else np.nan)


def _is_flat(scores: list[float], patience: int | None, tol: float) -> bool:
    """Whether none of the last rounds was better than the best before them, by more than tol."""
    if patience is None or len(scores) <= patience:
        return False
    return not min(scores[-patience:]) < min(scores[:-patience]) - tol


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
    tree: Tree,
    output: int,
    train: TrainingRows,
    bag: np.ndarray | None,
    validation: TrainingRows | None,
    team: int,
) -> None:
    """Add what the last tree says to all scores."""
    grower.add_to(train.raw, output, n_threads=team)
    if bag is not None:
        rest = np.setdiff1d(np.arange(len(train.y)), bag, assume_unique=True)
        train.raw[rest, output] += tree.value[grower.apply_rows(output, rest, n_threads=team), 0]
    if validation is not None:
        leaves = grower.apply(output, validation.codes, n_threads=team)
        validation.raw[:, output] += tree.value[leaves, 0]


def _refit(
    tree: Tree, grower: Any, output: int, nodes: Any, loss: BoostingLoss, train: TrainingRows, settings: Settings
) -> None:
    """The loss's own best values for the leaves, within the limits of monotone columns."""
    rows, begin, n_rows, low, high = grower.rows(output), nodes.begin, nodes.n_rows, nodes.low, nodes.high
    for leaf in np.flatnonzero(tree.is_leaf):
        own = rows[begin[leaf] : begin[leaf] + n_rows[leaf]]
        weight = None if train.weight is None else train.weight[own]
        best = loss.leaf(train.y[own], train.raw[own, output], weight)
        tree.value[leaf, 0] = settings.learning_rate * float(np.clip(best, low[leaf], high[leaf]))
    for node in range(len(tree) - 1, -1, -1):  # above, the mean of what is below
        if not tree.is_leaf[node]:
            children = [*tree.children(node)]
            tree.value[node] = np.average(tree.value[children], axis=0, weights=tree.n_rows[children])
    grower.set_values(output, np.ascontiguousarray(tree.value[:, 0]))


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
        impurity=np.divide(-(g**2), h, out=np.zeros(len(g)), where=h > 0),
        gain=nodes.gain,
        value=nodes.value.reshape(-1, 1),
        subset_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        subset=np.concatenate([np.zeros(0, np.uint32), *words.values()], dtype=np.uint32),
    )


def _words(bins: Bins, column: int, left: np.ndarray) -> np.ndarray:
    """Bits of the categories whose bins go left."""
    goes = np.unpackbits(left.view(np.uint8), bitorder="little")[bins.category_bins[column]]
    return np.packbits(np.pad(goes, (0, -len(goes) % 32)), bitorder="little").view(np.uint32)
