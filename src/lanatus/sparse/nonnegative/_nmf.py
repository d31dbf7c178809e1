"""Non-negative matrix factorisation."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, check_random_state
from threadpoolctl import threadpool_limits

from lanatus.base import Floats, Number, Takes, Transformer, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.params import COMMON, Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.sparse.nonnegative._divergence import BETAS, beta_of, divergence
from lanatus.sparse.nonnegative._solve import Report, Shrinkage, by_coordinates, by_multiplication
from lanatus.sparse.nonnegative._start import STARTS, first_factors

NMF_RULES = {
    "n_components": Integer(low=1) | Choice("auto") | Nothing(),
    "init": Choice(*STARTS, "custom") | Nothing(),
    "beta_loss": Choice(*BETAS) | Real(),
    "alpha_W": Real(low=0),
    "alpha_H": Real(low=0) | Choice("same"),
    "l1_ratio": Real(low=0, high=1),
}


def require_nonnegative(X: Any, name: str) -> None:
    """ValueError for numbers below zero."""
    values = X.data if sp.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {name}: the least is {values.min():.4g}; wanted zero or more."
        )


def shrinkage_of(model: Any, n: int, d: int) -> Shrinkage:
    """The penalties, which grow with what the other factor is fitted to."""
    alpha_H = model.alpha_W if model.alpha_H == "same" else model.alpha_H
    W, H = d * model.alpha_W, n * alpha_H
    return Shrinkage(W * model.l1_ratio, H * model.l1_ratio, W * (1 - model.l1_ratio), H * (1 - model.l1_ratio))


def refuse_solver(solver: str, beta_loss: Any, X: Any) -> None:
    """ValueError where solver and loss, or loss and data, do not go together."""
    beta = beta_of(beta_loss)
    if solver == "cd" and beta != 2:
        raise ValueError(
            f"Invalid beta_loss parameter: solver 'cd' does not handle beta_loss = {beta_loss!r}; take solver='mu'."
        )
    if beta <= 0 and X is not None and (sp.issparse(X) or float(np.min(X)) == 0):
        raise ValueError(
            "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add small values "
            "to X, or use a positive beta_loss."
        )


@method(
    section="11.5",
    task="transform",
    en="Non-negative matrix factorisation (NMF)",
    zh="非负矩阵分解",
    peers=["scikit-learn:NMF"],
)
class NMF(CallbackSupportMixin, Transformer):
    r"""Non-negative matrix factorisation: rows as sums of parts, nothing ever subtracted.

    Minimises :math:`\frac12 \lVert X - W H \rVert_F^2` over :math:`W, H \ge 0`, or another beta divergence, plus
    :math:`\alpha_W d\,(\rho\lVert W \rVert_1 + \frac{1-\rho}{2}\lVert W \rVert_F^2)` and the same of H with
    :math:`\alpha_H n`.

    Book: section 11.5, as a dictionary without signs. Kernel: ``cpp/sparse/nonnegative.hpp``. Cost: a round
    :math:`O(ndk + (n + d)k^2)`; of sparse X its entries instead of nd.

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        Number of parts, k; "auto" and None are the number of columns.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"} or None, default=None
        Where factors begin: drawn, or from singular vectors, with zeros as they are, as the mean, or as small random
        numbers; "custom" takes those given to ``fit_transform``. None is "nndsvda", and "random" for many parts.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent, or multiplicative updates, which know all losses.
    beta_loss : float or {"frobenius", "kullback-leibler", "itakura-saito"}, default="frobenius"
        The divergence; for "mu" any.
    tol : float, default=1e-4
        Stop at this share of what the first round moved ("cd"), or fell ("mu").
    max_iter : int, default=200
        Most rounds.
    random_state : int, RandomState or None, default=None
        Draws the start, and the order of `shuffle`.
    alpha_W : float, default=0.0
        Strength of the penalty of W.
    alpha_H : float or "same", default="same"
        Strength of the penalty of H; "same" is `alpha_W`.
    l1_ratio : float, default=0.0
        How much of the penalty is the sum of entries, the rest of their squares.
    verbose : int, default=0
        Whether each round is told.
    shuffle : bool, default=False
        Whether "cd" takes the parts in a random order.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), H, a part in each row
    n_components_ : int, number of parts
    reconstruction_err_ : float, root of twice the divergence: for "frobenius" :math:`\lVert X - WH \rVert_F`
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    From the same start "cd" takes the same steps as scikit-learn. A part that nothing uses stays zero.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import NMF
    >>> X = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0])
    >>> model = NMF(1, random_state=0)
    >>> W = model.fit_transform(X)
    >>> np.abs(W @ model.components_ - X).max() < 1e-6
    np.True_

    References
    ----------
    Lee and Seung (1999), Learning the parts of objects. Cichocki and Phan (2009), Fast local algorithms for large scale
    nonnegative matrix and tensor factorizations. Fevotte and Idier (2011), Algorithms for nonnegative matrix
    factorization with the beta-divergence.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar = {
        "components_": Floats("components", "columns", low=0),
        "reconstruction_err_": Number(),
    }

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        init: str | None = None,
        solver: str = "cd",
        beta_loss: Any = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle

    _params = rules_for(__init__, COMMON | NMF_RULES, solver=Choice("cd", "mu"), shuffle=Flag())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, *, W: Any = None, H: Any = None) -> Self:
        """Learn the parts.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, zero or more.
        y : ignored
            There by convention.
        W, H : array, optional
            Where "custom" begins.

        Returns
        -------
        self
        """
        self._learn(X, W, H)
        return self

    @fitting
    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> np.ndarray:
        """Learn the parts, and give how much of each is in each row.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows, zero or more.
        y : ignored
            There by convention.
        W, H : array, optional
            Where "custom" begins.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            W.
        """
        return self._learn(X, W, H)

    def _learn(self, X: Any, W: Any, H: Any) -> np.ndarray:
        rows = self._take(X, reset=True)
        require_nonnegative(rows, "NMF (input X)")
        refuse_solver(self.solver, self.beta_loss, rows)
        data = rows.astype(np.float64, copy=False)
        rng = check_random_state(self.random_state)
        n, d = data.shape
        k = d if self.n_components in ("auto", None) else int(self.n_components)
        if self.n_components == "auto" and self.init == "custom" and H is not None:
            k = len(H)
        if self.init == "custom":
            W, H = given_factor(W, (n, k), "W"), given_factor(H, (k, d), "H")
        else:
            with threadpool_limits(1, user_api="blas"):
                W, H = first_factors(data, k, self.init, rng)
        progress = Progress(self, X, max_iter=self.max_iter)
        steps = iter(progress.iterations())

        def report(done: int, W: np.ndarray, H: np.ndarray) -> bool:
            step = next(steps, None)
            if self.verbose:
                tell(f"NMF: round {done}")
            if step is None:
                return True
            step.done(state=dict, attributes=lambda: {"components_": H.astype(rows.dtype), "schema_": self.schema_})
            return bool(step.stop)

        self.n_iter_ = self._solve(data, W, H, update_H=True, rng=rng, report=report)
        if self.n_iter_ == self.max_iter and self.tol > 0:
            warn_unconverged(self)
        self.components_, self.n_components_ = H.astype(rows.dtype), len(H)
        self.reconstruction_err_ = float(np.sqrt(2 * divergence(data, W, H, beta_of(self.beta_loss))))
        progress.finish({"components_": self.components_})
        return np.asarray(W.astype(rows.dtype))

    def _solve(self, X: Any, W: np.ndarray, H: np.ndarray, *, update_H: bool, rng: Any, report: Report) -> int:
        shrink = shrinkage_of(self, *X.shape)
        how: dict[str, Any] = {"update_H": update_H, "tol": self.tol, "max_iter": self.max_iter, "report": report}
        if self.solver == "cd":
            # The kernel has the threads; between its rounds those of BLAS would only be in its way.
            with threadpool_limits(1, user_api="blas"):
                return by_coordinates(X, W, H, shrink, rng=rng if self.shuffle else None, **how)
        beta = beta_of(self.beta_loss)
        return by_multiplication(
            X, W, H, shrink, beta, value=lambda W, H: float(np.sqrt(2 * divergence(X, W, H, beta))), **how
        )

    def transform(self, X: Any) -> np.ndarray:
        """How much of each part is in each row."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        require_nonnegative(rows, "NMF (input X)")
        data = rows.astype(np.float64, copy=False)
        H = self.components_.astype(np.float64)
        k = len(H)
        W = np.zeros((data.shape[0], k))
        if self.solver == "mu":
            W[:] = np.sqrt(max(float(data.mean()), 0.0) / k)
        rng = check_random_state(self.random_state) if self.shuffle else None
        self._solve(data, W, H, update_H=False, rng=rng, report=lambda done, W, H: False)
        return np.asarray(W.astype(rows.dtype))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows made of so much of each part."""
        check_is_fitted(self)
        W = check_array(X, dtype=[np.float64, np.float32], accept_sparse="csr")
        return np.asarray(W @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)


