"""What classifiers on a graph of rows share: the graph, what new rows get, what is learned."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin

from lanatus.base import Estimator, Floats, StateError, Takes, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.graph import kneighbors_graph
from lanatus.kernel import GaussianKernel
from lanatus.neighbors import NearestNeighbors
from lanatus.params import COMMON, Choice, Function, Integer, ParameterRule, Real
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised, warn_unreached
from lanatus.semi.graph._affinity import weights_of
from lanatus.semi.graph._solve import reached_from

RULES: dict[str, ParameterRule] = {
    **COMMON,
    "kernel": Choice("rbf", "knn", "precomputed") | Function(),
    "gamma": Real(low=0, below=np.inf),
    "n_neighbors": Integer(low=1),
    "solver": Choice("auto", "iterate"),
}
_EXACT = 1e-3  # share of `tol` to which equations are solved


class GraphClassifier(SemiSupervised, CallbackSupportMixin, ClassifierMixin, Estimator):
    """Base of classifiers whose labels spread along the edges of a graph of rows."""

    _takes = Takes(sparse=True)
    _transductive: ClassVar[bool] = True
    _state: ClassVar = {
        "X_": Floats("rows", "columns"),
        "label_distributions_": Floats("rows", "classes", low=0),
        "scores_": Floats("rows", "classes"),
        "class_prior_": Floats("classes", low=0),
    }

    kernel: Any
    gamma: float
    n_neighbors: int
    max_iter: int
    tol: float
    n_jobs: Any
    solver: str
    X_: Any
    label_distributions_: np.ndarray
    scores_: np.ndarray
    class_prior_: np.ndarray
    n_iter_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _require_sound(self) -> None:
        self._require_classes(self.label_distributions_.shape[1])
        if self.X_.shape[0] != len(self.label_distributions_):
            raise StateError("X_ and label_distributions_ differ in number of rows")

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Spread the labels that are known over the graph of all rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            The rows, labelled and not; with ``kernel="precomputed"`` the weights of the edges between them.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        W = self._weights_of_edges(rows)
        known = np.flatnonzero(codes >= 0)
        k = len(self.classes_)
        self.class_prior_ = np.bincount(codes[known], minlength=k) / len(known)
        reached = self._reached(W, known)
        start = np.zeros((len(codes), k))
        start[known, codes[known]] = 1
        progress = Progress(self, rows, max_iter=self.max_iter)
        if self.solver == "iterate":
            scores, converged = self._iterate(W, start, codes, reached, progress)
        else:
            scores, self.n_iter_, converged = self._solve(W, start, codes, reached)
        if not converged:
            warn_unconverged(self)
        if not reached.all():
            warn_unreached(int((~reached).sum()), "no path of edges leads there; widen the kernel")
        for name, value in self._learned(scores, codes, self.n_iter_).items():
            setattr(self, name, value)
        self.X_ = rows.copy() if not sp.issparse(rows) or rows.format == "csr" else rows.tocsr()
        progress.finish(self._learned(scores, codes, self.n_iter_))
        return self

    def _weights_of_edges(self, rows: Any) -> Any:
        """Symmetric weights of all edges, none from a row to itself."""
        n = rows.shape[0]
        if callable(self.kernel):
            W = weights_of(self.kernel(rows, rows))
        elif self.kernel == "precomputed":
            W = weights_of(rows)
        elif self.kernel == "knn":
            # The row itself is one of its neighbours, as in scikit-learn.
            most = min(self.n_neighbors, n) - 1
            if most < 1:
                return sp.csr_array((n, n))
            graph = kneighbors_graph(rows, most, n_jobs=self.n_jobs)
            graph = sp.csr_array(graph + graph.T)  # both directions; what they weigh is all the same
            graph.data[:] = 1.0
            return graph
        else:
            W = self._gaussian_weights(rows)
        if W.shape != (n, n):
            raise ValueError(f"the kernel gives weights of shape {W.shape} for {n} rows; wanted {(n, n)}.")
        if sp.issparse(W):
            W = sp.csr_array(W - sp.diags_array(W.diagonal()))
            W.eliminate_zeros()
        else:
            W.flat[:: n + 1] = 0
        return W

    def _gaussian_weights(self, rows: Any) -> np.ndarray:
        return np.asarray(self._gaussian().pairs(rows, rows), dtype=np.float64)

    def _gaussian(self) -> GaussianKernel:
        return GaussianKernel(np.inf if self.gamma == 0 else np.sqrt(0.5 / self.gamma))

    def _reached(self, W: Any, known: np.ndarray) -> np.ndarray:
        """Rows that a path of edges joins to a labelled one."""
        return reached_from(W, known)

    # A class has a closed form, rounds, or both; its `solver` asks for no other.

    def _solve(self, W: Any, start: np.ndarray, codes: np.ndarray, reached: np.ndarray) -> tuple[np.ndarray, int, bool]:
        """Scores of the classes at each row, in closed form or to a thousandth of `tol`; steps, whether converged."""
        raise NotImplementedError

    def _allowed(self, scores: np.ndarray) -> float:
        """Change of a score at which rounds end."""
        return self.tol

    def _step(self, S: Any, scores: np.ndarray, start: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Scores after a round of spreading."""
        raise NotImplementedError

    def _spread(self, W: Any) -> Any:
        """The matrix that a round multiplies by."""
        raise NotImplementedError

    def _iterate(
        self, W: Any, start: np.ndarray, codes: np.ndarray, reached: np.ndarray, progress: Progress
    ) -> tuple[np.ndarray, bool]:
        """Round by round, each reported, until no score changes by more than `tol`."""
        S, scores = self._spread(W), start
        for iteration in progress.iterations():
            before, scores = scores, self._step(S, scores, start, codes)
            self.n_iter_ = iteration.number + 1
            iteration.done(state=dict, attributes=partial(self._learned, scores, codes, self.n_iter_))
            if iteration.stop or np.abs(scores - before).max() <= self._allowed(scores):
                return scores, True
        return scores, False

    def _learned(self, scores: np.ndarray, codes: np.ndarray, n_iter: int) -> dict[str, Any]:
        total = scores.sum(axis=1, keepdims=True)
        empty = ~(total > 0).ravel()
        shares = scores / np.where(total > 0, total, 1.0)
        shares[empty] = self.class_prior_
        transduction = shares.argmax(axis=1)
        return {
            "scores_": scores,
            "label_distributions_": shares,
            "transduction_": self.classes_[transduction],
            "n_iter_": n_iter,
        }

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes for new rows: the mean over the rows learned from, weighted by the edges to them.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features), or (n_samples, n_fitted)
            The rows; with ``kernel="precomputed"`` the weights of their edges to the rows of ``fit``.
        """
        check_is_fitted(self)
        X = self._take(X, reset=False)
        if isinstance(self.kernel, str) and self.kernel == "knn":
            found = NearestNeighbors(n_neighbors=min(self.n_neighbors, self.X_.shape[0])).fit(self.X_)
            near = found.kneighbors(X, return_distance=False)
            sums = self.label_distributions_[near].sum(axis=1)
        else:
            sums = np.asarray(self._weights_to(X) @ self.label_distributions_)
        if not np.isfinite(sums).all() or (sums < 0).any():
            raise ValueError("weights of edges to new rows must be finite and not below 0.")
        total = sums.sum(axis=1, keepdims=True)
        there = total > 0
        return np.asarray(np.where(there, sums / np.where(there, total, 1.0), self.class_prior_))

    def _weights_to(self, X: Any) -> Any:
        if callable(self.kernel):
            return self.kernel(X, self.X_)
        return X if self.kernel == "precomputed" else self._gaussian().pairs(X, self.X_)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row of X, the first of equal ones."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]
