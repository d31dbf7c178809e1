"""The Bayes optimal classifier of known distributions."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from lanatus.bayes._posterior import log_posterior, logarithm
from lanatus.bayes.decision._decision import least_risk, square_losses
from lanatus.bayes.decision._known_densities import checked_shares, log_density, matrix_of
from lanatus.catalog import method


@method(
    "bayes.bayes-risk",
    section="7.1",
    task="classification",
    kind="theory",
    en="Bayes optimal classifier of known distributions",
    zh="贝叶斯最优分类器、贝叶斯风险",
)
class BayesOptimalClassifier(ClassifierMixin, BaseEstimator):
    r"""Bayes' rule for classes whose densities and priors are known: no classifier has a smaller risk.

    :math:`h^*(x) = \arg\min_c \sum_j \lambda_{cj} P(c_j \mid x)` (7.3), with the posterior
    :math:`P(c \mid x) \propto P(c) p(x \mid c)` (7.8). There is nothing to fit.

    Book: section 7.1. Cost: that of the densities, :math:`O(nk)` of them.

    Parameters
    ----------
    densities : sequence of distributions
        One a class: frozen distributions of SciPy, or fitted density estimators with ``score_samples``.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None for all the same.
    classes : sequence of labels or None, default=None
        Labels of the classes, in the order of the densities; None for 0, 1, ...
    loss_matrix : array of shape (n_classes, n_classes) or None, default=None
        Loss of deciding for the row's class where the column's is true; None is 0 and 1.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from lanatus.bayes import BayesOptimalClassifier
    >>> rule = BayesOptimalClassifier([norm(0, 1), norm(2, 1)])
    >>> rule.predict([[0.9], [1.1]]).tolist()
    [0, 1]
    >>> rule.predict_proba([[1.0]]).round(6).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, densities: Any, priors: Any = None, *, classes: Any = None, loss_matrix: Any = None) -> None:
        self.densities = densities
        self.priors = priors
        self.classes = classes
        self.loss_matrix = loss_matrix

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        """The labels."""
        labels = np.arange(len(self.densities)) if self.classes is None else np.asarray(self.classes)
        if len(labels) != len(self.densities):
            raise ValueError(f"classes must have one label a density: got {len(labels)}, wanted {len(self.densities)}.")
        return labels

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of prior times density, for each row and class."""
        rows = matrix_of(X)
        logs = np.column_stack([log_density(density, rows) for density in self.densities])
        return logs + logarithm(checked_shares(self.priors, len(self.densities)))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the posterior probability of each class."""
        return log_posterior(
            self.predict_joint_log_proba(X), logarithm(checked_shares(self.priors, len(self.densities)))
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Posterior probability of each class."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the least risk, the first on ties."""
        loss = square_losses(self.loss_matrix, len(self.densities))
        return np.asarray(self.classes_[least_risk(self.predict_proba(X), loss, None)])
