"""Multi-layer networks for numbers."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from lanatus.base import as_targets, fitting
from lanatus.catalog import Contender, method
from lanatus.data import Source
from lanatus.neural.feedforward._mlp import MultiLayerNetwork
from lanatus.neural.feedforward._network import Network, NetworkTarget
from lanatus.neural.feedforward._one_round import one_round
from lanatus.neural.feedforward._rules import RULES
from lanatus.neural.feedforward._streamed import learn_from_source
from lanatus.params import Choice, Flag, rules_for
from lanatus.scale import blockwise
from lanatus.spaces import Options, Span


@method(
    "neural.multilayer-feedforward",
    section="5.2",
    task="regression",
    en="Multi-layer feedforward network (regression)",
    zh="多层前馈神经网络(回归)",
    peers=["scikit-learn:MLPRegressor"],
    contender=Contender(
        simplicity=4,
        starts=({"batch_size": 32}, {"hidden_layer_sizes": (128, 64), "dropout": 0.1, "batch_size": 64}),
        space={
            "alpha": Span(1e-6, 10.0, log=True),
            "learning_rate_init": Span(1e-4, 1e-2, log=True),
            "dropout": Span(0.0, 0.5),
            "batch_size": Options((32, 64, 200)),
            "hidden_layer_sizes": Options(((50,), (100,), (200,), (100, 50), (200, 100))),
        },
    ),
)
class MLPRegressor(RegressorMixin, MultiLayerNetwork):
    r"""Multi-layer network for numbers: layers of units, each fully connected to the next.

    A unit says :math:`b = f(\sum_i w_i x_i - \theta)`; the weights go down the mean of
    :math:`\frac{1}{2} \sum_j (\hat y_j - y_j)^2` over the rows (5.4), by back-propagation (5.10)-(5.15). Targets may
    have several columns.

    Book: sections 5.2 to 5.4, figure 5.8; CB 8.1 to 8.4. Kernels: ``cpp/neural/network.hpp``.
    Cost: 6 operations a weight, row and round; memory O(weights + batch).

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
        What is minimised; "poisson" is for counts, with outputs exp(z).
    hidden_layer_sizes : int or list of int, default=(100,)
        Units of each hidden layer; an empty list is a linear model.
    activation : {"identity", "logistic", "tanh", "relu"}, default="relu"
        What hidden units do with their sums.
    solver : {"adam", "adamw", "sgd", "adagrad", "rmsprop", "bp", "accumulated-bp", "rprop", "lbfgs", "lm", \
"annealing", "genetic"}, default="adam"
        How the error goes down: stochastic descent by one of five rules, in float32; the book's standard
        back-propagation, row by row, and its accumulated one, a step a round; Rprop, whose steps look at the signs of
        the slopes over all rows; L-BFGS; Levenberg-Marquardt for squared errors and up to 2000 parameters; simulated
        annealing and a genetic algorithm, which ask for no slope and are for small networks (5.4).
    alpha : float or "evidence", default=1e-4
        Strength of the squared weights: alpha/2 times their sum over the rows of a batch is added to the mean loss;
        "evidence" lets the data tell it (MacKay), with "lbfgs" and "lm". "adamw" shrinks weights by alpha times the
        rate instead. "bp" and "accumulated-bp" have `lam`.
    batch_size : int or "auto", default="auto"
        Rows of a step of stochastic descent; "auto" is 200.
    learning_rate : {"constant", "invscaling", "adaptive", "bold", "exponential", "cosine"}, default="constant"
        How the rate changes: not; by 1 / (t + 1)^`power_t` over the rows shown; to a fifth whenever nothing improves
        any more; a little up while the loss falls and to the half where it rises, which is taken back; falling to a
        hundredth, or along a cosine to 0, by the last round. The middle three are for "sgd" and the book's BP, the last
        two for all stochastic rules.
    learning_rate_init : float, default=0.001
        The first rate; the book's eta is often 0.1.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Most rounds over the rows, or iterations.
    shuffle : bool, default=True
        Whether rows are shown in another order each round.
    random_state : int, RandomState or None, default=None
        Draws weights, orders, rows held out and units left out.
    tol : float, default=1e-4
        What counts as improvement; of "lbfgs" the largest slope at the end.
    verbose : bool, default=False
        Whether each round is told.
    warm_start : bool, default=False
        Whether to start from the weights of the last ``fit``.
    momentum : float, default=0.9
        Share of the last step in the next one, of "sgd".
    nesterovs_momentum : bool, default=True
        Whether the slope is taken where momentum leads to.
    early_stopping : bool, default=False
        Whether rows are held out, and training stops, and goes back to the best weights, once they are told no better.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    beta_1, beta_2 : float, default=0.9, 0.999
        Memory of "adam" for slopes and their squares; "rmsprop" has the second.
    epsilon : float, default=1e-8
        Keeps "adam" and its like from dividing by 0.
    n_iter_no_change : int, default=10
        Rounds without improvement after which it stops.
    max_fun : int, default=15000
        Most looks at the rows of "lbfgs" and "lm".
    output : {"auto", "identity", "logistic", "tanh"}, default="auto"
        What the outputs do; "auto" is "identity".
    scale_target : bool, default=True
        Whether targets of an "identity" output are centred and divided by their spread while learning.
    lam : float or None, default=None
        Share of the mean loss in :math:`\lambda E + (1 - \lambda) \sum w^2` (5.17), over all weights and thresholds;
        instead of `alpha`.
    hidden_rate : float or None, default=None
        A rate of its own for the hidden layers: the book's eta_2, with `learning_rate_init` as eta_1.
    init : {"auto", "glorot", "unit"}, default="auto"
        Weights to begin with: uniform within sqrt(6 / (in + out)), or weights and thresholds in (0, 1) as in figure
        5.8; "auto" is the second for the book's BP.
    n_restarts : int, default=1
        Starts, of which the one with the least loss is kept (5.4).
    dropout : float or list of float, default=0.0
        Share of the outputs of hidden layers left out at each step, of all or each.
    batch_norm : bool, default=False
        Whether sums of hidden units are normalised over the batch.
    clip_norm : float or None, default=None
        Longest gradient; a longer one is shortened to it.
    averaging : float, default=0.0
        Memory of a running average of the weights over the rounds, which is then the model; 0 is the last weights.
    scaling : {"robust", "standard"} or None, default="robust"
        Numbers are scaled on the way in: by median and quartiles, far ones drawn in, z / sqrt(1 + (z/3)^2); or by mean
        and spread; or taken as they are. Sparse columns are divided by their root mean square.
    embedding : "auto", int or None, default="auto"
        Width of learned embeddings of nominal columns, None for indicators; "auto" embeds those of more than 6 values,
        1.6 k^0.56 wide.
    report : {"round", "step"}, default="round"
        What callbacks see as an iteration, and `max_iter` counts: a round, or, of "bp", the step of one row.

    Attributes
    ----------
    target_shift_, target_scale_ : ndarray of shape (n_outputs,)
        What the outputs are multiplied with, and what is then added.
    coefs_ : list of ndarray, weights of each layer, (in, out)
    intercepts_ : list of ndarray, constants of each layer: the book's thresholds with the other sign
    norms_ : list of ndarray of shape (2, units), gamma and beta of batch normalisation
    running_ : ndarray, running means and variances of it
    tables_ : list of ndarray, embeddings: a row for missing, then one for each value
    inputs_ : Inputs, how rows become inputs
    loss_ : float, loss and penalty in the last round
    best_loss_ : float, the least; None with early stopping
    loss_curve_ : list of float, loss in each round
    validation_scores_ : list of float, scores on the rows held out; None without early stopping
    best_validation_score_ : float, the best of them
    n_iter_ : int, rounds
    t_ : int, rows shown
    n_layers_ : int, layers with inputs and outputs
    n_outputs_ : int, outputs
    out_activation_ : str, what the outputs do
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Nominal columns come in as indicators or learned embeddings, ordinal ones as ranks; a hole is 0 after scaling and
    has an indicator of its own where rows learned from had any. A `Source` is learned from block by block; what it is
    scaled by is learned from a sample of its rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import MLPRegressor
    >>> X = np.linspace(-3, 3, 60)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=6, activation="tanh", solver="lm", random_state=0)
    >>> model = model.fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.01)
    True

    References
    ----------
    Rumelhart, Hinton and Williams (1986), Learning internal representations by error propagation. Hagan and Menhaj
    (1994), Training feedforward networks with the Marquardt algorithm. MacKay (1992), A practical Bayesian framework
    for backpropagation networks.
    """

    target_shift_: np.ndarray
    target_scale_: np.ndarray
    _kept: ClassVar = ("target_shift_", "target_scale_", "_one_column")
    _one_column: bool

    def __init__(
        self,
        loss: str = "squared_error",
        hidden_layer_sizes: Any = (100,),
        activation: str = "relu",
        *,
        solver: str = "adam",
        alpha: Any = 0.0001,
        batch_size: Any = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: Any = None,
        tol: float = 1e-4,
        verbose: Any = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: Any = 10,
        max_fun: int = 15000,
        output: str = "auto",
        scale_target: bool = True,
        lam: float | None = None,
        hidden_rate: float | None = None,
        init: str = "auto",
        n_restarts: int = 1,
        dropout: Any = 0.0,
        batch_norm: bool = False,
        clip_norm: float | None = None,
        averaging: float = 0.0,
        scaling: str | None = "robust",
        embedding: Any = "auto",
        report: str = "round",
    ) -> None:
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.output = output
        self.scale_target = scale_target
        self.lam = lam
        self.hidden_rate = hidden_rate
        self.init = init
        self.n_restarts = n_restarts
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.clip_norm = clip_norm
        self.averaging = averaging
        self.scaling = scaling
        self.embedding = embedding
        self.report = report

    _params = rules_for(
        __init__,
        RULES,
        loss=Choice("squared_error", "poisson"),
        output=Choice("auto", "identity", "logistic", "tanh"),
        scale_target=Flag(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with numbers y; `sample_weight` says how much each counts."""
        if isinstance(X, Source):
            return learn_from_source(self, X, y, sample_weight)
        rows = self._take(X, reset=True)
        values = as_targets(y, rows)
        weight = self._weights(sample_weight, rows)
        self._settle(values, weight)
        self._learn(rows, self._target(values, weight), len(self.target_scale_))
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One round over some rows, going on from the weights there are.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; the first ones say how columns and targets are scaled.
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            Their numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts.
        """
        first = not hasattr(self, "coefs_")
        rows = self._take(X, reset=first)
        values = as_targets(y, rows)
        weight = self._weights(sample_weight, rows)
        if first:
            self._settle(values, weight)
        one_round(self, rows, self._target(values, weight), len(self.target_scale_))
        return self

    def _told(self, y: Any, rows: Any) -> NetworkTarget:
        return self._target(as_targets(y, rows), None)

    def _settle(self, values: np.ndarray, weight: np.ndarray | None) -> None:
        """What the outputs do, and how targets are scaled."""
        columns = values.reshape(len(values), -1).astype(np.float64)
        if self.loss == "poisson":
            if self.output != "auto":
                raise ValueError(
                    f"loss='poisson' has outputs exp(z); output={self.output!r} has no meaning: leave it out."
                )
            if (columns < 0).any() or not columns.any():
                raise ValueError("loss='poisson' needs targets of 0 or more, not all of them 0.")
        self._one_column = values.ndim == 1
        self.out_activation_ = "exponential" if self.loss == "poisson" else self.output.replace("auto", "identity")
        shift, scale = np.zeros(columns.shape[1]), np.ones(columns.shape[1])
        if self.scale_target and self.out_activation_ == "identity":
            if weight is not None and not weight.sum() > 0:
                weight = None
            shift = np.average(columns, axis=0, weights=weight)
            scale = np.sqrt(np.average((columns - shift) ** 2, axis=0, weights=weight))
            constant = np.ptp(columns, axis=0) <= 1e-12 * np.abs(shift)
            scale = np.where(constant, 0.0, scale)
            shift = np.where(constant, columns[0], shift)
        self.target_shift_, self.target_scale_ = shift, scale

    def _target(self, values: np.ndarray, weight: np.ndarray | None) -> NetworkTarget:
        columns = values.reshape(len(values), -1).astype(np.float64)
        if columns.shape[1] != len(self.target_scale_):
            raise ValueError(f"y has {columns.shape[1]} columns, wanted {len(self.target_scale_)} as before.")
        scaled = (columns - self.target_shift_) / np.where(self.target_scale_ > 0, self.target_scale_, 1.0)
        return NetworkTarget(None, np.ascontiguousarray(scaled), weight)

    def _loss_name(self) -> str:
        return self.loss

    def _score_of(
        self, net: Network, rows: Any, target: NetworkTarget, theta: np.ndarray, running: np.ndarray
    ) -> float:
        """R squared, of a Poisson loss the share of the deviance that is explained."""
        said = net.outputs(rows, theta, running).astype(np.float64)
        wanted: Any = target.numbers
        middle = np.average(wanted, axis=0, weights=target.weight)
        if self.loss == "poisson":
            cost = _poisson(said, wanted)
            base = _poisson(np.broadcast_to(np.maximum(middle, 1e-300), wanted.shape), wanted)
        else:
            cost, base = (said - wanted) ** 2, (wanted - middle) ** 2
        lost, most = (np.average(part.sum(axis=1), weights=target.weight) for part in (cost, base))
        return float(1 - lost / most) if most > 0 else float(-lost)

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted number of each row of X, or numbers."""
        said = self._outputs(X)
        if self.out_activation_ == "identity":
            said = (said * self.target_scale_ + self.target_shift_).astype(said.dtype, copy=False)
        return said[:, 0] if self._one_column else said


def _poisson(said: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Half the deviance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(wanted > 0, wanted * np.log(wanted / said), 0.0)
    return np.asarray(terms - wanted + said)
