"""The covariance within classes, plain, shrunk or by an estimator of the user's."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from lanatus._core import linear as kernels
from lanatus.base import class_codes, n_threads
from lanatus.linear.discriminant._scatter import ClassScatter
from lanatus.scale import Block, Engine, InMemory, Sums


def pooled_covariance(model: Any, engine: Engine, stats: ClassScatter, priors: np.ndarray | None) -> np.ndarray:
    """Mean over the classes, by their probabilities, of their covariances; without `priors` that of all rows."""
    if model.covariance_estimator is not None:
        return _by_estimator(model.covariance_estimator, engine, stats.classes, priors)
    if isinstance(model.shrinkage, str):
        return _ledoit_wolf(engine, stats, priors)
    share = 0.0 if model.shrinkage is None else float(model.shrinkage)
    mass = stats.mass.sum()
    if priors is None:
        covariance = (stats.within + stats.between) / mass
    elif model.priors is None:
        covariance = stats.within / mass
    else:
        covariance = engine.reduce(partial(_scaled_scatter, stats.classes, priors / stats.mass)).within
    return shrunk_covariance(covariance, share)


def shrunk_covariance(emp_cov: np.ndarray, shrinkage: float = 0.1) -> np.ndarray:
    """(1 - shrinkage) covariance + shrinkage * mean variance * identity."""
    mean = np.trace(emp_cov) / len(emp_cov)
    return (1 - shrinkage) * emp_cov + shrinkage * mean * np.eye(len(emp_cov))


def _scaled_scatter(classes: np.ndarray, scale: np.ndarray, block: Block) -> ClassScatter:
    """Scatter within classes, the rows of each weighted anew."""
    codes = class_codes(block.y, block.X, classes)[1]
    weight = scale[codes] if block.weight is None else scale[codes] * block.weight
    return ClassScatter(classes, *kernels.class_scatter(block.X, codes, weight, len(classes), n_threads=n_threads()))


def _by_estimator(estimator: Any, engine: Engine, classes: np.ndarray, priors: np.ndarray | None) -> np.ndarray:
    if not isinstance(engine, InMemory):
        raise ValueError("covariance_estimator needs the data in memory; take shrinkage instead.")
    X = engine.block.X
    if priors is None:
        return np.asarray(clone(estimator).fit(X).covariance_)
    codes = class_codes(engine.block.y, X, classes)[1]
    parts = [share * clone(estimator).fit(X[codes == c]).covariance_ for c, share in enumerate(priors)]
    return np.asarray(np.sum(parts, axis=0))


def _ledoit_wolf(engine: Engine, stats: ClassScatter, priors: np.ndarray | None) -> np.ndarray:
    """Covariances of the classes, each shrunk after Ledoit and Wolf on its standardised columns."""
    groups = np.arange(len(stats.classes)) if priors is not None else np.zeros(len(stats.classes), np.intp)
    shares = np.ones(1) if priors is None else priors
    by_group = ledoit_wolf_covariances(engine, stats.classes, groups)
    return np.asarray(np.tensordot(shares, by_group, axes=1))


def ledoit_wolf_covariances(engine: Engine, classes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The covariance of each group of classes, `groups` telling of each class which it is in, shrunk."""
    scatters = [engine.reduce(partial(_group_scatter, classes, groups == g)) for g in range(groups.max() + 1)]
    covariances = [part.within / part.mass.sum() for part in scatters]
    deviations = [np.sqrt(np.diag(covariance)) for covariance in covariances]
    for deviation in deviations:
        deviation[deviation == 0] = 1
    means = np.vstack([part.mean for part in scatters])
    fourth = engine.reduce(partial(_fourth_moments, classes, groups, means, np.vstack(deviations)))
    for g, deviation in enumerate(deviations):
        unit = covariances[g] / deviation[:, None] / deviation
        unit = shrunk_covariance(unit, _shrinkage(unit, float(scatters[g].mass.sum()), float(fourth.sums[g])))
        covariances[g] = unit * deviation[:, None] * deviation
    return np.stack(covariances)


def _group_scatter(classes: np.ndarray, chosen: np.ndarray, block: Block) -> ClassScatter:
    """Mean and scatter of the rows of some classes together."""
    codes = np.where(chosen[class_codes(block.y, block.X, classes)[1]], 0, -1).astype(np.int32)
    return ClassScatter(np.zeros(1), *kernels.class_scatter(block.X, codes, block.weight, 1, n_threads=n_threads()))


def _fourth_moments(
    classes: np.ndarray, groups: np.ndarray, means: np.ndarray, deviations: np.ndarray, block: Block
) -> Sums:
    """Per group, the sum of the squared squared lengths of its standardised rows."""
    group = groups[class_codes(block.y, block.X, classes)[1]]
    lengths = (((block.X - means[group]) / deviations[group]) ** 2).sum(axis=1) ** 2
    return Sums(sums=np.bincount(group, lengths * (1.0 if block.weight is None else block.weight), len(means)))


def _shrinkage(unit: np.ndarray, mass: float, fourth: float) -> float:
    """Ledoit and Wolf's share of the identity, from a covariance and the rows' fourth moment."""
    p = len(unit)
    mean = np.trace(unit) / p
    squares = float((unit**2).sum())
    distance = (squares - p * mean**2) / p
    noise = min((fourth / mass - squares) / (mass * p), distance)
    return 0.0 if noise <= 0 else noise / distance
