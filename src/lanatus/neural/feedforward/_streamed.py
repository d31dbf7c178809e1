"""Learning from a source, block by block: mini-batches from disk, each block in an order of its own."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import as_labels, as_targets, check_positive_weight, n_rows, take_rows
from lanatus.data import Source
from lanatus.neural.feedforward._inputs import learn_inputs, split
from lanatus.neural.feedforward._network import NetworkTarget
from lanatus.neural.feedforward._rules import DESCENTS
from lanatus.scale import open_engine
from lanatus.table import Table

_SAMPLE = 50_000  # rows that scales are learned from


def learn_from_source(model: Any, source: Source, y: Any, sample_weight: Any) -> Any:
    """Train a network on the blocks of a source; memory holds a few of them and a sample."""
    name = type(model).__name__
    if source.target is None:
        raise ValueError(f"{name} needs a target: scan(..., target='name of a column').")
    if model.solver not in DESCENTS or model.solver in ("accumulated-bp", "rprop") or model.early_stopping:
        raise ValueError(
            f"{name} learns from a source by small steps and without early stopping; got solver={model.solver!r}, "
            f"early_stopping={model.early_stopping}. Take solver='adam', or read a sample of the rows."
        )
    if model.report == "step":
        raise ValueError(f"report='step' would read the source anew for each row; wanted 'round' for {name}.")
    open_engine(model, source, y, sample_weight)  # learns the columns
    sample, labels, weights, holes = _survey(model, source)
    weight = None if source.weight is None else weights
    check_positive_weight(weight)
    if hasattr(model, "predict_proba"):
        model.classes_, codes = np.unique(labels, return_inverse=True)
        model._settle(codes, weight)
        n_outputs = model._n_outputs()
    else:
        model._settle(labels, weight)
        n_outputs = len(model.target_scale_)
    model.inputs_ = learn_inputs(sample, _weight_of(model, source, sample), model.scaling, model.embedding)
    model.inputs_.holes = holes(model.inputs_.embedded)
    net = model._network(model.inputs_.n_numbers(sample), model.inputs_.embeddings, n_outputs)
    rng = check_random_state(model.random_state)
    seed = int(rng.randint(2**31 - 1))

    def feed(number: int) -> Iterator[tuple[Any, NetworkTarget, np.ndarray]]:
        for at, (X, target) in enumerate(_blocks(model, source)):
            numbers = None if target.numbers is None else np.ascontiguousarray(target.numbers, dtype=net.dtype)
            order = np.arange(len(target))
            if model.shuffle:
                order = np.random.default_rng([seed, number, at]).permutation(order)
            yield model.inputs_.rows(X), NetworkTarget(target.codes, numbers, target.weight), order

    model._train(net, source, NetworkTarget(np.empty(0, np.int32), None, None), feed, None, len(source), rng)
    return model


def _blocks(model: Any, source: Source) -> Iterator[tuple[Any, NetworkTarget]]:
    for block in source.blocks():
        X = model._take(block.X, reset=False)
        weight = None if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        if hasattr(model, "predict_proba"):
            yield X, model._target(as_labels(block.y), X, weight, known=True)
        else:
            yield X, model._target(as_targets(block.y, X), weight)


def _survey(model: Any, source: Source) -> tuple[Any, np.ndarray, np.ndarray, Any]:
    """A sample of the rows, all targets and weights, and which columns have holes somewhere."""
    every = max(1, len(source) // _SAMPLE)
    parts, labels, weights = [], [], []
    numeric = coded = np.zeros((), dtype=bool)
    for block in source.blocks():
        X = model._take(block.X, reset=False)
        model._weights(None if block.weight is None else np.asarray(block.weight), X)
        parts.append(take_rows(X, np.arange(-block.start % every, n_rows(X), every)))
        read = as_labels(block.y) if hasattr(model, "predict_proba") else as_targets(block.y, X)
        labels.append(read)
        weights.append(np.ones(len(read)) if block.weight is None else np.asarray(block.weight, dtype=np.float64))
        table = X if isinstance(X, Table) else None
        numeric = np.isnan(X if table is None else table.numeric).any(axis=0) | numeric
        if table is not None:
            coded = (table.codes < 0).any(axis=0) | coded
    if not parts:
        raise ValueError("the source has no rows; wanted at least one.")
    sample = _joined(parts)

    def holes(embedded: np.ndarray) -> np.ndarray:
        """Places among the numbers of columns with holes: those of a row made of all holes there are."""
        if not isinstance(sample, Table):
            return np.flatnonzero(numeric).astype(np.int32)
        row = Table(sample.schema, np.where(numeric, np.nan, 0.0)[None], np.where(coded, -1, 0).astype(np.int32)[None])
        return np.flatnonzero(np.isnan(split(row, embedded)[0][0])).astype(np.int32)

    return sample, np.concatenate(labels), np.concatenate(weights), holes


def _joined(parts: list[Any]) -> Any:
    if not isinstance(parts[0], Table):
        return np.concatenate(parts)
    numeric = np.concatenate([part.numeric for part in parts])
    return Table(parts[0].schema, numeric, np.concatenate([part.codes for part in parts]))


def _weight_of(model: Any, source: Source, sample: Any) -> np.ndarray | None:
    """Weights of the sampled rows, where the source has any."""
    if source.weight is None:
        return None
    every = max(1, len(source) // _SAMPLE)
    found = [np.asarray(block.weight, dtype=np.float64)[-block.start % every :: every] for block in source.blocks()]
    return np.concatenate(found)
