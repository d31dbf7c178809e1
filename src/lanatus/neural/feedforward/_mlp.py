"""What the multi-layer networks for classes and for numbers share: one network, learned in one of many ways."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from lanatus._core import neural as kernels
from lanatus.base import (
    Estimator,
    StateError,
    Takes,
    check_is_fitted,
    check_positive_weight,
    n_rows,
    take_rows,
    warn_unconverged,
)
from lanatus.callbacks import CallbackSupportMixin, Progress, Restart, tell
from lanatus.neural.feedforward._descent import Descent, Feed
from lanatus.neural.feedforward._evidence import weigh_evidence
from lanatus.neural.feedforward._global_search import annealing_steps, genetic_steps
from lanatus.neural.feedforward._inputs import Inputs, NetworkInput, learn_inputs
from lanatus.neural.feedforward._network import Network, NetworkTarget
from lanatus.neural.feedforward._rules import DESCENTS, SEARCHES
from lanatus.neural.feedforward._schedules import Schedule
from lanatus.neural.feedforward._second_order import MEMORY, NetworkError, lbfgs_steps, levenberg_marquardt
from lanatus.optimize.solvers.smooth import Step
from lanatus.table import Table

_ROOM = 2**28  # bytes of inputs that are kept scaled
_MOST_PARAMETERS = 2000  # of a network whose Hessian is wanted


class MultiLayerNetwork(CallbackSupportMixin, Estimator):
    """A feedforward network and its training; the classes below say what it is to tell."""

    _takes = Takes(nominal=True, missing=True, sparse=True)
    _wants = NetworkInput()
    _state: ClassVar = {}

    inputs_: Inputs
    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    norms_: list[np.ndarray]
    tables_: list[np.ndarray]
    running_: np.ndarray
    n_outputs_: int
    out_activation_: str
    n_iter_: int
    loss_: float
    loss_curve_: list[float]

    # what the classes below say, and the parameters that both have
    hidden_layer_sizes: Any
    activation: str
    solver: str
    alpha: Any
    lam: float | None
    batch_size: Any
    learning_rate: str
    learning_rate_init: float
    hidden_rate: float | None
    power_t: float
    max_iter: int
    shuffle: bool
    random_state: Any
    tol: float
    verbose: Any
    warm_start: bool
    momentum: float
    nesterovs_momentum: bool
    early_stopping: bool
    validation_fraction: float
    beta_1: float
    beta_2: float
    epsilon: float
    n_iter_no_change: Any
    max_fun: int
    init: str
    n_restarts: int
    dropout: Any
    batch_norm: bool
    clip_norm: float | None
    averaging: float
    scaling: str | None
    embedding: Any
    report: str

    def _loss_name(self) -> str:
        raise NotImplementedError

    def _score_of(
        self, net: Network, rows: Any, target: NetworkTarget, theta: np.ndarray, running: np.ndarray
    ) -> float:
        """What early stopping looks at, higher is better."""
        raise NotImplementedError

    # ------------------------------------------------------------ fitting

    def _learn(self, X: Any, target: NetworkTarget, n_outputs: int, *, reset: bool = True) -> None:
        """Train on rows that were taken, with targets as the kernels take them."""
        self._refuse(target)
        check_positive_weight(target.weight)
        if reset or not hasattr(self, "inputs_"):
            self.inputs_ = learn_inputs(X, target.weight, self.scaling, self.embedding)
        net = self._network(self.inputs_.n_numbers(X), self.inputs_.embeddings, n_outputs)
        target = _as_type(target, net.dtype)
        rng = check_random_state(self.random_state)
        if self.solver in DESCENTS:
            feed, score = self._feed(X, target, net, rng)
            count = len(target)
            self._train(net, X, target, feed, score, count, rng)
        else:
            self._solve(net, X, target, rng)
        self._warn_of_dead_units(net, X)

    def _train(
        self,
        net: Network,
        X: Any,
        target: NetworkTarget,
        feed: Feed,
        score: Any,
        count: int,
        rng: np.random.RandomState,
    ) -> None:
        """Stochastic descent, from several starts if asked for; the best is kept."""
        descent = self._descent(count)
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_restarts)
        progress = Progress(self, _plain(X), target.weight, restarts=self.n_restarts, max_iter=self.max_iter)

        def run(restart: Restart) -> dict[str, Any]:
            theta, running = self._start(net, restart.seed)
            attributes = partial(self._attributes, net)
            return descent.run(net, theta, running, feed, restart, attributes, score, {})

        def better(one: dict[str, Any], other: dict[str, Any]) -> bool:
            if score is not None:
                return bool(one["best_score"] > other["best_score"])
            return bool(one["curve"][-1] < other["curve"][-1])

        state = progress.best_restart(seeds, run, better)
        found = self._attributes(net, state)
        for name, value in found.items():
            setattr(self, name, value)
        if not bool(state["done"]) and int(state["n_iter"]) == self.max_iter and not self._rests(descent):
            warn_unconverged(self)
        progress.finish(found)

    def _rests(self, descent: Descent) -> bool:
        """Whether the rate falls to nothing by the last round, which is then the end."""
        return descent.schedule.name in ("cosine", "exponential")

    def _solve(self, net: Network, X: Any, target: NetworkTarget, rng: np.random.RandomState) -> None:
        """Solvers that look at all rows at each step, from several starts if asked for."""
        rows = self._scaled(net, X)
        if self.solver == "lm" and net.n_parameters > _MOST_PARAMETERS:
            raise ValueError(
                f"solver='lm' inverts a matrix of all parameters; got {net.n_parameters}, wanted at most "
                f"{_MOST_PARAMETERS}: take fewer hidden units, or solver='lbfgs'."
            )
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_restarts)
        progress = Progress(self, _plain(X), target.weight, restarts=self.n_restarts, max_iter=self.max_iter)

        def run(restart: Restart) -> dict[str, Any]:
            return self._run_steps(net, rows, target, restart)

        state = progress.best_restart(seeds, run, lambda one, other: bool(one["best"] < other["best"]))
        found = self._attributes(net, state)
        for name, value in found.items():
            setattr(self, name, value)
        if not bool(state["done"]):
            warn_unconverged(self)
        progress.finish(found)

    def _run_steps(self, net: Network, rows: Any, target: NetworkTarget, restart: Restart) -> dict[str, Any]:
        theta, running = self._start(net, restart.seed)
        state = dict(restart.saved) or {
            "theta": theta,
            "running": running,
            "n_iter": 0,
            "best": np.inf,
            "curve": np.empty(0),
            "done": False,
            "alpha": np.nan,
            "damping": 1e-2,
            "path": theta[None],
        }
        mass = float(len(target) if target.weight is None else target.weight.sum())
        share, decay = self._decay(net, mass)
        if np.isfinite(state["alpha"]):  # of a fit that goes on
            decay = net.weight_places() * state["alpha"]
        objective = NetworkError(net, rows, target, state["running"], decay, share, self.max_fun)
        objective.damping = float(state["damping"])
        steps = self._steps(objective, np.asarray(state["path"]), restart, int(state["n_iter"]))
        for iteration in restart.iterations(start=int(state["n_iter"])):
            step = next(steps)
            if not np.isfinite(step.value):
                raise ValueError(
                    f"{type(self).__name__}: the loss is not finite from the start: X or y is too large; leave "
                    "scaling on, or scale them."
                )
            state = {**state, "theta": step.theta, "best": step.value, "done": step.converged}
            state = {**state, "n_iter": iteration.number + 1, "curve": np.append(state["curve"], step.value)}
            state = {**state, "damping": objective.damping, "path": _longer(state["path"], step.theta)}
            if self.alpha == "evidence" and (step.converged or (iteration.number + 1) % 10 == 0):
                alpha, _ = weigh_evidence(net, rows, target, step.theta, state["running"], objective.decay)
                settled = abs(np.log(alpha / state["alpha"])) < 1e-2  # not at first, of NaN
                objective.decay = net.weight_places() * alpha
                state["alpha"] = alpha
                if not settled:
                    state["done"] = False
                    state["path"] = step.theta[None]
                    steps = self._steps(objective, state["path"], restart, int(state["n_iter"]))
            if self.verbose:
                tell(f"{type(self).__name__}: iteration {state['n_iter']}, loss {step.value:.8g}")
            iteration.done(state=partial(dict, state), attributes=partial(self._attributes, net, dict(state)))
            if iteration.stop or bool(state["done"]):
                break
        return state

    def _steps(self, objective: NetworkError, path: np.ndarray, restart: Restart, start: int) -> Iterator[Step]:
        """How the error of all rows goes down from the last point of a path."""
        theta = path[-1]
        if self.solver in SEARCHES:
            rng = np.random.RandomState((restart.seed + start + 1) % 2**32)
            search = annealing_steps if self.solver == "annealing" else genetic_steps
            return search(objective, theta, rng, self.max_iter, start)
        if self.solver == "lm":
            return levenberg_marquardt(objective, theta, self.tol)
        return lbfgs_steps(objective, theta, self.tol, path)

    def _decay(self, net: Network, mass: float) -> tuple[float, Any]:
        """Share of the mean loss, and the strength of the squares of all parameters (5.17), or of the weights."""
        if self.lam is not None:
            return float(self.lam), 2 * (1 - self.lam)
        alpha = 1e-2 if self.alpha == "evidence" else self.alpha
        return 1.0, net.weight_places() * (alpha / mass)

    # ------------------------------------------------------------ parts

    def _refuse(self, target: NetworkTarget) -> None:
        """Say what has no meaning together."""
        full = self.solver not in DESCENTS
        if self.alpha == "evidence" and (self.solver not in ("lbfgs", "lm") or self.lam is not None):
            raise ValueError("alpha='evidence' needs solver='lbfgs' or 'lm', and no lam.")
        if full and (self.batch_norm or np.any(np.asarray(self.dropout) > 0)):
            raise ValueError(
                f"solver={self.solver!r} looks at all rows at each step, where batch_norm and dropout have no "
                "meaning; leave them off, or take solver='adam'."
            )
        if self.solver == "lm" and self._loss_name() != "squared_error":
            raise ValueError("solver='lm' minimises squares: it needs loss='squared_error'.")
        if self.hidden_rate is not None and self.solver not in ("bp", "accumulated-bp", "sgd"):
            raise ValueError("hidden_rate is for solver='bp', 'accumulated-bp' and 'sgd'.")
        if self.report == "step" and self.solver != "bp":
            raise ValueError("report='step' is for solver='bp', whose steps are of one row each.")

    def _network(self, n_numbers: int, embeddings: list[tuple[int, int]], n_outputs: int) -> Network:
        hidden = [int(size) for size in np.atleast_1d(np.asarray(self.hidden_layer_sizes, dtype=int))]
        shares = [float(s) for s in np.atleast_1d(self.dropout)]
        if len(shares) not in (1, len(hidden)):
            raise ValueError(f"dropout has {len(shares)} shares for {len(hidden)} hidden layers; wanted one each.")
        return Network(
            n_numbers,
            embeddings,
            [*hidden, n_outputs],
            hidden=self.activation,
            output=self.out_activation_,
            loss=self._loss_name(),
            normed=self.batch_norm,
            dropout=shares * len(hidden) if len(shares) == 1 else shares,
            double=self.solver not in ("adam", "adamw", "sgd", "adagrad", "rmsprop"),
        )

    def _descent(self, count: int) -> Descent:
        """The rule of the steps, their rates and what else the kernel takes."""
        book = self.solver in ("bp", "accumulated-bp")
        whole = self.solver in ("accumulated-bp", "rprop")
        rule = self.solver
        if self.solver in ("bp", "accumulated-bp", "sgd"):
            rule = "nesterov" if self.solver == "sgd" and self.nesterovs_momentum and self.momentum > 0 else "sgd"
        by_rate = self.solver in ("sgd", "bp", "accumulated-bp")
        name = self.learning_rate
        if not by_rate and name in ("invscaling", "adaptive", "bold"):
            name = "constant"
        options = {
            "momentum": self.momentum if self.solver == "sgd" else 0.0,
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "share": 1.0 if self.lam is None else float(self.lam),
            "decay": 0.0 if book or self.lam is not None else float(self.alpha),
            "decay_all": 0.0 if self.lam is None else 2 * (1 - float(self.lam)),
            "clip": self.clip_norm or 0.0,
        }
        rates = None
        if self.hidden_rate is not None:
            n_hidden = np.atleast_1d(np.asarray(self.hidden_layer_sizes)).size
            rates = np.append(np.full(n_hidden, self.hidden_rate / self.learning_rate_init), 1.0)
        return Descent(
            rule=rule,
            schedule=Schedule(name, self.learning_rate_init, self.power_t, self.max_iter),
            batch=count if whole else 1 if self.solver == "bp" else self._batch(count),
            options=options,
            layer_rates=rates,
            alpha=options["decay"],
            patience=self.n_iter_no_change,
            tol=self.tol,
            averaging=self.averaging,
            name=type(self).__name__,
            verbose=bool(self.verbose),
        )

    def _batch(self, count: int) -> int:
        """Rows of a step."""
        return int(min(200 if self.batch_size == "auto" else self.batch_size, count))

    def _start(self, net: Network, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Parameters to begin with, those of the last fit with `warm_start`."""
        if self.warm_start and hasattr(self, "coefs_"):
            return self._stored(net)
        return net.start(np.random.RandomState(seed), self._start_name()), net.start_running()

    def _start_name(self) -> str:
        if self.init == "auto":
            return "unit" if self.solver in ("bp", "accumulated-bp") else "glorot"
        return self.init

    def _stored(self, net: Network) -> tuple[np.ndarray, np.ndarray]:
        theta = net.vector(self._arrays())
        if len(theta) != net.n_parameters:
            raise ValueError(
                f"warm_start needs the layers and columns of the last fit: they have {len(theta)} parameters, now "
                f"wanted {net.n_parameters}."
            )
        return theta, np.ascontiguousarray(self.running_, dtype=net.dtype)

    def _arrays(self) -> dict[str, list[np.ndarray]]:
        return {"coefs": self.coefs_, "intercepts": self.intercepts_, "norms": self.norms_, "tables": self.tables_}

    def _scaled(self, net: Network, X: Any) -> Any:
        """Rows as the kernels take them: scaled once for all rounds where there is room, otherwise in each."""
        rows = self.inputs_.rows(X)
        small = n_rows(X) * net.n_numbers * net.dtype.itemsize <= _ROOM
        if sp.issparse(X) or self.inputs_.shift is None or net.embeddings or not small:
            return rows
        inputs = net.outputs(rows, np.zeros(net.n_parameters, net.dtype), net.start_running(), 0)
        return kernels.Rows(inputs, None, None, None, None)

    def _feed(self, X: Any, target: NetworkTarget, net: Network, rng: np.random.RandomState) -> tuple[Feed, Any]:
        """The rows of each round, and the score on those held out for early stopping."""
        count = len(target)
        chosen, held = np.arange(count), None
        if self.early_stopping:
            chosen, held = self._hold_out(target, rng)
        rows, seed = self._scaled(net, X), int(rng.randint(2**31 - 1))

        def feed(number: int) -> Iterator[tuple[Any, NetworkTarget, np.ndarray]]:
            order = chosen
            if self.report == "step":
                place = number % len(chosen)
                whole = _shuffled(chosen, seed, number // len(chosen)) if self.shuffle else chosen
                order = whole[place : place + 1]
            elif self.shuffle:
                order = _shuffled(chosen, seed, number)
            yield rows, target, order

        if held is None:
            return feed, None
        kept, asked = self._scaled(net, take_rows(X, held)), target.of(held)
        return feed, lambda theta, running: self._score_of(net, kept, asked, theta, running)

    def _hold_out(self, target: NetworkTarget, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Rows to learn from and rows to look at, of each class alike."""
        count = len(target)
        size = max(1, round(count * self.validation_fraction))
        if count - size < 1:
            raise ValueError(
                f"early_stopping holds out {size} of {count} rows, which leaves none to learn from; give more rows or "
                "a smaller validation_fraction."
            )
        order = rng.permutation(count)
        if target.codes is not None:
            codes = target.codes[order]
            rank = np.empty(count)
            for code in np.unique(codes):
                own = np.flatnonzero(codes == code)
                rank[own] = (np.arange(len(own)) + 0.5) / len(own)
            order = order[np.argsort(rank, kind="stable")]
        return np.sort(order[size:]), np.sort(order[:size])

    def _attributes(self, net: Network, state: dict[str, Any]) -> dict[str, Any]:
        """What a state of training makes of the model."""
        by_score = "best_theta" in state and self.early_stopping
        theta = state["best_theta"] if by_score else Descent.model_of(state)
        arrays = net.arrays(np.asarray(theta))
        curve = np.asarray(state["curve"]).tolist()
        found = {
            "coefs_": arrays["coefs"],
            "intercepts_": arrays["intercepts"],
            "norms_": arrays["norms"],
            "tables_": arrays["tables"],
            "running_": np.array(state["best_running"] if by_score else state["running"]),
            "loss_curve_": curve,
            "loss_": float(curve[-1]) if curve else np.inf,
            "best_loss_": None if by_score else float(state["best"]),
            "validation_scores_": np.asarray(state["scores"]).tolist() if by_score else None,
            "best_validation_score_": float(state["best_score"]) if by_score else None,
            "n_iter_": int(state["n_iter"]),
            "t_": int(state.get("shown", 0)),
            "n_layers_": len(net.sizes) + 1,
            "n_outputs_": net.sizes[-1],
            "out_activation_": self.out_activation_,
            "inputs_": self.inputs_,
            **{name: value for name, value in vars(self).items() if name in self._kept},
        }
        if self.alpha == "evidence":
            found["alpha_"] = float(state["alpha"])
        if self.solver in DESCENTS:
            found["_memory"] = {name: np.asarray(state[name]) for name in ("first", "second", "step", "shown")}
        return found

    _kept: ClassVar[tuple[str, ...]] = ()  # what else a model of one moment needs

    def _warn_of_dead_units(self, net: Network, X: Any) -> None:
        """Tell of a layer of rectifiers that are all off, whatever the row: nothing gets through."""
        if self.activation != "relu" or len(net.sizes) == 1:
            return
        count = n_rows(X)
        some = take_rows(X, np.linspace(0, count - 1, min(count, 500)).astype(int))
        theta, running = self._stored(net)
        for layer in range(1, len(net.sizes)):
            if not net.outputs(self.inputs_.rows(some), theta, running, layer).any():
                warnings.warn(
                    f"all {net.sizes[layer - 1]} units of hidden layer {layer} are 0 for every row: the network says "
                    "the same of all. Lower learning_rate_init, take activation='tanh', or batch_norm=True.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
                return

    # ------------------------------------------------------------ answers

    def _fitted_network(self) -> Network:
        double = self.coefs_[0].dtype == np.float64
        return Network(
            self.coefs_[0].shape[0] - sum(table.shape[1] for table in self.tables_),
            self.inputs_.embeddings,
            [coef.shape[1] for coef in self.coefs_],
            hidden=self.activation,
            output=self.out_activation_,
            normed=bool(self.norms_),
            double=double,
        )

    def _loss_at(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """The mean loss over some rows, with its gradient, as a function of all parameters; and those there are."""
        rows = self._take(X, reset=False)
        net = replace(self._fitted_network(), double=True, loss=self._loss_name(), dropout=[])
        theta, running = self._stored(net)
        target = _as_type(self._told(y, rows), net.dtype)
        ready = self.inputs_.rows(rows)

        def at(theta: np.ndarray) -> tuple[float, np.ndarray]:
            loss, weight, gradient = net.gradient(ready, target, theta, running)
            return loss / weight, gradient / weight

        return at, theta

    def _told(self, y: Any, rows: Any) -> NetworkTarget:
        """Targets of rows, as ``fit`` has learned to read them."""
        raise NotImplementedError

    def _outputs(self, X: Any, layer: int | None = None) -> np.ndarray:
        """Outputs of a layer for rows of X, by default the last."""
        check_is_fitted(self)
        taken = self._take(X, reset=False)
        net = self._fitted_network()
        theta, running = self._stored(net)
        said = net.outputs(self.inputs_.rows(taken), theta, running, layer)
        return said.astype(np.float32 if getattr(taken, "dtype", None) == np.float32 else np.float64, copy=False)

    def hidden(self, X: Any, layer: int = 1) -> np.ndarray:
        """Outputs of a hidden layer for each row of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.
        layer : int, default=1
            Which layer, counted from 1.
        """
        check_is_fitted(self)
        if not 1 <= layer < len(self.coefs_):
            raise ValueError(
                f"layer must be from 1 to {len(self.coefs_) - 1}, the number of hidden layers; got {layer}."
            )
        return self._outputs(X, layer)

    def _require_sound(self) -> None:
        """StateError if the arrays of the layers do not fit together."""
        parts: Any = (self.coefs_, self.intercepts_, self.norms_, self.tables_)
        if not all(isinstance(part, list) and all(isinstance(a, np.ndarray) for a in part) for part in parts):
            raise StateError("coefs_, intercepts_, norms_ and tables_ must be lists of arrays")
        inputs = self.inputs_
        if not isinstance(inputs, Inputs) or not len(self.coefs_) == len(self.intercepts_) >= 1:
            raise StateError("coefs_ and intercepts_ must have an array for each layer, and inputs_ say what goes in")
        width = None
        for coef, intercept in zip(self.coefs_, self.intercepts_, strict=True):
            if coef.ndim != 2 or coef.dtype.kind != "f" or not np.isfinite(coef).all():
                raise StateError("coefs_ must hold matrices of finite numbers")
            if coef.shape[1] < 1 or intercept.shape != (coef.shape[1],) or width not in (None, coef.shape[0]):
                raise StateError("the layers of coefs_ and intercepts_ do not follow on each other")
            width = coef.shape[1]
        if width != self.n_outputs_ or (self.norms_ and len(self.norms_) != len(self.coefs_) - 1):
            raise StateError("n_outputs_ or norms_ do not fit the layers")
        for norm, coef in zip(self.norms_, self.coefs_, strict=False):
            if norm.shape != (2, coef.shape[1]):
                raise StateError("norms_ do not fit the layers")
        units = sum(coef.shape[1] for coef in self.coefs_[:-1]) if self.norms_ else 0
        if self.running_.shape != (2 * units,):
            raise StateError("running_ does not fit the layers")
        inputs.require_sound([table.shape for table in self.tables_])


def _shuffled(rows: np.ndarray, seed: int, number: int) -> np.ndarray:
    """The rows in an order that depends on the round alone, so that a resumed fit goes on as it would have."""
    return np.random.default_rng([seed, number]).permutation(rows)


def _longer(path: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """The first point and the last ones, as L-BFGS goes on from them."""
    whole = np.vstack([path, theta])
    return whole if len(whole) <= MEMORY + 2 else np.vstack([whole[:1], whole[-MEMORY - 1 :]])


def _as_type(target: NetworkTarget, dtype: Any) -> NetworkTarget:
    numbers = None if target.numbers is None else np.ascontiguousarray(target.numbers, dtype=dtype)
    return NetworkTarget(target.codes, numbers, target.weight)


def _plain(X: Any) -> Any:
    """Rows as callbacks and checkpoints take them."""
    return X.coded_matrix() if isinstance(X, Table) else X
