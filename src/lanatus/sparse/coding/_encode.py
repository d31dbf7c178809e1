"""Sparse codes of rows for a dictionary, by a function and by an estimator."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from lanatus.base import Floats, Transformer, check_is_fitted, fitting, threads_of
from lanatus.catalog import method
from lanatus.params import Array, Choice, Flag, Integer, Nothing, Real, check_choice, rules_for
from lanatus.sparse.coding._codes import ALGORITHMS, Coder


@method(
    "sparse.sparse-coding-step",
    section="11.5",
    task="transform",
    en="Sparse codes for a dictionary",
    zh="固定字典的稀疏编码",
    peers=["scikit-learn:sparse_encode", "spams:lasso"],
)
def sparse_encode(
    X: Any,
    dictionary: Any,
    *,
    gram: Any = None,
    cov: Any = None,
    algorithm: str = "lasso_lars",
    n_nonzero_coefs: int | None = None,
    alpha: float | None = None,
    copy_cov: bool = True,
    init: Any = None,
    max_iter: int = 1000,
    n_jobs: int | None = None,
    check_input: bool = True,
    verbose: int = 0,
    positive: bool = False,
    sparse_output: bool = False,
) -> Any:
    r"""Codes of the rows of X, of which few entries are not zero, for a dictionary that stays as it is.

    Each row has the code :math:`\min_\alpha \frac12 \lVert x - B\alpha \rVert^2 + \lambda \lVert \alpha \rVert_1`, the
    book's (11.16) but for the factor of a half: its :math:`\lambda` is twice this one.

    Book: section 11.5; that (11.16) has no cross terms, as the text says, holds for atoms at right angles only. Cost:
    :math:`O(ndk)` for products, and :math:`O(k s)` a step with s atoms in use.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows.
    dictionary : array of shape (n_components, n_features)
        The atoms, one a row; of length one for the names to mean what they say.
    gram : array of shape (n_components, n_components), optional
        Products of the atoms, where they are known.
    cov : array of shape (n_components, n_samples), optional
        Products of atoms and rows, where they are known.
    algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="lasso_lars"
        The penalised code by least angles or by coordinate descent, which are the same where it is unique; "lars", so
        many steps of least angles; "omp", orthogonal matching pursuit; "threshold", the products, shrunk.
    n_nonzero_coefs : int or None, default=None
        Most entries of a code for "lars" and "omp"; None is a tenth of the columns.
    alpha : float or None, default=None
        The penalty of "lasso_lars" and "lasso_cd", the threshold of "threshold"; not of the others. None is 1.
    copy_cov : bool, default=True
        Taken for scikit-learn's sake; `cov` is never written to.
    init : array of shape (n_samples, n_components), optional
        Where "lasso_cd" begins.
    max_iter : int, default=1000
        Most rounds of "lasso_cd".
    n_jobs : int or None, default=None
        Threads; None means all. The codes do not depend on it.
    check_input : bool, default=True
        False takes X and dictionary as they are, matrices of floating-point numbers.
    verbose : int, default=0
        Taken for scikit-learn's sake; there is nothing to tell.
    positive : bool, default=False
        Whether codes must not be below zero; not for "omp" and "lars".
    sparse_output : bool, default=False
        Whether the codes come as CSR.

    Returns
    -------
    ndarray or CSR matrix of shape (n_samples, n_components)
        The codes.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import sparse_encode
    >>> sparse_encode([[3.0, 0.4, -2.0]], np.eye(3), alpha=0.5).tolist()
    [[2.5, 0.0, -1.5]]

    References
    ----------
    Efron, Hastie, Johnstone and Tibshirani (2004), Least angle regression. Rubinstein, Zibulevsky and Elad (2008),
    Efficient implementation of the K-SVD algorithm using batch orthogonal matching pursuit.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    refuse_positive(algorithm, positive)
    dtype = np.result_type(*(np.asarray(one).dtype for one in (X, dictionary)))
    dtype = np.dtype(np.float32 if dtype == np.float32 else np.float64)
    if check_input:
        X = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X")
        dictionary = check_array(dictionary, dtype=[np.float64, np.float32], order="C", input_name="dictionary")
    if dictionary.shape[1] != X.shape[1]:
        raise ValueError(f"Dictionary and X have different numbers of features: {dictionary.shape[1]}, {X.shape[1]}.")
    D = np.ascontiguousarray(dictionary, dtype=np.float64)
    coder = Coder(algorithm, alpha, n_nonzero_coefs, positive, max_iter)
    products = None if gram is None else np.ascontiguousarray(gram, dtype=np.float64)
    start = None if init is None else np.array(init, dtype=np.float64, order="C")
    with threads_of(n_jobs):
        if cov is not None:
            rows = np.asarray(X, dtype=np.float64)
            Q = np.ascontiguousarray(np.asarray(cov, dtype=np.float64).T)
            G = np.ascontiguousarray(D @ D.T) if products is None else products
            codes: Any = coder.code(G, Q, np.einsum("ij,ij->i", rows, rows), X.shape[1], start)
        elif sparse_output:
            codes = coder.encode_sparse(X, D, products)
        else:
            codes = coder.encode(X, D, products, start)
    warn_unfinished(coder)
    if sparse_output and cov is not None:
        import scipy.sparse as sp

        codes = sp.csr_matrix(codes)
    return codes.astype(dtype, copy=False)


def refuse_positive(algorithm: str, positive: bool) -> None:
    """ValueError where codes cannot be kept above zero."""
    if positive and algorithm in ("omp", "lars"):
        raise ValueError(f"Positive constraint not supported for {algorithm!r} coding method; take 'lasso_cd'.")


