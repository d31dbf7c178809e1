"""Multinomial naive Bayes."""

from typing import Any

import numpy as np

from lanatus.bayes._posterior import logarithm
from lanatus.bayes.naive._linear_nb import RULES, LinearNB
from lanatus.catalog import method
from lanatus.params import rules_for


@method(
    "bayes.text-naive-bayes-multinomial",
    section="7.7",
    task="classification",
    en="Multinomial naive Bayes for text",
    zh="多项式朴素贝叶斯",
    streams=True,
    peers=["scikit-learn:MultinomialNB"],
)
class MultinomialNB(LinearNB):
    r"""Naive Bayes for counts, such as how often each word is in a text.

    A text of class c is drawn word by word: the score of the class is
    :math:`\log P(c) + \sum_i x_i \log \theta_{c,i}` with
    :math:`\theta_{c,i} = \frac{T_{c,i} + \alpha}{\sum_j T_{c,j} + \alpha V}`, where :math:`T_{c,i}` is how often word i
    of V is in all texts of the class.

    Book: section 7.7. Kernel: ``cpp/bayes/counts.hpp``.
    Cost: one pass over the counts that are not 0, and k times that for ``predict``; memory :math:`O(kV)`.

    Parameters
    ----------
    alpha : float or array of shape (n_features,), default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, it is raised to that.
    fit_prior : bool, default=True
        Whether the classes have the probabilities of the data (7.16), or all the same.
    class_prior : array of shape (n_classes,) or None, default=None
        Probabilities of the classes, instead of those.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_log_prior_ : ndarray of shape (n_classes,), logarithms of their probabilities
    feature_count_ : ndarray of shape (n_classes, n_features), weighted sums of the counts
    feature_log_prob_ : ndarray of shape (n_classes, n_features), logarithms of the shares
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Counts may be fractions (tf-idf weights); sparse matrices stay sparse. With ``alpha=0`` a word never seen in a class
    rules that class out; a class without any word then has the shares of all classes together.

    Examples
    --------
    >>> from lanatus.bayes import MultinomialNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3], [0, 0, 1]]  # goal, vote, tax
    >>> MultinomialNB().fit(X, ["sport", "sport", "politics", "politics"]).predict([[0, 1, 2]]).tolist()
    ['politics']

    References
    ----------
    McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    _params = rules_for(__init__, RULES)

    def _set_counts(self, counts: np.ndarray, alpha: Any) -> None:
        counts = counts + alpha
        empty = counts.sum(axis=1) == 0
        if empty.any():
            overall = counts.sum(axis=0)
            counts[empty] = overall if overall.any() else 1.0
        self.feature_log_prob_ = logarithm(counts) - np.log(counts.sum(axis=1, keepdims=True))

    def _coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        return np.ascontiguousarray(self.feature_log_prob_.T), self.class_log_prior_
