"""Multiple kernel learning."""

from functools import reduce
from operator import add
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, Floats, Takes, check_is_fitted, coded_rows, fitting, warn_unconverged
from lanatus.catalog import method
from lanatus.kernel.functions._distance import GaussianKernel
from lanatus.kernel.functions._inner_product import LinearKernel
from lanatus.kernel.functions._kernel import Kernel, WeightedKernel
from lanatus.kernel.functions._named import CalledKernel, gamma_for
from lanatus.kernel.svm._classifier import CLASS_WEIGHT
from lanatus.kernel.svm._machine import small_dense
from lanatus.kernel.svm._svc import SVC
from lanatus.params import Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise

_LEAST = 1e-10  # share of a kernel below which it is left out of the machine
_WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)  # of the kernels by default, in square roots of what "scale" says


def _are_kernels(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(callable(one) for one in value)


@method(
    "kernel.multiple-kernel-learning",
    section="6.7",
    task="classification",
    en="Multiple kernel learning",
    zh="多核学习",
    peers=["MKLpy:EasyMKL"],
)
class MKLClassifier(ClassifierMixin, Estimator):
    r"""Multiple kernel learning: a support vector machine, and the sum of kernels that suits it.

    Minimises :math:`\frac12 \sum_m \lVert w_m \rVert^2 / \theta_m + C \sum_i v_i \max(0, 1 - y_i f(x_i))` over the
    machine and weights :math:`\theta \ge 0` of the kernels with :math:`\sum_m \theta_m^p = 1`. The two take turns: a
    machine with the kernel :math:`\sum_m \theta_m \kappa_m`, then :math:`\theta_m \propto \lVert w_m
    \rVert^{2/(p+1)}`. With p = 1 most kernels drop out.

    Book: section 6.7. Cost: some tens of machines of :math:`O(n^2)` at least; memory :math:`O(n^2)` a kernel.

    Parameters
    ----------
    kernels : list of Kernel or callable, or None, default=None
        The kernels; None for a linear one and Gaussian ones of five widths.
    C : float, default=1.0
        Price of a row beyond its margin.
    p : float, default=1.0
        The norm of the weights, from 1, few kernels, up: the larger, the more alike.
    normalize : bool, default=True
        Whether each kernel is divided by its mean over the diagonal, so that no unit is preferred.
    tol : float, default=1e-2
        Stop once a kernel alone would gain no more than this share (p = 1), or no weight moves by more.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.
    max_iter : int, default=200
        Most machines.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,), the weights of the kernels (after they are normalised)
    machine_ : SVC, the machine with the sum of kernels
    classes_ : ndarray of shape (n_classes,), the labels
    n_iter_ : int, machines learned
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    More than two classes are compared pair by pair, with one sum of kernels for all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.kernel import GaussianKernel, LinearKernel, MKLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLClassifier([LinearKernel(), GaussianKernel(1.0), GaussianKernel(0.01)]).fit(X, y)
    >>> round(float(model.weights_.sum()), 6), model.score(X, y) > 0.95
    (1.0, True)

    References
    ----------
    Kloft et al. (2011), lp-norm multiple kernel learning. Rakotomamonjy et al. (2008), SimpleMKL.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {"weights_": Floats("kernels")}

    classes_: np.ndarray

    def __init__(
        self,
        kernels: Any = None,
        *,
        C: float = 1.0,
        p: float = 1.0,
        normalize: bool = True,
        tol: float = 1e-2,
        class_weight: Any = None,
        max_iter: int = 200,
    ) -> None:
        self.kernels = kernels
        self.C = C
        self.p = p
        self.normalize = normalize
        self.tol = tol
        self.class_weight = class_weight
        self.max_iter = max_iter

    _params = rules_for(
        __init__,
        kernels=Satisfies(_are_kernels, "a list of kernels or functions of two matrices") | Nothing(),
        C=Real(above=0, below=np.inf),
        p=Real(low=1, below=np.inf),
        normalize=Flag(),
        tol=Real(above=0, below=np.inf),
        class_weight=CLASS_WEIGHT,
        max_iter=Integer(low=1),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the machine and the weights of the kernels.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            The classes.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, by which C is multiplied.
        """
        X, codes = coded_rows(self, X, y, least=2)
        labels, weights = self.classes_[codes], self._weights(sample_weight, X)
        dense = small_dense(X)
        kernels = self._kernels(dense)
        matrices = [np.asarray(kernel.pairs(dense, dense), dtype=np.float64) for kernel in kernels]
        means = [float(np.trace(K)) / len(K) if self.normalize else 1.0 for K in matrices]
        scales = np.array([1 / mean if mean > 0 else 1.0 for mean in means])
        matrices = [K * scale for K, scale in zip(matrices, scales, strict=True)]
        theta = np.full(len(kernels), len(kernels) ** (-1 / self.p))
        how = {"C": self.C, "class_weight": self.class_weight, "tol": min(1e-3, 0.1 * self.tol)}
        converged, taken, power, least = False, 0, 1.0, np.inf
        while not converged and taken < self.max_iter:
            K = sum(weight * matrix for weight, matrix in zip(theta, matrices, strict=True))
            machine = SVC(kernel="precomputed", **how).fit(K, labels, weights)
            taken += 1
            pulls = self._pulls(machine, matrices)  # of each kernel b'K_m b: theta_m^2 of it is the square of its w
            value = float(np.abs(machine._planes()).sum()) - 0.5 * float(theta @ pulls)
            if value > least * (1 + 1e-9):
                power = 0.5  # steps of twice the length may go too far; these never do
            least = min(least, value)
            lengths = theta * pulls**power
            if not lengths.any():
                converged = True
                break
            fresh = lengths if self.p == 1 else (theta * np.sqrt(pulls)) ** (2 / (self.p + 1))
            fresh = fresh / (fresh**self.p).sum() ** (1 / self.p)
            if self.p == 1:
                converged = bool(pulls.max() <= (1 + self.tol) * float(theta @ pulls))
            else:
                converged = bool(np.abs(fresh - theta).max() <= self.tol * theta.max())
            theta = theta if converged else fresh
        if not converged:
            warn_unconverged(self)
        self.weights_, self.n_iter_ = theta, taken
        used = np.flatnonzero(theta * scales > _LEAST * (theta * scales).max())
        kernel = reduce(add, [WeightedKernel(kernels[m], float(theta[m] * scales[m])) for m in used])
        self.machine_ = SVC(kernel=kernel, **how).fit(X, labels, weights)
        return self

    def _kernels(self, X: Any) -> list[Kernel]:
        if self.kernels is not None:
            return [one if isinstance(one, Kernel) else CalledKernel(one) for one in self.kernels]
        width = np.sqrt(0.5 / gamma_for("scale", X))
        return [LinearKernel(), *(GaussianKernel(float(width * share)) for share in _WIDTHS)]

    @staticmethod
    def _pulls(machine: SVC, matrices: list[np.ndarray]) -> np.ndarray:
        planes, support = machine._planes(), machine.support_
        return np.array(
            [max(float(np.einsum("ps,st,pt", planes, K[np.ix_(support, support)], planes, optimize=True)), 0.0)
             for K in matrices]
        )  # fmt: skip

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of each row, as those of `SVC`.

        Parameters
        ----------
        X : array, frame, sparse matrix, scanned source or Dask collection of shape (n_samples, n_features)
            The attributes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return np.asarray(self.machine_.decision_function(self._take(X, reset=False)))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.machine_.predict(self._take(X, reset=False)))
