"""Bayes' rule with the frequencies of whole rows: no assumption, and too few rows."""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from lanatus.base import Takes, class_codes
from lanatus.bayes import _class_sums
from lanatus.bayes._class_sums import set_classes
from lanatus.bayes._codes import CodedColumns, Coding, OpenCodes
from lanatus.bayes._posterior import BayesClassifier, logarithm
from lanatus.bayes._rules import RULES
from lanatus.bayes.naive._counting import class_log_priors, class_mass
from lanatus.catalog import method
from lanatus.params import rules_for
from lanatus.scale import Block
from lanatus.table import Schema, Table


class CellCounts:
    """Weighted counts of rows by class, a line for each different row; those of two blocks add up."""

    def __init__(self, classes: np.ndarray, mass: np.ndarray, cells: np.ndarray, counts: np.ndarray) -> None:
        self.classes, self.mass, self.cells, self.counts = classes, mass, cells, counts

    def __add__(self, other: "CellCounts") -> "CellCounts":
        classes = np.union1d(self.classes, other.classes)
        cells, place = np.unique(np.vstack([self.cells, other.cells]), axis=0, return_inverse=True)
        mass, counts = np.zeros(len(classes)), np.zeros((len(cells), len(classes)))
        at = 0
        for part in (self, other):
            columns = np.searchsorted(classes, part.classes)
            mass[columns] += part.mass
            counts[np.ix_(place.ravel()[at : at + len(part.cells)], columns)] += part.counts
            at += len(part.cells)
        return CellCounts(classes, mass, cells, counts)


def tally_cells(classes: np.ndarray | None, block: Block) -> CellCounts:
    """The counts of a block of codes; rows with a missing value count for their class only."""
    labels, codes = class_codes(block.y, block.X, classes)
    weight = np.ones(len(codes)) if block.weight is None else block.weight
    known = (block.X >= 0).all(axis=1)
    cells, place = np.unique(block.X[known].astype(np.int32), axis=0, return_inverse=True)
    cell = place.ravel() * len(labels) + codes[known]
    counts = np.bincount(cell, weight[known], len(cells) * len(labels)).reshape(len(cells), len(labels))
    return CellCounts(labels, class_mass(codes, weight, len(labels)), cells, counts)


