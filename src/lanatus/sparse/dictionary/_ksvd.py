"""K-SVD."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus._core import sparse as kernels
from lanatus.base import Floats, fitting, threads_of
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import COMMON, Array, Choice, Integer, Nothing, rules_for
from lanatus.sparse.coding._codes import Coder
from lanatus.sparse.coding._encode import CODING_RULES
from lanatus.sparse.dictionary._atoms import drawn_atoms, given_atoms
from lanatus.sparse.dictionary._dictionary_learning import DictionaryCoding


@method(
    "sparse.ksvd",
    section="11.5",
    task="transform",
    en="K-SVD",
    zh="K-SVD",
    peers=["ksvd:ApproximateKSVD", "spams:trainDL"],
)
class KSVD(CallbackSupportMixin, DictionaryCoding):
    r"""K-SVD: rows are coded with a few atoms each, then each atom and its weights are fitted anew together.

    :math:`\min \lVert X - BA \rVert_F^2` with at most s entries a code. For atom i,
    :math:`\lVert X - BA \rVert_F^2 = \lVert E_i - b_i \alpha^i \rVert_F^2` (11.18), where
    :math:`E_i = X - \sum_{j \ne i} b_j \alpha^j` over the rows that use it; its best rank-one approximation is the new
    :math:`b_i \alpha^i`, which keeps the zeros where they are.

    Book: section 11.5; the sentence after (11.18) leaves out "X -" in :math:`E_i`. Kernel: ``cpp/sparse/atoms.hpp``.
    Cost: a round :math:`O(ndk + nks^2 + nsd)`, and :math:`O(nsd)` a power step.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms, k; None is the number of columns.
    max_iter : int, default=30
        Rounds.
    tol : float, default=1e-6
        Stop when the squared error falls by no more than this share of it.
    n_nonzero_coefs : int or None, default=None
        Most atoms of a code, s; None is a tenth of the columns, at least one.
    svd : {"exact", "approximate"}, default="exact"
        "exact" finds the rank-one approximation by power steps until they stand still, "approximate" takes one such
        step, which costs less and mostly comes as far.
    dict_init : array of shape (n_components, n_features) or None, default=None
        Atoms to begin with; None draws rows.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        How ``transform`` codes, as `algorithm` of `sparse_encode`.
    transform_alpha : float or None, default=None
        As `alpha` of `sparse_encode`.
    transform_max_iter : int, default=1000
        Most rounds of coordinate descent in ``transform``.
    n_jobs : int or None, default=None
        Threads; None means all.
    random_state : int, RandomState or None, default=None
        Draws rows to begin with.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the atoms, of length one
    error_ : list of float, the squared error after each round
    n_iter_ : int, rounds
    n_unused_ : int, atoms that no row used in the last round
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    An atom that no row uses, and one that is all but the same as another, begin anew at the row that is coded worst.
    The codes of the last round may be worse than those of the round before, for the pursuit is greedy; the squared
    error then ends the search.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import KSVD
    >>> rng = np.random.default_rng(0)
    >>> atoms = rng.normal(size=(6, 10))
    >>> X = np.eye(6)[rng.integers(6, size=200)] @ atoms * rng.normal(size=(200, 1))
    >>> model = KSVD(6, n_nonzero_coefs=1, random_state=0).fit(X)
    >>> bool(model.error_[-1] < 0.2 * np.sum(X**2))
    True

    References
    ----------
    Aharon, Elad and Bruckstein (2006), K-SVD, IEEE Transactions on Signal Processing 54.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}
    alpha = 1.0
    split_sign = False
    positive_code = False

    def __init__(
        self,
        n_components: int | None = None,
        *,
        max_iter: int = 30,
        tol: float = 1e-6,
        n_nonzero_coefs: int | None = None,
        svd: str = "exact",
        dict_init: Any = None,
        transform_algorithm: str = "omp",
        transform_alpha: float | None = None,
        transform_max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.n_nonzero_coefs = n_nonzero_coefs
        self.svd = svd
        self.dict_init = dict_init
        self.transform_algorithm = transform_algorithm
        self.transform_alpha = transform_alpha
        self.transform_max_iter = transform_max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON | CODING_RULES,
        n_components=Integer(low=1) | Nothing(),
        n_nonzero_coefs=Integer(low=1) | Nothing(),
        svd=Choice("exact", "approximate"),
        dict_init=Array(ndim=2) | Nothing(),
    )

    @property
    def transform_n_nonzero_coefs(self) -> int | None:  # type: ignore[override]
        """Most atoms of a code."""
        return self.n_nonzero_coefs

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the atoms.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        self
        """
        rows = self._take(X, reset=True)
        data = np.ascontiguousarray(rows, dtype=np.float64)
        rng = check_random_state(self.random_state)
        k = data.shape[1] if self.n_components is None else int(self.n_components)
        D = drawn_atoms(data, k, rng) if self.dict_init is None else given_atoms(self.dict_init, data.shape[1], k)
        coder = Coder("omp", None, self.n_nonzero_coefs)
        power = 1 if self.svd == "approximate" else 200
        progress = Progress(self, X, max_iter=self.max_iter)
        self.error_, error, best = [], np.inf, D.copy()
        with threads_of(self.n_jobs), threadpool_limits(1, user_api="blas"):  # products are small
            for step in progress.iterations():
                S = coder.encode(data, D)
                R = data - S @ D
                self.n_unused_ = kernels.update_atoms(R, S, D, power=power)
                before, error = error, float(np.einsum("ij,ij->", R, R))
                if error < before:
                    best = D.copy()
                self.error_.append(min(error, before))
                self.n_iter_ = step.number + 1
                attributes = {"components_": D.astype(rows.dtype), "schema_": self.schema_}
                step.done(state=dict, attributes=attributes.copy)
                settled = step.number > 0 and before - error <= self.tol * before
                if step.stop or settled or error <= 1e-28 * float(np.sum(data**2)):
                    break
                _renew(D, S, R, data)
        self.components_ = best.astype(rows.dtype)
        progress.finish({"components_": self.components_})
        return self


def _renew(D: np.ndarray, S: np.ndarray, R: np.ndarray, X: np.ndarray) -> None:
    """Put rows that are coded worst in place of atoms that no row uses or that stand twice."""
    alike = np.triu(np.abs(D @ D.T) > 0.999, k=1).any(axis=0)
    idle = np.flatnonzero(alike | ~(S != 0).any(axis=0))
    if not len(idle):
        return
    worst = np.argsort(-np.einsum("ij,ij->i", R, R), kind="stable")[: len(idle)]
    for j, row in zip(idle, worst, strict=False):
        length = np.linalg.norm(X[row])
        if length > 0 and R[row] @ R[row] > 1e-20 * length**2:
            D[j] = X[row] / length
