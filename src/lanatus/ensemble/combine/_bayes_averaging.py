"""Bayes model averaging."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import is_regressor
from sklearn.utils.metaestimators import available_if

from lanatus.base import Floats, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.ensemble._committee import (
    ESTIMATORS,
    FOLDS,
    WEIGHTS,
    Committee,
    class_shares,
    default_classifiers,
    folds,
    held_out,
    of_kind,
    one_target,
    score,
    tags_of_members,
)
from lanatus.ensemble._rules import RULES
from lanatus.params import Choice, Function, rules_for
from lanatus.scale import blockwise

# Learned arrays that hold the free numbers of a naive Bayes, in ours and in scikit-learn's.
_MOMENTS = ("theta_", "var_")
_SHARES = ("feature_log_prob_",)
_PRIORS = ("class_prior_", "class_log_prior_")


def _is_classifier(model: "BayesModelAveraging") -> bool:
    if model._for_numbers():
        raise AttributeError("regressors have no predict_proba")
    return True


@method(
    "ensemble.bayes-model-averaging",
    section="8.4.3",
    task="classification",
    en="Bayes model averaging",
    zh="贝叶斯模型平均",
)
class BayesModelAveraging(Committee):
    r"""The average of several models, each weighted by how probable it is given the data.

    :math:`P(y | x, D) = \sum_M P(y | x, M)\, P(M | D)` with :math:`P(M | D) \propto P(M)\, P(D | M)`, where the
    evidence :math:`P(D | M)` is taken as :math:`\exp(-\mathrm{BIC} / 2)` or from held-out rows.

    Book: section 8.4.3.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        The models, all classifiers with probabilities or all regressors. None is naive Bayes, linear discriminants and
        logistic regression.
    evidence : {"bic", "cv"} or callable, default="bic"
        Log-evidence of a model: the log-likelihood of the training rows less (k / 2) ln m for k parameters; the
        log-likelihood of rows held out in turn; or a function of (fitted model, X, y).
    prior : array of shape (n_estimators,) or None, default=None
        Probabilities of the models before the data; equal by default.
    n_parameters : array of shape (n_estimators,) or None, default=None
        Number of free parameters of each model, for "bic"; by default counted from what it learned (weights and biases,
        less those of one class where there are more than two; means and variances; shares; leaves and tests).
    cv : int, splitter, list of splits or None, default=None
        Folds of "cv"; None is 5.
    n_jobs : int or None, default=None
        Models fitted at a time, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, of classifiers.
    estimators_ : list of fitted models
        Classes of classifiers are places in `classes_`.
    named_estimators_ : Bunch
        The same by name.
    log_evidence_ : ndarray of shape (n_estimators,)
        Log-evidence of each model.
    weights_ : ndarray of shape (n_estimators,)
        Posterior probabilities of the models.

    Notes
    -----
    The likelihood of a regressor is that of normal errors with the variance found. The posterior nearly always goes to
    one model as the rows grow: averaging beats stacking only where the true model is among the candidates (Clarke
    2003). Cost: that of the models, (k + 1) times with k folds.

    Examples
    --------
    >>> from lanatus.ensemble import BayesModelAveraging
    >>> from lanatus.linear import LinearRegression, Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.1, 0.9, 2.1, 2.9, 4.1]
    >>> model = BayesModelAveraging([("plain", LinearRegression()), ("shrunk", Ridge())]).fit(X, y)
    >>> model.weights_.round(4).tolist()
    [0.9244, 0.0756]

    References
    ----------
    Hoeting, Madigan, Raftery and Volinsky (1999), Bayesian model averaging: a tutorial. Clarke (2003), Comparing Bayes
    model averaging and stacking when model approximation error cannot be ignored.
    """

    _state: ClassVar = {"weights_": Floats("members", low=0), "log_evidence_": Floats("members", finite=False)}

    score = score
    classes_: np.ndarray
    log_evidence_: np.ndarray
    weights_: np.ndarray

    def __init__(
        self,
        estimators: Any = None,
        evidence: str | Callable[..., float] = "bic",
        *,
        prior: Any = None,
        n_parameters: Any = None,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.evidence = evidence
        self.prior = prior
        self.n_parameters = n_parameters
        self.cv = cv
        self.n_jobs = n_jobs

    _params = rules_for(
        __init__, RULES, evidence=Choice("bic", "cv") | Function(), prior=WEIGHTS, n_parameters=WEIGHTS, cv=FOLDS
    )

    def _default(self) -> list[tuple[str, Any]]:
        return default_classifiers()

    def _for_numbers(self) -> bool:
        return bool(ESTIMATORS.accepts(self.estimators) and is_regressor(self._models()[0]))

    def __sklearn_tags__(self) -> Any:
        return tags_of_members(super().__sklearn_tags__(), regressors=self._for_numbers())

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the models, and find how probable each is.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The labels or targets.

        Returns
        -------
        self
        """
        numbers = self._for_numbers()
        of_kind(self._models(), regressors=numbers, who="BayesModelAveraging here")
        prior = self._for_each("prior", self.prior)
        rows = self._take(X, reset=True)
        if numbers:
            target = one_target(y, rows)
        else:
            self.classes_, target = class_codes(y, rows)
        self._fit_members(rows, target, None)
        self.log_evidence_ = np.array(self._log_evidences(rows, target))
        with np.errstate(divide="ignore"):
            self.weights_ = softmax(self.log_evidence_ + np.log(prior / prior.sum()))
        return self

    def _for_each(self, name: str, values: Any) -> np.ndarray:
        count = len(self._models())
        given = np.ones(count) if values is None else np.asarray(values, dtype=np.float64)
        if given.shape != (count,) or not (np.isfinite(given) & (given >= 0)).all() or not given.sum() > 0:
            raise ValueError(f"{name} must be {count} numbers of 0 or more, not all 0; got {values!r}.")
        return given

    def _log_evidences(self, rows: Any, target: np.ndarray) -> list[float]:
        if callable(self.evidence):
            return [float(self.evidence(model, rows, target)) for model in self.estimators_]
        if self.evidence == "cv":
            parts = folds(self.cv, target, classifier=not self._for_numbers())
            predictions = held_out(self._models(), rows, target, parts, self._predicted, n_jobs=self.n_jobs)
            return [self._log_likelihood(answers, target) for answers in predictions]
        sizes = [n_free(model) for model in self.estimators_] if self.n_parameters is None else self.n_parameters
        likely = [self._log_likelihood(self._predicted(model, rows), target) for model in self.estimators_]
        sizes = self._for_each("n_parameters", sizes)
        return [float(fit - 0.5 * size * np.log(len(target))) for fit, size in zip(likely, sizes, strict=True)]

    def _predicted(self, model: Any, rows: Any) -> np.ndarray:
        if self._for_numbers():
            return np.asarray(model.predict(rows), dtype=np.float64)
        return class_shares(model, rows, len(self.classes_))

    def _log_likelihood(self, predictions: np.ndarray, target: np.ndarray) -> float:
        if self._for_numbers():
            # Below the rounding of the targets a variance says nothing more.
            least = (np.finfo(np.float64).eps * max(float(np.abs(target).max()), np.finfo(np.float64).tiny)) ** 2
            variance = max(float(np.mean((predictions - target) ** 2)), least, np.finfo(np.float64).tiny)
            return -0.5 * len(target) * (np.log(2 * np.pi * variance) + 1)
        chosen = predictions[np.arange(len(target)), target]
        return float(np.log(np.maximum(chosen, np.finfo(np.float64).tiny)).sum())

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, or the mean of the models."""
        mean = self._mean(X)
        return mean if self._for_numbers() else np.asarray(self.classes_[mean.argmax(axis=1)])

    def _mean(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        predictions = np.stack([self._predicted(model, rows) for model in self.estimators_])
        return np.asarray(np.tensordot(self.weights_, predictions, axes=1))

    @available_if(_is_classifier)
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class."""
        return self._mean(X)


