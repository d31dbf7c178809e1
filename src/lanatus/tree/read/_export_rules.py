"""Trees as rules, one a leaf."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from lanatus.tree.grow._columns import matrix_of
from lanatus.tree.grow._tree import SUBSET, THRESHOLD, Tree
from lanatus.tree.read._named_tree import NamedTree, read


class RuleCondition:
    """What a rule asks of one column: all tests of the path on it, made one.

    Attributes
    ----------
    column : int, name : str
        The column.
    low, high : float
        The value is above `low` and at most `high`; infinite where there is no limit.
    values : tuple of int or None
        The codes that it may have, None for a number.
    missing : float
        Part of a row that meets the condition though its value is missing: 0, 1 or, if the tree sends such rows to
        several children, what goes along this path.
    """

    def __init__(self, column: int, name: str, values: tuple[int, ...] | None) -> None:
        self.column = column
        self.name = name
        self.low, self.high = -np.inf, np.inf
        self.values = values
        self.missing = 1.0

    def holds(self, x: np.ndarray) -> np.ndarray:
        """Part of each row that meets the condition: 1 or 0 where the value is known."""
        met = (x > self.low) & (x <= self.high) if self.values is None else np.isin(x, self.values)
        if self.values is None and self.low == -np.inf:
            met |= x == -np.inf
        return np.where(np.isnan(x), self.missing, met)


class LeafRule:
    """The path to a leaf as a rule.

    Attributes
    ----------
    leaf : int
        The node.
    conditions : tuple of RuleCondition
        All must hold.
    answer : str
        The class or number, in words.
    value : ndarray
        Class shares, or numbers.
    support : float
        Weight of the training rows that came to the leaf.
    confidence : float or None
        Part of them that is of the class named; None for numbers.
    """

    def __init__(
        self, reading: NamedTree, leaf: int, conditions: tuple[RuleCondition, ...], value: np.ndarray, text: str
    ) -> None:
        self.leaf = leaf
        self.conditions = conditions
        self.answer = reading.answer(leaf)
        self.value = value
        self.support = float(reading.tree.weight[leaf])
        self.confidence = None
        if reading.classes is not None:
            self.confidence = float(
                np.mean([share[leaf, said[leaf]] for share, said in zip(reading.shares, reading.said, strict=True)])
            )
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<LeafRule: {self._text}>"

    def holds(self, X: np.ndarray) -> np.ndarray:
        """Part of each row (as the tree reads it) that meets all conditions."""
        part = np.ones(len(X))
        for condition in self.conditions:
            part *= condition.holds(X[:, condition.column])
        return part


class RuleList(Sequence[LeafRule]):
    """The rules of a tree: a list that prints as text and says what the tree says."""

    def __init__(self, model: Any, reading: NamedTree, rules: list[LeafRule]) -> None:
        self._model = model
        self._reading = reading
        self._rules = rules

    def __len__(self) -> int:
        return len(self._rules)

    @overload
    def __getitem__(self, at: int) -> LeafRule: ...
    @overload
    def __getitem__(self, at: slice) -> list[LeafRule]: ...
    def __getitem__(self, at: int | slice) -> LeafRule | list[LeafRule]:
        return self._rules[at]

    def __iter__(self) -> Iterator[LeafRule]:
        return iter(self._rules)

    def __str__(self) -> str:
        return "\n".join(map(str, self._rules))

    def values(self, X: Any) -> np.ndarray:
        """What the rules that hold say of each row: class shares or numbers, each by the part of the row.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs or all classes)
        """
        matrix = matrix_of(self._model, X)
        out = np.zeros((len(matrix), len(self._rules[0].value)))
        for rule in self._rules:
            out += np.outer(rule.holds(matrix), rule.value)
        return out

    def predict(self, X: Any) -> np.ndarray:
        """Class or number of each row, as the tree says it.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        values = self.values(X)
        classes = self._reading.classes
        if classes is None:
            return values if values.shape[1] > 1 else values[:, 0]
        parts = np.split(values, np.cumsum([len(names) for names in classes])[:-1], axis=1)
        heaviest = getattr(self._model, "_heaviest", lambda part, _: part.argmax(axis=1))
        labels = getattr(self._model, "classes_", classes)
        labels = labels if isinstance(labels, list) else [labels]
        said = [np.asarray(names)[heaviest(part, o)] for o, (names, part) in enumerate(zip(labels, parts, strict=True))]
        return said[0] if len(said) == 1 else np.column_stack(said)


