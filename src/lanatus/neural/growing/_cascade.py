"""Cascade-correlation: hidden units that are added one by one, each seeing all inputs and all units before it."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus.base import (
    Estimator,
    Floats,
    StateError,
    as_targets,
    check_is_fitted,
    check_positive_weight,
    coded_rows,
    fitting,
)
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Choice, Flag, Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise


class _Cascade(CallbackSupportMixin, Estimator):
    """The growing network; the classes below say what the outputs are."""

    _state: ClassVar = {
        "coef_": Floats("signals", "outputs"),
        "shift_": Floats("columns"),
        "scale_": Floats("columns"),
    }

    hidden_: list[np.ndarray]
    coef_: np.ndarray
    shift_: np.ndarray
    scale_: np.ndarray
    errors_: np.ndarray
    scores_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        n_candidates: int = 8,
        max_hidden: int = 10,
        *,
        candidate_iter: int = 100,
        alpha: float = 1e-4,
        tol: float = 1e-4,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        scaling: str | None = "standard",
        random_state: Any = None,
    ) -> None:
        self.n_candidates = n_candidates
        self.max_hidden = max_hidden
        self.candidate_iter = candidate_iter
        self.alpha = alpha
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.scaling = scaling
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_candidates=Integer(low=1),
        max_hidden=Integer(low=0),
        candidate_iter=Integer(low=1),
        alpha=Real(low=0),
        early_stopping=Flag(),
        validation_fraction=Real(above=0, below=1),
        scaling=Choice("standard") | Nothing(),
    )

    def _learn(self, X: np.ndarray, target: np.ndarray, weight: np.ndarray | None) -> None:
        check_positive_weight(weight)
        heavy = np.ones(len(X)) if weight is None else weight / weight.mean()
        self._scale(X, heavy)
        rng = check_random_state(self.random_state)
        held = np.zeros(len(X), dtype=bool)
        if self.early_stopping:
            held[rng.permutation(len(X))[: max(1, round(len(X) * self.validation_fraction))]] = True
            if held.all():
                raise ValueError("early_stopping leaves no row to learn from; give more rows.")
        seed = int(rng.randint(2**31 - 1))
        signals = self._signals_of(X, [])
        learnt = heavy * ~held
        coef = _outputs(signals, target, learnt, self.alpha)
        errors, scores = [_error(signals, target, learnt, coef)], []
        hidden: list[np.ndarray] = []
        best = (_error(signals, target, heavy * held, coef), hidden, coef) if self.early_stopping else None
        progress = Progress(self, X, weight, max_iter=max(self.max_hidden, 1))
        saved = progress.saved
        if saved:
            hidden = [saved[f"unit_{i}"] for i in range(int(saved["n_hidden"]))]
            signals = self._signals_of(X, hidden)
            coef, errors, scores = saved["coef"], saved["errors"].tolist(), saved["scores"].tolist()
        for iteration in progress.iterations(start=len(hidden)):
            if self.max_hidden == 0 or errors[-1] <= 1e-12:
                break
            apart = signals @ coef - target
            draw = np.random.RandomState((seed + iteration.number) % 2**32)
            with threadpool_limits(1, user_api="blas"):  # matrices too small to share, and sums in one order
                unit, score = self._best_candidate(signals, apart, learnt, draw)
            hidden = [*hidden, unit]
            signals = np.column_stack([signals, np.tanh(signals @ unit)])
            coef = _outputs(signals, target, learnt, self.alpha)
            errors.append(_error(signals, target, learnt, coef))
            scores.append(score)
            if best is not None and (now := _error(signals, target, heavy * held, coef)) < best[0]:
                best = (now, hidden, coef)
            kept = {f"unit_{i}": w for i, w in enumerate(hidden)}
            state = {**kept, "n_hidden": len(hidden), "coef": coef, "errors": errors, "scores": scores}
            iteration.done(
                state=partial(dict, state),
                attributes=partial(self._attributes, list(hidden), coef, list(errors), list(scores)),
            )
            if iteration.stop or errors[-2] - errors[-1] <= self.tol * errors[0]:
                break
        if best is not None:
            hidden, coef = best[1], best[2]
        found = self._attributes(hidden, coef, errors, scores)
        for name, value in found.items():
            setattr(self, name, value)
        progress.finish(found)

    def _scale(self, X: np.ndarray, heavy: np.ndarray) -> None:
        self.shift_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if self.scaling is not None:
            self.shift_ = np.average(X, axis=0, weights=heavy).astype(np.float64)
            spread = np.sqrt(np.average((X - self.shift_) ** 2, axis=0, weights=heavy))
            self.scale_ = 1 / np.where(spread > 1e-12 * np.maximum(np.abs(self.shift_), 1e-280), spread, 1.0)

    def _signals_of(self, X: np.ndarray, hidden: list[np.ndarray]) -> np.ndarray:
        """A one, the scaled columns and the hidden units, in the order in which they came."""
        signals = np.column_stack([np.ones(len(X)), (X - self.shift_) * self.scale_])
        for unit in hidden:
            signals = np.column_stack([signals, np.tanh(signals @ unit)])
        return signals

    def _best_candidate(
        self, signals: np.ndarray, apart: np.ndarray, heavy: np.ndarray, rng: np.random.RandomState
    ) -> tuple[np.ndarray, float]:
        r"""The unit whose output goes most with what is still wrong: the largest of several :math:`S`, each climbed to.

        :math:`S = \sum_o |\sum_p (V_p - \bar V)(E_{po} - \bar E_o)|`, over the size of the errors.
        """
        from scipy.optimize import minimize

        mass = heavy.sum()
        left = apart - heavy @ apart / mass
        centred = left * heavy[:, None]
        size = max(float(np.sqrt((centred * left).sum() * mass)), 1e-300)

        def less(w: np.ndarray) -> tuple[float, np.ndarray]:
            V = np.tanh(signals @ w)
            covariance = V @ centred
            slope = signals.T @ ((1 - V**2) * (centred @ np.sign(covariance)))
            decay = self.alpha * float(w @ w) / 2
            return -float(np.abs(covariance).sum()) / size + decay, -slope / size + self.alpha * w

        best, score = np.zeros(signals.shape[1]), -np.inf
        for _ in range(self.n_candidates):
            start = rng.normal(0, 1 / np.sqrt(signals.shape[1]), signals.shape[1])
            found = minimize(less, start, jac=True, method="L-BFGS-B", options={"maxiter": self.candidate_iter})
            if -found.fun > score:
                best, score = found.x, float(-found.fun)
        return best, score

    def _attributes(
        self, hidden: list[np.ndarray], coef: np.ndarray, errors: list[float], scores: list[float]
    ) -> dict[str, Any]:
        return {
            "hidden_": list(hidden),
            "coef_": np.array(coef),
            "errors_": np.array(errors),
            "scores_": np.array(scores),
            "n_iter_": len(scores),
            "n_hidden_": len(hidden),
            "shift_": self.shift_,
            "scale_": self.scale_,
            **{name: value for name, value in vars(self).items() if name in ("classes_", "_one_column")},
        }

    def _said(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return np.asarray(self._signals_of(np.asarray(self._take(X, reset=False)), self.hidden_) @ self.coef_)

    def _require_sound(self) -> None:
        width = len(self.shift_) + 1
        if not isinstance(self.hidden_, list) or len(self.coef_) != width + len(self.hidden_):
            raise StateError("hidden_ and coef_ do not fit together")
        for place, unit in enumerate(self.hidden_):
            if not isinstance(unit, np.ndarray) or unit.shape != (width + place,) or not np.isfinite(unit).all():
                raise StateError("a unit of hidden_ has another number of weights than signals before it")


def _outputs(signals: np.ndarray, target: np.ndarray, heavy: np.ndarray, alpha: float) -> np.ndarray:
    """Weights of the outputs: least squares, with a small penalty on all but the constant."""
    normal = (signals.T * heavy) @ signals
    penalty = np.full(len(normal), alpha * heavy.sum())
    penalty[0] = 0.0
    normal[np.diag_indices_from(normal)] += penalty
    return np.asarray(linalg.lstsq(normal, (signals.T * heavy) @ target)[0])


def _error(signals: np.ndarray, target: np.ndarray, heavy: np.ndarray, coef: np.ndarray) -> float:
    """Mean square of what is still wrong."""
    return float(np.average(((signals @ coef - target) ** 2).sum(axis=1), weights=heavy))


@method(
    "neural.cascade-correlation",
    section="5.5.4",
    task="classification",
    en="Cascade-correlation network",
    zh="级联相关网络",
    peers=["fann2:neural_net"],
)
class CascadeCorrelation(ClassifierMixin, _Cascade):
    r"""Cascade-correlation for classes: a network that begins without hidden units and adds them one by one.

    A new unit sees all inputs and all hidden units before it. Its weights are learned to go with the error that is
    left, :math:`S = \sum_o |\sum_p (V_p - \bar V)(E_{po} - \bar E_o)|`, the best of several candidates is taken, and
    stays as it is; then the outputs are learned anew, by least squares on indicators of the classes. Neither the
    number of layers nor of units is chosen beforehand; with few rows it overfits.

    Book: section 5.5.4, figure 5.12. Cost: O(n (d + h)) a candidate, iteration and unit; memory O(n (d + h)).

    Parameters
    ----------
    n_candidates : int, default=8
        Candidates for each unit.
    max_hidden : int, default=10
        Most hidden units.
    candidate_iter : int, default=100
        Most iterations of L-BFGS for a candidate.
    alpha : float, default=1e-4
        Strength of the squared weights.
    tol : float, default=1e-4
        Stop after a unit that lessens the error by less than this share of the first one.
    early_stopping : bool, default=False
        Whether rows are held out, and the network of the size that tells them best is kept.
    validation_fraction : float, default=0.2
        Share of the rows held out.
    scaling : {"standard"} or None, default="standard"
        Whether columns are centred and divided by their spread.
    random_state : int, RandomState or None, default=None
        Draws candidates and the rows held out.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    hidden_ : list of ndarray, weights of each hidden unit: of the constant, the columns and the units before it
    coef_ : ndarray of shape (1 + n_columns + n_hidden_, n_classes), weights of the outputs
    errors_ : ndarray of shape (n_iter_ + 1,), mean squared error without hidden units and after each
    scores_ : ndarray of shape (n_iter_,), S of each unit over the size of the error
    n_hidden_ : int, hidden units
    n_iter_ : int, units that were tried
    shift_, scale_ : ndarray of shape (n_columns,)
        Columns are (x - shift) * scale.
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import CascadeCorrelation
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = CascadeCorrelation(random_state=0).fit(X, y)
    >>> model.predict(X).tolist(), model.n_hidden_ >= 1
    (['no', 'yes', 'yes', 'no'], True)

    References
    ----------
    Fahlman and Lebiere (1990), The cascade-correlation learning architecture.
    """

    classes_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        rows, codes = coded_rows(self, X, y, least=2)
        target = (codes[:, None] == np.arange(len(self.classes_))).astype(np.float64)
        self._learn(np.asarray(rows), target, self._weights(sample_weight, rows))
        return self

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Outputs cut at 0 and scaled to add up to 1, in the order of ``classes_``."""
        shares = np.maximum(self._said(X), 0.0)
        total = shares.sum(axis=1, keepdims=True)
        return np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / shares.shape[1])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self._said(X).argmax(axis=1)])


