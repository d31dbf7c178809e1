"""Sparse distributed memory."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, Floats, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.params import Integer, Nothing, rules_for
from lanatus.scale import blockwise


@method(
    "neural.sparse-distributed-memory",
    section="1.6",
    task="transform",
    en="Sparse distributed memory (SDM)",
    zh="稀疏分布记忆SDM",
)
class SparseDistributedMemory(TransformerMixin, Estimator):
    r"""Sparse distributed memory: patterns of bits, spread over all storage places near their address.

    Places have random addresses. A pattern is written to all within a Hamming radius of its own bits: counters go up
    for ones and down for zeros, :math:`C_a \mathrel{+}= 2x - 1`. To read, the counters of the places near the address
    asked are summed, and each sum above 0 is a one; what is read is asked again until it stays.

    Book: section 1.6. Cost: O(places d) a pattern; memory O(places d).

    Parameters
    ----------
    n_locations : int, default=1000
        Storage places.
    radius : int or None, default=None
        Bits by which a place near may differ; None is what about a twentieth of random places are within.
    settle_iter : int, default=10
        Most readings one after the other.
    random_state : int, RandomState or None, default=None
        Draws the addresses.

    Attributes
    ----------
    addresses_ : ndarray of shape (n_locations, n_bits), of the places
    counters_ : ndarray of shape (n_locations, n_bits), what was written
    radius_ : int, the radius
    middle_ : ndarray of shape (n_bits,), values above which a column is 1
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import SparseDistributedMemory
    >>> patterns = (np.random.RandomState(0).rand(5, 64) > 0.5).astype(int)
    >>> memory = SparseDistributedMemory(random_state=0).fit(patterns)
    >>> noisy = patterns.copy()
    >>> noisy[:, :5] ^= 1
    >>> bool((memory.transform(noisy) == patterns).all())
    True

    References
    ----------
    Kanerva (1988), Sparse distributed memory.
    """

    _state: ClassVar = {
        "addresses_": Floats("places", "columns"),
        "counters_": Floats("places", "columns"),
        "middle_": Floats("columns"),
    }

    addresses_: np.ndarray
    counters_: np.ndarray
    middle_: np.ndarray
    radius_: int

    def __init__(
        self,
        n_locations: int = 1000,
        radius: int | None = None,
        *,
        settle_iter: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_locations = n_locations
        self.radius = radius
        self.settle_iter = settle_iter
        self.random_state = random_state

    _params = rules_for(
        __init__, n_locations=Integer(low=1), radius=Integer(low=0) | Nothing(), settle_iter=Integer(low=1)
    )

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Write the rows of X; `sample_weight` says how often each, y is ignored."""
        rows = np.asarray(self._take(X, reset=True), dtype=np.float64)
        weight = self._weights(sample_weight, rows)
        low, high = rows.min(axis=0), rows.max(axis=0)
        self.middle_ = np.where((low >= 0) & (high <= 1), 0.5, low + (high - low) / 2)
        d = rows.shape[1]
        rng = check_random_state(self.random_state)
        self.addresses_ = (rng.rand(self.n_locations, d) < 0.5).astype(np.float64)
        # 1.64 deviations of the distance of random addresses below its mean.
        self.radius_ = int(max(0, round(d / 2 - 1.64 * np.sqrt(d) / 2)) if self.radius is None else self.radius)
        bits = (rows > self.middle_).astype(np.float64)
        heavy = np.ones(len(rows)) if weight is None else weight
        near = self._near(bits)
        self.counters_ = (near.T * heavy) @ (2 * bits - 1)
        return self

    def _near(self, bits: np.ndarray) -> np.ndarray:
        """Which places are within the radius of each row; of none, the nearest."""
        apart = bits.sum(axis=1)[:, None] + self.addresses_.sum(axis=1) - 2 * bits @ self.addresses_.T
        limit = np.maximum(self.radius_, apart.min(axis=1))
        return (apart <= limit[:, None]).astype(np.float64)

    @blockwise
    def transform(self, X: Any) -> np.ndarray:
        """What is read at the address that each row of X is: bits, 0 and 1."""
        check_is_fitted(self)
        bits = (np.asarray(self._take(X, reset=False), dtype=np.float64) > self.middle_).astype(np.float64)
        for _ in range(self.settle_iter):
            sums = self._near(bits) @ self.counters_
            found = np.where(sums == 0, bits, sums > 0).astype(np.float64)
            if np.array_equal(found, bits):
                break
            bits = found
        return bits

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the bits: those of the columns that came in, indicators of nominal values among them.

        Parameters
        ----------
        input_features : array of str, optional
            There by convention.
        """
        check_is_fitted(self)
        return np.asarray(self.schema_.expanded_names(), dtype=object)
