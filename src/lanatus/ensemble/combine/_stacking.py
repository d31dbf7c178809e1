"""Stacking: a second-level learner on what the first-level learners say of rows that they did not see."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, TransformerMixin, clone, is_regressor
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if

from lanatus._typing import override
from lanatus.base import check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.ensemble._committee import (
    Committee,
    default_classifiers,
    fitted,
    of_own_type,
    places,
)
from lanatus.ensemble._rules import RULES
from lanatus.ensemble.combine import _stacking_levels as levels
from lanatus.params import Choice, Nothing, rules_for
from lanatus.scale import blockwise
from lanatus.tree.grow import target_columns
from lanatus.wrapping import LEARNER

_METHODS = ("predict_proba", "decision_function", "predict")


def _knows_labels(model: Any) -> bool:
    """Whether a classifier learns several labels a row."""
    tags = get_tags(model).classifier_tags
    return tags is not None and tags.multi_label


@method(
    "ensemble.stacking",
    "ensemble.stacking-mlr",
    "ensemble.stackingc",
    section="8.4.3",
    task="classification",
    en="Stacking",
    zh="Stacking (堆叠法)",
    peers=["scikit-learn:StackingClassifier"],
)
class StackingClassifier(ClassifierMixin, TransformerMixin, Committee):
    r"""A classifier on top of the outputs of others, learned from rows that those had not seen.

    The rows are cut into k folds; :math:`z_{it} = h_t^{(-j)}(x_i)` for :math:`x_i \in D_j` are the attributes of row i
    for the second level, :math:`H(x) = h'(h_1(x), \dots, h_T(x))`. Afterwards the first-level learners are fitted to
    all rows.

    Book: section 8.4.3, figure 8.9.

    Parameters
    ----------
    estimators : list of (str, classifier or regressor) or None, default=None
        First-level learners; "drop" instead of one leaves it out. None is naive Bayes, linear discriminants and
        logistic regression. A regressor learns the places of the labels in `classes_`.
    final_estimator : classifier, {"mlr", "stackingc", "nnls"} or None, default=None
        Second-level learner; None is logistic regression. "mlr" is multi-response linear regression; "stackingc" the
        same where the plane of a class sees only the outputs for that class; "nnls" that with weights of 0 or more and
        no bias.
    cv : int, splitter, list of splits, "prefit" or None, default=None
        Folds; None is 5 stratified ones. "prefit" takes `estimators` as they are, fitted to the same labels.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What the second level sees; "auto" is the first of these that a learner has. "stackingc" and "nnls" want
        probabilities.
    n_jobs : int or None, default=None
        Learners fitted at a time, as in joblib.
    passthrough : bool, default=False
        Whether the second level sees X too (numbers, or a table as numbers).
    verbose : int, default=0
        Whether lines tell of the learners as they are fitted.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; a list of them where a row has several.
    estimators_ : list of fitted classifiers
        First-level learners; their classes are places in `classes_`, or labels if they came fitted.
    named_estimators_ : Bunch
        The same by name.
    final_estimator_ : fitted classifier
        The second-level learner.
    stack_method_ : list of str
        What each first-level learner is asked.

    Notes
    -----
    Of two classes only the probability of the second is kept, as in scikit-learn; "stackingc" and "nnls" keep both.
    With fewer rows than folds there are fewer folds. Cost: k + 1 fits of each first-level learner and one of the
    second level.

    Examples
    --------
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.ensemble import StackingClassifier
    >>> from lanatus.linear import LinearDiscriminantAnalysis
    >>> learners = [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis())]
    >>> model = StackingClassifier(learners, "mlr", cv=2)
    >>> model.fit([[0.0], [1.0], [1.5], [4.0], [5.0], [5.5]], list("aaabbb")).predict([[1.2], [4.5]]).tolist()
    ['a', 'b']

    References
    ----------
    Wolpert (1992), Stacked generalization. Ting and Witten (1999), Issues in stacked generalization. Seewald (2002),
    How to make stacking better and faster while also taking care of an unknown weakness.
    """

    classes_: Any
    stack_method_: list[str]
    final_estimator_: Any

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose

    _params = rules_for(
        __init__,
        RULES,
        final_estimator=Nothing() | LEARNER | Choice("mlr", "stackingc", "nnls"),
        stack_method=Choice("auto", *_METHODS),
    )

    transform = levels.transform
    get_feature_names_out = levels.get_feature_names_out

    def _default(self) -> list[tuple[str, Any]]:
        return default_classifiers()

    def _final(self) -> Any:
        from lanatus.linear import LogisticRegression, MultiResponseLinearRegression

        if isinstance(self.final_estimator, str):
            return MultiResponseLinearRegression()
        return LogisticRegression() if self.final_estimator is None else clone(self.final_estimator)

    def _own_outputs(self) -> bool:
        return isinstance(self.final_estimator, str) and self.final_estimator != "mlr"

    def _coded(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Rows and class codes, or several labels a row as they came; learns the classes, a list for several."""
        if len(target_columns(y)) == 1:
            return coded_rows(self, X, y, least=2)
        rows, labels = self._take(X, reset=True), np.asarray(y)
        if self._own_outputs():
            raise ValueError(f"final_estimator={self.final_estimator!r} is for one label a row.")
        check_consistent_length(rows, labels)
        self.classes_ = [np.unique(labels[:, k]) for k in range(labels.shape[1])]
        return rows, labels

    def _verb(self, model: Any) -> str:
        for verb in _METHODS if self.stack_method == "auto" else (self.stack_method,):
            if hasattr(model, verb):
                return verb
        raise ValueError(f"{type(model).__name__} has no {self.stack_method}; choose another stack_method.")

    def _outputs(self, model: Any, verb: str, rows: Any) -> np.ndarray:
        if isinstance(self.classes_, list):
            return levels.of_labels(getattr(model, verb)(rows))
        n_classes = len(self.classes_)
        labels = self.classes_ if levels.is_prefit(self) else None
        values = np.asarray(getattr(model, verb)(rows))
        if verb == "predict" and is_regressor(model):
            return values.astype(np.float64).reshape(len(values), -1)
        if verb == "predict":
            return places(values, labels).astype(np.float64)[:, None]
        if values.ndim == 1:
            return values.astype(np.float64)[:, None]
        if values.shape[1] < n_classes:  # a fold lacked a class
            spread = np.zeros((len(values), n_classes))
            spread[:, places(model.classes_, labels)] = values
            values = spread
        return values[:, 1:] if n_classes == 2 and verb == "predict_proba" and not self._own_outputs() else values

    def _widths(self) -> list[int]:
        if isinstance(self.classes_, list):
            return [len(self.classes_)] * len(self.stack_method_)
        n_classes = len(self.classes_)
        many = n_classes if n_classes > 2 or self._own_outputs() else 1
        return [1 if verb == "predict" else many for verb in self.stack_method_]

    def __sklearn_tags__(self) -> Any:
        tags = of_own_type(super().__sklearn_tags__())
        tags.classifier_tags.multi_label = all(map(_knows_labels, self._learners())) and _knows_labels(self._final())
        return tags

    @fitting
    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit both levels.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        y : array of shape (n_samples,) or, of 0 and 1, (n_samples, n_labels)
            The labels; of several labels a row, the learners must know what to make of them.
        **fit_params : dict
            `sample_weight`, an array of shape (n_samples,), for learners that take it; both levels use it. The folds
            cut rows, so that a row of weight 2 is not quite two rows. What else there is goes to the first-level
            learners that ask for it, where scikit-learn's metadata routing is switched on.

        Returns
        -------
        self
        """
        if is_regressor(self._final()):
            raise ValueError("'final_estimator' parameter should be a classifier.")
        sample_weight, more = levels.parted_params(self, fit_params)
        rows, codes = self._coded(X, y)
        weight = self._weights(sample_weight, rows)
        if weight is not None and codes.ndim == 1 and len(np.unique(codes[weight > 0])) < 2:
            raise ValueError("sample_weight leaves rows of 1 class; wanted at least 2 classes.")
        self.stack_method_ = [self._verb(model) for model in self._models()]
        if self._own_outputs() and set(self.stack_method_) != {"predict_proba"}:
            raise ValueError(f"final_estimator={self.final_estimator!r} wants learners with predict_proba.")
        if self._own_outputs() and self.passthrough:
            raise ValueError(f"final_estimator={self.final_estimator!r} sees outputs only; passthrough must be False.")
        Z = levels.first_level(self, rows, codes, weight, more, classifier=True)
        if self._own_outputs():
            positive = self.final_estimator == "nnls"
            self.final_estimator_ = levels.own_outputs(
                Z, codes, weight, n_classes=len(self.classes_), positive=positive
            )
        else:
            self.final_estimator_ = fitted(self._final(), Z, codes, None, weight)
        return self

    @blockwise
    def predict(self, X: Any, **predict_params: Any) -> np.ndarray:
        """Predicted class of each row of X.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The attributes.
        **predict_params : dict
            What ``predict`` of the second-level learner takes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        check_is_fitted(self)
        said = np.asarray(self.final_estimator_.predict(self.transform(X), **predict_params))
        return said if isinstance(self.classes_, list) else np.asarray(self.classes_[said])

    @override
    @available_if(levels.final_has("predict_proba"))
    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities by the second level, where it has them: an array of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        said = self.final_estimator_.predict_proba(self.transform(X))
        if isinstance(self.classes_, list):  # of each label, that it holds
            return np.column_stack([part[:, -1] for part in said]) if isinstance(said, list) else np.asarray(said)
        return np.asarray(said)

    @available_if(levels.final_has("decision_function"))
    @blockwise
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores by the second level."""
        check_is_fitted(self)
        return np.asarray(self.final_estimator_.decision_function(self.transform(X)))