@method(
    section="5.5.4",
    task="regression",
    en="Cascade-correlation network for numbers",
    zh="级联相关网络(回归)",
)
class CascadeCorrelationRegressor(RegressorMixin, _Cascade):
    r"""Cascade-correlation for numbers: a network that begins without hidden units and adds them one by one.

    A new unit's weights are learned to go with the error that is left, :math:`S = \sum_o |\sum_p (V_p - \bar V)(E_{po}
    - \bar E_o)|`, and stay; the outputs are then the least squares. As in :class:`CascadeCorrelation`.

    Book: section 5.5.4, figure 5.12. Cost: O(n (d + h)) a candidate, iteration and unit; memory O(n (d + h)).

    Parameters
    ----------
    n_candidates : int, default=8
        Candidates for each unit.
    max_hidden : int, default=10
        Most hidden units.
    candidate_iter : int, default=100
        Most iterations of L-BFGS for a candidate.
    alpha : float, default=1e-4
        Strength of the squared weights.
    tol : float, default=1e-4
        Stop after a unit that lessens the error by less than this share of the first one.
    early_stopping : bool, default=False
        Whether rows are held out, and the network of the size that tells them best is kept.
    validation_fraction : float, default=0.2
        Share of the rows held out.
    scaling : {"standard"} or None, default="standard"
        Whether columns are centred and divided by their spread.
    random_state : int, RandomState or None, default=None
        Draws candidates and the rows held out.

    Attributes
    ----------
    hidden_ : list of ndarray, weights of each hidden unit: of the constant, the columns and the units before it
    coef_ : ndarray of shape (1 + n_columns + n_hidden_, n_outputs), weights of the outputs
    errors_ : ndarray of shape (n_iter_ + 1,), mean squared error without hidden units and after each
    scores_ : ndarray of shape (n_iter_,), S of each unit over the size of the error
    n_hidden_ : int, hidden units
    n_iter_ : int, units that were tried
    shift_, scale_ : ndarray of shape (n_columns,)
        Columns are (x - shift) * scale.
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import CascadeCorrelationRegressor
    >>> X = np.linspace(-3, 3, 60)[:, None]
    >>> model = CascadeCorrelationRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.99)
    True

    References
    ----------
    Fahlman and Lebiere (1990), The cascade-correlation learning architecture.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        rows = self._take(X, reset=True)
        values = as_targets(y, rows)
        self._one_column = values.ndim == 1
        columns = values.reshape(len(values), -1).astype(np.float64)
        self._learn(np.asarray(rows), columns, self._weights(sample_weight, rows))
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X, or numbers."""
        said = self._said(X)
        return said[:, 0] if self._one_column else said
