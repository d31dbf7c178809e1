"""Dynamic classifier selection: each row is answered by the classifiers that are good near it."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from lanatus.base import Floats, Integers, check_is_fitted, coded_rows, fitting
from lanatus.catalog import Takes, method
from lanatus.ensemble import _most_likely
from lanatus.ensemble._committee import (
    Committee,
    class_shares,
    default_classifiers,
    folds,
    held_out,
    of_kind,
    one_hot,
    places,
)
from lanatus.ensemble._rules import RULES
from lanatus.metric import Minkowski, value_difference_space
from lanatus.neighbors import nearest
from lanatus.params import Choice, Real, rules_for
from lanatus.scale import blockwise
from lanatus.table import Table


@method(
    "ensemble.dynamic-classifier-selection",
    section="8.6",
    task="classification",
    en="Dynamic classifier selection",
    zh="动态分类器选择",
    peers=["DESlib:OLA"],
)
class DynamicClassifierSelection(ClassifierMixin, Committee):
    r"""For each row, the classifier of a pool that does best on the row's neighbours, or those that do well, answer.

    "ola": :math:`i^* = \arg\max_i \frac{1}{k} \sum_{z \in N_k(x)} 1[h_i(z) = y_z]`, the accuracy on the k nearest rows.
    How good a classifier is there is judged on rows that it was not fitted to.

    Book: section 8.6.

    Parameters
    ----------
    estimators : list of (str, classifier) or None, default=None
        The pool; "drop" instead of one leaves it out. None is naive Bayes, linear discriminants and logistic
        regression.
    n_neighbors : int, default=7
        Neighbours to judge by, *k*.
    rule : {"ola", "lca", "knora-e", "knora-u"}, default="ola"
        Overall local accuracy: the one with the most right answers near. Local class accuracy: counted over the
        neighbours of which a classifier says the class that it says of the row. KNORA-Eliminate: a vote of those that
        are right on all neighbours, of fewer neighbours if there is none. KNORA-Union: a vote of all, with as many
        votes each as right answers.
    cv : int, splitter, list of splits, "prefit" or None, default=None
        How neighbours are judged on rows held out; None is 5 folds. "prefit" takes the pool as it is, fitted to other
        rows with the same labels, and judges it on the rows of ``fit``.
    p : float, default=2.0
        Order of the Minkowski distance, 1 or more.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of fitted classifiers
        The pool; its classes are places in `classes_`, or labels if it came fitted.
    named_estimators_ : Bunch
        The same by name.
    said_ : ndarray of shape (n_samples, n_estimators)
        What the pool said of the rows held out, as places in `classes_`.

    Notes
    -----
    Numbers are scaled to their ranges; nominal values are compared by the value difference metric. Equal accuracies
    are settled by the order of the pool. Cost: k + 1 fits of each classifier with k folds; a row costs a search for
    neighbours, and one answer of each classifier. Memory: the training rows.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import DynamicClassifierSelection
    >>> from lanatus.linear import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], list("aaabbb")
    >>> pool = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
    >>> DynamicClassifierSelection(pool, n_neighbors=3, cv=3).fit(X, y).predict([[1.5], [6.5]]).tolist()
    ['a', 'b']

    References
    ----------
    Woods, Kegelmeyer and Bowyer (1997), Combination of multiple classifiers using local accuracy estimates. Ko,
    Sabourin and Britto (2008), From dynamic classifier selection to dynamic ensemble selection.
    """

    _state: ClassVar = {
        "said_": Integers("rows", "members", below="classes"),
        "_truth": Integers("rows", below="classes"),
        "_points": Floats("rows", "coordinates", finite=False),
    }

    predict = _most_likely.predict
    classes_: np.ndarray
    said_: np.ndarray

    def __init__(
        self,
        estimators: Any = None,
        n_neighbors: int = 7,
        *,
        rule: str = "ola",
        cv: Any = None,
        p: float = 2.0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.n_neighbors = n_neighbors
        self.rule = rule
        self.cv = cv
        self.p = p
        self.n_jobs = n_jobs

    _params = rules_for(__init__, RULES, rule=Choice("ola", "lca", "knora-e", "knora-u"), p=Real(low=1))

    def _default(self) -> list[tuple[str, Any]]:
        return default_classifiers()

    @property
    def _takes(self) -> Takes:  # type: ignore[override]
        return Takes(nominal=super()._takes.nominal)  # neighbours want dense rows without holes

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X with labels y."""
        models = self._models()
        of_kind(models, regressors=False, who="DynamicClassifierSelection")
        rows, codes = coded_rows(self, X, y, least=2)
        if isinstance(self.cv, str):
            for model in models:
                check_is_fitted(model)
            self.estimators_ = models
            predicted = [self._codes(model, rows) for model in models]
        else:
            parts = folds(self.cv, codes, classifier=True)
            predicted = held_out(models, rows, codes, parts, self._codes, n_jobs=self.n_jobs)
            self._fit_members(rows, codes, None)
        self.said_ = np.column_stack(predicted)
        self._truth = codes.astype(np.intp)
        table = self._as_table(rows)
        self._space = value_difference_space(table, codes, len(self.classes_))
        self._points = self._space.points(table)
        return self

    def _labels(self) -> np.ndarray | None:
        """What the pool speaks in: labels if it came fitted, else codes."""
        return self.classes_ if isinstance(self.cv, str) else None

    def _codes(self, model: Any, rows: Any) -> np.ndarray:
        return places(model.predict(rows), self._labels())

    def _as_table(self, rows: Any) -> Table:
        if isinstance(rows, Table):
            return rows
        return Table.of(rows) if isinstance(rows, np.ndarray) else Table.of(rows, like=self.schema_)

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the chosen classifier; shares of the votes for the two rules that let several vote."""
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        queries = self._space.points(self._as_table(rows))
        k = min(self.n_neighbors, len(self._points))
        near = nearest(self._points, queries, k, metric=Minkowski(float(self.p))).indices
        now = np.column_stack([self._codes(model, rows) for model in self.estimators_])
        votes = self._votes(near, now)
        n_classes = len(self.classes_)
        if self.rule.startswith("knora"):
            said = np.stack([one_hot(answers, n_classes) for answers in now.T])
        else:
            labels = self._labels()
            said = np.stack([class_shares(model, rows, n_classes, classes=labels) for model in self.estimators_])
        return np.asarray(np.einsum("nt,tnc->nc", votes / votes.sum(axis=1, keepdims=True), said))

    def _votes(self, near: np.ndarray, now: np.ndarray) -> np.ndarray:
        """Votes of each classifier for each row, of which at least one is above zero."""
        predicted = self.said_[near]  # rows, neighbours, classifiers
        right = predicted == self._truth[near][:, :, None]
        if self.rule == "knora-u":
            votes = right.sum(axis=1).astype(np.float64)
        elif self.rule == "knora-e":
            run = np.cumprod(right, axis=1).sum(axis=1)  # neighbours right without a miss, nearest first
            votes = ((run == run.max(axis=1, keepdims=True)) & (run > 0)).astype(np.float64)
        else:
            counted = np.ones_like(right) if self.rule == "ola" else predicted == now[:, None, :]
            accuracy = (right & counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
            votes = one_hot(accuracy.argmax(axis=1), now.shape[1]).astype(np.float64)
        votes[votes.sum(axis=1) == 0] = 1.0
        return votes
