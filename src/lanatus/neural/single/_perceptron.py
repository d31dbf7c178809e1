"""The perceptron and Adaline: one linear unit a class, learned row by row."""

import warnings
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import neural as kernels
from lanatus.base import Estimator, Floats, Takes, check_is_fitted, check_positive_weight, class_codes, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.params import COMMON, Choice, Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise

_RULES = {
    **COMMON,
    "penalty": Nothing(),
    "alpha": Real(low=0),
    "l1_ratio": Real(low=0, high=1),
    "tol": Real(low=0) | Nothing(),
    "shuffle": Flag(),
    "verbose": Flag() | Integer(low=0),
    "eta0": Real(above=0),
    "early_stopping": Flag(),
    "validation_fraction": Real(above=0, below=1),
    "n_iter_no_change": Integer(low=1),
    "class_weight": Choice("balanced") | Satisfies(lambda v: isinstance(v, dict), "a dict of weights") | Nothing(),
}


class _LinearUnits(CallbackSupportMixin, ClassifierMixin, Estimator):
    """One unit for two classes, one for each of several; rows are shown one after the other."""

    _takes = Takes(sparse=True)
    _state: ClassVar = {"coef_": Floats("units", "columns"), "intercept_": Floats("units")}
    _rule = "perceptron"

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int
    t_: float
    errors_: np.ndarray
    converged_: bool

    max_iter: int
    tol: float | None
    fit_intercept: bool
    shuffle: bool
    eta0: float
    random_state: Any
    verbose: Any
    warm_start: bool
    n_iter_no_change: int
    early_stopping: bool
    validation_fraction: float
    class_weight: Any

    @fitting
    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Show the rows, round after round, until there are no errors, or nothing improves.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        coef_init : array of shape (n_units, n_features), optional
            Weights to begin with; by default zeros.
        intercept_init : array of shape (n_units,), optional
            Constants to begin with.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rate for each row.
        """
        rows = self._take(X, reset=True)
        weight = self._weights(sample_weight, rows)
        check_positive_weight(weight)
        before = getattr(self, "classes_", None) if self.warm_start else None
        self.classes_, codes = class_codes(y, rows)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least 2 classes, got 1 class, {self.classes_.tolist()}.")
        weight = self._class_weights(codes, weight)
        w, b = self._start(rows.shape[1], coef_init, intercept_init, before)
        self._run(rows, codes, weight, w, b)
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Show some rows once, going on from the weights there are.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        classes : array of shape (n_classes,), optional
            All labels, at the first call; by default those of its rows.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rate for each row.
        """
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all rows; give a dict of weights for partial_fit.")
        first = not hasattr(self, "coef_")
        rows = self._take(X, reset=first)
        weight = self._weights(sample_weight, rows)
        if first:
            known = None if classes is None else np.unique(np.asarray(classes))
            self.classes_, codes = class_codes(y, rows, known)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"{type(self).__name__} needs at least 2 classes: give classes=[...] at the first call."
                )
            w, b = self._start(rows.shape[1], None, None, None)
        else:
            codes = class_codes(y, rows, self.classes_)[1]
            w, b = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
        weight = self._class_weights(codes, weight)
        b, errors, _ = self._round(_ready(rows), codes, weight, np.arange(rows.shape[0]), w, b)
        done = np.append(getattr(self, "errors_", np.empty(0, np.int64)), errors)
        for name, value in self._attributes(w, b, done, errors == 0, rows.dtype, rows.shape[0]).items():
            setattr(self, name, value)
        self.t_ += getattr(self, "_shown", 0)
        return self

    def _class_weights(self, codes: np.ndarray, weight: np.ndarray | None) -> np.ndarray | None:
        if self.class_weight is None:
            return weight
        if self.class_weight == "balanced":
            counts = np.bincount(codes, weights=weight, minlength=len(self.classes_))
            shares = counts.sum() / (np.count_nonzero(counts) * np.where(counts > 0, counts, 1))
        else:
            if unknown := set(self.class_weight) - set(self.classes_.tolist()):
                raise ValueError(f"class_weight names {sorted(map(str, unknown))}, which are no labels of y.")
            shares = np.array([float(self.class_weight.get(label, 1.0)) for label in self.classes_.tolist()])
        return shares[codes] if weight is None else shares[codes] * weight

    def _start(self, d: int, coef: Any, intercept: Any, before: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        units = 1 if len(self.classes_) == 2 else len(self.classes_)
        w, b = np.zeros((units, d)), np.zeros(units)
        if before is not None and np.array_equal(before, self.classes_) and self.coef_.shape == w.shape:
            w, b = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
        if coef is not None:
            w = np.array(coef, dtype=np.float64).reshape(-1, d) if np.size(coef) == units * d else np.array(coef)
        if intercept is not None:
            b = np.array(intercept, dtype=np.float64).ravel()
        if w.shape != (units, d) or b.shape != (units,):
            raise ValueError(
                f"coef_init must have shape {(units, d)} and intercept_init {(units,)}; got {w.shape} and {b.shape}."
            )
        return np.ascontiguousarray(w), b

    def _run(self, X: Any, codes: np.ndarray, weight: np.ndarray | None, w: np.ndarray, b: np.ndarray) -> None:
        rng = check_random_state(self.random_state)
        chosen, held = np.arange(X.shape[0]), None
        if self.early_stopping:
            order = rng.permutation(X.shape[0])
            size = max(1, round(X.shape[0] * self.validation_fraction))
            if size == X.shape[0]:
                raise ValueError("early_stopping leaves no row to learn from; give more rows.")
            chosen, held = np.sort(order[size:]), np.sort(order[:size])
        seed = int(rng.randint(2**31 - 1))
        rows = _ready(X)
        progress = Progress(self, X, weight, max_iter=self.max_iter)
        saved = progress.saved or {"w": w, "b": b, "errors": np.empty(0, np.int64), "best": np.inf, "waited": 0}
        w, b, errors = np.array(saved["w"]), np.array(saved["b"]), np.array(saved["errors"])
        best, waited, done = float(saved["best"]), int(saved["waited"]), False
        for iteration in progress.iterations(start=len(errors)):
            order = chosen
            if self.shuffle:
                order = np.random.default_rng([seed, iteration.number]).permutation(chosen)
            b, wrong, loss = self._round(rows, codes, weight, order, w, b)
            errors = np.append(errors, wrong)
            if not (np.isfinite(w).all() and np.isfinite(b).all()):
                raise ValueError(
                    f"{type(self).__name__}: the weights grow without end in round {iteration.number + 1}; lower eta0 "
                    f"(now {self.eta0:g}), or scale X."
                )
            if held is not None:
                said = _decide(X[held] @ w.T + b)
                loss = -float(np.mean(said == codes[held]))
            if self.tol is not None and loss > best - self.tol:
                waited += 1
            else:
                waited = 0
            best = min(best, loss)
            done = wrong == 0
            if self.verbose:
                tell(f"{type(self).__name__}: round {iteration.number + 1}, {wrong} errors")
            kept: dict[str, Any] = {"w": w.copy(), "b": b.copy(), "errors": errors, "best": best, "waited": waited}
            iteration.done(
                state=partial(dict, kept),
                attributes=partial(self._attributes, kept["w"], kept["b"], errors, done, X.dtype, len(chosen)),
            )
            if iteration.stop or done or waited >= self.n_iter_no_change:
                break
        found = self._attributes(w, b, errors, done, X.dtype, len(chosen))
        for name, value in found.items():
            setattr(self, name, value)
        if not done and waited < self.n_iter_no_change and len(errors) == self.max_iter:
            self._warn()
        progress.finish(found)

    def _warn(self) -> None:
        warnings.warn(
            f"{type(self).__name__} still makes {self.errors_[-1]} errors after {self.n_iter_} rounds: no plane may "
            "separate the classes, in which case it never stops by itself; raise max_iter, or give tol.",
            ConvergenceWarning,
            stacklevel=5,
        )

    def _round(
        self, rows: Any, codes: np.ndarray, weight: np.ndarray | None, order: np.ndarray, w: np.ndarray, b: np.ndarray
    ) -> tuple[np.ndarray, int, float]:
        """Show the rows once to each unit; the constants, rows in error and mean loss."""
        found, errors, losses = b.copy(), 0, 0.0
        for unit in range(len(w)):
            wanted = codes == (1 if len(w) == 1 else unit)
            y = self._targets(wanted)
            wrong, loss, found[unit] = kernels.delta_round(
                rows, y, weight, order, rule=self._rule, eta=self.eta0, constant=self.fit_intercept, w=w[unit],
                b=float(b[unit]),
            )  # fmt: skip
            errors, losses = errors + wrong, losses + loss
        return found, errors, losses / max(len(order), 1)

    def _targets(self, wanted: np.ndarray) -> np.ndarray:
        return wanted.astype(np.float64)

    def _attributes(
        self, w: np.ndarray, b: np.ndarray, errors: np.ndarray, done: bool, dtype: Any, shown: int
    ) -> dict[str, Any]:
        return {
            "coef_": w.astype(dtype),
            "intercept_": b.astype(dtype),
            "errors_": errors,
            "n_iter_": len(errors),
            "converged_": bool(done),
            "t_": float(len(errors) * shown + 1),
            "classes_": self.classes_,
        }

    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """What the units are given: w'x - theta, a column a class where there are several."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        scores = np.asarray(rows @ self.coef_.T + self.intercept_)
        size = np.asarray(abs(rows) @ abs(self.coef_).T + np.abs(self.intercept_))
        rounding = 1e-12 if scores.dtype == np.float64 else 1e-6
        scores = np.where(np.abs(scores) <= rounding * size, 0, scores).astype(scores.dtype)  # 0 but for rounding
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        scores = np.asarray(self.decision_function(X))
        return np.asarray(self.classes_[_decide(scores.reshape(len(scores), -1))])

    def sparsify(self) -> Self:
        """Keep the weights as a sparse matrix; `densify` before saving."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep the weights as an array again."""
        check_is_fitted(self)
        self.coef_ = np.asarray(sp.csr_matrix(self.coef_).toarray())
        return self


def _ready(X: Any) -> Any:
    return core.csr(X) if sp.issparse(X) else X


def _decide(scores: np.ndarray) -> np.ndarray:
    """Places of the classes: of one unit by the step, which is 1 at 0; of several by the largest."""
    return (scores[:, 0] >= 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)


@method(
    "neural.perceptron",
    section="5.2",
    task="classification",
    en="Perceptron",
    zh="感知机",
    peers=["scikit-learn:Perceptron"],
)
class Perceptron(_LinearUnits):
    r"""The perceptron: one layer of M-P neurons, whose weights move for each row that is told wrong.

    :math:`w_i \leftarrow w_i + \eta\,(y - \hat y)\,x_i` (5.1), (5.2), with y of 0 and 1 and :math:`\hat y = 1` where
    :math:`w^\top x - \theta \ge 0`. The threshold is the weight of an input that is always -1. If a plane separates
    the classes by a margin :math:`\gamma`, at most :math:`(R / \gamma)^2` rows move it (Novikoff), R being the length
    of the longest row, its -1 among it; if none does, it never ends.

    Book: section 5.2, figures 5.3 and 5.4. Cost: O(d) a row and round, of sparse rows O(entries).

    Parameters
    ----------
    penalty : None, default=None
        Only None: the rule has no penalty; take `lanatus.linear.LogisticRegression` or `lanatus.kernel.LinearSVC`.
    alpha : float, default=1e-4
        Strength of a penalty, of which there is none.
    l1_ratio : float, default=0.15
        Share of absolute values in a penalty, of which there is none.
    fit_intercept : bool, default=True
        Whether there is a threshold.
    max_iter : int, default=1000
        Most rounds.
    tol : float or None, default=1e-3
        Stop after `n_iter_no_change` rounds whose mean loss was not this much below the least; None goes on.
    shuffle : bool, default=True
        Whether rows are shown in another order each round.
    verbose : int, default=0
        Above 0 each round is told.
    eta0 : float, default=1.0
        Rate; the book has 0.1. From zero weights it changes their length alone.
    n_jobs : int or None, default=None
        Taken for scikit-learn's sake; one thread learns, row by row.
    random_state : int, RandomState or None, default=0
        Draws the orders and the rows held out.
    early_stopping : bool, default=False
        Whether rows are held out, on which the share that is told right takes the place of the loss.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        See `tol`.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rate by class.
    warm_start : bool, default=False
        Whether to start from the weights of the last ``fit``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), the weights
    intercept_ : ndarray of shape (1,) or (n_classes,), minus the thresholds
    errors_ : ndarray of shape (n_iter_,), rows told wrong in each round, as they were met
    n_iter_ : int, rounds
    converged_ : bool, whether the last round had no error
    t_ : float, rows shown
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import Perceptron
    >>> X, both = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = Perceptron(eta0=0.1, shuffle=False, tol=None).fit(X, both)
    >>> model.coef_.round(9).tolist(), model.intercept_.round(9).tolist(), model.errors_.tolist()
    ([[0.2, 0.1]], [-0.3], [2, 3, 3, 2, 1, 0])

    References
    ----------
    Rosenblatt (1958), The perceptron. Minsky and Papert (1969), Perceptrons. Novikoff (1962), On convergence proofs
    for perceptrons.
    """

    def __init__(
        self,
        *,
        penalty: Any = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: Any = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start

    _params = rules_for(__init__, _RULES)


@method(
    "neural.adaline",
    section="5.7",
    task="classification",
    en="Adaline",
    zh="自适应线性元Adaline",
    peers=["mlxtend:Adaline"],
)
class Adaline(_LinearUnits):
    r"""Adaptive linear neuron: the weights follow what the unit says before its step.

    :math:`w \leftarrow w + \eta\,(y - w^\top x - b)\,x` for each row, y being 1 for the class and -1 for others: the
    LMS rule, which goes on though all rows are told right and ends near the least squares. A step is never longer than
    what tells its row right, so that it does not diverge on columns of any scale.

    Book: sections 5.7 and 1.5. Cost: O(d) a row and round, of sparse rows O(entries).

    Parameters
    ----------
    eta0 : float, default=0.01
        Rate, at most 1 over the squared length of a row.
    max_iter : int, default=50
        Most rounds.
    fit_intercept : bool, default=True
        Whether there is a constant.
    tol : float or None, default=1e-5
        Stop after `n_iter_no_change` rounds whose mean loss was not this much below the least; None goes on.
    shuffle : bool, default=True
        Whether rows are shown in another order each round.
    random_state : int, RandomState or None, default=None
        Draws the orders and the rows held out.
    early_stopping : bool, default=False
        Whether rows are held out, on which the share that is told right takes the place of the loss.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_iter_no_change : int, default=5
        See `tol`.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rate by class.
    warm_start : bool, default=False
        Whether to start from the weights of the last ``fit``.
    verbose : int, default=0
        Above 0 each round is told.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features), the weights
    intercept_ : ndarray of shape (1,) or (n_classes,), the constants
    errors_ : ndarray of shape (n_iter_,), rows that moved the weights in each round
    n_iter_ : int, rounds
    converged_ : bool, whether the last round moved nothing
    t_ : float, rows shown
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import Adaline
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]
    >>> Adaline(0.05, max_iter=200, random_state=0).fit(X, y).predict([[0.5], [2.5]]).tolist()
    ['low', 'high']

    References
    ----------
    Widrow and Hoff (1960), Adaptive switching circuits.
    """

    _rule = "delta"

    def __init__(
        self,
        eta0: float = 0.01,
        *,
        max_iter: int = 50,
        fit_intercept: bool = True,
        tol: float | None = 1e-5,
        shuffle: bool = True,
        random_state: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        verbose: Any = 0,
    ) -> None:
        self.eta0 = eta0
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose

    _params = rules_for(__init__, _RULES)

    def _targets(self, wanted: np.ndarray) -> np.ndarray:
        return np.where(wanted, 1.0, -1.0)

    def _warn(self) -> None:
        """Rows go on moving the weights for ever: the mean loss says when that is nothing."""
