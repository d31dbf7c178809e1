"""Generalised linear models."""

import warnings
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import column_or_1d

from lanatus.base import as_targets, check_is_fitted, check_positive_weight, fitting, warn_unconverged
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.linear._linear_regressor import LinearRegressor
from lanatus.linear._rules import RULES
from lanatus.linear.glm._exponential_family import FAMILIES, Deviance
from lanatus.linear.glm._link import LINKS
from lanatus.linear.least_squares._summary import Summary, glm_summary
from lanatus.optimize.solvers import Cholesky, CrossMoments, LeastSquares
from lanatus.params import Choice, Nothing, Real, rules_for
from lanatus.scale import Block, Engine, Sums, blockwise, open_engine

_PERFECT = 1e-8  # deviance a row, or variance of a probability, that is next to nothing
_FLATTEST = 1e-300  # rows whose mean does not move with eta any more weigh nothing


@method(
    "linear.generalized-linear-model",
    section="3.2",
    task="regression",
    en="Generalised linear model",
    zh="广义线性模型",
    peers=["statsmodels:GLM", "scikit-learn:TweedieRegressor", "glum:GeneralizedLinearRegressor"],
    streams=True,
)
class GeneralizedLinearModel(CallbackSupportMixin, LinearRegressor):
    r"""A linear model behind a link: the mean of y is :math:`g^{-1}(w^T x + b)`, and y normal, binomial, Poisson, ...

    Book: section 3.2. Minimises :math:`\frac{1}{2 \sum w_i} \sum_i w_i\, d(y_i, \mu_i) + \frac{\alpha}{2} \lVert w
    \rVert^2` (3.15), where d is the deviance: maximum likelihood for alpha = 0, by iteratively reweighted least
    squares.

    Parameters
    ----------
    family : {"gaussian", "binomial", "poisson", "gamma", "inverse-gaussian", "tweedie"}, default="gaussian"
        How y scatters about its mean.
    link : str or None, default=None
        One of "identity", "log", "logit", "probit", "cloglog", "inverse", "inverse-squared" and "sqrt"; None is the
        canonical link of the family, and the logarithm for "tweedie" (but of power 0).
    alpha : float, default=0.0
        Strength of a ridge penalty, 0 or more.
    power : float, default=1.5
        Power of the mean in the variance of the family "tweedie".
    fit_intercept : bool, default=True
        Whether there is a bias b.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-9
        Stop when the objective changes by less, relative to itself.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Bias.
    deviance_, null_deviance_ : float
        Deviance of the model, and of the mean alone.
    dispersion_ : float
        Variance over that of the family: 1 for binomial and Poisson, else Pearson's estimate.
    n_iter_ : int
        Iterations made.

    Notes
    -----
    Cost: an iteration is one weighted least squares, n d^2. Sources and Dask collections are read once an iteration.
    A step that makes the objective worse is halved. Binomial y are shares from 0 to 1, with the number of trials as
    weights; for labels use :class:`LogisticRegression`. Shares of 0 and 1 that a plane separates have no finite
    weights: a warning says so.

    Examples
    --------
    >>> from lanatus.linear import GeneralizedLinearModel
    >>> model = GeneralizedLinearModel("poisson").fit([[0.0], [1.0], [2.0], [3.0]], [1, 3, 8, 20])
    >>> round(float(model.coef_[0]), 4), round(model.deviance_, 4)
    (0.9621, 0.0279)

    References
    ----------
    J. A. Nelder, R. W. M. Wedderburn: Generalized linear models. JRSS A 135 (1972), 370-384.
    """

    deviance_: float
    null_deviance_: float
    dispersion_: float
    n_iter_: int
    _moments: CrossMoments
    _figures: dict[str, float]

    def __init__(
        self,
        family: str = "gaussian",
        *,
        link: str | None = None,
        alpha: float = 0.0,
        power: float = 1.5,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-9,
    ) -> None:
        self.family = family
        self.link = link
        self.alpha = alpha
        self.power = power
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    _params = rules_for(__init__, RULES, family=Choice(*FAMILIES), link=Nothing() | Choice(*LINKS), power=Real())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.family not in ("gaussian", "binomial")
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn weights and bias.

        Parameters
        ----------
        X : array, sparse matrix, frame, source or Dask collection of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,)
            What to predict; a source brings its own.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows: repeats, exposures, trials.

        Returns
        -------
        self
        """
        engine = open_engine(self, X, y, sample_weight)
        loss = Deviance.of(self.family, self.link, self.power)
        about = engine.reduce(partial(_survey, loss))
        check_positive_weight(about.mass)
        middle = about.total / about.mass
        weights, sums = self._iterate(engine, partial(_tally, loss, middle), loss, middle, X)
        dtype = np.dtype(engine.dtype)
        self.coef_, self.intercept_ = weights[:-1].astype(dtype), dtype.type(weights[-1])
        self.deviance_, self.null_deviance_ = float(sums.deviance), float(sums.null)
        used = sums.moments.without_flat() if self.fit_intercept else sums.moments.about_zero()
        size = used.inverse()[1] + self.fit_intercept  # weights that are free
        free = about.rows - size
        pearson = float(sums.pearson)
        estimated = pearson / free if free > 0 else float("nan")
        self.dispersion_ = 1.0 if loss.family.known_dispersion else estimated
        self._moments = sums.moments
        self._figures = {
            "n": about.rows,
            "residual df": free,
            "deviance": self.deviance_,
            "null deviance": self.null_deviance_,
            "Pearson chi2": pearson,
            "dispersion": self.dispersion_,
        }
        if loss.family.known_dispersion:
            self._figures |= {"log-likelihood": sums.likelihood, "AIC": 2 * size - 2 * sums.likelihood}
        return self

    def _iterate(self, engine: Engine, tally: Any, loss: Deviance, middle: float, X: Any) -> tuple[np.ndarray, Sums]:
        """Weights with the bias last, and the sums over the rows that belong to them."""
        progress = Progress(self, X, max_iter=self.max_iter)
        now = np.zeros(engine.n_columns + 1)
        if self.fit_intercept:
            now[-1] = loss.link.link(np.array(loss.family.start(np.array(middle), middle)))
        mass, objective, converged = 0.0, np.inf, False
        sums = engine.reduce(partial(tally, None))
        for iteration in progress.iterations():
            mass = sums.mass
            target = self._step(sums.moments, mass)
            gain = -np.inf
            for _ in range(30):
                sums = engine.reduce(partial(tally, target))
                reached = sums.deviance / (2 * mass) + self.alpha / 2 * float(target[:-1] @ target[:-1])
                gain = objective - reached
                if gain >= -1e-12 * abs(reached):
                    break
                target = (target + now) / 2  # too long a step: NaN, or worse than before
            now, objective = target, reached
            self.n_iter_ = iteration.number + 1
            iteration.done(state=dict, attributes=partial(_attributes, now, self.n_iter_))
            converged = gain <= self.tol * (abs(objective) + 0.1)
            if converged:
                break
        progress.finish(_attributes(now, self.n_iter_))
        if not np.isfinite(objective):
            raise ValueError(
                f"no step from the mean improves the fit: link {loss.link.name!r} gives means that family "
                f"{self.family!r} cannot have; choose another link, or scale X."
            )
        if not converged:
            warn_unconverged(self)
        elif self.alpha == 0 and sums.deviance < _PERFECT * mass and sums.sure > mass / 2:
            warnings.warn(
                f"{type(self).__name__}: a plane separates y of 0 from y of 1, so that larger weights always fit "
                "better; these are only where the iterations stopped. Set alpha above 0.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return now, sums

    def _step(self, moments: CrossMoments, mass: float) -> np.ndarray:
        """The weighted least squares of one iteration."""
        problem = LeastSquares(None, moments, self.fit_intercept, True)
        coef = Cholesky().solve(problem, self.alpha * mass).coef
        return np.append(coef[:, 0], (problem.y_mean - problem.x_mean @ coef)[0])

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Mean of y for each row."""
        eta = self._linear(X)
        return np.asarray(Deviance.of(self.family, self.link, self.power).inverse_link(eta))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the deviance that the model explains, 1 the best.

        Parameters
        ----------
        X, y : arrays
            Rows and what they should have given.
        sample_weight : array, optional
            Weights of the rows.

        Returns
        -------
        float
        """
        family = Deviance.of(self.family, self.link, self.power).family
        mean = np.asarray(self.predict(X), dtype=np.float64)
        truth = column_or_1d(as_targets(y, mean)).astype(np.float64)
        family.check(truth)
        weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        level = np.full_like(truth, np.average(truth, weights=weight))
        deviance, null = float(weight @ family.deviance(truth, mean)), float(weight @ family.deviance(truth, level))
        if not null > 0:  # nothing to explain
            return float(not deviance > 0)
        return 1 - deviance / null

    def summary(self, alpha: float = 0.05) -> Summary:
        """Standard errors, z values, p-values and intervals of the weights, and how well the model fits.

        Parameters
        ----------
        alpha : float, default=0.05
            The intervals have confidence 1 - alpha.

        Returns
        -------
        Summary
            Prints as a table. It takes a model without penalty.
        """
        check_is_fitted(self)
        return glm_summary(self, alpha)


def _attributes(weights: np.ndarray, n_iter: int) -> dict[str, Any]:
    """What makes a model of this moment."""
    return {"coef_": weights[:-1], "intercept_": weights[-1], "n_iter_": n_iter}


def _target(block: Block) -> tuple[np.ndarray, np.ndarray]:
    y = column_or_1d(as_targets(block.y, block.X), warn=True).astype(np.float64)
    return y, np.ones(len(y)) if block.weight is None else block.weight


def _survey(loss: Deviance, block: Block) -> Sums:
    """Weight, weighted sum of y and number of rows that count."""
    y, weight = _target(block)
    loss.family.check(y[weight > 0])
    return Sums(mass=float(weight.sum()), total=float(weight @ y), rows=int(np.count_nonzero(weight)))


def _tally(loss: Deviance, middle: float, weights: np.ndarray | None, block: Block) -> Sums:
    """What one block contributes to an iteration: the least squares of the working response, and the deviance."""
    y, weight = _target(block)
    family, link = loss.family, loss.link
    with np.errstate(all="ignore"):  # means that cannot be give NaN, and the step is halved
        if weights is None:
            mean = family.start(y, middle)
            eta = link.link(mean)
        else:
            eta = np.asarray(block.X @ weights[:-1].astype(block.X.dtype), dtype=np.float64) + weights[-1]
            mean = link.inverse(eta)
        slope, variance = link.slope(eta), family.variance(mean)
        working = weight * slope**2 / variance
        moves = np.isfinite(working) & (working > _FLATTEST)
        response = np.where(moves, eta + (y - mean) / slope, 0.0)
        counted = weight > 0
        return Sums(
            moments=CrossMoments.of(block.X, response[:, None], np.where(moves, working, 0.0)),
            mass=float(weight.sum()),
            sure=float(weight @ (variance < _PERFECT)) if family.power is None else 0.0,
            deviance=float(weight[counted] @ family.deviance(y, mean)[counted]),
            pearson=float(weight[counted] @ ((y - mean) ** 2 / variance)[counted]),
            likelihood=family.log_likelihood(y, mean, weight),
            null=float(weight[counted] @ family.deviance(y, np.full_like(y, middle))[counted]),
        )
