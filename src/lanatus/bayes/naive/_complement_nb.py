"""Complement naive Bayes."""

from typing import Any

import numpy as np

from lanatus.bayes.naive._linear_nb import RULES, LinearNB
from lanatus.catalog import method
from lanatus.params import Flag, rules_for


@method(
    section="7.7",
    task="classification",
    en="Complement naive Bayes for text",
    zh="补集朴素贝叶斯",
    streams=True,
    peers=["scikit-learn:ComplementNB"],
)
class ComplementNB(LinearNB):
    r"""Naive Bayes for counts that learns each class from all the others.

    The weight of word i for class c is :math:`w_{c,i} = -\log \frac{T_i - T_{c,i} + \alpha}{T - T_c + \alpha V}`, from
    how often the word is in the texts of the other classes; the class with the largest :math:`\sum_i x_i w_{c,i}` wins.
    That helps where classes are of very different sizes.

    Book: section 7.7 (text by naive Bayes). Kernel: ``cpp/bayes/counts.hpp``.
    Cost: one pass over the counts that are not 0, and k times that for ``predict``; memory :math:`O(kV)`.

    Parameters
    ----------
    alpha : float or array of shape (n_features,), default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, it is raised to that.
    fit_prior : bool, default=True
        Priors count only where there is a single class.
    class_prior : array of shape (n_classes,) or None, default=None
        Probabilities of the classes, which count as little.
    norm : bool, default=False
        Whether the weights of a class are divided by their sum.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_log_prior_ : ndarray of shape (n_classes,), logarithms of their probabilities
    feature_count_ : ndarray of shape (n_classes, n_features), weighted sums of the counts
    feature_log_prob_ : ndarray of shape (n_classes, n_features), the weights w
    feature_all_ : ndarray of shape (n_features,), sums over all classes
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The scores are no logarithms of probabilities; ``predict_proba`` turns them into shares as if they were. With
    ``alpha=0`` a word that no other class has weighs some 708, the largest weight there is.

    Examples
    --------
    >>> from lanatus.bayes import ComplementNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3], [0, 0, 1]]  # goal, vote, tax
    >>> ComplementNB().fit(X, ["sport", "sport", "politics", "politics"]).predict([[1, 1, 1]]).tolist()
    ['sport']

    References
    ----------
    Rennie, Shih, Teevan and Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers.
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    _params = rules_for(__init__, RULES, norm=Flag())

    def _set_counts(self, counts: np.ndarray, alpha: Any) -> None:
        self.feature_all_ = counts.sum(axis=0)
        others = self.feature_all_ + alpha - counts
        totals = others.sum(axis=1, keepdims=True)
        shares = np.divide(others, totals, out=np.ones_like(others), where=totals > 0)
        logs = np.log(np.maximum(shares, np.finfo(np.float64).tiny))
        self.feature_log_prob_ = logs / logs.sum(axis=1, keepdims=True) if self.norm else -logs

    def _coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        start = self.class_log_prior_ if len(self.classes_) == 1 else np.zeros(len(self.classes_))
        return np.ascontiguousarray(self.feature_log_prob_.T), start
