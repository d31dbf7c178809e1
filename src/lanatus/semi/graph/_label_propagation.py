"""Label propagation: the harmonic function of a graph."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.catalog import method
from lanatus.params import rules_for
from lanatus.semi.graph._graph_classifier import _EXACT, RULES, GraphClassifier
from lanatus.semi.graph._solve import solve_spread


@method(
    "semi.label-propagation",
    section="13.4",
    task="classification",
    en="Label propagation",
    zh="标记传播",
    peers=["scikit-learn:LabelPropagation"],
)
class LabelPropagation(GraphClassifier):
    r"""Labels spread along a graph until each row without one has the mean of its neighbours.

    Labelled rows keep their class; on the others the scores :math:`f` minimise the energy :math:`f^\top (D - W) f`
    (13.12), so that :math:`f_u = (D_{uu} - W_{uu})^{-1} W_{ul} f_l` (13.15), a column for each class: the harmonic
    function.

    Book: section 13.4. Cost: the graph, and a few products of its weights with the scores: "rbf" takes
    :math:`8 n^2` bytes, "knn" memory in proportion to the edges.

    Parameters
    ----------
    kernel : {"rbf", "knn", "precomputed"} or callable, default="rbf"
        What edges weigh: :math:`e^{-\gamma \lVert x - z \rVert^2}`; 1 to the nearest neighbours and from them back; X
        itself; or what a function of two tables of rows gives.
    gamma : float, default=20
        Factor of "rbf": :math:`1 / 2\sigma^2`.
    n_neighbors : int, default=7
        Of "knn", the row itself included.
    max_iter : int, default=1000
        Most rounds of "iterate".
    tol : float, default=1e-3
        "iterate" stops once no score changes by more; "auto" solves the equations to a thousandth of it.
    n_jobs : int or None, default=None
        Threads of the search for neighbours.
    solver : {"auto", "iterate"}, default="auto"
        The equations by Cholesky's factors or conjugate gradients; or round by round :math:`f \leftarrow D^{-1} W f`,
        which callbacks can watch.

    Attributes
    ----------
    X_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows
    classes_ : ndarray of shape (n_classes,), the labels
    scores_ : ndarray of shape (n_samples, n_classes), the harmonic functions
    label_distributions_ : ndarray of shape (n_samples, n_classes), shares of the classes in each row
    transduction_ : ndarray of shape (n_samples,), the class of each row of ``fit``
    class_prior_ : ndarray of shape (n_classes,), shares of the classes among the labelled rows
    n_iter_ : int, steps of conjugate gradients, or rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    scikit-learn's "knn" keeps edges in one direction only; here they have both, without which there is no energy.
    Rows that no path joins to a label get the shares of the classes among the labelled rows, with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import LabelPropagation
    >>> path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    >>> model = LabelPropagation(kernel="precomputed").fit(path, [1, -1, -1, -1, 0])
    >>> (model.scores_[:, 1] - model.scores_[:, 0]).round(6).tolist()
    [1.0, 0.5, 0.0, -0.5, -1.0]

    References
    ----------
    Zhu, Ghahramani and Lafferty (2003), Semi-supervised learning using Gaussian fields and harmonic functions.
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float = 20,
        n_neighbors: int = 7,
        max_iter: int = 1000,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        solver: str = "auto",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.solver = solver

    _params = rules_for(__init__, RULES)

    def _solve(self, W: Any, start: np.ndarray, codes: np.ndarray, reached: np.ndarray) -> tuple[np.ndarray, int, bool]:
        scores = start.copy()
        asked = np.flatnonzero((codes < 0) & reached)
        if not len(asked):
            return scores, 1, True
        degree = np.asarray(W.sum(axis=1)).ravel()[asked]
        right = np.asarray(W @ start)[asked]
        inner = W[asked][:, asked] if sp.issparse(W) else W[np.ix_(asked, asked)]
        found, steps, converged = solve_spread(
            lambda f: degree[:, None] * f - inner @ f,
            degree,
            right,
            dense=lambda: np.diag(degree) - (inner.toarray() if sp.issparse(inner) else inner),
            tol=self.tol * _EXACT,
        )
        scores[asked] = np.clip(found, 0.0, 1.0)  # rounding aside, it lies between the labels
        return scores, steps, converged

    def _spread(self, W: Any) -> Any:
        degree = np.asarray(W.sum(axis=1)).ravel()
        inverse = 1 / np.where(degree > 0, degree, 1.0)
        return sp.diags_array(inverse) @ W if sp.issparse(W) else inverse[:, None] * W

    def _step(self, S: Any, scores: np.ndarray, start: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.where((codes >= 0)[:, None], start, S @ scores)
