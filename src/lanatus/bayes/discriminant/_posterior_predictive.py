"""Bayesian learning: classes by their posterior predictive, not by one estimate of their parameters."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._gaussian_nb import overall
from lanatus.bayes.naive._mixed_counts import MixedBayes, MixedCounts
from lanatus.catalog import method
from lanatus.params import Array, Nothing, Real, rules_for


@method(
    "bayes.bayesian-learning",
    section="7.7",
    task="classification",
    en="Bayesian learning of a naive Bayes classifier",
    zh="贝叶斯学习",
    streams=True,
)
class BayesianClassifier(MixedBayes):
    r"""Naive Bayes that averages over all parameters instead of taking the likeliest.

    Each attribute of each class has a prior over its parameters that the rows turn into a posterior, and a new value is
    judged by :math:`p(x \mid D_c) = \int p(x \mid \theta) p(\theta \mid D_c)\, d\theta`. For a number with a
    normal-inverse-gamma prior that is Student's t, wider than a normal density where a class has few rows; for a
    nominal attribute with a Dirichlet prior it is the Laplacian correction (7.20).

    Book: section 7.7. Kernel: ``cpp/bayes/counts.hpp``.
    Cost: one pass, :math:`O(nd)`, and :math:`O(ndk)` for ``predict``; memory :math:`O(dk)`.

    Parameters
    ----------
    alpha : float, default=1.0
        Dirichlet prior: rows that each value of a nominal attribute, and each class, is worth in advance.
    prior_mean : float, array of shape (n_numeric,) or None, default=None
        Mean that is expected in advance; None takes that of the column over all classes.
    prior_var : float, array of shape (n_numeric,) or None, default=None
        Variance that is expected in advance; None takes that of the column over all classes.
    mean_strength : float, default=1.0
        Rows that the expected mean is worth.
    var_strength : float, default=1.0
        Rows that the expected variance is worth.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None takes (7.19).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_prior_ : ndarray of shape (n_classes,), probabilities of the classes
    loc_ : ndarray of shape (n_classes, n_numeric), centres of the t densities
    scale_ : ndarray of shape (n_classes, n_numeric), their scales
    df_ : ndarray of shape (n_classes, n_numeric), their degrees of freedom
    category_count_ : list of ndarrays of shape (n_classes, n_values), counts of each other attribute
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are left out, attribute by attribute. A class of one row, or none, has a proper density, the prior's.
    With many rows the answers become those of `NaiveBayes`.

    Examples
    --------
    >>> from lanatus.bayes import BayesianClassifier
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("3.0", return_X_y=True)
    >>> BayesianClassifier().fit(X, y).predict_proba(X[:1]).round(3).tolist()  # 否, 是
    [[0.008, 0.992]]

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 2.3.
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        prior_mean: Any = None,
        prior_var: Any = None,
        mean_strength: float = 1.0,
        var_strength: float = 1.0,
        priors: Any = None,
    ) -> None:
        self.alpha = alpha
        self.prior_mean = prior_mean
        self.prior_var = prior_var
        self.mean_strength = mean_strength
        self.var_strength = var_strength
        self.priors = priors

    _params = rules_for(
        __init__,
        RULES,
        alpha=Real(above=0),
        prior_mean=Real() | Array(ndim=1) | Nothing(),
        prior_var=Real(above=0) | Array(ndim=1) | Nothing(),
        mean_strength=Real(above=0),
        var_strength=Real(above=0),
    )

    def _set_densities(self, stats: MixedCounts) -> None:
        moments = stats.moments
        _, mean, spread = overall(moments)
        center = self._expected("prior_mean", mean)
        variance = self._expected("prior_var", np.where(spread > 0, spread, 1.0))
        mass, strength = moments.mass, self.mean_strength + moments.mass
        gap = np.where(mass > 0, moments.mean - center, 0.0)
        self.loc_ = center + mass / strength * gap
        self.df_ = self.var_strength + mass
        squares = self.var_strength * variance + moments.m2 + self.mean_strength * mass / strength * gap**2
        self.scale_ = np.sqrt(squares / self.df_ * (strength + 1) / strength)
        if not np.isfinite(self.scale_).all():
            raise ValueError("the variances overflow: X has values too large to square; scale it first.")

    def _expected(self, name: str, default: np.ndarray) -> np.ndarray:
        """What the user expects of each number, or what the column says."""
        given = getattr(self, name)
        if given is None:
            return default
        each = np.asarray(given, dtype=np.float64)
        if each.ndim and each.shape != default.shape:
            raise ValueError(f"{name} must have one entry a numeric column: got {each.size}, wanted {default.size}.")
        return np.broadcast_to(each, default.shape)

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        """Sum of the log densities of Student's t; missing values add nothing."""
        out = np.empty((len(X), len(self.classes_)))
        for c in range(len(self.classes_)):
            df, scale = self.df_[c], self.scale_[c]
            constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi) - np.log(scale)
            logs = constant - (df + 1) / 2 * np.log1p(((X - self.loc_[c]) / scale) ** 2 / df)
            out[:, c] = np.nansum(logs, axis=1)
        return out
