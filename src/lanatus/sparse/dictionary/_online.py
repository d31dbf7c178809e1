"""Dictionary learning by batches of rows."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus.base import Floats, fitting, threads_of
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.params import COMMON, Array, Choice, Flag, Function, Integer, Nothing, Real, rules_for
from lanatus.sparse.coding._codes import Coder, gram_of
from lanatus.sparse.coding._encode import CODING_RULES, refuse_positive
from lanatus.sparse.dictionary._atoms import first_atoms, given_atoms, update_atoms
from lanatus.sparse.dictionary._dictionary_learning import DictionaryCoding


@method(
    "sparse.dictionary-learning",
    section="11.5",
    task="transform",
    en="Dictionary learning, online",
    zh="在线字典学习",
    peers=["scikit-learn:MiniBatchDictionaryLearning", "spams:trainDL"],
)
class MiniBatchDictionaryLearning(CallbackSupportMixin, DictionaryCoding):
    r"""Dictionary learning by batches: codes of some rows, then a step of the atoms by all codes so far.

    :math:`\min \frac12 \sum_i \lVert x_i - B\alpha_i \rVert_2^2 + \lambda \sum_i \lVert \alpha_i \rVert_1` (11.15); of
    the rows seen only :math:`A = \sum \alpha\alpha^\top` and :math:`\sum x\alpha^\top` are kept; in ``fit`` those of
    the last round count, in ``partial_fit`` all.

    Book: section 11.5. Cost: a batch of b rows :math:`O(bdk + bks + k^2 d)` with s atoms in use.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms, k; None is the number of columns.
    alpha : float, default=1
        The penalty.
    max_iter : int, default=1000
        Most rounds over the rows.
    fit_algorithm : {"lars", "cd"}, default="lars"
        How codes are found while learning: by least angles or by coordinate descent.
    n_jobs : int or None, default=None
        Threads; None means all.
    batch_size : int, default=256
        Rows of a batch.
    shuffle : bool, default=True
        Whether rows are put in a random order before they are cut into batches.
    dict_init : array of shape (n_components, n_features) or None, default=None
        Atoms to begin with; None takes the main directions of X, and drawn rows beyond their number.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        How ``transform`` codes, as `algorithm` of `sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Most entries of a code for "lars" and "omp"; None is a tenth of the columns.
    transform_alpha : float or None, default=None
        As `alpha` of `sparse_encode`; None is `alpha`, but for "omp".
    verbose : bool, default=False
        Whether each round is told.
    split_sign : bool, default=False
        Whether what is above and what is below zero become columns of their own.
    random_state : int, RandomState or None, default=None
        Draws the start, the order, and rows in place of atoms that nobody uses.
    positive_code : bool, default=False
        Whether codes must not be below zero.
    positive_dict : bool, default=False
        Whether atoms must not be below zero.
    transform_max_iter : int, default=1000
        Most rounds of coordinate descent in ``transform``.
    callback : callable or None, default=None
        Called after each batch with a dict of local values.
    tol : float, default=0.001
        Stop when the atoms of two rounds differ by no more than this share of their size; 0 for no such stop.
    max_no_improvement : int or None, default=10
        Stop after so many batches in a row without a better mean objective, smoothed; None for no such stop.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the atoms
    n_iter_ : int, rounds over the rows
    n_steps_ : int, batches
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import MiniBatchDictionaryLearning
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3)) * (rng.random((300, 3)) < 0.4) @ rng.normal(size=(3, 8))
    >>> model = MiniBatchDictionaryLearning(3, alpha=0.1, batch_size=50, max_iter=10, random_state=0).fit(X)
    >>> model.components_.shape
    (3, 8)

    References
    ----------
    Mairal, Bach, Ponce and Sapiro (2009), Online dictionary learning for sparse coding.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1,
        max_iter: int = 1000,
        fit_algorithm: str = "lars",
        n_jobs: int | None = None,
        batch_size: int = 256,
        shuffle: bool = True,
        dict_init: Any = None,
        transform_algorithm: str = "omp",
        transform_n_nonzero_coefs: int | None = None,
        transform_alpha: float | None = None,
        verbose: bool = False,
        split_sign: bool = False,
        random_state: Any = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        transform_max_iter: int = 1000,
        callback: Any = None,
        tol: float = 0.001,
        max_no_improvement: int | None = 10,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.fit_algorithm = fit_algorithm
        self.n_jobs = n_jobs
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.dict_init = dict_init
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.callback = callback
        self.tol = tol
        self.max_no_improvement = max_no_improvement

    _params = rules_for(
        __init__,
        COMMON | CODING_RULES,
        n_components=Integer(low=1) | Nothing(),
        alpha=Real(low=0),
        fit_algorithm=Choice("lars", "cd"),
        batch_size=Integer(low=1),
        shuffle=Flag(),
        dict_init=Array(ndim=2) | Nothing(),
        positive_dict=Flag(),
        callback=Function() | Nothing(),
        max_no_improvement=Integer(low=0) | Nothing(),
    )

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
        data = rows.astype(np.float64)
        rng = check_random_state(self.random_state)
        self._begin(data, rng)
        order = rng.permutation(len(data)) if self.shuffle else np.arange(len(data))
        data = data[order]
        progress = Progress(self, X, max_iter=self.max_iter)
        watch = _Plateau(self.max_no_improvement)
        horizon = max(len(data) / self.batch_size, 3.0)  # codes of the round before are by atoms of the round before
        self.n_steps_ = 0
        with threads_of(self.n_jobs), threadpool_limits(1, user_api="blas"):  # products are small
            for step in progress.iterations():
                before, over = self._D.copy(), False
                for begin in range(0, len(data), self.batch_size):
                    objective = self._batch(data[begin : begin + self.batch_size], rng, horizon)
                    over = watch.over(objective, self.batch_size / len(data))
                    if over and step.number > 0:
                        break
                self.components_, self.n_iter_ = self._D.astype(rows.dtype), step.number + 1
                if self.verbose:
                    tell(f"MiniBatchDictionaryLearning: round {step.number + 1}, mean objective {watch.mean:.6g}")
                attributes = {"components_": self.components_, "schema_": self.schema_}
                step.done(state=dict, attributes=attributes.copy)
                moved = np.linalg.norm(self._D - before) <= self.tol * np.linalg.norm(before)
                if step.stop or (over and step.number > 0) or (self.tol > 0 and moved):
                    break
        progress.finish({"components_": self.components_})
        del self._D, self._A, self._B
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take one step by some more rows.

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
        first = not hasattr(self, "components_")
        rows = self._take(X, reset=first)
        data = rows.astype(np.float64)
        rng = check_random_state(self.random_state)
        if first:
            self._begin(data, rng)
            self.n_steps_ = 0
        elif not hasattr(self, "_A"):  # after fit
            self._D = self.components_.astype(np.float64)
            self._A, self._B = np.zeros((len(self._D),) * 2), np.zeros(self._D.shape)
        else:
            self._D, self._A, self._B = self._D.copy(), self._A.copy(), self._B.copy()
        with threads_of(self.n_jobs), threadpool_limits(1, user_api="blas"):  # products are small
            self._batch(data, rng)
        self.components_, self.n_iter_ = self._D.astype(rows.dtype), 1
        return self

    def _begin(self, X: np.ndarray, rng: np.random.RandomState) -> None:
        refuse_positive(self.transform_algorithm, self.positive_code)
        k = X.shape[1] if self.n_components is None else int(self.n_components)
        given = self.dict_init
        self._D = first_atoms(X, k, rng)[0] if given is None else given_atoms(given, X.shape[1], self.n_components)
        if self.positive_dict:
            self._D = np.abs(self._D)
        self._A, self._B = np.zeros((len(self._D),) * 2), np.zeros(self._D.shape)

    def _batch(self, X: np.ndarray, rng: np.random.RandomState, horizon: float = np.inf) -> float:
        """One step; the mean objective of its rows. What is `horizon` steps old counts little."""
        algorithm = "lasso_cd" if self.fit_algorithm == "cd" else "lasso_lars"
        coder = Coder(algorithm, self.alpha, None, self.positive_code, tol=1e-5)
        S = coder.encode(X, self._D, gram_of(self._D))
        rest = X - S @ self._D
        objective = (0.5 * np.einsum("ij,ij->", rest, rest) + self.alpha * np.abs(S).sum()) / len(X)
        self.n_steps_ += 1
        kept = 1 - 1 / min(self.n_steps_, horizon)
        self._A = kept * self._A + S.T @ S / len(X)
        self._B = kept * self._B + S.T @ X / len(X)
        update_atoms(self._D, self._A, self._B, X, rng, self.positive_dict)
        if self.callback is not None:
            self.callback({"n_steps": self.n_steps_, "dictionary": self._D, "code": S})
        return float(objective)


class _Plateau:
    """Whether a smoothed objective has not become better for some batches."""

    def __init__(self, patience: int | None) -> None:
        self.patience, self.mean, self.best, self.since = patience, np.nan, np.inf, 0

    def over(self, objective: float, share: float) -> bool:
        weight = min(2 * share, 1.0)
        self.mean = objective if np.isnan(self.mean) else (1 - weight) * self.mean + weight * objective
        better = self.mean < self.best
        self.best, self.since = min(self.best, self.mean), 0 if better else self.since + 1
        return self.patience is not None and self.since >= self.patience
