"""A tree with words for its columns, tests and answers: what text, pictures, rules and explanations are made from."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanatus.base import check_is_fitted
from lanatus.table import Column, Schema
from lanatus.tree.grow._classifier import shares_of
from lanatus.tree.grow._tree import SUBSET, THRESHOLD, Tree

_LISTED = 4  # values that a subset test always lists; of more, it may say "not in" instead


class NamedTree:
    """A tree and what its columns, values and classes are called.

    Attributes
    ----------
    tree : Tree
    columns : list of Column, what the tests look at
    classes : list of lists of str, or None
        Names of the classes of each output; None for numbers.
    said : list of int arrays, the class that each node names, for each output; empty for numbers
    decimals : int
    """

    def __init__(
        self, tree: Tree, columns: Sequence[Column], classes: list[list[str]] | None, said: list[Any], decimals: int
    ) -> None:
        self.tree = tree
        self.columns = list(columns)
        self.classes = classes
        self.said = said
        self.decimals = decimals
        shares = [shares_of(part) for part in self._cut(tree.outputs)] if classes is not None else [tree.outputs]
        self.shares = shares  # of the classes at each node; or the numbers

    def _cut(self, value: np.ndarray) -> list[np.ndarray]:
        assert self.classes is not None
        return np.split(value, np.cumsum([len(names) for names in self.classes])[:-1], axis=1)

    # ------------------------------------------------------------ tests

    def name(self, node: int) -> str:
        """What the node looks at."""
        return self.columns[self.tree.feature[node]].name

    def branch(self, node: int, child: int, *, short: bool = False, most: int | None = None) -> str:
        """The test that leads to a child (counted from 0): ``密度 <= 0.381``; `short` leaves the name out.

        At most `most` values of a set are listed.
        """
        column = self.columns[self.tree.feature[node]]
        sign, value = self._test(node, child)
        text = self.condition(column, sign, value, most)
        return text if short else f"{column.name} {text}"

    def _test(self, node: int, child: int) -> tuple[str, Any]:
        tree = self.tree
        if tree.kind[node] == THRESHOLD:
            threshold = float(tree.threshold[node])
            if np.isinf(threshold):  # boosting: what is known against what is not
                return "is", "known" if (child == 0) == (threshold > 0) else "missing"
            return "<=" if child == 0 else ">", threshold
        if tree.kind[node] != SUBSET:
            return "in", [child]
        inside = tree.categories(node).tolist()
        others = [code for code in range(len(self.columns[tree.feature[node]].categories)) if code not in set(inside)]
        own, rest = (inside, others) if child == 0 else (others, inside)
        # Of a bare tree not all values are known; a long list is told by what it lacks.
        return ("in", own) if own and (len(own) <= max(_LISTED, len(rest)) or not rest) else ("not in", rest)

    def condition(self, column: Column, sign: str, value: Any, most: int | None = None) -> str:
        """A sign and what stands right of it, in words."""
        if sign == "is":
            return f"is {value}"
        if sign in ("in", "not in"):
            words = [self.value(column, code) for code in value]
            if len(words) == 1:
                return f"{'=' if sign == 'in' else '!='} {words[0]}"
            if most is not None and len(words) > most:
                words = [*words[: most - 1], f"... {len(words) - most + 1} more"]
            return f"{sign} {{{', '.join(words)}}}"
        if column.kind == "ordinal":
            place = min(max(int(np.floor(value)), 0), len(column.categories) - 1)
            return f"{sign} {column.categories[place]}"
        return f"{sign} {self.number(value)}"

    def value(self, column: Column, value: float) -> str:
        """A value of a column as the tree holds it, in words."""
        return value_words(column, value, self.decimals)

    def number(self, value: float) -> str:
        """A number in words."""
        return number_words(value, self.decimals)

    # ------------------------------------------------------------ answers

    def answer(self, node: int) -> str:
        """The class or number that the node names as a leaf; of several outputs, all of them."""
        if self.classes is None:
            return ", ".join(self.number(value) for value in self.tree.outputs[node])
        return ", ".join(names[said[node]] for names, said in zip(self.classes, self.said, strict=True))

    def weight(self, node: int) -> str:
        """Weight of the training rows that came to the node."""
        return self.number(float(self.tree.weight[node]))

    def right(self, node: int) -> float:
        """Weight of the rows of the class that the node names; of several outputs, the mean."""
        parts = [share[node, said[node]] for share, said in zip(self.shares, self.said, strict=True)]
        return float(np.mean(parts) * self.tree.weight[node])

    def support(self, node: int) -> str:
        """Weight at the node and, if some of it is of another class, the part that is not: ``7 of 8``."""
        total = float(self.tree.weight[node])
        if self.classes is None or self.right(node) >= total * (1 - 1e-9):
            return self.weight(node)
        return f"{self.number(self.right(node))} of {self.weight(node)}"

    def class_weights(self, node: int) -> str:
        """Weights of all classes: ``否 1, 是 7``."""
        assert self.classes is not None
        weight = float(self.tree.weight[node])
        return "; ".join(
            ", ".join(
                f"{name} {self.number(weight * share)}"
                for name, share in zip(names, shares[node].tolist(), strict=True)
            )
            for names, shares in zip(self.classes, self.shares, strict=True)
        )


def value_words(column: Column, value: float, decimals: int) -> str:
    """A value of a column as trees hold it (a number, or a code) in words."""
    if np.isnan(value):
        return "missing"
    if column.kind == "numeric":
        return number_words(value, decimals)
    return str(column.categories[int(value)])


def number_words(value: float, decimals: int) -> str:
    """A number with so many decimals, none of them idle; a tiny one in full."""
    if value != 0 and (abs(value) < 10.0**-decimals or abs(value) >= 1e15):
        return f"{value:.{max(decimals, 1)}g}"
    text = f"{value + 0.0:.{decimals}f}"  # so that there is no -0
    return text.rstrip("0").rstrip(".") if "." in text else text


def read(model: Any, feature_names: Any = None, class_names: Any = None, decimals: int = 3) -> NamedTree:
    """A fitted tree estimator, or a `Tree`, with its words; names given come first.

    `feature_names` may be names, or a `Schema` for a `Tree` of nominal columns; `class_names` those of the classes in
    their order.
    """
    if decimals < 0:
        raise ValueError(f"decimals must be at least 0; got {decimals}.")
    if isinstance(model, Tree):
        tree, columns, classes = model, _unnamed(model), None
    else:
        tree, columns, classes = _of_estimator(model)
    columns = named(columns, feature_names)
    if class_names is not None:
        classes = _class_names(class_names)
    widths = None if classes is None else [len(names) for names in classes]
    if widths is not None and sum(widths) != tree.outputs.shape[1]:
        raise ValueError(f"class_names must hold {tree.outputs.shape[1]} names, got {sum(widths)}.")
    said: list[Any] = []
    if widths is not None:
        parts = np.split(tree.outputs, np.cumsum(widths)[:-1], axis=1)
        heaviest = getattr(model, "_heaviest", None)
        said = [part.argmax(axis=1) if heaviest is None else heaviest(part, o) for o, part in enumerate(parts)]
    return NamedTree(tree, columns, classes, said, decimals)


def _of_estimator(model: Any) -> tuple[Tree, list[Column], list[list[str]] | None]:
    if hasattr(model, "trees_") or hasattr(model, "estimators_"):
        raise TypeError(
            f"{type(model).__name__} has many trees; give one of them, such as model.estimators_[0] of a forest or "
            "model.trees_[0][0] of gradient boosting (with feature_names=model.schema_)."
        )
    if hasattr(model, "fit"):
        check_is_fitted(model)
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(f"wanted a decision tree of lanatus or a Tree; got {type(model).__name__}.")
    classes = getattr(model, "classes_", None)
    several = isinstance(classes, list)
    names = None if classes is None else [[str(c) for c in part] for part in (classes if several else [classes])]
    return tree, _columns(model), names


def _columns(model: Any) -> list[Column]:
    """What the tests of an estimator's tree look at."""
    schema: Schema = model.schema_
    if hasattr(model, "test_start_"):
        return _sums(model, schema.expanded_names())
    if hasattr(model, "model_of_"):
        return [Column(name, "numeric") for name in schema.expanded_names()]
    return list(schema.columns)


