"""Elman networks: hidden units that see their own outputs of the step before, trained through time."""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from lanatus.base import Estimator, Floats, as_targets, check_is_fitted, class_codes, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.params import Choice, Integer, Real, rules_for


class _Elman(CallbackSupportMixin, Estimator):
    """The network and its training; the classes below say what the outputs are.

    Parameters are a vector: U (inputs, hidden), R (hidden, hidden), c (hidden), W (hidden, outputs), b (outputs).
    """

    _state: ClassVar = {
        "input_weights_": Floats("inputs", "hidden"),
        "recurrent_weights_": Floats("hidden", "hidden"),
        "hidden_bias_": Floats("hidden"),
        "output_weights_": Floats("hidden", "outputs"),
        "output_bias_": Floats("outputs"),
    }

    input_weights_: np.ndarray
    recurrent_weights_: np.ndarray
    hidden_bias_: np.ndarray
    output_weights_: np.ndarray
    output_bias_: np.ndarray
    shift_: np.ndarray
    scale_: np.ndarray
    loss_curve_: np.ndarray
    n_iter_: int
    n_steps_: int

    def __init__(
        self,
        n_hidden: int = 10,
        eta: float = 0.01,
        *,
        activation: str = "tanh",
        max_iter: int = 200,
        batch_size: int = 32,
        alpha: float = 1e-5,
        clip_norm: float = 1.0,
        tol: float = 1e-4,
        n_iter_no_change: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.eta = eta
        self.activation = activation
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.alpha = alpha
        self.clip_norm = clip_norm
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    _params = rules_for(
        __init__,
        n_hidden=Integer(low=1),
        eta=Real(above=0),
        activation=Choice("tanh", "logistic"),
        batch_size=Integer(low=1),
        alpha=Real(low=0),
        clip_norm=Real(above=0),
        n_iter_no_change=Integer(low=1),
    )

    _softmax = False

    # ------------------------------------------------------------ sequences

    def _sequences(self, X: Any, *, reset: bool) -> np.ndarray:
        """Sequences as (sequences, steps, inputs): of a table, the columns of a row are the steps of one input."""
        if isinstance(X, np.ndarray) and X.ndim == 3:
            if not X.size or not np.isfinite(X := X.astype(np.float64)).all():
                raise ValueError(f"sequences must hold finite numbers, at least one; got shape {X.shape}.")
            if reset:
                self.n_features_in_ = X.shape[2]
                self.__dict__.pop("schema_", None)
            elif X.shape[2] != len(self.input_weights_):
                raise ValueError(f"sequences have {X.shape[2]} inputs a step, wanted {len(self.input_weights_)}.")
            return X
        if not reset and not hasattr(self, "schema_"):
            raise ValueError(f"{type(self).__name__} learned from sequences of three dimensions; got something else.")
        taken = np.asarray(self._take(X, reset=reset), dtype=np.float64)
        return taken[:, :, None]

    def _learn(self, X: np.ndarray, target: np.ndarray) -> None:
        """`target` is (sequences, outputs), wanted at the end, or (sequences, steps, outputs)."""
        flat = X.reshape(-1, X.shape[2])
        self.shift_, spread = flat.mean(axis=0), flat.std(axis=0)
        self.scale_ = 1 / np.where(spread > 1e-12 * np.maximum(np.abs(self.shift_), 1e-280), spread, 1.0)
        self.n_steps_ = X.shape[1]
        Z = (X - self.shift_) * self.scale_
        rng = check_random_state(self.random_state)
        self._shape = (X.shape[2], self.n_hidden, target.shape[-1])
        theta = self._start(rng)
        seed = int(rng.randint(2**31 - 1))
        progress = Progress(self, flat, None, max_iter=self.max_iter)
        zero = np.zeros_like(theta)
        state = progress.saved or {"theta": theta, "first": zero, "second": zero, "step": 0, "curve": np.empty(0)}
        best, waited, done = (float(np.min(state["curve"], initial=np.inf)), 0, False)
        for iteration in progress.iterations(start=len(state["curve"])):
            with threadpool_limits(1, user_api="blas"):  # matrices too small to share, and sums in one order
                state = self._round(Z, target, state, np.random.default_rng([seed, iteration.number]))
            last = float(state["curve"][-1])
            if not np.isfinite(last):
                raise ValueError(f"{type(self).__name__}: the loss is not finite; lower eta (now {self.eta:g}).")
            waited = waited + 1 if last > best - self.tol * max(abs(best), 1e-12) and np.isfinite(best) else 0
            best, done = min(best, last), waited >= self.n_iter_no_change
            kept = dict(state)
            iteration.done(state=partial(dict, kept), attributes=partial(self._attributes, kept))
            if iteration.stop or done:
                break
        found = self._attributes(state)
        for name, value in found.items():
            setattr(self, name, value)
        if not done and self.n_iter_ == self.max_iter and self.n_iter_no_change < self.max_iter:
            warn_unconverged(self)
        progress.finish(found)

    def _start(self, rng: np.random.RandomState) -> np.ndarray:
        d, h, k = self._shape
        U, W = rng.normal(0, 1 / np.sqrt(d), (d, h)), rng.normal(0, 1 / np.sqrt(h), (h, k))
        R = np.linalg.qr(rng.normal(size=(h, h)))[0]  # a turn: what is remembered neither grows nor fades at first
        return np.concatenate([U.ravel(), R.ravel(), np.zeros(h), W.ravel(), np.zeros(k)])

    def _parts(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        d, h, k = self._shape
        U, R, c, W, b = np.split(theta, np.cumsum([d * h, h * h, h, h * k]))
        return U.reshape(d, h), R.reshape(h, h), c, W.reshape(h, k), b

    def _round(
        self, Z: np.ndarray, target: np.ndarray, state: dict[str, Any], rng: np.random.Generator
    ) -> dict[str, Any]:
        """One round over the sequences in batches, by Adam with gradients no longer than `clip_norm`."""
        theta, first, second, step = state["theta"], state["first"], state["second"], int(state["step"])
        order, total = rng.permutation(len(Z)), 0.0
        for begin in range(0, len(order), self.batch_size):
            rows = order[begin : begin + self.batch_size]
            loss, gradient = self._gradient(theta, Z[rows], target[rows])
            total += loss * len(rows)
            length = float(np.linalg.norm(gradient))
            gradient = gradient * min(1.0, self.clip_norm / max(length, 1e-300)) + self.alpha * theta
            step += 1
            first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
            rate = self.eta * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            theta = theta - rate * first / (np.sqrt(second) + 1e-8)
        curve = np.append(state["curve"], total / len(Z))
        return {"theta": theta, "first": first, "second": second, "step": step, "curve": curve}

    def _states(self, theta: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Hidden outputs, (steps, sequences, hidden): h_t = f(x_t U + h_(t-1) R + c), h_0 = 0."""
        U, R, c, _, _ = self._parts(theta)
        f = np.tanh if self.activation == "tanh" else special.expit
        H, before = np.empty((Z.shape[1], len(Z), len(c))), np.zeros((len(Z), len(c)))
        for t in range(Z.shape[1]):
            before = H[t] = f(Z[:, t] @ U + before @ R + c)
        return H

    def _gradient(self, theta: np.ndarray, Z: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
        r"""Mean loss and its slope by back-propagation through time.

        :math:`\delta_t = (W g_t + R \delta_{t+1}) \odot f'_t`, from the last step to the first.
        """
        U, R, _, W, b = self._parts(theta)
        H = self._states(theta, Z)
        each = target.ndim == 3
        asked = H if each else H[-1:]
        said = asked @ W + b
        wanted = target.transpose(1, 0, 2) if each else target[None]
        count = said.shape[0] * said.shape[1]
        if self._softmax:
            logs = said - special.logsumexp(said, axis=2, keepdims=True)
            loss, g = -float((wanted * logs).sum()) / count, (np.exp(logs) - wanted) / count
        else:
            loss, g = 0.5 * float(((said - wanted) ** 2).sum()) / count, (said - wanted) / count
        dW, db = np.einsum("tnh,tnk->hk", asked, g), g.sum(axis=(0, 1))
        dU, dR, dc = np.zeros_like(U), np.zeros_like(R), np.zeros(len(R))
        later = np.zeros_like(H[0])
        for t in range(len(H) - 1, -1, -1):
            back = later
            if each or t == len(H) - 1:
                back = back + (g[t] if each else g[0]) @ W.T
            slope = 1 - H[t] ** 2 if self.activation == "tanh" else H[t] * (1 - H[t])
            delta = back * slope
            dU += Z[:, t].T @ delta
            dc += delta.sum(axis=0)
            if t:
                dR += H[t - 1].T @ delta
            later = delta @ R.T
        return loss, np.concatenate([dU.ravel(), dR.ravel(), dc, dW.ravel(), db])

    def _attributes(self, state: dict[str, Any]) -> dict[str, Any]:
        U, R, c, W, b = (part.copy() for part in self._parts(state["theta"]))
        return {
            "input_weights_": U,
            "recurrent_weights_": R,
            "hidden_bias_": c,
            "output_weights_": W,
            "output_bias_": b,
            "loss_curve_": np.asarray(state["curve"]),
            "n_iter_": len(state["curve"]),
            "shift_": self.shift_,
            "scale_": self.scale_,
            "n_steps_": self.n_steps_,
            **{name: value for name, value in vars(self).items() if name in ("classes_", "_each", "_wide")},
        }

    def _vector(self) -> np.ndarray:
        parts = (
            self.input_weights_,
            self.recurrent_weights_,
            self.hidden_bias_,
            self.output_weights_,
            self.output_bias_,
        )
        d, h = self.input_weights_.shape
        self._shape = (d, h, len(self.output_bias_))
        return np.concatenate([part.ravel() for part in parts])

    def _said(self, X: Any) -> np.ndarray:
        """Outputs before softmax: (sequences, outputs), or (sequences, steps, outputs) where each step was taught."""
        check_is_fitted(self)
        Z = (self._sequences(X, reset=False) - self.shift_) * self.scale_
        H = self._states(self._vector(), Z)
        said = (H if self._each else H[-1:]) @ self.output_weights_ + self.output_bias_
        return said.transpose(1, 0, 2) if self._each else said[0]

    def _loss_at(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Mean loss of some sequences, with its gradient, as a function of all parameters; and those there are."""
        Z = (self._sequences(X, reset=False) - self.shift_) * self.scale_
        theta = self._vector()
        target = self._target(y, Z, known=True)
        return (lambda at: self._gradient(at, Z, target)), theta

    def _target(self, y: Any, X: np.ndarray, *, known: bool) -> np.ndarray:
        raise NotImplementedError

    _each: bool


def _steps_of(y: Any, X: np.ndarray) -> bool:
    """Whether y says something for each step of each sequence."""
    shape = np.shape(np.asarray(y))
    return len(shape) >= 2 and shape[:2] == X.shape[:2] and X.shape[1] > 1


@method(
    "neural.elman",
    section="5.5.5",
    task="regression",
    en="Elman network",
    zh="Elman网络(递归神经网络)",
)
class Elman(RegressorMixin, _Elman):
    r"""Elman network for numbers: hidden units that see the inputs and their own outputs of the step before.

    :math:`h_t = f(U^\top x_t + R^\top h_{t-1} - \gamma)`, :math:`y_t = W^\top h_t - \theta`, from :math:`h_0 = 0`,
    trained by back-propagation through time, :math:`\delta_t = (W g_t + R \delta_{t+1}) \odot f'_t`, with Adam.

    Book: section 5.5.5, figure 5.13, exercise 5.9. Cost: O(n T h (d + h + l)) a round; memory O(batch T h).

    Parameters
    ----------
    n_hidden : int, default=10
        Hidden units.
    eta : float, default=0.01
        Rate.
    activation : {"tanh", "logistic"}, default="tanh"
        What hidden units do.
    max_iter : int, default=200
        Most rounds.
    batch_size : int, default=32
        Sequences of a step.
    alpha : float, default=1e-5
        Strength of the squares of all parameters.
    clip_norm : float, default=1.0
        Longest gradient; a longer one is shortened to it, for gradients through time may explode.
    tol : float, default=1e-4
        Share of the loss that counts as improvement.
    n_iter_no_change : int, default=20
        Rounds without improvement after which it stops.
    random_state : int, RandomState or None, default=None
        Draws weights and orders.

    Attributes
    ----------
    input_weights_ : ndarray of shape (n_inputs, n_hidden), U
    recurrent_weights_ : ndarray of shape (n_hidden, n_hidden), R
    hidden_bias_ : ndarray of shape (n_hidden,), minus the thresholds gamma
    output_weights_ : ndarray of shape (n_hidden, n_outputs), W
    output_bias_ : ndarray of shape (n_outputs,), minus the thresholds theta
    shift_, scale_ : ndarray of shape (n_inputs,)
        Inputs are (x - shift) * scale.
    loss_curve_ : ndarray of shape (n_iter_,), mean loss in each round
    n_steps_ : int, steps of the sequences learned from
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    X is an array of shape (n_sequences, n_steps, n_inputs), or a table, whose rows are sequences of one input and whose
    columns are the steps. y says what is wanted at the end of each sequence, or, with its first two axes as those of X,
    at each step. Sequences asked may have another length.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import Elman
    >>> X = np.random.RandomState(0).rand(200, 4, 1)
    >>> before = np.concatenate([np.zeros((200, 1)), X[:, :-1, 0]], axis=1)  # what was there a step ago
    >>> net = Elman(8, max_iter=400, tol=0.01, random_state=0).fit(X, before)
    >>> bool(np.mean((net.predict(X) - before) ** 2) < 0.005)
    True

    References
    ----------
    Elman (1990), Finding structure in time. Werbos (1990), Backpropagation through time.
    """

    _wide: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from sequences X with numbers y."""
        sequences = self._sequences(X, reset=True)
        self._learn(sequences, self._target(y, sequences, known=False))
        return self

    def _target(self, y: Any, X: np.ndarray, *, known: bool) -> np.ndarray:
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None")
        each = _steps_of(y, X)
        if each:
            values = np.asarray(y, dtype=np.float64)
            if not np.isfinite(values).all():
                raise ValueError("y must hold finite numbers; got NaN or infinity.")
        else:
            values = as_targets(y, X).astype(np.float64)
        if not known:
            self._each, self._wide = each, values.ndim == 2 + each
            flat = values.reshape(-1, values.shape[-1]) if self._wide else values.reshape(-1, 1)
            spread = flat.std(axis=0)
            constant = np.ptp(flat, axis=0) <= 1e-12 * np.abs(flat[0])
            self.target_shift_ = np.where(constant, flat[0], flat.mean(axis=0))
            self.target_scale_ = np.where(constant, 0.0, spread)
        values = values if self._wide else values[..., None]
        return (values - self.target_shift_) / np.where(self.target_scale_ > 0, self.target_scale_, 1.0)

    def _attributes(self, state: dict[str, Any]) -> dict[str, Any]:
        told = {"target_shift_": self.target_shift_, "target_scale_": self.target_scale_}
        return {**super()._attributes(state), **told}

    target_shift_: np.ndarray
    target_scale_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """What is said at the end of each sequence, or at each step, as was taught."""
        said = self._said(X) * self.target_scale_ + self.target_shift_
        return np.asarray(said if self._wide else said[..., 0])


@method(
    section="5.5.5",
    task="classification",
    en="Elman network for classes",
    zh="Elman网络(分类)",
)
class ElmanClassifier(ClassifierMixin, _Elman):
    r"""Elman network for classes: hidden units that see the inputs and their own outputs of the step before.

    :math:`h_t = f(U^\top x_t + R^\top h_{t-1} - \gamma)`, and at the end :math:`P = softmax(W^\top h_T - \theta)`,
    trained by back-propagation through time on the log loss. As in :class:`Elman`.

    Book: section 5.5.5, figure 5.13, exercise 5.9. Cost: O(n T h (d + h + l)) a round; memory O(batch T h).

    Parameters
    ----------
    n_hidden : int, default=10
        Hidden units.
    eta : float, default=0.01
        Rate.
    activation : {"tanh", "logistic"}, default="tanh"
        What hidden units do.
    max_iter : int, default=200
        Most rounds.
    batch_size : int, default=32
        Sequences of a step.
    alpha : float, default=1e-5
        Strength of the squares of all parameters.
    clip_norm : float, default=1.0
        Longest gradient; a longer one is shortened to it, for gradients through time may explode.
    tol : float, default=1e-4
        Share of the loss that counts as improvement.
    n_iter_no_change : int, default=20
        Rounds without improvement after which it stops.
    random_state : int, RandomState or None, default=None
        Draws weights and orders.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    input_weights_ : ndarray of shape (n_inputs, n_hidden), U
    recurrent_weights_ : ndarray of shape (n_hidden, n_hidden), R
    hidden_bias_ : ndarray of shape (n_hidden,), minus the thresholds gamma
    output_weights_ : ndarray of shape (n_hidden, n_classes), W
    output_bias_ : ndarray of shape (n_classes,), minus the thresholds theta
    shift_, scale_ : ndarray of shape (n_inputs,)
        Inputs are (x - shift) * scale.
    loss_curve_ : ndarray of shape (n_iter_,), mean loss in each round
    n_steps_ : int, steps of the sequences learned from
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import ElmanClassifier
    >>> X = (np.random.RandomState(0).rand(200, 3) > 0.5).astype(float)
    >>> parity = X.sum(axis=1).astype(int) % 2
    >>> ElmanClassifier(8, max_iter=400, tol=0.01, random_state=0).fit(X, parity).score(X, parity)
    1.0

    References
    ----------
    Elman (1990), Finding structure in time.
    """

    _softmax = True
    _each = False

    classes_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from sequences X with labels y."""
        sequences = self._sequences(X, reset=True)
        self._learn(sequences, self._target(y, sequences, known=False))
        return self

    def _target(self, y: Any, X: np.ndarray, *, known: bool) -> np.ndarray:
        self.classes_, codes = class_codes(y, X, self.classes_ if known else None)
        if len(self.classes_) < 2:
            raise ValueError(f"ElmanClassifier needs at least 2 classes, got 1 class, {self.classes_.tolist()}.")
        return (codes[:, None] == np.arange(len(self.classes_))).astype(np.float64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each sequence of X."""
        return np.asarray(special.softmax(self._said(X), axis=1))

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each sequence of X."""
        said = self._said(X)
        return np.asarray(self.classes_[said.argmax(axis=1)])
