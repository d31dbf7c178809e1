"""Naive Bayes for tables of numbers and nominal attributes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lanatus._core import bayes as kernels
from lanatus.base import aligned, n_threads
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import class_mass, split_lines
from lanatus.bayes.naive._gaussian_nb import normal_parameters, overall
from lanatus.bayes.naive._kernel_column import KernelColumns
from lanatus.bayes.naive._mixed_counts import MixedBayes, MixedCounts, tally_rows
from lanatus.catalog import Contender, method
from lanatus.params import Choice, Real, Satisfies, rules_for
from lanatus.scale import Block

_DENSITIES = ("gaussian", "kernel")


@method(
    "bayes.naive-bayes",
    "bayes.naive-bayes-log-form",
    "bayes.naive-bayes-modes",
    section="7.3",
    task="classification",
    en="Naive Bayes for mixed tables",
    zh="朴素贝叶斯分类器",
    streams=True,
    peers=["scikit-learn:CategoricalNB", "scikit-learn:GaussianNB"],
    contender=Contender(simplicity=1, starts=({}, {"density": "kernel"}), most_rows=200_000),
)
class NaiveBayes(MixedBayes):
    r"""Naive Bayes for numbers and nominal attributes in one table.

    Picks the class with the largest :math:`P(c) \prod_i P(x_i \mid c)` (7.15): nominal and ordinal attributes by counts
    with the Laplacian correction (7.20), numbers by a normal density (7.18) or a kernel density. Products are sums of
    logarithms, so that thousands of attributes do no harm.

    Book: section 7.3. Kernels: ``cpp/bayes/counts.hpp``, ``cpp/bayes/gaussian_nb.hpp``.
    Cost: one pass, :math:`O(nd)`, and :math:`O(ndk)` for ``predict``; memory :math:`O(dk)`. A kernel density keeps the
    column and takes as many exponentials as it has values, for each row.

    Parameters
    ----------
    density : {"gaussian", "kernel"} or dict, default="gaussian"
        What numbers follow in a class; a dict names the columns that are not normal, ``{"密度": "kernel"}``.
    alpha : float, default=1.0
        Added to every count, of values (7.20) and of classes (7.19): 1 is the Laplacian correction, 0 none.
    ddof : int, default=1
        Variances are divided by (weighted) count minus this: 1 gives the figures of the book, 0 is (7.13).
    var_smoothing : float, default=1e-9
        This share of the variance of a column is added to its variances in the classes.
    bandwidth : {"john-langley", "silverman"} or float, default="john-langley"
        Width of the kernels: deviation of the column over the root of the class's rows, Silverman's rule, or a number.
    priors : array of shape (n_classes,) or None, default=None
        Probabilities of the classes; None takes (7.19).
    mode : {"lookup", "lazy", "incremental"}, default="lookup"
        Whether ``fit`` makes the table of logarithms, keeps the rows and counts when asked, or keeps counts. The
        answers are the same.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_prior_ : ndarray of shape (n_classes,), probabilities of the classes
    theta_ : ndarray of shape (n_classes, n_numeric), means of the numbers
    var_ : ndarray of shape (n_classes, n_numeric), variances, smoothed
    category_count_ : list of ndarrays of shape (n_classes, n_values), counts of each other attribute
    feature_log_prob_ : list of ndarrays of shape (n_classes, n_values), logarithms of (7.20); with "lookup"
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Missing values are left out, attribute by attribute, and a column without any value says nothing. A number never
    seen in a class has the density of all classes; a class with too few of them for a variance has that of the column.
    A constant column has the same narrow density in every class. Sources and Dask collections take one pass; kernel
    densities and the mode "lazy" keep rows and so need them in memory.

    Examples
    --------
    >>> from lanatus.bayes import NaiveBayes
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("3.0", return_X_y=True)
    >>> model = NaiveBayes(alpha=0).fit(X, y)
    >>> model.predict_proba(X[:1]).round(4).tolist()  # 否, 是
    [[0.0013, 0.9987]]

    References
    ----------
    John and Langley (1995), Estimating continuous distributions in Bayesian classifiers.
    """

    def __init__(
        self,
        *,
        density: Any = "gaussian",
        alpha: float = 1.0,
        ddof: int = 1,
        var_smoothing: float = 1e-9,
        bandwidth: Any = "john-langley",
        priors: Any = None,
        mode: str = "lookup",
    ) -> None:
        self.density = density
        self.alpha = alpha
        self.ddof = ddof
        self.var_smoothing = var_smoothing
        self.bandwidth = bandwidth
        self.priors = priors
        self.mode = mode

    _params = rules_for(
        __init__,
        RULES,
        density=Choice(*_DENSITIES) | Satisfies(lambda v: isinstance(v, dict), "a dict of column to density"),
        bandwidth=Choice("john-langley", "silverman") | Real(above=0),
        mode=Choice("lookup", "lazy", "incremental"),
    )

    def _kernel_columns(self) -> np.ndarray:
        """Which of the numeric columns have a kernel density."""
        names = [self.schema_.columns[j].name for j in self.schema_.numeric]
        if not isinstance(self.density, dict):
            return np.full(len(names), self.density == "kernel")
        if wrong := {name: kind for name, kind in self.density.items() if name not in names or kind not in _DENSITIES}:
            raise ValueError(f"density must give numeric columns one of {_DENSITIES}; got {wrong}, wanted of {names}.")
        return np.array([self.density.get(name) == "kernel" for name in names])

    def _keeps_rows(self) -> bool:
        kinds = self.density.values() if isinstance(self.density, dict) else [self.density]
        return self.mode == "lazy" or "kernel" in kinds

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], MixedCounts]:
        kernel = self._kernel_columns()
        if self.mode == "lazy":
            return partial(tally_rows, classes, None)
        return partial(tally_rows, classes, self.schema_) if kernel.any() else super()._tally(classes)

    def _absorb(self, stats: MixedCounts) -> None:
        if self.mode != "lazy":
            return super()._absorb(stats)
        rows = stats.kept
        self._stats = stats
        self._set_priors(rows.classes, class_mass(rows.y, rows.weight, len(rows.classes)))
        return None

    def _set_densities(self, stats: MixedCounts) -> None:
        epsilon = self.var_smoothing * overall(stats.moments)[2]
        self.theta_, self.var_ = normal_parameters(stats.moments, self.ddof, epsilon)
        kernel = self._kernel_columns()
        if kernel.any():
            kept = stats.kept
            columns = kept.codes[:, np.array(self.schema_.numeric)[kernel]]
            self._kernels = KernelColumns.of(columns, kept.y, kept.weight, len(self.classes_), self.bandwidth)
        if self.mode == "lookup":
            self._lines = super()._log_lines()
            self.feature_log_prob_ = split_lines(self._lines, stats.counts.n_values)

    def _log_lines(self) -> np.ndarray:
        return self._lines if self.mode == "lookup" else super()._log_lines()

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        kernel = self._kernel_columns()
        total = np.zeros((len(X), len(self.classes_)))
        if not kernel.all():
            mean, var = aligned(self.theta_[:, ~kernel]), aligned(self.var_[:, ~kernel])
            start = np.zeros(len(self.classes_))
            total += kernels.joint_log_likelihood(aligned(X[:, ~kernel]), mean, var, start, n_threads=n_threads())
        if kernel.any():
            total += self._kernels.log_densities(X[:, kernel])
        return total

    def _joint_of(self, rows: np.ndarray) -> np.ndarray:
        return self._counted()._joint_of(rows) if self.mode == "lazy" else super()._joint_of(rows)

    def _counted(self) -> "NaiveBayes":
        """The model that the rows kept give, counted now."""
        kept = self._stats.kept
        model = NaiveBayes(**{**self.get_params(deep=False), "mode": "incremental"})
        model._remember(self.schema_)
        model._absorb(model._tally(kept.classes)(Block(kept.codes, kept.classes[kept.y], kept.weight, 0)))
        return model
