"""Many-vs-many by output codes."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus.base import Floats, Integers, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.multiclass._codes import (
    checked_code,
    exhaustive_code,
    one_vs_one_code,
    one_vs_rest_code,
    optimal_code,
    random_code,
)
from lanatus.multiclass._decoding import DISTANCES, code_distances
from lanatus.multiclass._decomposed import Decomposed
from lanatus.multiclass._learned_codes import continuous_code, discriminant_code, embed_nodes
from lanatus.params import Array, Choice, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.wrapping import LEARNER

CODES = (
    "dense",
    "sparse",
    "exhaustive",
    "optimal",
    "one-vs-rest",
    "one-vs-one",
    "decoc",
    "ecoc-one",
    "crammer-singer",
)

_OF_ANY_LENGTH = ("dense", "sparse", "optimal", "crammer-singer", "ecoc-one")


@method(
    "multiclass.many-vs-many",
    "multiclass.ecoc-binary",
    "multiclass.ecoc-ternary",
    "multiclass.ecoc-problem-dependent",
    "multiclass.decoc",
    "multiclass.ecoc-one",
    section="3.5",
    task="classification",
    en="Error-correcting output codes",
    zh="纠错输出码",
    peers=["scikit-learn:OutputCodeClassifier"],
)
class OutputCodeClassifier(Decomposed):
    """Many-vs-many: each column of a coding matrix is a two-class problem, and the nearest row is the answer.

    A class is +1, -1 or, in ternary codes, 0 (not used) in each problem. Rows far apart make up for learners that err.

    Book: sections 3.5 and 3.7.

    Parameters
    ----------
    estimator : classifier
        The two-class learner.
    code : str or array of shape (n_classes, length), default="dense"
        The coding matrix, or how to make it: "dense" and "sparse" at random, "exhaustive", "optimal" (largest
        distance of rows, `length` columns), "one-vs-rest", "one-vs-one"; or from the data: "decoc" (a tree of splits
        that tell most of the class), "ecoc-one" (grows by the pairs that are confused), "crammer-singer" (random
        problems, and real numbers learned as the code).
    length : int or None, default=None
        Columns of "dense", "sparse", "optimal" and "crammer-singer" codes, most columns that "ecoc-one" adds.
    code_size : float or None, default=None
        The same as a share of the number of classes, rounded down, instead of `length`.
    decoding : {"hamming", "euclidean", "exponential", "hinge"}, default="hamming"
        Distance to the rows, as in :func:`decode`. Learned weights of "ecoc-one" are used with it; "crammer-singer"
        takes the largest product instead.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    random_state : int, RandomState or None, default=None
        Seed of random codes, and of the rows that "ecoc-one" looks for confusion in.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    code_book_ : ndarray of shape (n_classes, length)
        The coding matrix; real numbers for "crammer-singer".
    problems_ : ndarray of int8 of shape (n_classes, length)
        What the learners were fitted to.
    weights_ : ndarray of shape (length,)
        Weights of the columns.
    estimators_ : list of fitted learners
        One for each column.

    Notes
    -----
    Ties go to the class that sorts first. Cost: a fit for each column, to the rows of the classes it uses.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.multiclass import OutputCodeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OutputCodeClassifier(GaussianNB(), code="exhaustive").fit(X, y)
    >>> model.code_book_.tolist(), model.score(X, y) > 0.9
    ([[1, 1, 1], [-1, -1, 1], [-1, 1, -1]], True)

    References
    ----------
    T. G. Dietterich, G. Bakiri: Solving multiclass learning problems via error-correcting output codes. JAIR 2 (1995).
    """

    _state: ClassVar = {
        "code_book_": Integers("classes", "problems", low=-1) | Floats("classes", "problems"),
        "weights_": Floats("problems"),
    }

    code_book_: np.ndarray
    problems_: np.ndarray
    weights_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        *,
        code: Any = "dense",
        length: int | None = None,
        code_size: float | None = None,
        decoding: str = "hamming",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.length = length
        self.code_size = code_size
        self.decoding = decoding
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__,
        estimator=LEARNER,
        code=Choice(*CODES) | Array(2),
        length=Nothing() | Integer(low=1),
        code_size=Nothing() | Real(above=0),
        decoding=Choice(*DISTANCES),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        if self.code_size is not None and not (isinstance(self.code, str) and self.code in _OF_ANY_LENGTH):
            raise ValueError(
                f"code_size is for codes {', '.join(_OF_ANY_LENGTH)}; a code {self.code!r} has its length."
            )
        rows, codes, weight = self._open(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        self.problems_ = self._problems(rows, codes, rng)
        self.weights_ = np.ones(self.problems_.shape[1])
        if isinstance(self.code, str) and self.code == "ecoc-one":
            self.problems_, self.weights_ = embed_nodes(self, rows, codes, weight, rng)
        self._fit_problems(rows, codes, weight)
        self.code_book_ = self.problems_
        if isinstance(self.code, str) and self.code == "crammer-singer":
            self.code_book_ = continuous_code(self._answers(rows), codes, len(self.classes_), weight)
        return self

    def _problems(self, rows: Any, codes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        n = len(self.classes_)
        if not isinstance(self.code, str):
            return checked_code(self.code, n)
        if self.code == "one-vs-one":
            return one_vs_one_code(n)
        if self.code == "exhaustive":
            return exhaustive_code(n)
        if self.code == "optimal":
            return optimal_code(n, self._length() or max(1, min(2 ** (n - 1) - 1, 3 * n)))
        if self.code == "decoc":
            return discriminant_code(rows, codes, n)
        if self.code in ("dense", "sparse", "crammer-singer"):
            return random_code(n, self._length(), sparse=self.code == "sparse", random_state=rng)
        return one_vs_rest_code(n)

    def _length(self) -> int | None:
        """Columns asked for, in one way or the other."""
        if self.code_size is None:
            return self.length
        if self.length is not None:
            raise ValueError(f"length={self.length} and code_size={self.code_size} say the same; give one of them.")
        return max(1, int(len(self.classes_) * self.code_size))

    def _fit_problems(self, rows: Any, codes: np.ndarray, weight: np.ndarray | None) -> None:
        tasks = []
        for column in self.problems_.T:
            sign = column[codes]
            used = None if (column != 0).all() else np.flatnonzero(sign)
            tasks.append(((sign > 0).astype(np.int64), used))
        self._fit_all(rows, tasks, weight)

    def _answers(self, rows: Any) -> np.ndarray:
        return self._all_sure(rows)

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Minus the distance to the row of each class; for two classes, that of the first less that of the second."""
        check_is_fitted(self)
        near = self._nearness(self._answers(self._take(X, reset=False)))
        return near[:, 1] - near[:, 0] if len(self.classes_) == 2 else near

    def _nearness(self, answers: np.ndarray) -> np.ndarray:
        if self.code_book_.dtype.kind == "f":
            return np.asarray(np.where(answers > 0, 1.0, -1.0) @ self.code_book_.T)
        return -code_distances(answers, self.code_book_, distance=self.decoding, weights=self.weights_)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        near = self._nearness(self._answers(self._take(X, reset=False)))
        return np.asarray(self.classes_[near.argmax(axis=1)])