def n_free(model: Any) -> int:
    """Number of free parameters of a fitted model, from what it learned.

    Shares that add up to one have one less than there are of them, a softmax is the same with one class at zero, and a
    tree has the shares or the mean of each leaf and, for each test, where it cuts.
    """
    n_classes = len(getattr(model, "classes_", ()))
    tree = getattr(model, "tree_", None)
    if tree is not None and hasattr(tree, "n_leaves"):
        return int(tree.n_leaves * max(n_classes - 1, 1) + tree.node_count - tree.n_leaves)
    if hasattr(model, "coef_"):
        weights = np.atleast_2d(model.coef_)
        outputs = len(weights) - 1 if n_classes > 2 and len(weights) == n_classes else len(weights)
        return int(outputs * (weights.shape[1] + bool(getattr(model, "fit_intercept", True))))
    sizes = [_free_shares(getattr(model, name)) for name in _SHARES if hasattr(model, name)]
    sizes += [np.size(getattr(model, name)) for name in _MOMENTS if hasattr(model, name)]
    if not sizes:
        raise ValueError(
            f"the number of parameters of {type(model).__name__} is not known; give n_parameters, or evidence='cv'."
        )
    priors = next((getattr(model, name) for name in _PRIORS if hasattr(model, name)), ())
    return int(sum(sizes)) + max(len(priors) - 1, 0)


def _free_shares(log_shares: Any) -> int:
    """Free numbers among logarithms of shares, a row a class, of one column of values after the other."""
    parts = log_shares if isinstance(log_shares, list | tuple) else [log_shares]
    return sum(np.size(part) - len(part) * bool(np.allclose(np.exp(part).sum(axis=1), 1)) for part in parts)
