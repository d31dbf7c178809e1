"""Dictionary learning by turns of codes and atoms."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus.base import Floats, check_is_fitted, fitting, threads_of, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.params import COMMON, Array, Choice, Flag, Function, Integer, Nothing, Real, rules_for
from lanatus.sparse.coding._codes import Coder, Groups
from lanatus.sparse.coding._encode import CODING_RULES, _Coding, refuse_positive
from lanatus.sparse.dictionary._atoms import first_atoms, given_atoms, squared_error, update_atoms

GROUPS = Integer(low=1) | Array(ndim=1) | Nothing()


class DictionaryCoding(_Coding):
    """Base of learned dictionaries: rows to codes and back by `components_`."""

    alpha: float

    def transform(self, X: Any) -> np.ndarray:
        """The code of each row."""
        check_is_fitted(self)
        alpha = self.transform_alpha
        if alpha is None and self.transform_algorithm != "omp":
            alpha = self.alpha
        return self._encode(X, self.components_, alpha)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that have these codes, atoms times weights."""
        check_is_fitted(self)
        return self._decode(X, self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) * (2 if self.split_sign else 1)


@method(
    "sparse.dictionary-learning",
    "sparse.group-sparse-coding",
    section="11.5",
    task="transform",
    en="Dictionary learning (sparse coding)",
    zh="字典学习",
    peers=["scikit-learn:DictionaryLearning", "spams:trainDL"],
)
class DictionaryLearning(CallbackSupportMixin, DictionaryCoding):
    r"""Dictionary learning: atoms such that few of them make up each row.

    Minimises :math:`\frac12 \sum_i \lVert x_i - B\alpha_i \rVert_2^2 + \lambda \sum_i \lVert \alpha_i \rVert_1`
    (11.15) over codes and over atoms no longer than one, by turns: each row's code (11.16), then atom after atom
    (11.17). The book's :math:`\lambda` is twice this one, for it has no half.

    Book: section 11.5, exercise 11.10. Cost: a round :math:`O(ndk + nks + k^2 d)` with s atoms in use.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms, k; None is the number of columns.
    alpha : float, default=1
        The penalty.
    max_iter : int, default=1000
        Most rounds.
    tol : float, default=1e-8
        Stop when the objective falls by no more than this share of it.
    fit_algorithm : {"lars", "cd"}, default="lars"
        How codes are found while learning: by least angles, or by coordinate descent from those of the round before.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        How ``transform`` codes, as `algorithm` of `sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Most entries of a code for "lars" and "omp"; None is a tenth of the columns.
    transform_alpha : float or None, default=None
        As `alpha` of `sparse_encode`; None is `alpha`, but for "omp".
    n_jobs : int or None, default=None
        Threads; None means all.
    code_init : array of shape (n_samples, n_components) or None, default=None
        Codes to begin with.
    dict_init : array of shape (n_components, n_features) or None, default=None
        Atoms to begin with; None takes the main directions of X, and drawn rows beyond their number.
    callback : callable or None, default=None
        Called in every fifth round with a dict of local values, as in scikit-learn.
    verbose : bool, default=False
        Whether each round is told.
    split_sign : bool, default=False
        Whether what is above and what is below zero become columns of their own.
    random_state : int, RandomState or None, default=None
        Draws the start, and rows in place of atoms that nobody uses.
    positive_code : bool, default=False
        Whether codes must not be below zero.
    positive_dict : bool, default=False
        Whether atoms must not be below zero.
    transform_max_iter : int, default=1000
        Most rounds of coordinate descent in ``transform``.
    penalty : {"l1", "group"}, default="l1"
        "group" has :math:`\lambda \sum_g \sqrt{p_g} \lVert \alpha_g \rVert_2` instead (exercise 11.10): the atoms of a
        group are used together or not at all.
    groups : int, array of shape (n_components,) or None, default=None
        For "group": a label for each atom, or how many atoms in a row are one.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the atoms
    error_ : list of float, the objective after each round
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The objective does not change when an atom is stretched and its weights shrink but for the penalty, so that atoms
    are held to length one. Rows are not centred. With "group", ``transform`` uses the group penalty too, if its
    algorithm is "lasso_cd".

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import DictionaryLearning
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3)) * (rng.random((50, 3)) < 0.4) @ rng.normal(size=(3, 8))
    >>> model = DictionaryLearning(3, alpha=0.1, random_state=0, max_iter=50, tol=1e-4).fit(X)
    >>> bool(np.mean((X - model.inverse_transform(model.transform(X))) ** 2) < 0.5 * np.mean(X**2))
    True

    References
    ----------
    Mairal, Bach, Ponce and Sapiro (2009), Online dictionary learning for sparse coding. Bengio, Pereira, Singer and
    Strelow (2009), Group sparse coding.
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1,
        max_iter: int = 1000,
        tol: float = 1e-8,
        fit_algorithm: str = "lars",
        transform_algorithm: str = "omp",
        transform_n_nonzero_coefs: int | None = None,
        transform_alpha: float | None = None,
        n_jobs: int | None = None,
        code_init: Any = None,
        dict_init: Any = None,
        callback: Any = None,
        verbose: bool = False,
        split_sign: bool = False,
        random_state: Any = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        transform_max_iter: int = 1000,
        penalty: str = "l1",
        groups: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_algorithm = fit_algorithm
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.code_init = code_init
        self.dict_init = dict_init
        self.callback = callback
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.penalty = penalty
        self.groups = groups

    _params = rules_for(
        __init__,
        COMMON | CODING_RULES,
        n_components=Integer(low=1) | Nothing(),
        alpha=Real(low=0),
        fit_algorithm=Choice("lars", "cd"),
        code_init=Array(ndim=2) | Nothing(),
        dict_init=Array(ndim=2) | Nothing(),
        callback=Function() | Nothing(),
        positive_dict=Flag(),
        penalty=Choice("l1", "group"),
        groups=GROUPS,
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
        self._learn(X)
        return self

    @fitting
    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn the atoms, and code the rows with them.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The codes, by `transform_algorithm`.
        """
        self._learn(X)
        return self.transform(X)

    def _learn(self, X: Any) -> None:
        refuse_positive(self.transform_algorithm, self.positive_code)
        rows = self._take(X, reset=True)
        data = rows.astype(np.float64)
        rng = check_random_state(self.random_state)
        D, S = self._start(data, rng)
        progress = Progress(self, X, max_iter=self.max_iter)
        coder, groups = self._coder(len(D))
        penalty = self._penalty(groups)
        self.error_, value = [], np.inf
        with threads_of(self.n_jobs), threadpool_limits(1, user_api="blas"):  # products are small
            for step in progress.iterations():
                S = coder.encode(data, D, start=S)
                update_atoms(D, S.T @ S, S.T @ data, data, rng, self.positive_dict)
                before, value = value, 0.5 * squared_error(data, S, D) + penalty(S)
                self.error_.append(value)
                if self.verbose:
                    tell(f"DictionaryLearning: round {step.number + 1}, objective {value:.6g}")
                if self.callback is not None and step.number % 5 == 0:
                    self.callback({"ii": step.number, "dictionary": D, "code": S, "errors": self.error_})
                self._keep(D, rows.dtype, step.number + 1)
                attributes = {"components_": self.components_, "schema_": self.schema_, "n_iter_": self.n_iter_}
                step.done(state=dict, attributes=attributes.copy)
                if step.stop or before - value <= self.tol * abs(value):
                    break
            else:
                if self.max_iter > 1 and self.tol > 0:
                    warn_unconverged(self)
        progress.finish({"components_": self.components_})

    def _keep(self, D: np.ndarray, dtype: Any, n_iter: int) -> None:
        self.components_, self.n_iter_ = D.astype(dtype), n_iter

    def _start(self, X: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        k = X.shape[1] if self.n_components is None else int(self.n_components)
        if self.dict_init is not None:
            D = given_atoms(self.dict_init, X.shape[1], self.n_components)
            S = np.zeros((len(X), len(D)))
        else:
            D, S = first_atoms(X, k, rng)
        if self.positive_dict:
            D = np.abs(D)
        if self.code_init is not None:
            S = np.array(self.code_init, dtype=np.float64, order="C")
            if S.shape != (len(X), len(D)):
                raise ValueError(f"code_init has shape {S.shape}; wanted {(len(X), len(D))}, a code for each row.")
        return D, np.maximum(S, 0) if self.positive_code else S

    def _coder(self, k: int) -> tuple[Coder, Groups | None]:
        if self.penalty == "l1":
            algorithm = "lasso_cd" if self.fit_algorithm == "cd" else "lasso_lars"
            return Coder(algorithm, self.alpha, None, self.positive_code, tol=1e-6), None
        if self.positive_code:
            raise ValueError("penalty='group' does not know codes above zero only; take positive_code=False.")
        if self.groups is None:
            raise ValueError("penalty='group' needs groups: a label for each atom, or how many atoms make one.")
        groups = Groups.of(self.groups, k)
        return Coder("lasso_cd", self.alpha, None, False, tol=1e-6, groups=groups), groups

    def _penalty(self, groups: Groups | None) -> Any:
        if groups is None:
            return lambda S: self.alpha * float(np.abs(S).sum())
        root = np.sqrt(groups.sizes)

        def value(S: np.ndarray) -> float:
            squares = np.add.reduceat(S[:, groups.order] ** 2, groups.begin[:-1], axis=1)
            return self.alpha * float((np.sqrt(squares) @ root).sum())

        return value

    def _encode(self, X: Any, D: np.ndarray, alpha: float | None) -> np.ndarray:
        if self.penalty == "l1" or self.transform_algorithm != "lasso_cd" or self.split_sign:
            return super()._encode(X, D, alpha)
        rows = self._take(X, reset=False)
        strength = self.alpha if alpha is None else alpha
        coder = Coder("lasso_cd", strength, None, False, self.transform_max_iter, groups=Groups.of(self.groups, len(D)))
        with threads_of(self.n_jobs), threadpool_limits(1, user_api="blas"):  # products are small
            return np.asarray(coder.encode(rows, D.astype(np.float64)).astype(rows.dtype))