@method(
    "bayes.joint-frequency",
    section="7.1",
    task="classification",
    en="Full-joint Bayes classifier by frequencies",
    zh="联合频率估计",
    streams=True,
)
class JointBayesClassifier(BayesClassifier):
    r"""Bayes' rule with :math:`P(x \mid c)` by the frequency of the whole row among those of its class.

    Picks the class with the largest :math:`P(c)\,\frac{|D_{c,x}| + \alpha}{|D_c| + \alpha N}`, where :math:`N = \prod_i
    N_i` is the number of all rows that there could be. It assumes nothing of the attributes, and so needs more
    rows than anyone has: the book takes it to show why naive Bayes is needed.

    Book: section 7.1 (d attributes of two values have :math:`2^d` cells); slides 5.2.
    Cost: :math:`O(nd \log n)` time; memory for the rows that differ.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to the count of every cell; 1 is the Laplacian correction.
    fit_prior : bool, default=True
        Whether the classes have the probabilities of the data, or all the same.
    class_prior : array of shape (n_classes,) or None, default=None
        Probabilities of the classes, instead of those.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    class_count_ : ndarray of shape (n_classes,), weighted rows of each class
    class_log_prior_ : ndarray of shape (n_classes,), logarithms of their probabilities
    n_categories_ : ndarray of shape (n_features,), number of values of each attribute
    n_cells_ : int, number of different rows that there could be
    cells_ : ndarray of shape (n_seen, n_features), the different rows that were seen, as codes
    cell_count_ : ndarray of shape (n_seen, n_classes), how often, by class
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Without `alpha` a row that was never seen says nothing: its classes keep their priors. Of a row with missing values
    the cells that agree with what is known are summed up; such a row counts for its class alone in ``fit``. A value
    not seen in ``fit`` is missing, with a warning.

    Examples
    --------
    >>> from lanatus.bayes import JointBayesClassifier
    >>> from lanatus.data import load_watermelon
    >>> X, y = load_watermelon("2.0", return_X_y=True)
    >>> model = JointBayesClassifier().fit(X, y)
    >>> len(model.cells_), model.n_cells_
    (17, 486)
    """

    _takes = Takes(nominal=True, missing=True)
    _wants = OpenCodes()

    fit = _class_sums.fit
    partial_fit = _class_sums.partial_fit

    def __init__(self, *, alpha: float = 0.0, fit_prior: bool = True, class_prior: Any = None) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    _params = rules_for(__init__, RULES)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags

    def _tally(self, classes: np.ndarray | None) -> Callable[[Block], CellCounts]:
        return partial(tally_cells, classes)

    def _learned(self) -> CellCounts:
        return CellCounts(self.classes_, self.class_count_, self.cells_, self.cell_count_)

    def _absorb(self, stats: CellCounts) -> None:
        """The model that follows from the counts over all rows."""
        set_classes(self, stats.classes, stats.mass)
        self.class_log_prior_ = class_log_priors(stats.mass, self.class_prior, self.fit_prior)
        self.cells_, self.cell_count_ = stats.cells, stats.counts
        declared = np.array([len(column.categories) for column in self.schema_.columns], dtype=np.int64)
        self.n_categories_ = np.maximum(declared, stats.cells.max(axis=0, initial=0).astype(np.int64) + 1)
        self.n_cells_ = prod(self.n_categories_.tolist())

    def _log_priors(self) -> np.ndarray:
        return self.class_log_prior_

    def _joint(self, X: Any) -> np.ndarray:
        numeric = np.array([column.kind == "numeric" for column in self.schema_.columns])
        codes = Coding(self.schema_.names, self.n_categories_, numeric=numeric).codes(
            CodedColumns().take(self, X, reset=False)
        )
        rows, place = np.unique(codes.astype(np.int32), axis=0, return_inverse=True)
        line = {cell.tobytes(): number for number, cell in enumerate(self.cells_)}
        counts = np.zeros((len(rows), len(self.classes_)))
        n_cells = np.ones(len(rows))  # that agree with what is known of the row
        for i, row in enumerate(rows):
            known = row >= 0
            if known.all():
                number = line.get(row.tobytes())
                if number is not None:
                    counts[i] = self.cell_count_[number]
            else:
                n_cells[i] = float(prod(self.n_categories_[~known].tolist()))
                counts[i] = self.cell_count_[(self.cells_[:, known] == row[known]).all(axis=1)].sum(axis=0)
        total = self.cell_count_.sum(axis=0) + self.alpha * float(self.n_cells_)
        share = (counts + self.alpha * n_cells[:, None]) / np.where(total > 0, total, 1.0)
        return (self.class_log_prior_ + logarithm(share))[place.ravel()]


@method(
    section="7.1",
    task="classification",
    en="Number of cells of the full joint distribution",
    zh="联合分布的组合数",
)
def n_joint_cells(X: Any) -> int:
    """Number of different rows that a table's attributes could make: the size of the joint distribution.

    Book: section 7.1: d attributes of two values have 2^d; slides 5.2: 108.

    Parameters
    ----------
    X : Schema, frame or list of rows
        Attributes; all must be nominal or ordinal, with the values that they declare or have.

    Returns
    -------
    int

    Examples
    --------
    >>> from lanatus.bayes import n_joint_cells
    >>> from lanatus.data import load_watermelon
    >>> n_joint_cells(load_watermelon("2.0").data)
    486
    """
    schema = X if isinstance(X, Schema) else Table.of(X).schema
    numbers = [column.name for column in schema.columns if column.kind == "numeric"]
    if numbers:
        raise ValueError(
            f"columns {', '.join(map(repr, numbers[:5]))} hold numbers, which have no list of values; cut them into "
            "intervals with lanatus.preprocess.KBinsDiscretizer."
        )
    return prod(len(column.categories) for column in schema.columns)
