"""A learner of new rows from labels that spread over a graph."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from lanatus.base import check_is_fitted, fitting, take_rows
from lanatus.catalog import method
from lanatus.params import Nothing, Real, rules_for
from lanatus.scale import blockwise
from lanatus.semi._labels import SemiSupervised
from lanatus.semi.graph._label_spreading import LabelSpreading
from lanatus.wrapping import LEARNER, Wrapper


def _inner_has(verb: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), verb))


@method(
    "semi.graph-ssl-inductive",
    section="ex 13.7",
    task="classification",
    en="Inductive learner from a graph",
    zh="图半监督学习的归纳扩展",
)
class InductiveGraphSSL(SemiSupervised, ClassifierMixin, Wrapper):
    r"""Spreads the labels over a graph, then teaches all rows to a learner that can be asked about new ones.

    A graph has no place for a row that came later. So the rows without a label take the one that the graph gives them,
    where it is sure enough, and any learner is fitted to all rows that have one then.

    Book: exercise 13.7. Cost: that of the graph, and a fit of the learner.

    Parameters
    ----------
    estimator : classifier
        The learner.
    graph : semi-supervised classifier or None, default=None
        What spreads the labels: it must have a ``transduction_``. None is ``LabelSpreading(kernel="knn", alpha=0.9)``.
    least : float, default=0.0
        Share of the likeliest class, from 0 to 1, from which on a label of the graph is taken.

    Attributes
    ----------
    estimator_ : fitted learner
        The learner.
    graph_ : fitted semi-supervised classifier
        What spread the labels.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    transduction_ : ndarray of shape (n_samples,)
        Labels of the rows of ``fit``: those that were known as they were, the others as the graph has them.
    schema_ : Schema
        The columns seen in ``fit``, where they were not plain numbers.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, where they had any.

    Examples
    --------
    >>> from lanatus.linear import LogisticRegression
    >>> from lanatus.semi import InductiveGraphSSL, LabelSpreading
    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> model = InductiveGraphSSL(LogisticRegression(), graph=LabelSpreading(gamma=1.0))
    >>> model.fit(X, [0, -1, -1, -1, -1, 1]).predict([[3.0], [6.0]]).tolist()
    [0, 1]
    """

    estimator_: Any
    graph_: Any
    transduction_: np.ndarray

    def __init__(self, estimator: Any, *, graph: Any = None, least: float = 0.0) -> None:
        self.estimator = estimator
        self.graph = graph
        self.least = least

    _params = rules_for(__init__, estimator=LEARNER, graph=LEARNER | Nothing(), least=Real(low=0, high=1))

    def _graph(self) -> Any:
        return LabelSpreading(kernel="knn", alpha=0.9) if self.graph is None else clone(self.graph)

    def _learners(self) -> list[Any]:
        return [self.estimator, self._graph()]

    @fitting
    def fit(self, X: Any, y: Any) -> Self:
        """Spread the labels, and teach them.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            The labels; -1 or a missing value where there is none.
        """
        rows = self._take(X, reset=True)
        codes = self._learn_labels(y, rows)
        merged = codes.copy()
        self.graph_ = self._graph().fit(rows, codes)
        asked = codes < 0
        said = np.asarray(self.graph_.transduction_)[asked].astype(np.int32)
        merged[asked] = said
        taught = ~asked
        shares = getattr(self.graph_, "label_distributions_", None)
        taught[asked] = True if shares is None else np.asarray(shares)[asked].max(axis=1) >= self.least
        chosen = np.flatnonzero(taught)
        part = rows if len(chosen) == len(codes) else take_rows(rows, chosen)
        self.estimator_ = clone(self.estimator).fit(part, self.classes_[merged[chosen]])
        self.transduction_ = self.classes_[merged]
        return self

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X, by the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(self._take(X, reset=False)))

    @_inner_has("predict_proba")
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, by the learner."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(self._take(X, reset=False)))
