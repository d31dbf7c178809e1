"""Ensembles whose members differ by their parameters."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, is_regressor
from sklearn.model_selection import ParameterSampler
from sklearn.utils import check_random_state

from lanatus.base import check_is_fitted, coded_rows, fitting, n_rows
from lanatus.catalog import method
from lanatus.ensemble import _most_likely
from lanatus.ensemble._committee import class_shares
from lanatus.ensemble._rules import RULES
from lanatus.params import Nothing, Satisfies, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER, Wrapper

_DISTRIBUTIONS = Satisfies(
    lambda value: (
        isinstance(value, dict)
        and all(hasattr(v, "rvs") or isinstance(v, list | tuple) or hasattr(v, "__array__") for v in value.values())
    ),
    "a dict from parameter names to lists or distributions",
)


@method(
    "ensemble.parameter-perturbation",
    section="8.5.3",
    task="classification",
    en="Perturbation of the algorithm's parameters",
    zh="算法参数扰动",
)
class ParameterPerturbationClassifier(ClassifierMixin, Wrapper):
    r"""The same learner several times, each with parameters drawn at random; all of them vote.

    :math:`h_t = L(D; \theta_t)` with :math:`\theta_t` drawn from `param_distributions`. A search for parameters trains
    such learners too, and keeps one of them; this keeps all.

    Book: section 8.5.3.

    Parameters
    ----------
    estimator : classifier
        The learner.
    param_distributions : dict or None, default=None
        From names of parameters to lists of values, or to distributions with a method ``rvs`` such as those of
        scipy.stats. None leaves the learner's `random_state`, if it has one, as the only thing that differs.
    n_estimators : int, default=10
        Number of learners.
    voting : {"soft", "hard"}, default="soft"
        Mean probabilities (votes of those that have none), or votes.
    bootstrap : bool, default=False
        Whether each learner sees a bootstrap sample of the rows too.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    random_state : int, RandomState or None, default=None
        Draws the parameters and samples, and seeds the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted classifiers
        The learners; their classes are places in `classes_`.
    estimators_params_ : list of dict
        Parameters of each.

    Notes
    -----
    Lists are drawn from with equal chances, without repeats where all are lists and long enough. Cost: `n_estimators`
    fits.

    Examples
    --------
    >>> from lanatus.ensemble import ParameterPerturbationClassifier
    >>> from lanatus.linear import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> model = ParameterPerturbationClassifier(LogisticRegression(), {"C": [0.1, 1.0, 10.0]}, 3, random_state=0)
    >>> sorted(drawn["C"] for drawn in model.fit(X, y).estimators_params_)
    [0.1, 1.0, 10.0]
    """

    predict = _most_likely.predict
    classes_: np.ndarray
    estimators_: list[Any]
    estimators_params_: list[dict[str, Any]]

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any = None,
        n_estimators: int = 10,
        *,
        voting: str = "soft",
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_estimators = n_estimators
        self.voting = voting
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(__init__, RULES, estimator=LEARNER, param_distributions=Nothing() | _DISTRIBUTIONS)

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        if is_regressor(self.estimator):
            raise TypeError(f"{type(self).__name__} wants a classifier; {self.estimator!r} is a regressor.")
        rows, codes = coded_rows(self, X, y)
        weight = self._weights(sample_weight, rows)
        rng = check_random_state(self.random_state)
        self.estimators_params_ = self._drawn(rng)
        parts = [rng.randint(len(codes), size=len(codes)) if self.bootstrap else None for _ in self.estimators_params_]
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fitted)(rows, codes, part, weight, **params)
            for part, params in zip(parts, self.estimators_params_, strict=True)
        )
        return self

    def _drawn(self, rng: np.random.RandomState) -> list[dict[str, Any]]:
        given = self.param_distributions or {}
        finite = all(not hasattr(values, "rvs") for values in given.values())
        drawn: list[dict[str, Any]] = []
        while len(drawn) < self.n_estimators:
            some = int(np.prod([len(values) for values in given.values()])) if finite else self.n_estimators
            wanted = min(some, self.n_estimators - len(drawn))
            drawn += list(ParameterSampler(given, wanted, random_state=rng)) if given else [{} for _ in range(wanted)]
        if "random_state" in self.estimator.get_params():
            drawn = [{"random_state": int(rng.randint(2**31 - 1)), **params} for params in drawn]
        return drawn

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        total = np.zeros((n_rows(rows), len(self.classes_)))
        for model in self.estimators_:
            total += class_shares(model, rows, len(self.classes_), hard=self.voting == "hard")
        return total / len(self.estimators_)
