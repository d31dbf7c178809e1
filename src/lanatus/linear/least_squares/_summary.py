"""What a fitted linear model says of its weights: standard errors, tests, intervals, and how well it fits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted


@dataclass(frozen=True, eq=False)
class Summary:
    """Table of the weights of a linear model. It prints as one, and shows as one in a notebook.

    Attributes
    ----------
    title : str
        What was fitted.
    names : tuple of str
        The weights; "(intercept)" first, if there is one.
    coef, std_err, statistic, p_value, low, high : ndarrays
        Of each weight: estimate, standard error, estimate over standard error, p-value of the hypothesis that it is
        zero, and the ends of its interval.
    letter : str
        "t" or "z": what the statistic follows.
    figures : dict of str to float
        Of the whole model: R2, F and its p-value, or deviance and the like.
    alpha : float
        The intervals have confidence 1 - alpha.
    """

    title: str
    names: tuple[str, ...]
    coef: np.ndarray
    std_err: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    letter: str
    figures: dict[str, float] = field(default_factory=dict)
    alpha: float = 0.05

    @property
    def head(self) -> list[str]:
        """Names of the columns."""
        level = 100 * (1 - self.alpha)
        return ["", "coef", "std err", self.letter, f"P>|{self.letter}|", f"[{level:g} %", "interval]"]

    def rows(self) -> list[list[str]]:
        """The table as text, a row for each weight."""
        columns = (self.coef, self.std_err, self.statistic, self.p_value, self.low, self.high)
        shown = ["{:.4f}", "{:.3f}", "{:.3f}", "{:.3f}", "{:.3f}", "{:.3f}"]
        return [
            [name, *(_shown(form, float(column[j])) for form, column in zip(shown, columns, strict=True))]
            for j, name in enumerate(self.names)
        ]

    def __str__(self) -> str:
        from rich.cells import cell_len

        lines = [self.head, *self.rows()]
        widths = [max(cell_len(line[k]) for line in lines) for k in range(len(self.head))]

        def row(line: Sequence[str]) -> str:
            first = line[0] + " " * (widths[0] - cell_len(line[0]))
            return "  ".join([first, *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))])

        figures = ", ".join(f"{name} = {value:.6g}" for name, value in self.figures.items())
        return "\n".join([self.title, *map(row, lines), figures])

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.head)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows())
        figures = ", ".join(f"{escape(name)} = {value:.6g}" for name, value in self.figures.items())
        return f"<table><caption>{escape(self.title)}</caption><tr>{head}</tr>{body}</table><p>{figures}</p>"


def _shown(form: str, value: float) -> str:
    """A number in the fixed form, or in powers of ten where that would hide it."""
    if np.isfinite(value) and value and (abs(value) >= 1e6 or (form == "{:.4f}" and abs(value) < 1e-3)):
        return f"{value:.3e}"
    return form.format(value)


def least_squares_summary(model: Any, alpha: float) -> Summary:
    """Of a fitted LinearRegression."""
    from scipy import stats

    check_is_fitted(model)
    _check_level(alpha)
    if np.ndim(model.coef_) != 1:
        raise ValueError("summary takes a model of a single target; fit each target by itself.")
    moments = model._moments
    n, rank, free = 0, 0, 0
    if moments is not None:
        used = moments.without_flat() if model.fit_intercept else moments.about_zero()
        inverse, rank = used.inverse()
        n, free = moments.rows, moments.rows - rank - model.fit_intercept
    if model.positive or free < 1:
        raise ValueError(
            "summary needs more rows than weights, dense or narrow X, and weights that are free in sign; "
            f"got {n} rows for {len(model.coef_) + model.fit_intercept} weights, positive={model.positive}."
        )
    coef = model.coef_.astype(np.float64)
    left = max(float(used.yy[0] - 2 * coef @ used.xy[:, 0] + coef @ used.xx @ coef), 0.0)
    variance = left / free
    spread = variance * np.diag(inverse)
    names = tuple(model.schema_.expanded_names())
    if model.fit_intercept:
        at_zero = variance * (1 / used.mass + used.x_mean @ inverse @ used.x_mean)
        coef, spread = np.append(model.intercept_, coef), np.append(at_zero, spread)
        names = ("(intercept)", *names)
    total = float(used.yy[0])
    r2 = 1 - left / total if total > 0 else float("nan")
    f = (total - left) / rank / variance if variance > 0 and rank else float("inf")
    figures = {
        "n": n,
        "residual df": free,
        "R2": r2,
        "adjusted R2": 1 - (1 - r2) * (n - model.fit_intercept) / free,
        "F": f,
        "P(F)": float(stats.f.sf(f, rank, free)),
        "residual deviation": float(np.sqrt(variance)),
    }
    likelihood = moments.log_weight / 2 - n / 2 * (np.log(2 * np.pi * left / n) + 1) if left > 0 else float("inf")
    weights = rank + model.fit_intercept
    figures |= {"log-likelihood": likelihood, "AIC": 2 * weights - 2 * likelihood}
    figures["BIC"] = weights * np.log(n) - 2 * likelihood
    return table_of("Least squares", names, coef, np.sqrt(np.maximum(spread, 0)), alpha, figures, free)


def glm_summary(model: Any, alpha: float) -> Summary:
    """Of a fitted GeneralizedLinearModel."""
    _check_level(alpha)
    free = model._figures["residual df"]
    if model.alpha > 0 or free < 1:
        raise ValueError(
            "summary needs a model without penalty and more rows than weights; "
            f"got alpha={model.alpha!r} and {free} degrees of freedom left."
        )
    used = model._moments.without_flat() if model.fit_intercept else model._moments.about_zero()
    inverse = model.dispersion_ * used.inverse()[0]
    coef, spread = model.coef_.astype(np.float64), np.diag(inverse)
    names = tuple(model.schema_.expanded_names())
    if model.fit_intercept:
        at_zero = model.dispersion_ / used.mass + used.x_mean @ inverse @ used.x_mean
        coef, spread = np.append(model.intercept_, coef), np.append(at_zero, spread)
        names = ("(intercept)", *names)
    title = f"Generalised linear model, family {model.family}" + (f", link {model.link}" if model.link else "")
    figures = {**model._figures, "iterations": model.n_iter_}
    return table_of(title, names, coef, np.sqrt(np.maximum(spread, 0)), alpha, figures, None)


def table_of(
    title: str,
    names: tuple[str, ...],
    coef: np.ndarray,
    std_err: np.ndarray,
    alpha: float,
    figures: dict[str, float],
    degrees: int | None,
) -> Summary:
    """Tests and intervals by Student's t with these degrees of freedom, or by the normal law for None."""
    from scipy import stats

    law = stats.norm if degrees is None else stats.t(degrees)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = coef / std_err
    reach = law.isf(alpha / 2) * std_err
    return Summary(
        title,
        names,
        coef,
        std_err,
        statistic,
        2 * law.sf(np.abs(statistic)),
        coef - reach,
        coef + reach,
        "z" if degrees is None else "t",
        figures,
        alpha,
    )


def _check_level(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, for example 0.05; got {alpha!r}.")
