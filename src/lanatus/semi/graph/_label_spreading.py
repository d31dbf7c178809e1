"""Label spreading: local and global consistency."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus.catalog import method
from lanatus.params import Real, rules_for
from lanatus.semi.graph._graph_classifier import _EXACT, RULES, GraphClassifier
from lanatus.semi.graph._solve import solve_spread

_FEW = 1500  # rows up to which weights are float64
_SOON = 0.5  # alpha up to which rounds on a sparse graph end soon after they have reached every row
_MOST_ROUNDS = 10_000
_MOST_ALPHA = 0.9
_LEAST_TOL = 1e-3
_FAINT = 1e-20  # largest weight of a row that float32 is enough for
_FAINT_SCORE = 10  # how far scores must be above what equations are solved to
_STEEP = 1e4  # gamma |x|^2 from which float32 has too few digits for the differences


@method(
    "semi.label-spreading",
    section="13.4",
    task="classification",
    en="Label spreading",
    zh="迭代式标记传播",
    peers=["scikit-learn:LabelSpreading"],
)
class LabelSpreading(GraphClassifier):
    r"""Labels spread along a graph, each row taking some of its neighbours' and keeping some of its own.

    The rounds :math:`F \leftarrow \alpha S F + (1 - \alpha) Y` with :math:`S = D^{-1/2} W D^{-1/2}` (13.19) end in
    :math:`F^* = (1 - \alpha)(I - \alpha S)^{-1} Y` (13.20), which minimises (13.21) with :math:`\mu = (1 - \alpha) /
    \alpha`. Labels given may be overruled: the larger alpha, the more easily.

    Book: section 13.4, figure 13.5. Cost: the graph, and a few products of its weights with the scores: "rbf" takes
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
    alpha : float, default=0.2
        Share that comes from the neighbours, above 0 and below 1.
    max_iter : int, default=30
        Most rounds of "iterate".
    tol : float, default=1e-3
        "iterate" stops once no score changes by more; "auto" solves the equations to a thousandth of it.
    n_jobs : int or None, default=None
        Threads of the search for neighbours.
    solver : {"auto", "iterate"}, default="auto"
        The equations by Cholesky's factors or conjugate gradients; or round by round, which callbacks can watch.

    Attributes
    ----------
    X_ : ndarray or CSR matrix of shape (n_samples, n_features), the rows
    classes_ : ndarray of shape (n_classes,), the labels
    scores_ : ndarray of shape (n_samples, n_classes), :math:`F^*`
    label_distributions_ : ndarray of shape (n_samples, n_classes), shares of the classes in each row
    transduction_ : ndarray of shape (n_samples,), the class of each row of ``fit``
    class_prior_ : ndarray of shape (n_classes,), shares of the classes among the labelled rows
    n_iter_ : int, steps of conjugate gradients, or rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    With an alpha near 1 and classes of very different sizes the largest one swamps the rest. scikit-learn's "knn"
    keeps edges in one direction only; here they have both. Rows that no path joins to a label get the shares of the
    classes among the labelled rows, with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.semi import LabelSpreading
    >>> path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    >>> model = LabelSpreading(kernel="precomputed", alpha=0.5).fit(path, [0, -1, -1, -1, 1])
    >>> model.scores_[:2].round(6).tolist()
    [[0.577381, 0.005952], [0.218866, 0.016836]]

    References
    ----------
    Zhou, Bousquet, Lal, Weston and Schoelkopf (2004), Learning with local and global consistency.
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float = 20,
        n_neighbors: int = 7,
        alpha: float = 0.2,
        max_iter: int = 30,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        solver: str = "auto",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.solver = solver

    _params = rules_for(__init__, RULES, alpha=Real(above=0, below=1))

    def _solve(self, W: Any, start: np.ndarray, codes: np.ndarray, reached: np.ndarray) -> tuple[np.ndarray, int, bool]:
        root = _root_of_degrees(W)[:, None]
        if sp.issparse(W) and self.alpha <= _SOON:
            return self._settled(W, root, start, reached)

        def dense() -> np.ndarray:
            S = self._spread(W)
            return np.asarray(np.eye(len(codes)) - self.alpha * (S.toarray() if sp.issparse(S) else S))

        def product(f: np.ndarray) -> np.ndarray:
            return np.asarray(f - self.alpha * root * (W @ (root * f).astype(W.dtype)))

        found, steps, converged = solve_spread(
            product,
            np.ones(len(codes)),
            (1 - self.alpha) * start,
            dense=dense,
            tol=self.tol * _EXACT,
        )
        found[~reached] = 0
        if self.alpha <= _SOON and found[reached].sum(axis=1).min(initial=1.0) < _FAINT_SCORE * self.tol * _EXACT:
            return self._settled(W, root, start, reached)
        return np.maximum(found, 0.0), steps, converged

    def _settled(
        self, W: Any, root: np.ndarray, start: np.ndarray, reached: np.ndarray
    ) -> tuple[np.ndarray, int, bool]:
        """Round by round until the scores of each row stand still, be they ever so small.

        With a small alpha scores fall by that factor from edge to edge. What is exact beside the largest score is noise
        many edges away; sums of numbers that are not below 0 keep their digits everywhere.
        """
        own = (1 - self.alpha) * start
        scores = own
        for step in range(1, _MOST_ROUNDS + 1):
            new = self.alpha * root * (W @ (root * scores).astype(W.dtype)) + own
            grown = (new - scores).sum(axis=1)
            scores = new
            if (grown[reached] <= self.tol * _EXACT * new[reached].sum(axis=1)).all():
                return scores, step, True
        return scores, _MOST_ROUNDS, False

    def _spread(self, W: Any) -> Any:
        root = _root_of_degrees(W)
        if sp.issparse(W):
            scale = sp.diags_array(root)
            return sp.csr_array(scale @ W @ scale)
        return root[:, None] * W * root

    def _gaussian_weights(self, rows: Any) -> np.ndarray:
        """Of many rows as float32, where that is exact enough: the equations are well-conditioned unless alpha nears 1.

        Their condition is (1 + alpha) / (1 - alpha) at most.
        """
        few = len(rows) <= _FEW if isinstance(rows, np.ndarray) else True
        if few or self.solver == "iterate" or self.alpha > _MOST_ALPHA or self.tol < _LEAST_TOL:
            return super()._gaussian_weights(rows)
        centred = rows - rows.mean(axis=0, dtype=np.float64)
        if not self.gamma * float(np.einsum("ij,ij->i", centred, centred).max()) < _STEEP:
            return super()._gaussian_weights(rows)
        part = centred.astype(np.float32)
        W = np.asarray(self._gaussian().pairs(part, part))
        W.flat[:: len(W) + 1] = 0
        # A row whose every weight is too small for float32 would have no neighbour.
        return W if W.max(axis=1).min() > _FAINT else super()._gaussian_weights(rows)

    def _step(self, S: Any, scores: np.ndarray, start: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.asarray(self.alpha * (S @ scores) + (1 - self.alpha) * start)


def _root_of_degrees(W: Any) -> np.ndarray:
    if W.dtype == np.float32:  # as a product: a third of the time of sums
        degree = np.asarray(W @ np.ones(W.shape[1], dtype=np.float32), dtype=np.float64)
    else:
        degree = np.asarray(W.sum(axis=1)).ravel()
    return np.asarray(1 / np.sqrt(np.where(degree > 0, degree, 1.0)))
