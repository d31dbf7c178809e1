"""Why a model says what it says of one row."""

import html
from typing import Any

import numpy as np

from lanatus.base import n_rows
from lanatus.explain._tree_shap import ShapValues, tree_shap
from lanatus.table import as_frame
from lanatus.tree.grow import PathStep, matrix_of, passed
from lanatus.tree.read import NamedTree, named, read, value_words

__all__ = ["ContributionExplanation", "PathExplanation", "PathStep", "explain_path"]


class PathExplanation:
    """The way of one row through a tree; prints as text, shows as a table in notebooks.

    Attributes
    ----------
    steps : list of PathStep
        From the root; where a row goes to several children, one subtree after the other.
    prediction : str
        What the tree says of the row.
    shares : list of arrays
        Shares of the classes that the tree gives the row, for each output; or its numbers.
    """

    def __init__(self, reading: NamedTree, steps: list[PathStep], prediction: str, shares: list[np.ndarray]) -> None:
        self._reading = reading
        self.steps = steps
        self.prediction = prediction
        self.shares = shares

    def _shares(self, shares: list[np.ndarray]) -> str:
        number = self._reading.number
        if self._reading.classes is None:
            return ", ".join(number(value) for value in shares[0].tolist())
        return "; ".join(
            ", ".join(f"{name} {number(share)}" for name, share in zip(names, part.tolist(), strict=True))
            for names, part in zip(self._reading.classes, shares, strict=True)
        )

    def _line(self, step: PathStep) -> str:
        if step.depth == 0:
            return f"all rows: {self._shares(step.shares)}"
        why = f" ({step.how})" if step.how else "" if step.test.endswith(f" = {step.value}") else f" (is {step.value})"
        part = f", {self._reading.number(step.part)} of the row" if step.part < 1 else ""
        leaf = f" -> {step.answer}" if step.is_leaf else ""
        return f"{'  ' * step.depth}{step.test}{why}{part}: {self._shares(step.shares)}{leaf}"

    def __str__(self) -> str:
        last = f"says {self.prediction}"
        if len([step for step in self.steps if step.is_leaf]) > 1:
            last += f" ({self._shares(self.shares)})"
        return "\n".join([*(self._line(step) for step in self.steps), last])

    def __repr__(self) -> str:
        return f"<PathExplanation of {len(self.steps)} nodes: {self.prediction}>"

    def to_html(self) -> str:
        """The steps as an HTML table."""
        rows = []
        for step in self.steps:
            test = html.escape(step.test) if step.depth else "all rows"
            cells = [
                f'<td style="text-align:left;padding-left:{step.depth}em">{test}</td>',
                f"<td>{html.escape(step.value + (f' ({step.how})' if step.how else ''))}</td>",
                f"<td>{html.escape(self._reading.number(step.part))}</td>",
                f"<td>{html.escape(self._shares(step.shares))}</td>",
                f"<td>{f'<b>{html.escape(step.answer)}</b>' if step.is_leaf else ''}</td>",
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("test", "value", "part of the row", "shares", "leaf"))
        if self._reading.classes is None:
            head = head.replace("shares", "mean")
        foot = f"<p>says <b>{html.escape(self.prediction)}</b></p>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{foot}"

    _repr_html_ = to_html


class ContributionExplanation:
    """What each column adds to the output of many trees for one row; prints as text, shows as a table in notebooks.

    Attributes
    ----------
    contributions : list of (name, value, contribution)
        By size; the contribution is an array where there are several outputs.
    base, output : float or ndarray
        The output where nothing is known, and that of the row.
    shap : ShapValues
    """

    def __init__(self, model: Any, shap: ShapValues, names: list[str], values: list[str], decimals: int) -> None:
        self.shap = shap
        self.base = shap.base
        phi = shap.values[0]
        self.output = self.base + phi.sum(axis=0)
        size = np.abs(phi) if phi.ndim == 1 else np.abs(phi).sum(axis=1)
        order = np.argsort(-size, kind="stable")
        self.contributions = [(names[j], values[j], phi[j]) for j in order if size[j] > 0]
        self._decimals = decimals
        self._model = type(model).__name__

    def _number(self, value: Any) -> str:
        parts = np.atleast_1d(value).tolist()
        text = ", ".join(f"{part:+.{self._decimals}f}" for part in parts)
        return text if len(parts) == 1 else f"[{text}]"

    def __str__(self) -> str:
        of = "" if self.shap.output_names is None else f" of {', '.join(map(str, self.shap.output_names))}"
        lines = [f"{self._model}: {self.shap.response}{of}", f"{self._number(self.base)}  with nothing known"]
        lines += [f"{self._number(phi)}  {name} = {value}" for name, value, phi in self.contributions]
        return "\n".join([*lines, f"{self._number(self.output)}  in all"])

    def __repr__(self) -> str:
        return f"<ContributionExplanation of {len(self.contributions)} columns>"

    def to_html(self) -> str:
        """The contributions as an HTML table."""
        rows = [("with nothing known", "", self.base), *self.contributions, ("in all", "", self.output)]
        body = "".join(
            f'<tr><td style="text-align:left">{html.escape(name)}</td><td>{html.escape(value)}</td>'
            f"<td>{html.escape(self._number(phi))}</td></tr>"
            for name, value, phi in rows
        )
        head = f"<th></th><th>value</th><th>{self.shap.response}</th>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    _repr_html_ = to_html


