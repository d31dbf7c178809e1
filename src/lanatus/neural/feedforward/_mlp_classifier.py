"""Multi-layer networks for classes."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import type_of_target

from lanatus.base import check_is_fitted, class_codes, fitting, n_rows
from lanatus.catalog import Contender, method
from lanatus.data import Source
from lanatus.neural.feedforward._mlp import MultiLayerNetwork
from lanatus.neural.feedforward._network import Network, NetworkTarget
from lanatus.neural.feedforward._one_round import one_round
from lanatus.neural.feedforward._rules import RULES
from lanatus.neural.feedforward._streamed import learn_from_source
from lanatus.params import Choice, rules_for
from lanatus.scale import blockwise
from lanatus.spaces import Options, Span


@method(
    "neural.multilayer-feedforward",
    "neural.bp-standard",
    "neural.bp-accumulated",
    "neural.early-stopping",
    "neural.regularized-bp",
    "neural.adaptive-learning-rate",
    "neural.bayesian-regularization",
    section="5.3",
    task="classification",
    en="Multi-layer feedforward network",
    zh="多层前馈神经网络",
    peers=["scikit-learn:MLPClassifier", "torch:nn.Linear"],
    contender=Contender(
        simplicity=4,
        starts=({"batch_size": 32}, {"hidden_layer_sizes": (128, 64), "dropout": 0.2, "batch_size": 64}),
        space={
            "alpha": Span(1e-6, 10.0, log=True),
            "learning_rate_init": Span(1e-4, 1e-2, log=True),
            "dropout": Span(0.0, 0.5),
            "batch_size": Options((32, 64, 200)),
            "hidden_layer_sizes": Options(((50,), (100,), (200,), (100, 50), (200, 100))),
        },
    ),
)
class MLPClassifier(ClassifierMixin, MultiLayerNetwork):
    r"""Multi-layer network for classes: layers of units, each fully connected to the next.

    A unit says :math:`b = f(\sum_i w_i x_i - \theta)`; the weights go down the mean of :math:`-\ln \hat y_y` over the
    rows, or of :math:`\frac{1}{2} \sum_j (\hat y_j - y_j)^2` (5.4), by back-propagation (5.10)-(5.15).

    Book: sections 5.2 to 5.4, figure 5.8; CB 8.1 to 8.4. Kernels: ``cpp/neural/network.hpp``.
    Cost: 6 operations a weight, row and round; memory O(weights + batch).

    Parameters
    ----------
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
    loss : {"auto", "log_loss", "squared_error"}, default="auto"
        What is minimised; "auto" is the log loss, and the squared error (5.4) for the book's BP.
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
    classes_ : ndarray of shape (n_classes,), the labels
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
    has an indicator of its own where rows learned from had any. y may be a matrix of 0 and 1: several labels a row. A
    `Source` is learned from block by block; what it is scaled by is learned from a sample of its rows.

    Examples
    --------
    >>> from lanatus.neural import MLPClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "yes", "yes", "no"]
    >>> MLPClassifier(4, "tanh", solver="lbfgs", random_state=1).fit(X, y).predict(X).tolist()
    ['no', 'yes', 'yes', 'no']

    References
    ----------
    Rumelhart, Hinton and Williams (1986), Learning internal representations by error propagation. Kingma and Ba (2015),
    Adam. MacKay (1992), A practical Bayesian framework for backpropagation networks. Riedmiller and Braun (1993), A
    direct adaptive method for faster backpropagation learning: RPROP.
    """

    classes_: np.ndarray
    _kept: ClassVar = ("classes_", "multilabel_")
    multilabel_: bool

    def __init__(
        self,
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
        loss: str = "auto",
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
        self.loss = loss
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

    _params = rules_for(__init__, RULES, loss=Choice("auto", "log_loss", "squared_error"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts."""
        if isinstance(X, Source):
            return learn_from_source(self, X, y, sample_weight)
        rows = self._take(X, reset=True)
        target = self._target(y, rows, self._weights(sample_weight, rows))
        self._learn(rows, target, self._n_outputs())
        return self

    @fitting
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One round over some rows, going on from the weights there are.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The rows; the first ones say how columns are scaled.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts.
        classes : array of shape (n_classes,), optional
            All labels, at the first call; by default those of its rows.
        """
        first = not hasattr(self, "coefs_")
        rows = self._take(X, reset=first)
        weight = self._weights(sample_weight, rows)
        if first and classes is not None:
            self.classes_, self.multilabel_ = np.unique(np.asarray(classes)), False
            self.out_activation_ = self._output()
        target = self._target(y, rows, weight, known=not first or classes is not None)
        one_round(self, rows, target, self._n_outputs())
        return self

    def _target(self, y: Any, rows: Any, weight: np.ndarray | None, known: bool = False) -> NetworkTarget:
        """Codes of the labels, or a matrix of 0 and 1 where a row may have several."""
        if known and not self.multilabel_:
            return NetworkTarget(class_codes(y, rows, self.classes_)[1], None, weight)
        shape = np.shape(np.asarray(y)) if y is not None else ()
        if len(shape) == 2 and shape[1] > 1:
            if type_of_target(y) != "multilabel-indicator":
                raise ValueError("y has several columns; wanted a matrix of 0 and 1, a column a label.")
            marks = np.asarray(y, dtype=np.float64)
            if len(marks) != n_rows(rows):
                raise ValueError(f"X has {n_rows(rows)} rows, y has {len(marks)}.")
            self.classes_, self.multilabel_ = np.arange(marks.shape[1]), True
            self.out_activation_ = "logistic"
            return NetworkTarget(None, marks, weight)
        self.classes_, codes = class_codes(y, rows)
        self._settle(codes, weight)
        return NetworkTarget(codes, None, weight)

    def _told(self, y: Any, rows: Any) -> NetworkTarget:
        return self._target(y, rows, None, known=True)

    def _settle(self, codes: np.ndarray, weight: np.ndarray | None) -> None:
        present = np.unique(codes if weight is None else codes[weight > 0])
        if len(self.classes_) < 2 or len(present) < 2:
            raise ValueError(
                "MLPClassifier needs at least 2 classes with positive weight, got 1 class among "
                f"{self.classes_.tolist()}."
            )
        self.multilabel_ = False
        self.out_activation_ = self._output()

    def _output(self) -> str:
        return "softmax" if len(self.classes_) > 2 and self._loss_name() == "log_loss" else "logistic"

    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 and not self.multilabel_ else len(self.classes_)

    def _loss_name(self) -> str:
        if self.loss == "auto":
            return "squared_error" if self.solver in ("bp", "accumulated-bp", "lm") else "log_loss"
        return self.loss

    def _score_of(
        self, net: Network, rows: Any, target: NetworkTarget, theta: np.ndarray, running: np.ndarray
    ) -> float:
        """Share of the rows whose labels are found."""
        said = net.outputs(rows, theta, running)
        if target.numbers is not None:
            right = np.asarray((said > 0.5) == (target.numbers > 0.5)).all(axis=1)
        else:
            right = (said[:, 0] > 0.5 if said.shape[1] == 1 else said.argmax(axis=1)) == target.codes
        return float(np.average(right, weights=target.weight))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        said = self._outputs(X)
        if self.multilabel_:
            return said
        if said.shape[1] == 1:
            return np.hstack([1 - said, said])
        if self.out_activation_ == "logistic":  # one for each class, each for itself
            total = said.sum(axis=1, keepdims=True)
            return np.where(total > 0, said / np.where(total > 0, total, 1), 1 / said.shape[1])
        return said

    @blockwise
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X; with several labels a row, 0 and 1 for each."""
        said = self._outputs(X)
        check_is_fitted(self)
        if self.multilabel_:
            return (said > 0.5).astype(int)
        at = (said[:, 0] > 0.5).astype(np.intp) if said.shape[1] == 1 else said.argmax(axis=1)
        return np.asarray(self.classes_[at])
