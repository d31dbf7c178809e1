"""Metric learning as classification of pairs."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from lanatus.base import Floats, Number, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.metric_learning._learner import MetricLearner
from lanatus.neighbors import nearest
from lanatus.params import Integer, Nothing, Real, rules_for


@method(
    "metric.ldm",
    section="10.7",
    task="transform",
    en="Discriminative probabilistic pair metric (LDM)",
    zh="判别概率度量学习",
)
class LDM(MetricLearner):
    r"""Metric learning as classification of pairs of rows: same class or not, by a logistic model of their distance.

    :math:`P(\text{same} \mid x_i, x_j) = 1 / (1 + \exp(\lVert x_i - x_j \rVert_M^2 - \mu))`; its likelihood over pairs
    of near rows, less :math:`\alpha \operatorname{tr}(M)`, is maximised over M and the threshold :math:`\mu`.

    Book: section 10.7. Cost: :math:`O(nk(d + d^2))` an evaluation for k pairs a row.

    Parameters
    ----------
    n_neighbors : int, default=5
        Pairs of a row: so many nearest of its class, and so many nearest of the others, so that the metric is good
        where it decides.
    n_components : int or None, default=None
        Columns after the map; None keeps their number.
    alpha : float, default=1e-3
        Strength of the penalty, a pair.
    max_iter : int, default=200
        Most iterations of L-BFGS.
    tol : float, default=1e-7
        Stop when the objective falls by no more than this share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the map of the metric
    threshold_ : float, :math:`\mu`: at this squared distance both are as probable
    n_iter_ : int, iterations
    classes_ : ndarray of shape (n_classes,), the labels in order
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.metric_learning import LDM
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> ldm = LDM().fit(X, X[:, 1] > 0)
    >>> int(np.diag(ldm.get_mahalanobis_matrix()).argmax())
    1

    References
    ----------
    Yang, Jin, Sukthankar and Liu (2006), An efficient algorithm for local distance metric learning.
    """

    _state: ClassVar = {"components_": Floats("components", "columns"), "threshold_": Number()}

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        n_components: int | None = None,
        alpha: float = 1e-3,
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(
        __init__, n_neighbors=Integer(low=1), n_components=Integer(low=1) | Nothing(), alpha=Real(low=0)
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the metric and the threshold.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        rows, codes = coded_rows(self, X, y)
        d = rows.shape[1]
        k = d if self.n_components is None else int(self.n_components)
        if k > d:
            raise ValueError(f"n_components={k} must be at most the {d} columns of X.")
        data = rows.astype(np.float64)
        scale = data.std(axis=0)
        scale[scale <= 1e-12 * (np.abs(data).max(axis=0) + 1e-300)] = 1.0
        V, sign = near_pairs((data - data.mean(axis=0)) / scale, codes, self.n_neighbors)
        m = max(len(V), 1)

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            A, mu = flat[:-1].reshape(k, d), flat[-1]
            mapped = V @ A.T
            odds = sign * (np.einsum("ij,ij->i", mapped, mapped) - mu)
            pull = sign * expit(odds) / m
            slope = 2 * (mapped * pull[:, None]).T @ V + 2 * self.alpha * A
            value = float(np.logaddexp(0, odds).sum()) / m + self.alpha * float((A**2).sum())
            return value, np.append(slope.ravel(), -pull.sum())

        begin = np.append((0.5 * np.eye(k, d)).ravel(), 1.0)
        how = {"maxiter": self.max_iter, "ftol": self.tol, "gtol": 1e-10}
        found = minimize(loss, begin, jac=True, method="L-BFGS-B", options=how)
        self.n_iter_ = max(int(found.nit), 1)
        self.components_ = (found.x[:-1].reshape(k, d) / scale).astype(rows.dtype)
        self.threshold_ = float(found.x[-1])
        return self

    def same_class_proba(self, pairs: Any) -> np.ndarray:
        """The probability that the rows of each pair are of one class.

        Parameters
        ----------
        pairs : array of shape (n_pairs, 2, n_features)
            Pairs of rows.

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        return np.asarray(expit(self.threshold_ - self.pair_distance(pairs) ** 2))


def near_pairs(X: np.ndarray, codes: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences of rows to their k nearest of the same class (+1) and of the others (-1)."""
    found, signs = [np.zeros((0, X.shape[1]))], [np.zeros(0)]
    for label in np.unique(codes):
        own, others = np.flatnonzero(codes == label), np.flatnonzero(codes != label)
        for among, most, sign in ((own, min(k, len(own) - 1), 1.0), (others, min(k, len(others)), -1.0)):
            if most < 1:
                continue
            points, asked = np.ascontiguousarray(X[among]), np.ascontiguousarray(X[own])
            kept = np.arange(len(own)) if sign > 0 else None
            at = among[nearest(points, asked, most, own=kept).indices]
            found.append((asked[:, None] - X[at]).reshape(-1, X.shape[1]))
            signs.append(np.full(most * len(own), sign))
    return np.vstack(found), np.concatenate(signs)
