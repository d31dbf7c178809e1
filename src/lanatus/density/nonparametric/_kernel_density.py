"""Kernel densities: a window on every row."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from lanatus._typing import override
from lanatus.base import Floats, Numbers, check_is_fitted, fitting
from lanatus.catalog import method
from lanatus.density._density import Density
from lanatus.density.nonparametric._bandwidth import RULES, choose_bandwidth
from lanatus.density.nonparametric._kernel_sums import log_kernel_sums, metric_of
from lanatus.density.nonparametric._windows import KERNELS, draw_offsets, log_window_integral
from lanatus.metric import MINKOWSKI_NAMES
from lanatus.neighbors import WeightedTree, grow_tree
from lanatus.params import Array, Choice, Flag, Integer, Nothing, Real, Satisfies, rules_for
from lanatus.scale import blockwise

_MOST_COLUMNS = 15  # a tree over more seldom leaves anything out


@method(
    section="CB 3.4.1",
    task="density",
    en="Kernel density estimate",
    zh="核密度估计",
    peers=["scikit-learn:KernelDensity", "mlpack:kde", "scipy:gaussian_kde"],
)
class KernelDensity(Density):
    r"""A density that is the mean of windows laid on the rows, of any shape and width.

    :math:`\hat p(x) = \frac{1}{\sum w} \sum_i \frac{w_i}{c\, h^d} K\!\left(\frac{\lVert x - x_i \rVert}{h}\right)`
    with :math:`c = \int K`.

    Book: cookbook section 3.4.1. Kernel: ``cpp/density/kernel_density.hpp``.
    Cost: ``fit`` :math:`O(nd \log n)`; a query looks at the rows near it, all :math:`n` of them in high dimension.
    Memory :math:`O(nd)`.

    Parameters
    ----------
    bandwidth : float, array of shape (n_features,) or {"scott", "silverman", "normal", "isj", "cv"}, default=1.0
        Width of the window, for all columns or for each. "scott" is :math:`n^{-1/(d+4)}` and "silverman" is
        :math:`(n (d + 2) / 4)^{-1/(d+4)}`, for data of deviation 1. "normal" is the latter times each column's
        deviation; "isj" is Botev's plug-in rule, column by column; "cv" is the one width under which rows are
        likeliest given the others (copies of a row are left out with it). All but "cv" are meant for Gaussian windows.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How rows are found; the answer is the same. "ball_tree" is there for scikit-learn's sake and is a k-d tree;
        "brute" takes all pairs, as "auto" does above 15 columns.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine", "box"}, default="gaussian"
        Shape of the window. "tophat" is a ball of radius `bandwidth`; "box" is the cookbook's hypercube with sides of
        length `bandwidth`, edges included, and takes no heed of `metric`.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski"} or another name of one, default="euclidean"
        Distance. The density sums to one under each of them (scikit-learn's under the Euclidean only).
    atol, rtol : float, default=0
        The density may be off by ``atol + rtol * density``; zeros mean exact to rounding.
    breadth_first : bool, default=True
        There for scikit-learn's sake: near nodes are always seen first.
    leaf_size : int, default=40
        Most rows in a leaf of the tree.
    metric_params : dict or None, default=None
        ``{"p": 1}``, 2 or infinity for "minkowski".

    Attributes
    ----------
    bandwidth_ : float or ndarray of shape (n_features,), the widths used
    rows_ : ndarray, the rows in the order of the tree, in units of the bandwidth where that is an array
    row_weights_ : ndarray or None, their weights, over the mean of the weights
    nodes_ : ndarray, a record for each node of the tree
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A query that no window reaches has log density minus infinity. The tails of "gaussian" and "exponential" reach
    everywhere: the logarithm is right even where the density is too small for a float. Weights count as repeats, also
    in the rules for the bandwidth. With `rtol` from about 2e-4 on Gaussian windows are computed in float32, whose
    rounding is part of the error allowed.

    Examples
    --------
    >>> from lanatus.density import KernelDensity
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0]])
    >>> model.score_samples([[0.0], [1000.0]]).round(3).tolist()
    [-0.792, -1996002.919]

    References
    ----------
    Z. I. Botev, J. F. Grotowski, D. P. Kroese, Kernel density estimation via diffusion, Annals of Statistics 38, 2010.
    A. G. Gray, A. W. Moore, Nonparametric density estimation: toward computational tractability, SDM 2003.
    """

    _state: ClassVar = {"rows_": Floats("rows", "columns", finite=False), "row_weights_": Floats("rows", low=0)}

    _wants = Numbers(bounded=False)  # distances that overflow have density zero
    _params = {
        "bandwidth": Real(above=0, below=np.inf) | Choice(*RULES) | Array(1),
        "algorithm": Choice("auto", "kd_tree", "ball_tree", "brute"),
        "kernel": Choice(*KERNELS),
        "metric": Choice(*MINKOWSKI_NAMES, "minkowski", "p"),
        "atol": Real(low=0),
        "rtol": Real(low=0),
        "breadth_first": Flag(),
        "leaf_size": Integer(low=1),
        "metric_params": Nothing() | Satisfies(lambda value: isinstance(value, dict), "a dict"),
    }

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: str = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    @override
    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        X = self._take(X, reset=True)
        weight = self._weights(sample_weight, X)
        kernel, metric, unit = self._window()
        leaf_size = len(X) if self._is_brute(X.shape[1]) else self.leaf_size
        how: dict[str, Any] = {"kernel": kernel, "metric": metric, "unit": unit, "leaf_size": leaf_size}
        width = choose_bandwidth(self.bandwidth, X, weight, **how)
        if np.ndim(width):
            X = X / width
        if weight is not None:
            weight = weight / weight[weight > 0].mean()  # the kernel's arithmetic is made for weights about 1
        self.rows_, self.row_weights_, self.nodes_ = grow_tree(X, weight, leaf_size)
        self.bandwidth_ = width
        return self

    @override
    @blockwise
    def score_samples(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._take(X, reset=False)
        kernel, metric, unit = self._window()
        width = self.bandwidth_
        queries = X / width if np.ndim(width) else X
        h = unit * (1.0 if np.ndim(width) else float(width))
        d = X.shape[1]
        tree = WeightedTree(self.rows_, self.row_weights_, self.nodes_)
        total = len(tree.rows) if tree.weight is None else tree.weight.sum()
        stretch = d * np.log(h) + (np.log(width).sum() if np.ndim(width) else 0.0)
        scale = np.log(total) + log_window_integral(kernel, metric, d) + stretch
        atol = float(min(self.atol * np.exp(scale), np.finfo(float).max)) if self.atol else 0.0
        logs = log_kernel_sums(tree, queries, kernel=kernel, metric=metric, h=h, rtol=float(self.rtol), atol=atol)
        return (logs - scale).astype(X.dtype, copy=False)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draw rows, `n_samples` of them; nominal and ordinal columns have their values."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        kernel, metric, unit = self._window()
        weight = self.row_weights_
        share = None if weight is None else weight / weight.sum()
        rows = self.rows_[rng.choice(len(self.rows_), n_samples, p=share)]
        offsets = draw_offsets(kernel, metric, (n_samples, rows.shape[1]), rng)
        if np.ndim(self.bandwidth_):
            return (rows + unit * offsets) * self.bandwidth_
        return rows + unit * self.bandwidth_ * offsets

    def _window(self) -> tuple[str, str, float]:
        """Kernel and metric, and the window's radius for a bandwidth of 1."""
        if self.kernel == "box":
            return "box", "chebyshev", 0.5
        return self.kernel, metric_of(self.metric, self.metric_params), 1.0

    def _is_brute(self, d: int) -> bool:
        return self.algorithm == "brute" or (self.algorithm == "auto" and d > _MOST_COLUMNS)


