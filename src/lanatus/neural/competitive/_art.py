"""Adaptive resonance theory: the generic network of the book, ART1, ART2 and fuzzy ART."""

from typing import ClassVar

import numpy as np

from lanatus.base import Floats, Integers
from lanatus.catalog import method
from lanatus.neural.competitive._resonance import SHARED, Resonance, UnitRange
from lanatus.params import Flag, Nothing, Real, rules_for


@method(
    "neural.art",
    section="5.5.2",
    task="clustering",
    en="ART network",
    zh="自适应谐振理论ART网络",
    peers=["artlib:BaseART"],
)
class ART(Resonance):
    r"""Adaptive resonance as the book tells it: a row joins the nearest category if they are alike enough.

    The winner of the recognition layer is the nearest representative vector; if the likeness :math:`1 / (1 + \lVert x -
    w \rVert / s)` is above the vigilance, :math:`w \leftarrow w + \eta (x - w)`; if not, a new neuron with w = x
    begins. High vigilance makes many fine categories, low vigilance few coarse ones; old ones are not forgotten.

    Book: section 5.5.2. Cost: O(k d) a row, k being the number of categories.

    Parameters
    ----------
    vigilance : float, default=0.5
        The likeness that a category must have more of.
    eta : float, default=0.1
        How far the winner moves.
    length : float or None, default=None
        The unit of distances s; None is the root mean square of the spreads of the first rows' columns.
    max_iter : int, default=10
        Most rounds; it stops when no row changes its category.
    max_categories : int, default=1000
        More than these are an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_categories, n_features), representative vectors
    labels_ : ndarray of shape (n_samples,), int32, category of each row as it was last shown
    length_ : float, the unit of distances
    n_categories_ : int, number of categories
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import ART
    >>> model = ART(0.5, length=1.0).fit([[0.0], [0.5], [9.0]])
    >>> model.labels_.tolist(), model.partial_fit([[20.0]]).n_categories_
    ([0, 0, 1], 3)

    References
    ----------
    Carpenter and Grossberg (1987), A massively parallel architecture for a self-organizing neural pattern recognition
    machine.
    """

    length_: float

    def __init__(
        self,
        vigilance: float = 0.5,
        eta: float = 0.1,
        *,
        length: float | None = None,
        max_iter: int = 10,
        max_categories: int = 1000,
    ) -> None:
        self.vigilance = vigilance
        self.eta = eta
        self.length = length
        self.max_iter = max_iter
        self.max_categories = max_categories

    _params = rules_for(__init__, SHARED, eta=Real(low=0, high=1), length=Real(above=0) | Nothing())

    def _seen(self, X: np.ndarray, *, first: bool) -> np.ndarray:
        if first:
            spread = float(np.sqrt(np.mean(X.var(axis=0))))
            self.length_ = float(self.length or (spread if spread > 0 else 1.0))
        return X

    def _likeness(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.sqrt(((W - x) ** 2).sum(axis=1)) / self.length_))

    def _choice(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return self._likeness(x, W)

    def _resonates(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return self._likeness(x, W) > self.vigilance

    def _learned(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        return w + self.eta * (x - w)


@method(
    "neural.art1",
    section="5.5.2",
    task="clustering",
    en="ART1 (Boolean inputs)",
    zh="ART1网络",
    peers=["artlib:ART1"],
)
class ART1(Resonance):
    r"""Adaptive resonance of Boolean rows: a category is what all its rows have in common.

    Categories are tried by :math:`|x \wedge w| / (\alpha + |w|)`, resonate where :math:`|x \wedge w| / |x| \ge \rho`,
    and learn :math:`w \leftarrow x \wedge w`. Columns that are not 0 and 1 are 1 above the middle of their range.

    Book: sections 5.5.2 and 5.7. Cost: O(k d) a row, k being the number of categories.

    Parameters
    ----------
    vigilance : float, default=0.7
        The share rho of a row's ones that a category must have.
    alpha : float, default=0.5
        Choice parameter; small ones prefer categories that the row contains.
    max_iter : int, default=10
        Most rounds; it stops when no row changes its category.
    max_categories : int, default=1000
        More than these are an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_categories, n_features), what the rows of each have in common
    labels_ : ndarray of shape (n_samples,), int32, category of each row as it was last shown
    middle_ : ndarray of shape (n_features,), values above which a column is 1
    n_categories_ : int, number of categories
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import ART1
    >>> model = ART1(0.6).fit([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1]])
    >>> model.labels_.tolist(), model.weights_.astype(int).tolist()
    ([0, 0, 1], [[1, 1, 0, 0], [0, 0, 1, 1]])

    References
    ----------
    Carpenter and Grossberg (1987), A massively parallel architecture for a self-organizing neural pattern recognition
    machine.
    """

    _state: ClassVar = {"middle_": Floats("columns")}

    middle_: np.ndarray

    def __init__(
        self, vigilance: float = 0.7, *, alpha: float = 0.5, max_iter: int = 10, max_categories: int = 1000
    ) -> None:
        self.vigilance = vigilance
        self.alpha = alpha
        self.max_iter = max_iter
        self.max_categories = max_categories

    _params = rules_for(__init__, SHARED, alpha=Real(above=0))

    def _seen(self, X: np.ndarray, *, first: bool) -> np.ndarray:
        if first:
            low, high = X.min(axis=0), X.max(axis=0)
            whole = (low >= 0) & (high <= 1)
            self.middle_ = np.where(whole, 0.5, low + (high - low) / 2)
        return (self.middle_ < X).astype(np.float64)

    def _choice(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return np.asarray((W @ x) / (self.alpha + W.sum(axis=1)))

    def _resonates(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        ones = x.sum()
        return (W @ x) >= self.vigilance * ones - 1e-12 if ones else W.sum(axis=1) == 0

    def _learned(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        return w * x


@method(
    "neural.art2",
    section="5.5.2",
    task="clustering",
    en="ART2 (real inputs)",
    zh="ART2网络",
    peers=["artlib:ART2A"],
)
class ART2(Resonance):
    r"""Adaptive resonance of numbers by direction, as ART 2-A: categories are unit vectors.

    A row, divided by its length, less its entries of at most :math:`\theta`, and divided by its length again, joins the
    category of the largest cosine if that is at least the vigilance; :math:`w \leftarrow (1 - \eta) w + \eta x`,
    brought to length 1.

    Book: sections 5.5.2 and 5.7. Cost: O(k d) a row, k being the number of categories.

    Parameters
    ----------
    vigilance : float, default=0.9
        The cosine that a category must have.
    eta : float, default=0.1
        How far the winner turns.
    theta : float, default=0.0
        Entries of at most this are noise, and become 0; below 1 over the root of the number of columns.
    center : bool, default=True
        Whether columns are centred by the means of the first rows, so that directions tell them apart.
    max_iter : int, default=10
        Most rounds; it stops when no row changes its category.
    max_categories : int, default=1000
        More than these are an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_categories, n_features), unit vectors
    labels_ : ndarray of shape (n_samples,), int32, category of each row as it was last shown
    middle_ : ndarray of shape (n_features,), what is taken off each column
    n_categories_ : int, number of categories
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import ART2
    >>> ART2(0.9, center=False).fit([[1.0, 0.0], [2.0, 0.1], [0.0, 5.0]]).labels_.tolist()
    [0, 0, 1]

    References
    ----------
    Carpenter, Grossberg and Rosen (1991), ART 2-A: an adaptive resonance algorithm for rapid category learning and
    recognition.
    """

    _state: ClassVar = {"middle_": Floats("columns")}

    middle_: np.ndarray

    def __init__(
        self,
        vigilance: float = 0.9,
        eta: float = 0.1,
        *,
        theta: float = 0.0,
        center: bool = True,
        max_iter: int = 10,
        max_categories: int = 1000,
    ) -> None:
        self.vigilance = vigilance
        self.eta = eta
        self.theta = theta
        self.center = center
        self.max_iter = max_iter
        self.max_categories = max_categories

    _params = rules_for(__init__, SHARED, eta=Real(low=0, high=1), theta=Real(low=0, below=1), center=Flag())

    def _seen(self, X: np.ndarray, *, first: bool) -> np.ndarray:
        if first:
            self.middle_ = X.mean(axis=0) if self.center else np.zeros(X.shape[1])
        rows = _unit(X - self.middle_)
        return _unit(np.where(np.abs(rows) > self.theta, rows, 0.0)) if self.theta else rows

    def _choice(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return np.asarray(W @ x)

    def _resonates(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        if not x.any():
            return np.asarray(~W.any(axis=1))
        return np.asarray(W @ x >= self.vigilance)

    def _learned(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        return _unit(((1 - self.eta) * w + self.eta * x)[None])[0]


def _unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1; those of no length stay."""
    size = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(size > 0, size, 1.0)
    length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(length > 0, length, 1.0))


@method(
    "neural.fuzzy-art",
    section="5.5.2",
    task="clustering",
    en="FuzzyART",
    zh="FuzzyART网络",
    peers=["artlib:FuzzyART"],
)
class FuzzyART(UnitRange, Resonance):
    r"""Adaptive resonance of numbers from 0 to 1: categories are boxes that grow.

    Rows are x with their complement, :math:`I = (x, 1 - x)`. Categories are tried by :math:`|I \wedge w| / (\alpha +
    |w|)`, the minimum standing for AND, resonate where :math:`|I \wedge w| / |I| \ge \rho`, and learn :math:`w
    \leftarrow \beta (I \wedge w) + (1 - \beta) w`. Columns are scaled to [0, 1] by the first rows.

    Book: sections 5.5.2 and 5.7. Cost: O(k d) a row, k being the number of categories.

    Parameters
    ----------
    vigilance : float, default=0.75
        rho: a box is at most (1 - rho) d around, in all.
    alpha : float, default=0.01
        Choice parameter; small ones prefer small boxes.
    beta : float, default=1.0
        How far the winner grows; 1 is fast learning.
    max_iter : int, default=10
        Most rounds; it stops when no row changes its category.
    max_categories : int, default=1000
        More than these are an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_categories, 2 * n_features), boxes: lower corners, and 1 less the upper ones
    labels_ : ndarray of shape (n_samples,), int32, category of each row as it was last shown
    range_ : ndarray of shape (2, n_features), least and largest values of the first rows
    n_categories_ : int, number of categories
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> from lanatus.neural import FuzzyART
    >>> FuzzyART(0.7).fit([[0.0, 0.0], [0.1, 0.2], [1.0, 1.0]]).labels_.tolist()
    [0, 0, 1]

    References
    ----------
    Carpenter, Grossberg and Rosen (1991), Fuzzy ART: fast stable learning and categorization of analog patterns.
    """

    _state: ClassVar = {"range_": Floats(2, "columns"), "labels_": Integers("rows", below="categories")}

    def __init__(
        self,
        vigilance: float = 0.75,
        *,
        alpha: float = 0.01,
        beta: float = 1.0,
        max_iter: int = 10,
        max_categories: int = 1000,
    ) -> None:
        self.vigilance = vigilance
        self.alpha = alpha
        self.beta = beta
        self.max_iter = max_iter
        self.max_categories = max_categories

    _params = rules_for(__init__, SHARED, alpha=Real(above=0), beta=Real(above=0, high=1))

    def _seen(self, X: np.ndarray, *, first: bool) -> np.ndarray:
        return complement_coded(self._in_range(X, first=first))

    def _choice(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return np.minimum(x, W).sum(axis=1) / (self.alpha + W.sum(axis=1))

    def _resonates(self, x: np.ndarray, W: np.ndarray) -> np.ndarray:
        return np.asarray(np.minimum(x, W).sum(axis=1) >= self.vigilance * len(x) / 2 - 1e-12)

    def _learned(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        return self.beta * np.minimum(x, w) + (1 - self.beta) * w


def complement_coded(X: np.ndarray) -> np.ndarray:
    """Rows with what they lack of 1."""
    return np.hstack([X, 1 - X])
