"""Error estimated by the bootstrap: out of bag, .632 and .632+."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_regressor

from lanatus.base import as_labels, n_rows, take_rows
from lanatus.catalog import method as catalogued
from lanatus.evaluation.significance._samples import level
from lanatus.evaluation.splitting._splits import Bootstrap

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]

METHODS = ("oob", ".632", ".632+")


@dataclass(frozen=True)
class BootstrapEstimate:
    """Error of a learner as the bootstrap estimates it.

    Attributes
    ----------
    method : str
        ``"oob"``, ``".632"`` or ``".632+"``.
    value : float
        The estimate.
    standard_error : float
        Its standard error; NaN for a stratified bootstrap, to which its formula does not apply.
    interval : tuple of float
        Normal interval around `value` at the confidence asked.
    oob : float
        Leave-one-out bootstrap error Err(1): the mean over rows of the error of the models not trained on them.
    apparent : float
        Training error of the model fitted on all rows.
    no_information : float
        Error gamma if predictions were independent of the labels.
    overfitting : float
        Relative overfitting rate R in [0, 1].
    weight : float
        Weight w of the out-of-bag error in `value`; the apparent error has the rest.
    split_errors : ndarray of shape (n_splits,)
        Mean out-of-bag error of each bootstrap sample.
    row_errors : ndarray of shape (n_rows,)
        Mean error on each row of the models not trained on it; NaN for a row that every sample drew.
    """

    method: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    oob: float
    apparent: float
    no_information: float
    overfitting: float
    weight: float
    split_errors: np.ndarray = field(repr=False)
    row_errors: np.ndarray = field(repr=False)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.method} bootstrap error {self.value:.4g} (interval {low:.4g} to {high:.4g}) from "
            f"{len(self.split_errors)} samples; out of bag {self.oob:.4g}, on the training rows {self.apparent:.4g}"
        )


@catalogued(
    "evaluation.out-of-bag-estimate",
    section="2.2.3",
    task="evaluation",
    kind="measure",
    en="Out-of-bag, .632 and .632+ bootstrap estimate",
    zh="包外估计",
    peers=["mlxtend:bootstrap_point632_score"],
)
def out_of_bag_score(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    method: str = "oob",
    loss: str | Loss = "auto",
    n_splits: int = 200,
    stratify: bool = False,
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> BootstrapEstimate:
    """Error of a learner, estimated on the rows that bootstrap samples leave out.

    The out-of-bag error is somewhat too high, because a bootstrap sample holds only 63.2 % of the rows; .632
    and .632+ pull it towards the training error err of the model fitted on all rows.

    Book: section 2.2.3. With Q(i, b) the loss on row i of the model of sample b, over the b that lack i:
    Err(1) = mean over i of mean over b of Q(i, b); .632 = 0.368 err + 0.632 Err(1);
    .632+ = (1 - w) err + w Err(1) with w = 0.632 / (1 - 0.368 R) and R = (Err(1) - err) / (gamma - err).

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor; it is cloned.
    X, y : array-like or frame
        Data and target.
    method : {"oob", ".632", ".632+"}, default="oob"
        Which estimate.
    loss : {"auto", "0-1", "squared"} or callable, default="auto"
        ``"auto"`` is squared error for a regressor and the error rate for others. A callable takes the true and
        the predicted values and gives the loss of each row.
    n_splits : int, default=200
        Number of bootstrap samples.
    stratify : bool, default=False
        Whether to draw within each class, for data where a class is too rare to be in every sample.
    confidence : float, default=0.95
        Confidence of the interval.
    random_state : int, RandomState or None, default=None
        Seed of the samples.
    n_jobs : int or None, default=None
        Models fitted at once, as in joblib. The answer does not depend on it.

    Returns
    -------
    BootstrapEstimate
        The estimate, its standard error and interval, and what it is made of.

    Notes
    -----
    Low is good: this is an error, not a score. Rows that every sample drew have no out-of-bag error and are left
    out of the mean; with 200 samples there are none. gamma takes all pairs of a label and a prediction, so a
    callable loss costs O(m^2). R is 0 where Err(1) or gamma is no larger than err, and at most 1; where Err(1) is
    larger than gamma, gamma replaces it in what .632+ adds to .632 (formula 32 of the paper). The standard error
    is that of Err(1) by the infinitesimal jackknife, in proportion to the estimate for .632 and .632+. It takes
    200 samples or more to be steady, and with very few it errs on the large side.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lanatus.evaluation import out_of_bag_score
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> estimate = out_of_bag_score(tree, X, y, method=".632+", n_splits=50, random_state=0)
    >>> estimate.apparent < estimate.value < estimate.oob
    True

    References
    ----------
    Efron (1983), Estimating the error rate of a prediction rule. Efron and Tibshirani (1997), Improvements on
    cross-validation: the .632+ bootstrap method. Wager et al. (2014), Confidence intervals for random forests: the
    jackknife and the infinitesimal jackknife.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}.")
    level(confidence, "confidence")
    labels = as_labels(y)
    of_rows = _loss(loss, estimator)
    splits = list(Bootstrap(n_splits, stratify=stratify, random_state=random_state).split(X, labels))
    losses = Parallel(n_jobs=n_jobs)(
        delayed(_losses)(clone(estimator), X, y, labels, train, test, of_rows) for train, test in splits
    )
    drawn, lost = _counts_and_losses(splits, losses, n_rows(X))
    row_errors = _row_errors(drawn, lost)
    oob = float(np.nanmean(row_errors))

    fitted = np.asarray(clone(estimator).fit(X, y).predict(X))
    apparent = float(np.mean(of_rows(labels, fitted)))
    gamma = _no_information(labels, fitted, of_rows)
    overfitting = min(1.0, (oob - apparent) / (gamma - apparent)) if min(oob, gamma) > apparent else 0.0
    weight = {"oob": 1.0, ".632": 0.632, ".632+": 0.632 / (1 - 0.368 * overfitting)}[method]
    value = (1 - weight) * apparent + weight * oob
    if method == ".632+":
        # What goes beyond .632 takes an error of gamma at most: worse than knowing nothing it cannot be.
        value = 0.368 * apparent + 0.632 * oob + (weight - 0.632) * (min(oob, gamma) - apparent)

    error = np.nan if stratify else _standard_error(drawn, lost, row_errors) * (value / oob if oob else 1.0)
    return BootstrapEstimate(
        method,
        value,
        float(error),
        _interval(value, float(error), confidence),
        oob,
        apparent,
        gamma,
        overfitting,
        weight,
        np.array([one.mean() for one in losses]),
        row_errors,
    )