def _sums(model: Any, names: list[str]) -> list[Column]:
    """The tests of an oblique tree: a sum of columns each, or which of several sums is the largest."""

    def words(weights: np.ndarray) -> str:
        terms = [f"{weight:+.3g} {name}" for weight, name in zip(weights, names, strict=True) if weight != 0]
        return " ".join(terms) or "0"

    columns = []
    for start, stop in zip(model.test_start_[:-1], model.test_start_[1:], strict=True):
        sums = [words(row) for row in model.weights_[start:stop]]
        if len(sums) == 1:
            columns.append(Column(sums[0], "numeric"))
        else:
            constants = model.constants_[start:stop]
            values = [f"{text} {constant:+.3g}" for text, constant in zip(sums, constants, strict=True)]
            columns.append(Column("largest", "nominal", dict.fromkeys(values)))
    return columns


def _unnamed(tree: Tree) -> list[Column]:
    """Columns of a bare tree: numbers, and codes where a test is on values."""
    n_values: dict[int, int] = {}
    for node in np.flatnonzero(tree.kind > THRESHOLD).tolist():
        codes = tree.n_children[node] if tree.kind[node] != SUBSET else max(tree.categories(node), default=-1) + 1
        column = int(tree.feature[node])
        n_values[column] = max(n_values.get(column, 0), int(codes))
    return [
        Column(f"x{j}", "nominal", range(n_values[j])) if j in n_values else Column(f"x{j}", "numeric")
        for j in range(int(tree.feature.max(initial=-1)) + 1)
    ]


def named(columns: list[Column], names: Any) -> list[Column]:
    """The columns under other names, if any are given."""
    if names is None:
        return columns
    if isinstance(names, Schema):
        if len(names) < len(columns):
            raise ValueError(f"the schema has {len(names)} columns, the tree tests {len(columns)}.")
        return list(names.columns)
    names = [str(name) for name in names]
    if len(names) < len(columns):
        raise ValueError(f"feature_names must hold {len(columns)} names; got {len(names)}.")
    whole = columns + [Column(name, "numeric") for name in names[len(columns) :]]
    return [Column(name, column.kind, column.categories) for name, column in zip(names, whole, strict=True)]


def _class_names(names: Any) -> list[list[str]]:
    """Names of the classes of each output."""
    several = len(names) > 0 and not isinstance(names[0], str) and np.ndim(names[0]) > 0
    return [[str(name) for name in part] for part in (names if several else [names])]