def export_rules(tree: Any, *, feature_names: Any = None, class_names: Any = None, decimals: int = 3) -> RuleList:
    """A tree as rules, one a leaf, the tests on the same column made one: an interval or a set of values.

    The rules exclude each other and together say what the tree says, of rows with missing values too (but for
    surrogate tests, which rules do not have, and models in leaves). `C45Rules` goes on to simplify them.

    Book: sections 4.1 and 15.6. Cost: the sum of the depths of the leaves.

    Parameters
    ----------
    tree : fitted tree estimator, or Tree
        What to write.
    feature_names, class_names, decimals
        As in `export_text`.

    Returns
    -------
    RuleList
        A sequence of `LeafRule`, each with ``conditions``, ``answer``, ``support`` and ``confidence``.

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.tree import C45Classifier, export_rules
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[melons.feature_names]
    >>> rules = export_rules(C45Classifier().fit(X, melons.target))
    >>> print(rules)
    if 密度 <= 0.382 then 否  (weight 4, confidence 1)
    if 密度 > 0.382 and 纹理 = 清晰 then 是  (weight 7, confidence 1)
    if 密度 > 0.382 and 纹理 = 稍糊 then 否  (weight 5, confidence 0.8)
    if 密度 > 0.382 and 纹理 = 模糊 then 否  (weight 1, confidence 1)
    """
    reading = read(tree, feature_names, class_names, decimals)
    grown = reading.tree
    value = np.hstack(reading.shares)
    rules = []
    for leaf in grown.leaves_in_order():
        conditions = _conditions(reading, leaf)
        tests = " and ".join(_words(reading, condition) for condition in conditions) or "true"
        text = f"if {tests} then {reading.answer(leaf)}  (weight {reading.weight(leaf)}"
        rule = LeafRule(reading, leaf, conditions, value[leaf], text)
        rule._text += ")" if rule.confidence is None else f", confidence {reading.number(rule.confidence)})"
        rules.append(rule)
    return RuleList(tree, reading, rules)


def _conditions(reading: NamedTree, leaf: int) -> tuple[RuleCondition, ...]:
    """What the path asks of each column, in the order in which it first does."""
    tree = reading.tree
    path = [leaf]
    while (above := int(tree.parent[path[-1]])) >= 0:
        path.append(above)
    found: dict[int, RuleCondition] = {}
    for node, below in zip(path[:0:-1], path[-2::-1], strict=True):
        child = below - int(tree.first_child[node])
        at = int(tree.feature[node])
        column = reading.columns[at]
        if at not in found:
            codes = tuple(range(len(column.categories))) if tree.kind[node] != THRESHOLD else None
            found[at] = RuleCondition(at, column.name, codes)
        _narrow(found[at], tree, node, child)
        takes = int(tree.missing[node])
        found[at].missing *= float(tree.share[below]) if takes < 0 else float(takes == child)
    return tuple(found.values())


def _narrow(condition: RuleCondition, tree: Tree, node: int, child: int) -> None:
    if tree.kind[node] == THRESHOLD:
        if child == 0:
            condition.high = min(condition.high, float(tree.threshold[node]))
        else:
            condition.low = max(condition.low, float(tree.threshold[node]))
        return
    assert condition.values is not None
    if tree.kind[node] == SUBSET:
        inside = set(tree.categories(node).tolist())
        condition.values = tuple(code for code in condition.values if (code in inside) == (child == 0))
    else:
        condition.values = tuple(code for code in condition.values if code == child)


def _words(reading: NamedTree, condition: RuleCondition) -> str:
    column = reading.columns[condition.column]
    low, high = condition.low, condition.high
    if condition.values is not None:
        every = len(column.categories)
        rest = [code for code in range(every) if code not in set(condition.values)]
        sign, codes = (
            ("in", condition.values) if len(condition.values) <= max(len(rest), 4) else ("not in", tuple(rest))
        )
        return f"{column.name} {reading.condition(column, sign, codes)}"
    if np.isinf(low) and np.isinf(high):
        return f"{column.name} is {'missing' if low > 0 else 'known'}"
    above = reading.condition(column, ">", low)
    up_to = reading.condition(column, "<=", high)
    if np.isinf(low):
        return f"{column.name} {up_to}"
    if np.isinf(high):
        return f"{column.name} {above}"
    return f"{above.removeprefix('> ')} < {column.name} {up_to}"