def _loss(loss: str | Loss, estimator: Any) -> Loss:
    if callable(loss):
        return loss
    if loss not in ("auto", "0-1", "squared"):
        raise ValueError(f"loss must be 'auto', '0-1', 'squared' or a callable; got {loss!r}.")
    return _squared if loss == "squared" or (loss == "auto" and is_regressor(estimator)) else _zero_one


def _zero_one(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    return (true != predicted).astype(float)


def _squared(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    return np.asarray(true - predicted, dtype=float) ** 2


def _losses(
    model: Any, X: Any, y: Any, labels: np.ndarray, train: np.ndarray, test: np.ndarray, of_rows: Loss
) -> np.ndarray:
    """Loss on each test row of a model fitted on the training rows."""
    model.fit(take_rows(X, train), take_rows(y, train))
    lost = np.asarray(of_rows(labels[test], np.asarray(model.predict(take_rows(X, test)))), dtype=float)
    if lost.shape != test.shape:
        raise ValueError(f"the loss must give one number for each of {len(test)} rows; got the shape {lost.shape}.")
    return lost


def _counts_and_losses(
    splits: list[tuple[np.ndarray, np.ndarray]], losses: list[np.ndarray], m: int
) -> tuple[np.ndarray, np.ndarray]:
    """(samples, rows): how often a sample drew a row, and its model's loss there (0 where the row was drawn)."""
    drawn = np.array([np.bincount(train, minlength=m) for train, _ in splits])
    lost = np.zeros(drawn.shape)
    for into, (_, test), values in zip(lost, splits, losses, strict=True):
        into[test] = values
    return drawn, lost


def _row_errors(drawn: np.ndarray, lost: np.ndarray) -> np.ndarray:
    times_out = (drawn == 0).sum(axis=0)
    return np.divide(lost.sum(axis=0), times_out, out=np.full(len(times_out), np.nan), where=times_out > 0)


def _no_information(labels: np.ndarray, predicted: np.ndarray, of_rows: Loss) -> float:
    """Mean loss over all pairs of a label and a prediction."""
    if of_rows is _squared:
        return float(np.mean((labels - predicted.mean()) ** 2) + predicted.var())
    if of_rows is _zero_one:
        names, counts = np.unique(predicted, return_counts=True)
        return float(1 - sum((labels == name).mean() * n for name, n in zip(names, counts, strict=True)) / len(labels))
    return float(np.mean([of_rows(labels, np.full_like(predicted, one)).mean() for one in predicted]))


def _standard_error(drawn: np.ndarray, lost: np.ndarray, row_errors: np.ndarray) -> float:
    """Standard error of Err(1) by the infinitesimal jackknife, less what the finite number of samples adds to it."""
    m = drawn.shape[1]
    times_out = np.maximum((drawn == 0).sum(axis=0), 1)
    centred = drawn - drawn.mean(axis=0)
    sample_errors = lost.mean(axis=1)
    own = np.nan_to_num(row_errors - np.nanmean(row_errors)) * (2 + 1 / (m - 1)) / m
    influence = own + centred.T @ sample_errors / times_out
    variance = float((influence**2).sum())
    chance = float(sample_errors.var() * ((centred**2).sum(axis=0) / times_out**2).sum())
    return float(np.sqrt(variance - chance if variance > chance else variance))


def _interval(value: float, error: float, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtri

    half = float(ndtri((1 + confidence) / 2)) * error
    return value - half, value + half
