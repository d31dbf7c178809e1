"""Bias and variance of a learner, by training it on many sets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from lanatus.base import as_labels, n_rows, take_rows
from lanatus.catalog import method as catalogued
from lanatus.evaluation.decomposition import _decompositions as parts_of
from lanatus.evaluation.splitting._holdout import row_count
from lanatus.params import check_integer

Sampler = Callable[[np.random.RandomState], tuple[Any, Any]]

METHODS = (*parts_of.BY_VOTES, "friedman")


@dataclass(frozen=True)
class BiasVariance:
    """What the error of a learner is made of.

    Attributes
    ----------
    error, bias, variance, noise : float
        Means over the test points; `bias` is squared for squared loss.
    loss : str
        ``"squared"`` or ``"0-1"``.
    method : str or None
        Whose 0/1-loss decomposition it is.
    identity : str
        How the parts make up the error.
    main_prediction : ndarray
        Mean prediction at each test point, or the most frequent class.
    points : dict of ndarray
        The same four at each test point, and what else the method has: Domingos' ``c1``, ``c2``, ``net_noise`` and
        ``net_variance``; Friedman's ``wrong_side`` (chance of the wrong side of the boundary) and ``normal_error``.
    n_sets : int
        Number of training sets.
    """

    error: float
    bias: float
    variance: float
    noise: float
    loss: str
    method: str | None
    identity: str
    main_prediction: np.ndarray = field(repr=False)
    points: dict[str, np.ndarray] = field(repr=False)
    n_sets: int

    def __str__(self) -> str:
        kind = f"{self.loss} loss" + (f" ({self.method})" if self.method else "")
        return (
            f"{kind}, {self.n_sets} training sets: error {self.error:.4g}, bias {self.bias:.4g}, "
            f"variance {self.variance:.4g}, noise {self.noise:.4g}; {self.identity}"
        )


@catalogued(
    "evaluation.bias-variance-decomposition",
    "evaluation.bias-variance-kong-dietterich",
    "evaluation.bias-variance-kohavi-wolpert",
    "evaluation.bias-variance-breiman",
    "evaluation.bias-variance-friedman",
    "evaluation.bias-variance-domingos",
    section="2.5",
    task="evaluation",
    kind="measure",
    en="Bias-variance decomposition",
    zh="偏差-方差分解",
    peers=["mlxtend:bias_variance_decomp"],
)
def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any = None,
    *,
    loss: str = "auto",
    method: str | None = None,
    n_sets: int = 200,
    sampler: str | Sampler = "bootstrap",
    set_size: float | int | None = None,
    noise: Any = None,
    posterior: Any = None,
    unbiased: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Bias, variance and noise of any learner, from its predictions after training on many sets.

    The learner is trained on `n_sets` sets of one size, and each test point looks at how its predictions scatter.

    Book: sections 2.5 and 2.6. Squared loss, with f' the mean prediction: E[(f - y)^2] = (f' - y)^2 + var(f) + noise
    (2.42). For 0/1 loss, with p(c) the share of models that say c, q(c) the probability of c, y_m the class with the
    largest p (main prediction) and y* that with the largest q (Bayes class), at each point:

    - kohavi-wolpert: bias = sum (q - p)^2 / 2, variance = (1 - sum p^2) / 2, noise = (1 - sum q^2) / 2;
    - kong-dietterich: bias = P(y_m wrong), variance = error - bias, which may be negative;
    - breiman: noise = 1 - q(y*), and error - noise is bias where y_m != y*, variance elsewhere;
    - domingos: bias = [y_m != y*], variance = 1 - p(y_m), noise = 1 - q(y*), error = c1 noise + bias + c2 variance,
      c1 = p(y*) - P(f != y*) P(f = y given neither is y*), c2 = 1 or, where biased, -P(f = y* given f != y_m);
    - friedman (two classes, from ``predict_proba``): boundary bias b = sign(1/2 - q(1)) (mean of p1 - 1/2), variance
      of p1, and the normal approximation P(wrong side) = Phi(b / deviation of p1).

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor; it is cloned.
    X, y : array-like or frame
        Data to draw training sets from; None with a `sampler` of one's own.
    X_test, y_test : array-like or frame
        Test points and their true values; with `posterior`, `y_test` may be None.
    loss : {"auto", "squared", "0-1"}, default="auto"
        ``"auto"`` is squared for a regressor, 0/1 for others.
    method : str or None, default=None
        For 0/1 loss one of the five above; None is ``"kohavi-wolpert"``.
    n_sets : int, default=200
        Number of training sets, at least 2.
    sampler : {"bootstrap", "subsample"} or callable, default="bootstrap"
        Draws of `set_size` rows with or without replacement; or a function of a ``RandomState`` that gives a fresh
        training set (X, y), which is what the book's definition means.
    set_size : float, int or None, default=None
        Rows of a training set; None is all for the bootstrap, half for subsamples.
    noise : float, array-like or None, default=None
        Squared loss: variance of labels around `y_test`, which then are the noise-free values. None is 0.
    posterior : array-like of shape (n_test, n_classes) or None, default=None
        0/1 loss: true probabilities of the classes, sorted. None takes `y_test` for certain, without noise.
    unbiased : bool, default=False
        Whether to correct squared and kohavi-wolpert for the finite number of sets, as the latter's paper does: bias
        loses what variance gains, and bias may come out a little negative at a point.
    random_state : int, RandomState or None, default=None
        Seed of the training sets.
    n_jobs : int or None, default=None
        Models fitted at once. The answer does not depend on it.

    Returns
    -------
    BiasVariance
        Means, the values at each test point, and the identity that holds between them.

    Notes
    -----
    Several classes may be the main prediction: the smallest label is taken. Kong and Dietterich have no noise
    term; with a `posterior` it is part of their bias. Bootstrap sets share rows, so variance over them is less
    than over fresh sets.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from lanatus.evaluation import bias_variance
    >>> def sample(rng):
    ...     X = rng.rand(40, 1)
    ...     return X, np.sin(6 * X[:, 0]) + rng.normal(scale=0.3, size=40)
    >>> points = np.linspace(0, 1, 50)[:, None]
    >>> parts = bias_variance(DecisionTreeRegressor(random_state=0), None, None, points, np.sin(6 * points[:, 0]),
    ...                       sampler=sample, noise=0.09, random_state=0)
    >>> bool(np.isclose(parts.error, parts.bias + parts.variance + parts.noise)), parts.variance > parts.bias
    (True, True)

    References
    ----------
    Geman et al. (1992), Neural networks and the bias/variance dilemma. Kong and Dietterich (1995),
    Error-correcting output coding corrects bias and variance. Kohavi and Wolpert (1996), Bias plus variance
    decomposition for zero-one loss functions. Breiman (1996), Bias, variance, and arcing classifiers. Friedman
    (1997), On bias, variance, 0/1-loss, and the curse-of-dimensionality. Domingos (2000), A unified bias-variance
    decomposition and its applications.
    """
    loss, method = _checked(estimator, loss, method, unbiased, noise, posterior)
    if y_test is None and posterior is None:
        raise ValueError("got no y_test; wanted the true values of the test points (or, for 0/1 loss, the posterior).")
    check_consistent_length(X_test, y_test)
    check_integer("n_sets", n_sets, 2)
    sets = _training_sets(X, y, sampler, set_size, n_sets, check_random_state(random_state))
    found = Parallel(n_jobs=n_jobs)(
        delayed(_predictions)(clone(estimator), *training, X_test, method == "friedman") for training in sets
    )
    predictions = np.array([predicted for predicted, _, _ in found])
    if loss == "squared":
        truth = np.asarray(as_labels(y_test), dtype=float)
        points = parts_of.squared(predictions, truth, _noise(noise, len(truth)), unbiased=unbiased)
        middle = predictions.mean(axis=0)
    else:
        classes = _classes(y, y_test, predictions)
        votes = np.array([(predictions == name).mean(axis=0) for name in classes]).T
        truth = _truth(y_test, posterior, classes, len(votes))
        middle = classes[parts_of.main(votes)]
        if method == "friedman":
            points = parts_of.friedman(votes, truth, _second_class(found, classes))
        elif unbiased:
            points = parts_of.kohavi_wolpert(votes, truth, correction=1 / (n_sets - 1))
        else:
            points = parts_of.BY_VOTES[str(method)](votes, truth)
    means = {name: float(values.mean()) for name, values in points.items()}
    return BiasVariance(
        means["error"],
        means["bias"],
        means["variance"],
        means["noise"],
        loss,
        method,
        parts_of.IDENTITY[method or loss],
        middle,
        points,
        n_sets,
    )