def warn_unfinished(coder: Coder) -> None:
    """Tell how many codes coordinate descent did not finish."""
    if coder.unfinished:
        warnings.warn(
            f"coordinate descent did not converge for {coder.unfinished} codes in {coder.max_iter} rounds; raise "
            "max_iter or alpha, or take 'lasso_lars'.",
            ConvergenceWarning,
            stacklevel=3,
        )


class _Coding(Transformer):
    """What coders and learned dictionaries share: rows to codes and back."""

    components_: np.ndarray
    transform_algorithm: str
    transform_n_nonzero_coefs: int | None
    transform_alpha: float | None
    split_sign: bool
    positive_code: bool
    transform_max_iter: int
    n_jobs: int | None

    def _encode(self, X: Any, D: np.ndarray, alpha: float | None) -> np.ndarray:
        rows = self._take(X, reset=False)
        codes = sparse_encode(
            rows, D.astype(np.float64), algorithm=self.transform_algorithm, alpha=alpha,
            n_nonzero_coefs=self.transform_n_nonzero_coefs, max_iter=self.transform_max_iter,
            n_jobs=self.n_jobs, positive=self.positive_code, check_input=False,
        ).astype(rows.dtype, copy=False)  # fmt: skip
        if not self.split_sign:
            return np.asarray(codes)
        return np.hstack([np.maximum(codes, 0), -np.minimum(codes, 0)])

    def _decode(self, codes: Any, D: np.ndarray) -> np.ndarray:
        Z = check_array(codes, dtype=[np.float64, np.float32])
        k = len(D)
        if Z.shape[1] != (2 * k if self.split_sign else k):
            wanted = 2 * k if self.split_sign else k
            raise ValueError(f"Expected {wanted} components in X. Got {Z.shape[1]} instead.")
        if self.split_sign:
            Z = Z[:, :k] - Z[:, k:]
        return np.asarray(Z @ D.astype(Z.dtype, copy=False))


CODING_RULES = {
    "transform_algorithm": Choice(*ALGORITHMS),
    "transform_n_nonzero_coefs": Integer(low=1) | Nothing(),
    "transform_alpha": Real(low=0) | Nothing(),
    "split_sign": Flag(),
    "positive_code": Flag(),
    "transform_max_iter": Integer(low=1),
    "n_jobs": Integer() | Nothing(),
}


@method(
    "sparse.sparse-coding-step",
    section="11.5",
    task="transform",
    en="Sparse coder",
    zh="稀疏编码器",
    peers=["scikit-learn:SparseCoder"],
)
class SparseCoder(_Coding):
    r"""Rows become sparse codes for a dictionary that is given; nothing is learned but the columns.

    Each row has the code :math:`\min_\alpha \frac12 \lVert x - B\alpha \rVert^2 + \lambda \lVert \alpha \rVert_1`
    (11.16), or one of at most so many entries; see `sparse_encode`.

    Book: section 11.5. Cost: that of `sparse_encode`.

    Parameters
    ----------
    dictionary : array of shape (n_components, n_features) or None, default=None
        The atoms, one a row, of length one. None takes the columns themselves.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        As `algorithm` of `sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Most entries of a code for "lars" and "omp"; None is a tenth of the columns.
    transform_alpha : float or None, default=None
        As `alpha` of `sparse_encode`.
    split_sign : bool, default=False
        Whether what is above and what is below zero become columns of their own.
    n_jobs : int or None, default=None
        Threads; None means all.
    positive_code : bool, default=False
        Whether codes must not be below zero.
    transform_max_iter : int, default=1000
        Most rounds of "lasso_cd".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), the atoms
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.sparse import SparseCoder
    >>> coder = SparseCoder(np.eye(3), transform_algorithm="threshold", transform_alpha=0.5)
    >>> coder.fit_transform([[3.0, 0.4, -2.0]]).tolist()
    [[2.5, 0.0, -1.5]]
    """

    _state: ClassVar = {"components_": Floats("components", "columns")}

    def __init__(
        self,
        dictionary: Any = None,
        *,
        transform_algorithm: str = "omp",
        transform_n_nonzero_coefs: int | None = None,
        transform_alpha: float | None = None,
        split_sign: bool = False,
        n_jobs: int | None = None,
        positive_code: bool = False,
        transform_max_iter: int = 1000,
    ) -> None:
        self.dictionary = dictionary
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.split_sign = split_sign
        self.n_jobs = n_jobs
        self.positive_code = positive_code
        self.transform_max_iter = transform_max_iter

    _params = rules_for(__init__, CODING_RULES, dictionary=Array(ndim=2) | Nothing())

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the columns, and check that the atoms fit them.

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
        refuse_positive(self.transform_algorithm, self.positive_code)
        rows = self._take(X, reset=True)
        d = rows.shape[1]
        atoms = np.eye(d) if self.dictionary is None else check_array(self.dictionary, input_name="dictionary")
        if atoms.shape[1] != d:
            raise ValueError(f"dictionary has {atoms.shape[1]} columns, X has {d}; wanted as many: one atom a row.")
        self.components_ = np.array(atoms, dtype=rows.dtype)
        return self

    @property
    def n_components_(self) -> int:
        """The number of atoms."""
        check_is_fitted(self)
        return len(self.components_)

    def transform(self, X: Any, y: Any = None) -> np.ndarray:
        """The code of each row; y is there by convention."""
        check_is_fitted(self)
        return self._encode(X, self.components_, self.transform_alpha)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that have these codes, atoms times weights."""
        check_is_fitted(self)
        return self._decode(X, self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) * (2 if self.split_sign else 1)