@method(
    "density.parzen-window",
    section="CB 3.4.1",
    task="density",
    en="Parzen window density estimate",
    zh="Parzen窗估计",
    peers=["scikit-learn:KernelDensity"],
)
class ParzenWindow(KernelDensity):
    r"""The cookbook's Parzen window: the share of the rows in a hypercube about the query, over its volume.

    :math:`\hat p(x) = \frac{1}{N h^d} \sum_i \phi\!\left(\frac{x - x_i}{h}\right)`, with :math:`\phi(u) = 1` where no
    :math:`\lvert u_j \rvert` exceeds 1/2. It is :class:`KernelDensity` with another default window.

    Book: cookbook section 3.4.1. Kernel: ``cpp/density/kernel_density.hpp``.
    Cost: ``fit`` :math:`O(nd \log n)`; a query looks at the rows near it. Memory :math:`O(nd)`.

    Parameters
    ----------
    bandwidth : float, array of shape (n_features,) or {"scott", "silverman", "normal", "isj", "cv"}, default=1.0
        Side of the hypercube, *h*, or one for each column; the rules are those of :class:`KernelDensity`.
    kernel : {"box", "gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="box"
        The window; any that integrates to one will do.
    leaf_size : int, default=40
        Most rows in a leaf of the tree.

    Attributes
    ----------
    bandwidth_ : float or ndarray of shape (n_features,), the widths used
    rows_ : ndarray, the rows in the order of the tree, in units of the bandwidth where that is an array
    row_weights_ : ndarray or None, their weights, over the mean of the weights
    nodes_ : ndarray, a record for each node of the tree
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    The estimate tends to the truth as rows grow in number, if :math:`V_N = h_N^d \to 0` and :math:`N V_N \to \infty`.
    Too small a width gives spikes, with density zero (log density minus infinity) between them.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.density import ParzenWindow
    >>> model = ParzenWindow(bandwidth=1.0).fit([[0.0], [0.25], [2.0], [2.25]])
    >>> np.exp(model.score_samples([[0.25], [1.0], [2.75]])).round(6).tolist()
    [0.5, 0.0, 0.25]
    """

    # What KernelDensity takes and a Parzen window has no need of.
    algorithm = "auto"
    metric = "euclidean"
    atol = rtol = 0.0
    metric_params = None

    def __init__(self, bandwidth: Any = 1.0, *, kernel: str = "box", leaf_size: int = 40) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.leaf_size = leaf_size

    _params = rules_for(__init__, KernelDensity._params)