def explain_path(
    tree: Any, row: Any, *, feature_names: Any = None, class_names: Any = None, decimals: int = 3
) -> PathExplanation | ContributionExplanation:
    """Why a tree says what it says of one row: the tests that the row passes, with its values.

    Of many trees (forest, bagging, gradient boosting) no single path tells; there the contributions of the columns do,
    by `tree_shap`.

    Book: sections 4.1 and 4.4.2. Cost: the depth of the tree; of a row in parts, the nodes that it reaches.

    Parameters
    ----------
    tree : fitted tree estimator, Tree, forest, bagged trees or gradient boosting
        What to explain.
    row : array of shape (n_features,) or (1, n_features), dict, or frame of one row
        The row.
    feature_names, class_names, decimals
        As in `export_text`.

    Returns
    -------
    PathExplanation, or ContributionExplanation for many trees

    Examples
    --------
    >>> from lanatus.data import load_watermelon
    >>> from lanatus.explain import explain_path
    >>> from lanatus.tree import C45Classifier
    >>> melons = load_watermelon("3.0")
    >>> X = melons.frame[melons.feature_names]
    >>> print(explain_path(C45Classifier().fit(X, melons.target), X.iloc[[0]]))
    all rows: 否 0.529, 是 0.471
      密度 > 0.382 (is 0.697): 否 0.385, 是 0.615
        纹理 = 清晰: 否 0, 是 1 -> 是
    says 是
    """
    one = _one_row(row)
    if hasattr(tree, "trees_") or hasattr(tree, "estimators_"):
        names = [column.name for column in named(list(tree.schema_.columns), feature_names)]
        return ContributionExplanation(tree, tree_shap(tree, one), names, _values(tree, one, decimals), decimals)
    reading = read(tree, feature_names, class_names, decimals)
    steps = passed(reading, matrix_of(tree, one)[0])
    shares = [
        np.sum([step.part * step.shares[o] for step in steps if step.is_leaf], axis=0)
        for o in range(len(reading.shares))
    ]
    return PathExplanation(reading, steps, _named(tree, reading, shares), shares)


def _one_row(row: Any) -> Any:
    if isinstance(row, dict):
        return [row]
    if as_frame(row) is None and not hasattr(row, "schema"):
        row = np.asarray(row, dtype=None if not isinstance(row, list) else object)
        row = row.reshape(1, -1) if row.ndim == 1 else row
        row = row.astype(np.float64) if row.dtype == object and _is_numbers(row) else row
    if n_rows(row) != 1:
        raise ValueError(f"wanted one row; got {n_rows(row)}.")
    return row


def _is_numbers(row: np.ndarray) -> bool:
    return all(value is None or isinstance(value, int | float | np.number) for value in row.ravel().tolist())


def _values(model: Any, row: Any, decimals: int) -> list[str]:
    """The row's values in words."""
    x = matrix_of(model, row)[0]
    return [
        value_words(column, value, decimals) for column, value in zip(model.schema_.columns, x.tolist(), strict=True)
    ]


def _named(model: Any, reading: NamedTree, shares: list[np.ndarray]) -> str:
    if reading.classes is None:
        return ", ".join(reading.number(value) for value in shares[0].tolist())
    heaviest = getattr(model, "_heaviest", lambda part, _: part.argmax(axis=1))
    return ", ".join(
        names[int(heaviest(part[None], o)[0])]
        for o, (names, part) in enumerate(zip(reading.classes, shares, strict=True))
    )