def given_factor(given: Any, shape: tuple[int, int], name: str) -> np.ndarray:
    """A factor that the user gave to begin with."""
    if given is None:
        raise ValueError(f"init='custom' needs {name} of shape {shape}; pass it to fit or fit_transform.")
    F = check_array(given, dtype=np.float64, copy=True, order="C", input_name=name)
    if F.shape != shape:
        raise ValueError(f"Array with wrong shape passed to NMF (input {name}). Expected {shape}, but got {F.shape}.")
    require_nonnegative(F, f"NMF (input {name})")
    if not F.any():
        raise ValueError(f"Array passed to NMF (input {name}) is full of zeros.")
    return np.asarray(F)


def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: Any = "auto",
    *,
    init: str | None = None,
    update_H: bool = True,
    solver: str = "cd",
    beta_loss: Any = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: Any = "same",
    l1_ratio: float = 0.0,
    random_state: Any = None,
    verbose: int = 0,
    shuffle: bool = False,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Non-negative factors of X by a function; see `NMF`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows, zero or more.
    W, H : array, optional
        Where factors begin with ``init="custom"``; with ``update_H=False`` H is the one that stays.
    n_components : int, "auto" or None, default="auto"
        Number of parts.
    init : str or None, default=None
        As in `NMF`.
    update_H : bool, default=True
        Whether the parts are learned; otherwise only W is.
    solver : {"cd", "mu"}, default="cd"
        As in `NMF`.
    beta_loss : float or str, default="frobenius"
        As in `NMF`.
    tol : float, default=1e-4
        As in `NMF`.
    max_iter : int, default=200
        Most rounds.
    alpha_W : float, default=0.0
        Strength of the penalty of W.
    alpha_H : float or "same", default="same"
        Strength of the penalty of H.
    l1_ratio : float, default=0.0
        How much of the penalty is the sum of entries.
    random_state : int, RandomState or None, default=None
        Draws the start.
    verbose : int, default=0
        Whether each round is told.
    shuffle : bool, default=False
        Whether "cd" takes the parts in a random order.

    Returns
    -------
    W, H : ndarray
        The factors.
    n_iter : int
        Rounds.
    """
    model = NMF(
        n_components, init=init, solver=solver, beta_loss=beta_loss, tol=tol, max_iter=max_iter, alpha_W=alpha_W,
        alpha_H=alpha_H, l1_ratio=l1_ratio, random_state=random_state, verbose=verbose, shuffle=shuffle,
    )  # fmt: skip
    if update_H:
        left = model.fit_transform(X, W=W, H=H)
        return left, model.components_, model.n_iter_
    rows = model._take(X, reset=True)
    parts = check_array(H, dtype=[np.float64, np.float32], input_name="H")
    if parts.shape[1] != rows.shape[1]:
        raise ValueError(f"H has {parts.shape[1]} columns, X has {rows.shape[1]}; wanted as many.")
    require_nonnegative(parts, "NMF (input H)")
    model.components_, model.n_components_ = np.asarray(parts), len(parts)
    return model.transform(X), np.asarray(parts), max_iter