def _checked(
    estimator: Any, loss: str, method: str | None, unbiased: bool, noise: Any, posterior: Any
) -> tuple[str, str | None]:
    if loss == "auto":
        loss = "squared" if is_regressor(estimator) else "0-1"
    if loss not in ("squared", "0-1"):
        raise ValueError(f"loss must be 'auto', 'squared' or '0-1'; got {loss!r}.")
    if loss == "squared":
        if method is not None or posterior is not None:
            raise ValueError("method and posterior are for 0/1 loss; leave them out, or ask for loss='0-1'.")
        return loss, None
    method = method or "kohavi-wolpert"
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}.")
    if noise is not None:
        raise ValueError(
            "noise is for squared loss; for 0/1 loss give the posterior, the probabilities of the classes."
        )
    if unbiased and method != "kohavi-wolpert":
        raise ValueError(f"unbiased=True is for squared loss and 'kohavi-wolpert'; got method={method!r}.")
    if method == "friedman" and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"'friedman' needs predict_proba, which {type(estimator).__name__} lacks; take another method."
        )
    return loss, method


def _training_sets(
    X: Any, y: Any, sampler: str | Sampler, set_size: float | int | None, n_sets: int, rng: np.random.RandomState
) -> Iterator[tuple[Any, Any]]:
    if callable(sampler):
        return (sampler(rng) for _ in range(n_sets))
    if sampler not in ("bootstrap", "subsample"):
        raise ValueError(f"sampler must be 'bootstrap', 'subsample' or a callable; got {sampler!r}.")
    if X is None or y is None:
        raise ValueError(f"got no X or y to draw a {sampler} from; give both, or a sampler of your own.")
    m = n_rows(X)
    replace = sampler == "bootstrap"
    size = (m if replace else m // 2) if set_size is None else row_count("set_size", set_size, m)
    if not replace and size > m:
        raise ValueError(f"set_size must be at most the {m} rows for 'subsample'; got {set_size!r}.")
    draws = (rng.choice(m, size, replace=replace) for _ in range(n_sets))
    return ((take_rows(X, rows), take_rows(y, rows)) for rows in draws)


def _predictions(model: Any, X: Any, y: Any, X_test: Any, wants_probabilities: bool) -> tuple[Any, Any, Any]:
    model.fit(X, y)
    predicted = np.asarray(model.predict(X_test))
    return (predicted, model.predict_proba(X_test), model.classes_) if wants_probabilities else (predicted, None, None)


def _noise(noise: Any, n_points: int) -> np.ndarray:
    """Variance of the label at each test point."""
    variances = np.asarray(0.0 if noise is None else noise, dtype=float)
    if variances.shape not in ((), (n_points,)) or not (variances >= 0).all():
        raise ValueError(f"noise must be a variance >= 0, or one for each of {n_points} test points; got {noise!r}.")
    return np.broadcast_to(variances, (n_points,))


def _classes(y: Any, y_test: Any, predictions: np.ndarray) -> np.ndarray:
    known = [as_labels(labels) for labels in (y, y_test) if labels is not None]
    return np.unique(np.concatenate([np.unique(labels) for labels in (*known, predictions)]))


def _truth(y_test: Any, posterior: Any, classes: np.ndarray, n_points: int) -> np.ndarray:
    """Probability of each class at each test point."""
    if posterior is None:
        return np.asarray(as_labels(y_test)[:, None] == classes, dtype=float)
    truth = np.asarray(posterior, dtype=float)
    if truth.shape != (n_points, len(classes)):
        raise ValueError(
            f"posterior must have a row for each of {n_points} test points and a column for each of the classes "
            f"{classes.tolist()}; got the shape {truth.shape}."
        )
    if (truth < 0).any() or not np.allclose(truth.sum(axis=1), 1, rtol=0, atol=1e-8):
        raise ValueError("posterior must hold probabilities that add up to 1 in each row.")
    return truth


def _second_class(found: Sequence[tuple[Any, Any, Any]], classes: np.ndarray) -> np.ndarray:
    """Probability of the second class from each model, 0 from one that never saw it."""
    if len(classes) != 2:
        raise ValueError(f"'friedman' is for two classes; got {len(classes)}. Take another method, such as 'domingos'.")
    return np.array([proba[:, known == classes[1]].sum(axis=1) for _, proba, known in found])
