"""The error at each test point, taken apart into bias, variance and noise.

Classes come as two tables of shape (points, classes): `votes`, the share of models that predict each class, and
`truth`, the probability of each class. Each function gives arrays with one entry a point.
"""

from collections.abc import Callable

import numpy as np

Parts = dict[str, np.ndarray]

IDENTITY = {
    "squared": "error = bias + variance + noise",
    "kohavi-wolpert": "error = bias + variance + noise",
    "kong-dietterich": "error = bias + variance",
    "breiman": "error = bias + variance + noise",
    "domingos": "error = c1 noise + bias + c2 variance at every point",
    "friedman": "normal_error = |2 f - 1| wrong_side + noise at every point",
}


def squared(predictions: np.ndarray, truth: np.ndarray, noise: np.ndarray, *, unbiased: bool) -> Parts:
    """Formulas (2.37) to (2.42); `predictions` has shape (models, points)."""
    n = len(predictions)
    bias = (predictions.mean(axis=0) - truth) ** 2
    variance = predictions.var(axis=0)
    error = ((predictions - truth) ** 2).mean(axis=0) + noise
    # The mean of n models still varies by variance / n, which the plain bias counts as its own.
    shift = variance / (n - 1) if unbiased else 0.0
    return {"error": error, "bias": bias - shift, "variance": variance + shift, "noise": noise}


def kohavi_wolpert(votes: np.ndarray, truth: np.ndarray, *, correction: float = 0.0) -> Parts:
    """Half the squared distance of votes and truth, and the Gini impurity of each; `correction` is 1 / (models - 1)."""
    variance = (1 - (votes**2).sum(axis=1)) / 2
    shift = variance * correction
    return {
        "error": _error(votes, truth),
        "bias": ((truth - votes) ** 2).sum(axis=1) / 2 - shift,
        "variance": variance + shift,
        "noise": (1 - (truth**2).sum(axis=1)) / 2,
    }


def kong_dietterich(votes: np.ndarray, truth: np.ndarray) -> Parts:
    """Bias is the error of the main prediction, noise in it; variance is all the rest and may be negative."""
    error = _error(votes, truth)
    bias = 1 - _at(truth, main(votes))
    return {"error": error, "bias": bias, "variance": error - bias, "noise": np.zeros(len(error))}


def breiman(votes: np.ndarray, truth: np.ndarray) -> Parts:
    """What exceeds the Bayes error is bias where the main prediction is not the Bayes class, else variance."""
    error, noise = _error(votes, truth), 1 - truth.max(axis=1)
    biased = main(votes) != main(truth)
    excess = error - noise
    return {
        "error": error,
        "bias": np.where(biased, excess, 0.0),
        "variance": np.where(biased, 0.0, excess),
        "noise": noise,
    }


def domingos(votes: np.ndarray, truth: np.ndarray) -> Parts:
    """Losses between main prediction, Bayes class and label; c1 and c2 for any number of classes."""
    middle, best = main(votes), main(truth)
    right, variance = _at(votes, best), 1 - _at(votes, middle)
    bias = (middle != best).astype(float)
    missed = truth * (np.arange(truth.shape[1]) != best[:, None])  # labels other than the Bayes class
    noise, together = missed.sum(axis=1), (votes * missed).sum(axis=1)
    c1 = right - np.divide(together, noise, out=np.zeros(len(noise)), where=noise > 0)
    c2 = np.where(bias == 0, 1.0, -np.divide(right, variance, out=np.zeros(len(noise)), where=variance > 0))
    return {
        "error": _error(votes, truth),
        "bias": bias,
        "variance": variance,
        "noise": noise,
        "c1": c1,
        "c2": c2,
        "net_noise": c1 * noise,
        "net_variance": c2 * variance,
    }


def friedman(votes: np.ndarray, truth: np.ndarray, probabilities: np.ndarray) -> Parts:
    """Boundary bias and variance of the estimated probability of the second class, of shape (models, points)."""
    from scipy.special import ndtr

    f = truth[:, 1]
    bias = np.where(f < 0.5, 1.0, -1.0) * (probabilities.mean(axis=0) - 0.5)
    variance = probabilities.var(axis=0)
    spread = np.sqrt(variance)
    # Without spread the estimate lies on one side for sure; right on the boundary it is a toss-up.
    side = np.divide(bias, spread, out=np.copysign(np.inf, bias), where=spread > 0)
    wrong_side = ndtr(np.where(bias == 0, 0.0, side))
    noise = np.minimum(f, 1 - f)
    return {
        "error": _error(votes, truth),
        "bias": bias,
        "variance": variance,
        "noise": noise,
        "wrong_side": wrong_side,
        "normal_error": np.abs(2 * f - 1) * wrong_side + noise,
    }


BY_VOTES: dict[str, Callable[[np.ndarray, np.ndarray], Parts]] = {
    "kohavi-wolpert": kohavi_wolpert,
    "kong-dietterich": kong_dietterich,
    "breiman": breiman,
    "domingos": domingos,
}


def main(table: np.ndarray) -> np.ndarray:
    """Class with most votes at each point, the smallest label where several have as many."""
    return table.argmax(axis=1)


def _at(table: np.ndarray, classes: np.ndarray) -> np.ndarray:
    return table[np.arange(len(table)), classes]


def _error(votes: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Probability that a model and an independent label differ."""
    return 1 - (votes * truth).sum(axis=1)
