"""C4.5rules: a tree turned into a list of rules."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone

from lanatus.base import Columns, Estimator, Floats, Takes, check_is_fitted, class_codes, fitting
from lanatus.catalog import method
from lanatus.params import Flag, Nothing, Real, rules_for
from lanatus.tree.grow._classifier import CLASSIFIER_PARAMS, shares_of
from lanatus.tree.grow._columns import as_dense
from lanatus.tree.grow._presets import C45Classifier
from lanatus.tree.read._rules_search import Condition, RuleSearch, holds, leaf_rules
from lanatus.wrapping import LEARNER


@method("tree.c45-rules", section="4.6", task="classification", en="C4.5Rule: rules from a tree", zh="C4.5Rule规则")
class C45Rules(ClassifierMixin, Estimator):
    r"""A tree turned into an ordered list of rules, which are then made simpler than any tree of the same size.

    Every leaf gives the rule of its path. A rule loses the conditions that its pessimistic error (the upper limit of
    a binomial share) is no worse without; each class keeps the rules of least description length; the classes come in
    the order of their false positives, and what no rule covers gets the commonest class of such rows.

    Book: section 4.6. Cost: that of the tree plus :math:`O(n)` for each rule and condition, ``n`` bytes a condition.

    Parameters
    ----------
    tree : tree classifier or None, default=None
        Whose leaves become rules: one that is fitted already is taken as it stands, another is fitted first; None is
        an unpruned `C45Classifier`.
    simplify : bool, default=True
        Whether rules are simplified and chosen from; False keeps the tree's own.
    confidence : float, default=0.25
        Confidence of the pessimistic errors: smaller drops more conditions.
    theory_weight : float, default=0.5
        What a bit of the rules costs against a bit of their exceptions.

    Attributes
    ----------
    rules_ : list of (conditions, class code)
        In order; a condition is a column, one of "<=", ">", "==", "in", "not in", and a number, code or tuple of codes.
    rule_values_ : ndarray of shape (n_rules + 1, n_classes)
        Training weights of the classes among the rows that a rule covers; last, those of the rows that none does.
    default_class_ : label, what rows say that no rule covers
    classes_ : ndarray of shape (n_classes,), the labels
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where the columns had names

    Notes
    -----
    Rules whose class is not the commonest among the rows that they cover are dropped. The subsets of rules are found by
    single changes, from none and from all of them. A missing value meets no condition; rows of which much is missing
    so tend to the default. Without `simplify`, complete rows get what the tree says.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import C45Rules
    >>> melons = load_watermelon("2.0")
    >>> X = melons.frame[melons.feature_names]
    >>> rules = C45Rules().fit(X, melons.target)
    >>> len(rules.rules_) <= 9, rules.score(X, melons.target) > 0.85
    (True, True)

    References
    ----------
    Quinlan: C4.5, programs for machine learning, 1993, chapter 5.
    """

    _state: ClassVar = {"rule_values_": Floats("rules", "classes")}

    _takes: ClassVar[Takes] = Takes(nominal=True, missing=True)
    _wants = Columns()

    def __init__(
        self, tree: Any = None, *, simplify: bool = True, confidence: float = 0.25, theory_weight: float = 0.5
    ) -> None:
        self.tree = tree
        self.simplify = simplify
        self.confidence = confidence
        self.theory_weight = theory_weight

    _params = rules_for(
        __init__, CLASSIFIER_PARAMS, tree=Nothing() | LEARNER, simplify=Flag(), theory_weight=Real(low=0)
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        grower = self.tree
        if not hasattr(grower, "tree_"):
            grower = C45Classifier(prune=None) if grower is None else clone(grower)
            grower.fit(X, y, sample_weight=sample_weight)
        self._remember(grower.schema_)
        matrix = as_dense(self._take(X, reset=False))
        self.classes_, codes = class_codes(y, matrix, grower.classes_)
        weight = self._weights(sample_weight, matrix)
        weight = np.ones(len(matrix)) if weight is None else weight
        tree = grower.tree_
        rules = leaf_rules(tree, tree.outputs.argmax(axis=1))
        search = RuleSearch(rules, matrix, codes, weight, len(self.classes_))
        values = tree.outputs[tree.leaves_in_order()]
        rest = tree.outputs[0]
        if self.simplify:
            rules = self._chosen(search, rules)
            covered = [search.mass[search.covered(conditions)].sum(axis=0) for conditions, _ in rules]
            values, rest = np.reshape(covered, (-1, len(self.classes_))), search.uncovered(rules)
        self.rules_ = rules
        self.rule_values_ = np.vstack([values, rest])
        self.default_class_ = self.classes_[int(rest.argmax())]
        return self

    def _chosen(self, search: RuleSearch, rules: list[Any]) -> list[Any]:
        """Simplified rules, those of each class that pay, in order."""
        simple = dict.fromkeys(search.simplified(rule, self.confidence) for rule in rules)
        good = [rule for rule in simple if rule[0] and search.names_the_heaviest(rule)]
        groups = []
        for label in range(len(self.classes_)):
            own = [rule for rule in good if rule[1] == label]
            groups.append(search.by_accuracy(search.best_subset(own, label, self.theory_weight), self.confidence))
        return search.in_order(groups)

    # ------------------------------------------------------------ answers

    def apply(self, X: Any) -> np.ndarray:
        """The rule that decides each row, counted from 0; the number of rules for the default.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        matrix = as_dense(self._take(X, reset=False))
        met: dict[Condition, np.ndarray] = {}
        first = np.full(len(matrix), len(self.rules_))
        for i, (conditions, _) in enumerate(self.rules_):
            covered = first == len(self.rules_)
            for condition in conditions:
                if condition not in met:
                    met[condition] = holds(condition, matrix)
                covered = covered & met[condition]
            first[covered] = i
        return first

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes among the training rows that the deciding rule covers.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        first = self.apply(X)
        return np.asarray(shares_of(self.rule_values_)[first])

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        first = self.apply(X)
        labels = np.array([*(label for _, label in self.rules_), self.rule_values_[-1].argmax()], dtype=np.intp)
        return np.asarray(self.classes_[labels[first]])

    def export(self, decimals: int = 3) -> str:
        """The rules as text, one a line.

        Parameters
        ----------
        decimals : int, default=3
            Decimals of thresholds.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        lines = []
        for (conditions, label), value in zip(self.rules_, self.rule_values_, strict=False):
            words = " and ".join(self._words(condition, decimals) for condition in conditions) or "true"
            wrong = value.sum() - value[label]
            lines.append(f"if {words} then {self.classes_[label]}  ({value.sum():g} rows, {wrong:g} wrong)")
        return "\n".join([*lines, f"else {self.default_class_}"])

    def _words(self, condition: Condition, decimals: int) -> str:
        at, sign, value = condition
        column = self.schema_.columns[at]
        if isinstance(value, tuple):
            return f"{column.name} {sign} {{{', '.join(str(column.categories[code]) for code in value)}}}"
        if sign == "==":
            return f"{column.name} = {column.categories[int(value)]}"
        if column.kind == "ordinal":
            return f"{column.name} {sign} {column.categories[int(np.floor(value))]}"
        return f"{column.name} {sign} {value:.{decimals}f}"
