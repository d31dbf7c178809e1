"""Twice-learning: an ensemble teaches a single model that people can read."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Tables, as_labels, check_is_fitted, coded_rows, fitting, n_rows, warn_unconverged
from lanatus.catalog import Takes, method
from lanatus.ensemble._committee import one_hot
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.combine._networks import answers_of, start, train
from lanatus.ensemble.combine._standardised import learn_scales, one_order, scaled, single_blas
from lanatus.params import Integer, Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.table import Table, as_frame
from lanatus.wrapping import LEARNER

__all__ = ["NeC45Classifier", "twice_learning"]


@method(
    "ensemble.twice-learning",
    section="8.6",
    task="classification",
    en="Twice-learning",
    zh="二次学习",
)
def twice_learning(
    ensemble: Any,
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    n_generated: int | float = 1.0,
    random_state: Any = None,
) -> Any:
    """Fit a learner to what an ensemble says of the training rows and of rows made up like them.

    Book: section 8.6. An ensemble is accurate and hard to read; a tree or a list of rules that learns from its answers
    is easier to read, and often more accurate than one that learns from the labels. Rows are made up column by column,
    each value drawn from those of its column. Cost: one answer of the ensemble a row, and one fit.

    Parameters
    ----------
    ensemble : estimator
        The teacher; one that is not fitted yet is cloned and fitted to X and y.
    learner : estimator
        The pupil, such as `C45Classifier` or `C45Rules`; it is cloned.
    X : array or frame of shape (n_samples, n_features)
        The attributes.
    y : array of shape (n_samples,), optional
        The labels; needed if the ensemble is not fitted.
    n_generated : int or float, default=1.0
        Rows to make up: a number of them, or as a float a multiple of the rows of X.
    random_state : int, RandomState or None, default=None
        Draws the rows.

    Returns
    -------
    fitted learner

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import VotingClassifier, twice_learning
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> pupil = twice_learning(VotingClassifier(), GaussianNB(), X, y, n_generated=20, random_state=0)
    >>> pupil.predict([[1.5], [6.5]]).tolist()
    ['a', 'b']

    References
    ----------
    Zhou and Jiang (2003, 2004), Medical diagnosis with C4.5 rule preceded by artificial neural network ensemble;
    NeC4.5: neural ensemble based C4.5.
    """
    try:
        check_is_fitted(ensemble)
    except NotFittedError:
        if y is None:
            raise ValueError("the ensemble is not fitted, so y is needed; got None.") from None
        ensemble = clone(ensemble).fit(X, y)
    X = _plain_rows(X)
    at = drawn_places(X, _n_made(n_generated, n_rows(X)), check_random_state(random_state))
    rows = rows_at(X, _with_own(X, at))
    return clone(learner).fit(rows, as_labels(ensemble.predict(rows)))


def _plain_rows(X: Any) -> Any:
    """X as an array, a pandas frame or a table, of which columns can be shuffled."""
    if isinstance(X, Table) or (as_frame(X) is not None and hasattr(X, "iloc")):
        return X
    if as_frame(X) is not None:
        return Table.of(X)
    if hasattr(X, "tocsr"):
        raise TypeError("Sparse data was passed for X, but rows are made up of dense data. Use X.toarray().")
    return np.asarray(X)


def _n_made(wanted: int | float, count: int) -> int:
    if isinstance(wanted, bool) or not wanted >= 0:
        raise ValueError(f"n_generated must be a number of 0 or more; got {wanted!r}.")
    return int(wanted) if isinstance(wanted, int | np.integer) else round(wanted * count)


def drawn_places(X: Any, count: int, rng: np.random.RandomState) -> np.ndarray:
    """A row of X for each value of `count` new rows, drawn independently for each column."""
    return rng.randint(n_rows(X), size=(count, X.shape[1]))


def rows_at(X: Any, at: np.ndarray) -> Any:
    """Rows whose value in column j comes from row ``at[:, j]`` of X."""
    if isinstance(X, Table):
        numeric = np.take_along_axis(X.numeric, at[:, X.schema.numeric], axis=0)
        return Table(X.schema, numeric, np.take_along_axis(X.codes, at[:, X.schema.coded], axis=0))
    if isinstance(X, np.ndarray):
        return np.take_along_axis(X, at, axis=0)
    return type(X)({name: X[name].iloc[at[:, j]].array for j, name in enumerate(X.columns)})


def _with_own(X: Any, at: np.ndarray) -> np.ndarray:
    """Places of the rows of X themselves, then those of the new ones."""
    own = np.repeat(np.arange(n_rows(X))[:, None], at.shape[1], axis=1)
    return np.vstack([own, at])


@method(
    "ensemble.nec45",
    section="8.6",
    task="classification",
    en="NeC4.5",
    zh="NeC4.5",
)
class NeC45Classifier(ClassifierMixin, Estimator):
    r"""A C4.5 tree that learns from an ensemble of neural networks instead of from the labels.

    Networks with one hidden layer are fitted to bootstrap samples; they relabel the rows, and label new ones that are
    made up column by column; the tree is fitted to all of these. It reads like C4.5 and is often more accurate.

    Book: section 8.6.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of networks.
    tree : classifier or None, default=None
        The tree; None is `C45Classifier`.
    n_generated : int or float, default=1.0
        Rows to make up: a number of them, or as a float a multiple of the rows.
    hidden : int, default=10
        Hidden units of a network (tanh).
    alpha : float, default=1e-4
        Weight decay of the networks, 0 or more.
    max_iter : int, default=1000
        Most iterations of L-BFGS for the networks.
    tol : float, default=1e-5
        They stop once an iteration gains less than this.
    random_state : int, RandomState or None, default=None
        Draws weights, samples and rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    tree_ : fitted classifier
        The tree; its classes are places in `classes_`.
    n_iter_ : int
        Iterations of the networks.

    Notes
    -----
    The networks see nominal values as indicators, the tree as they are. With noise-free labels and few rows plain C4.5
    may do better: then the networks are the weaker teacher. Cost: O(m d h) a network and iteration, and one tree.

    Examples
    --------
    >>> from lanatus.ensemble import NeC45Classifier
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> NeC45Classifier(random_state=0).fit(X, y).predict([[1.5], [6.5]]).tolist()
    ['a', 'b']

    References
    ----------
    Zhou and Jiang (2004), NeC4.5: neural ensemble based C4.5.
    """

    _takes = Takes(nominal=True)
    _wants = Tables()

    classes_: np.ndarray
    tree_: Any
    n_iter_: int

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        tree: Any = None,
        n_generated: int | float = 1.0,
        hidden: int = 10,
        alpha: float = 1e-4,
        max_iter: int = 1000,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.tree = tree
        self.n_generated = n_generated
        self.hidden = hidden
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _params = rules_for(
        __init__, RULES, tree=Nothing() | LEARNER, n_generated=Integer(low=0) | Real(low=0), hidden=Integer(low=1)
    )

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        from lanatus.tree import C45Classifier

        table, codes = coded_rows(self, X, y)
        # In an order of their own, rows are drawn alike however they came.
        order = one_order(table.design_matrix(np.float64), codes)
        table, codes = Table(table.schema, table.numeric[order], table.codes[order]), codes[order]
        rng = check_random_state(self.random_state)
        with single_blas():
            label = self._taught(table, codes, rng)
            at = drawn_places(table, _n_made(self.n_generated, len(table)), rng)
            rows = rows_at(table, _with_own(table, at))
            labels = label(rows)
        tree = C45Classifier() if self.tree is None else clone(self.tree)
        if "random_state" in tree.get_params():
            tree.set_params(random_state=int(rng.randint(2**31 - 1)))
        self.tree_ = tree.fit(rows, labels)
        return self

    def _taught(self, table: Table, codes: np.ndarray, rng: np.random.RandomState) -> Any:
        """Networks on bootstrap samples, as a function from rows to codes."""
        numbers = table.design_matrix(np.float64)
        scales = learn_scales(numbers)
        shape = (self.n_estimators, numbers.shape[1], self.hidden, len(self.classes_))
        n = len(codes)
        counts = np.stack([np.bincount(rng.randint(n, size=n), minlength=n) for _ in range(self.n_estimators)])
        theta, report = train(
            start(*shape, rng),
            shape,
            scaled(numbers, scales),
            one_hot(codes, len(self.classes_)).astype(np.float64),
            counts=counts.astype(np.float64),
            alpha=self.alpha,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        if not np.isfinite(report.fun):
            raise ValueError("the networks ran out of the range of numbers; scale X.")
        self.n_iter_ = int(report.nit)
        if report.status == 1:
            warn_unconverged(self)

        def label(rows: Table) -> np.ndarray:
            Z = scaled(rows.design_matrix(np.float64), scales)
            return np.asarray(answers_of(theta, shape, Z).mean(axis=0).argmax(axis=1))

        return label

    def _at(self) -> np.ndarray:
        return np.asarray(self.tree_.classes_).astype(np.intp)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        check_is_fitted(self)
        return np.asarray(self.classes_[np.asarray(self.tree_.predict(self._take(X, reset=False))).astype(np.intp)])

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        shares = np.zeros((len(rows), len(self.classes_)))
        shares[:, self._at()] = self.tree_.predict_proba(rows)
        return shares
