"""What mixtures of Gaussians share: the loop of EM over starts and iterations, and the answers of a fitted model."""

import logging
from abc import abstractmethod
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Floats, check_is_fitted, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress, Restart
from lanatus.density._density import Density
from lanatus.density.mixture._covariance_shapes import SHAPES, array_shape, precisions_of
from lanatus.density.mixture._em_steps import Components, Scatter, posteriors, tally
from lanatus.density.mixture._mixture_start import STARTS, Survey
from lanatus.params import COMMON, Choice, Flag, Integer, ParameterRule, Real
from lanatus.scale import Block, Engine, InMemory, Sums, blockwise, open_engine

logger = logging.getLogger("lanatus")

State = dict[str, np.ndarray]  # parameters by the names of their attributes, without the underscore


RULES: dict[str, ParameterRule] = COMMON | {
    "n_components": Integer(low=1),
    "covariance_type": Choice(*SHAPES),
    "reg_covar": Real(low=0),
    "max_iter": Integer(low=0),
    "n_init": Integer(low=1),
    "init_params": Choice(*STARTS),
    "verbose": Integer(low=0) | Flag(),
    "verbose_interval": Integer(low=1),
}


class BaseMixture(CallbackSupportMixin, Density):
    """EM over several starts; a subclass says how to begin, what the M step is and what bound it raises."""

    _state: ClassVar = {"weights_": Floats("components", low=0), "means_": Floats("components", "columns")}

    n_components: int
    covariance_type: str
    tol: float
    max_iter: int
    n_init: int
    random_state: Any
    warm_start: bool
    verbose: int
    verbose_interval: int
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    precisions_cholesky_: np.ndarray

    _state_names: tuple[str, ...] = ("weights", "means", "covariances", "precisions_cholesky")

    # ------------------------------------------------------------ what a subclass says

    @abstractmethod
    def _prepare(self, survey: Survey) -> None:
        """Check the parameters against the data, and learn from the data what stays the same through the fit."""

    @abstractmethod
    def _start(self, survey: Survey, seed: int) -> State:
        """The parameters to begin from."""

    @abstractmethod
    def _advance(self, state: State, sums: Sums, scatter: Scatter | None) -> State:
        """The M step."""

    @abstractmethod
    def _bound(self, state: State, sums: Sums) -> float:
        """What EM raises, after the M step that led to `state`."""

    @abstractmethod
    def _components(self, state: State) -> Components:
        """What the E step needs."""

    # ------------------------------------------------------------ fit

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        engine = open_engine(self, X, None, sample_weight)
        warm = self.warm_start and self._may_go_on(engine.n_columns)
        survey = Survey(engine, self.schema_.expanded_names())
        if survey.n_rows < self.n_components:
            raise ValueError(
                f"n_components={self.n_components} needs as many rows with a positive weight; "
                f"got n_samples={survey.n_rows}."
            )
        self._prepare(survey)
        best = self._best_start(engine, survey, X, sample_weight, warm)
        bounds = np.asarray(best["bounds"], dtype=np.float64)
        self.__dict__.update(self._attributes(best["state"], bounds, engine.dtype))
        self.converged_ = bool(best["converged"])
        if not self.converged_ and self.max_iter > 0:
            warn_unconverged(self)
        return self

    def _best_start(self, engine: Engine, survey: Survey, X: Any, sample_weight: Any, warm: bool) -> dict[str, Any]:
        """Run every start and keep the one with the highest bound; goes on from a checkpoint if there is one."""
        rng = check_random_state(self.random_state)
        n_starts = 1 if warm else self.n_init
        rows, weight = (engine.block.X, engine.block.weight) if isinstance(engine, InMemory) else (X, sample_weight)
        progress = Progress(self, rows, weight, restarts=n_starts, max_iter=self.max_iter)
        seeds = rng.randint(np.iinfo(np.int64).max, size=n_starts, dtype=np.int64)
        scatter = None
        if self.covariance_type == "tied" and not survey.holes:
            scatter = survey.scatter(along_axes=False)
        run = partial(self._run, engine, survey, scatter, warm)
        best = _unpacked(progress.best_restart(seeds, run, lambda run, best: _last(run) > _last(best)))
        progress.finish(self._attributes(best["state"], np.asarray(best["bounds"]), engine.dtype))
        return best

    def _run(
        self, engine: Engine, survey: Survey, scatter: Scatter | None, warm: bool, restart: Restart
    ) -> dict[str, Any]:
        """One start: E and M steps until the bound rises by less than `tol`."""
        state, bounds, converged = self._begin(survey, warm, restart)
        before = self.lower_bound_ if warm else -np.inf  # of the fit that this one goes on from
        with_scatter = self.covariance_type == "tied" and scatter is None
        for iteration in () if converged else restart.iterations(start=len(bounds)):
            model = self._components(state)
            if not survey.holes:
                model = replace(model, covariances=None)  # spares the search for holes
            sums = engine.reduce(partial(tally, model, with_scatter))
            state = self._advance(state, sums, scatter)
            bounds.append(self._bound(state, sums))
            if not np.isfinite(bounds[-1]):
                raise ValueError("the likelihood is not finite: X has values too large to square; scale it first.")
            converged = abs(bounds[-1] - (bounds[-2] if len(bounds) > 1 else before)) < self.tol
            if self.verbose and iteration.number % self.verbose_interval == 0:
                logger.info("%s: iteration %d, bound %.9g", type(self).__name__, iteration.number + 1, bounds[-1])
            iteration.done(
                state=partial(_packed, state, bounds, converged),
                attributes=partial(self._attributes, state, np.array(bounds), engine.dtype),
            )
            if converged or iteration.stop:
                converged = True  # a callback that stops a fit is content with it
                break
        return _packed(state, bounds, converged)

    def _begin(self, survey: Survey, warm: bool, restart: Restart) -> tuple[State, list[float], bool]:
        """Where a start begins, or was when the fit was interrupted."""
        if restart.saved:
            saved = _unpacked(restart.saved)
            return saved["state"], saved["bounds"], saved["converged"]
        return self._fitted_state() if warm else self._start(survey, restart.seed), [], False

    def _attributes(self, state: State, bounds: np.ndarray, dtype: Any) -> dict[str, Any]:
        """The fitted attributes, in the precision of the data."""
        out: dict[str, Any] = {f"{name}_": np.asarray(value, dtype=dtype) for name, value in state.items()}
        precisions = precisions_of(state["precisions_cholesky"], self.covariance_type)
        out["precisions_"] = np.asarray(precisions, dtype=dtype)
        out["n_iter_"] = len(bounds)
        out["lower_bounds_"] = bounds
        out["lower_bound_"] = float(bounds[-1]) if len(bounds) else -np.inf
        return out

    def _may_go_on(self, n_columns: int) -> bool:
        """Whether there is an earlier fit of the same shape."""
        wanted = array_shape(self.covariance_type, self.n_components, n_columns)
        return hasattr(self, "converged_") and self.covariances_.shape == wanted

    def _fitted_state(self) -> State:
        return {name: np.asarray(getattr(self, f"{name}_"), dtype=np.float64) for name in self._state_names}

    # ------------------------------------------------------------ answers

    def _posteriors(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        X = self._take(X, reset=False)
        log_density, shares = posteriors(self._components(self._fitted_state()), X)
        return log_density.astype(X.dtype, copy=False), shares.astype(X.dtype, copy=False)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Index of the most probable component of each row (9.31)."""
        return self._posteriors(X)[1].argmax(axis=1)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each component given the row (9.30)."""
        return self._posteriors(X)[1]

    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        """Log density of each row; of what is observed of it, where values are missing."""
        return self._posteriors(X)[0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log density of the rows; y is ignored."""
        sums = self._likelihood(X, sample_weight)
        return float(sums.log_likelihood / sums.weight)

    def _likelihood(self, X: Any, sample_weight: Any = None) -> Sums:
        """Log-likelihood and weight of the rows."""
        check_is_fitted(self)
        engine = open_engine(self, X, None, sample_weight, reset=False)
        return engine.reduce(partial(_log_likelihood, self._components(self._fitted_state())))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Estimate the mixture and give the most probable component of each row; y is ignored."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows: a component by its weight, then a row of it.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            Seed; None takes that of the model.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,), the component of each row; they come in order
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"Invalid value for 'n_samples': {n_samples}. The sampling requires at least one sample.")
        rng = check_random_state(self.random_state if random_state is None else random_state)
        weights = np.asarray(self.weights_, dtype=np.float64)
        counts = rng.multinomial(n_samples, weights / weights.sum())
        drawn = [self._draw(rng, c, int(count)) for c, count in enumerate(counts)]
        return np.vstack(drawn).astype(self.means_.dtype, copy=False), np.repeat(np.arange(len(counts)), counts)

    def _draw(self, rng: np.random.RandomState, c: int, count: int) -> np.ndarray:
        mean = self.means_[c]
        if self.covariance_type in ("full", "tied"):
            covariance = self.covariances_ if self.covariance_type == "tied" else self.covariances_[c]
            return rng.multivariate_normal(mean, covariance, count)
        return mean + rng.standard_normal(size=(count, len(mean))) * np.sqrt(self.covariances_[c])


def _log_likelihood(model: Components, block: Block) -> Sums:
    log_density, _ = posteriors(model, block.X)
    weight = np.ones(len(block)) if block.weight is None else block.weight
    return Sums(log_likelihood=float(weight @ log_density), weight=float(weight.sum()))


def _last(run: dict[str, Any]) -> float:
    return float(run["bounds"][-1]) if len(run["bounds"]) else -np.inf


def _packed(state: State, bounds: list[float], converged: bool) -> dict[str, Any]:
    """A run as flat arrays, which a checkpoint can hold."""
    own = {"bounds": np.asarray(bounds), "converged": converged}
    return own | {f"state_{name}": value for name, value in state.items()}


def _unpacked(run: dict[str, Any]) -> dict[str, Any]:
    state = {name.removeprefix("state_"): value for name, value in run.items() if name.startswith("state_")}
    return {"state": state, "bounds": np.asarray(run["bounds"]).tolist(), "converged": bool(run["converged"])}
