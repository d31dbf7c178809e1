"""Bernoulli naive Bayes."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.base import Numbers, check_is_fitted
from lanatus.bayes._posterior import BayesClassifier, logarithm
from lanatus.bayes.naive._linear_nb import RULES, TYPES, LinearNB, linear_joint
from lanatus.catalog import method
from lanatus.params import Nothing, Real, rules_for
from lanatus.scale import blockwise


class Flags(Numbers):
    """Numbers that are flags: from 0 to 1, or made so by the limit `binarize` where that is below 0."""

    def take(self, estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Any:
        rows = super().take(estimator, X, reset=reset, min_rows=min_rows)
        limit = estimator.binarize
        if limit is None:
            values = rows.data if sp.issparse(rows) else rows
            if values.size and not (values.min() >= 0 and values.max() <= 1):
                raise ValueError(
                    f"binarize=None wants numbers from 0 to 1, got {values.min():g} to {values.max():g}; give a limit."
                )
        if limit is None or limit >= 0:
            return rows  # the kernels compare with the limit as they go
        if sp.issparse(rows):
            raise ValueError(f"binarize={limit} is below 0, which a sparse X cannot have; wanted at least 0.")
        return (rows > limit).astype(np.float64)


@method(
    "bayes.text-naive-bayes-bernoulli",
    section="7.7",
    task="classification",
    en="Multi-variate Bernoulli naive Bayes for text",
    zh="多变量伯努利朴素贝叶斯",
    streams=True,
    peers=["scikit-learn:BernoulliNB"],
)
class BernoulliNB(LinearNB):
    r"""Naive Bayes for attributes that are there or not, such as words in a text.

    The score of class c is :math:`\log P(c) + \sum_i [x_i \log p_{c,i} + (1 - x_i) \log(1 - p_{c,i})]` with
    :math:`p_{c,i} = \frac{n_{c,i} + \alpha}{n_c + 2\alpha}`, where :math:`n_{c,i}` of the :math:`n_c` rows of the class
    have the attribute. Unlike in `MultinomialNB`, a word that is absent counts too.

    Book: section 7.7. Kernel: ``cpp/bayes/counts.hpp``.
    Cost: one pass over the numbers that are not 0, and k times that for ``predict``; memory :math:`O(kd)`.

    Parameters
    ----------
    alpha : float or array of shape (n_features,), default=1.0
        Added to every count: 1 is the Laplacian correction, 0 none.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, it is raised to that.
    binarize : float or None, default=0.0
        An attribute is there where its number is above this; None where X is 0 and 1 already.
    fit_prior : bool, default=True
        Whether the classes have the probabilities of the data (7.16), or all the same.
    class_prior : array of shape (n_classes,) or None, default=None
        Probabilities of the classes, instead of those.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_log_prior_ : ndarray of shape (n_classes,), logarithms of their probabilities
    feature_count_ : ndarray of shape (n_classes, n_features), weighted rows that have the attribute
    feature_log_prob_ : ndarray of shape (n_classes, n_features), logarithms of p
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Sparse matrices stay sparse, unless `binarize` is below 0, which is refused: all that they leave out would be there.
    With ``alpha=0`` an attribute that all or no rows of a class have rules the class out where it is otherwise.

    Examples
    --------
    >>> from lanatus.bayes import BernoulliNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3], [0, 0, 1]]  # goal, vote, tax
    >>> BernoulliNB().fit(X, ["sport", "sport", "politics", "politics"]).predict([[1, 1, 0]]).tolist()
    ['sport']

    References
    ----------
    McCallum and Nigam (1998), A comparison of event models for naive Bayes text classification.
    """

    _wants = Flags(TYPES)

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    _params = rules_for(__init__, RULES, binarize=Real() | Nothing())

    def _threshold(self) -> float | None:
        return None if self.binarize is None or self.binarize < 0 else float(self.binarize)

    def _set_counts(self, counts: np.ndarray, alpha: Any) -> None:
        rows = self.class_count_[:, None] + 2 * np.asarray(alpha)
        # A class without rows, and without smoothing, is like all classes together.
        overall = counts.sum(axis=0) / self.class_count_.sum()
        share = np.broadcast_to(overall, counts.shape).copy()
        share = np.divide(counts + alpha, rows, out=share, where=rows > 0)
        self.feature_log_prob_ = logarithm(share)
        self._log_absent = np.log1p(-np.minimum(share, 1.0), where=share < 1, out=np.full_like(share, -np.inf))

    def _coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        absent = np.where(self._certain(), 0.0, self._log_absent)
        return np.ascontiguousarray((self.feature_log_prob_ - absent).T), self.class_log_prior_ + absent.sum(axis=1)

    def _certain(self) -> np.ndarray:
        """Which attributes every row of a class has, without smoothing: absence rules the class out."""
        return np.asarray(self._log_absent == -np.inf)

    def _joint(self, X: Any) -> np.ndarray:
        joint = super()._joint(X)
        certain = self._certain()
        if certain.any():
            rows = self._take(X, reset=False)
            needed = np.ascontiguousarray(certain.T, dtype=np.float64)
            had = linear_joint(rows, needed, np.zeros(len(certain)), self._threshold())
            joint[had < certain.sum(axis=1)] = -np.inf
        return joint

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return BayesClassifier.predict(self, X) if self._certain().any() else super().predict(X)
