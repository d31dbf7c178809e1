"""Layer-wise pre-training, fine-tuning, and the deep belief network that does both."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from lanatus.base import Estimator, check_is_fitted, coded_rows, fitting
from lanatus.catalog import method
from lanatus.neural.boltzmann._bernoulli_rbm import BernoulliRBM
from lanatus.neural.feedforward._mlp_classifier import MLPClassifier
from lanatus.neural.feedforward._rules import are_sizes
from lanatus.params import Flag, Integer, Real, Satisfies, check_integer, rules_for
from lanatus.scale import blockwise


@method(
    "neural.layerwise-pretraining",
    section="5.6",
    task="transform",
    en="Unsupervised layer-wise pre-training and fine-tuning",
    zh="无监督逐层训练(预训练+微调)",
)
def pretrain(
    layers: Any,
    X: Any,
    *,
    learning_rate: float = 0.05,
    n_iter: int = 10,
    batch_size: int = 20,
    random_state: Any = None,
) -> list[BernoulliRBM]:
    """Restricted Boltzmann machines one on the other: each learns from the hidden units of the one below.

    Book: section 5.6. Cost: that of the machines.

    Parameters
    ----------
    layers : list of int
        Units of each layer.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    learning_rate : float, default=0.05
        Rate of the machines.
    n_iter : int, default=10
        Rounds of each.
    batch_size : int, default=20
        Rows of a step.
    random_state : int, RandomState or None, default=None
        Draws.

    Returns
    -------
    list of fitted BernoulliRBM, the lowest first

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import pretrain
    >>> X = np.random.RandomState(0).rand(30, 8) > 0.5
    >>> [machine.components_.shape for machine in pretrain([6, 3], X, random_state=0)]
    [(6, 8), (3, 6)]

    References
    ----------
    Hinton, Osindero and Teh (2006), A fast learning algorithm for deep belief nets.
    """
    rng = check_random_state(random_state)
    machines, rows = [], X
    for size in np.atleast_1d(np.asarray(layers)).tolist():
        machine = BernoulliRBM(
            check_integer("layers", size, 1),
            learning_rate=learning_rate,
            n_iter=n_iter,
            batch_size=batch_size,
            training="cd",
            momentum=0.5,
            random_state=int(rng.randint(2**31 - 1)),
        )
        rows = machine.fit_transform(rows)
        machines.append(machine)
    return machines


def fine_tune(
    layers: list[BernoulliRBM], X: Any, y: Any, *, sample_weight: Any = None, **parameters: Any
) -> MLPClassifier:
    """A network with the weights of pre-trained machines, and an output layer on top, trained as a whole.

    Book: section 5.6. Cost: that of the network.

    Parameters
    ----------
    layers : list of fitted BernoulliRBM
        The machines, the lowest first.
    X : array or frame of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), optional
        How much each row counts.
    **parameters : any
        Of :class:`MLPClassifier`: solver, learning_rate_init, max_iter and the like.

    Returns
    -------
    fitted MLPClassifier

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import fine_tune, pretrain
    >>> X = np.random.RandomState(0).rand(60, 8) > 0.5
    >>> y = X[:, 0] ^ X[:, 1]
    >>> layers = pretrain([12], X, random_state=0)
    >>> net = fine_tune(layers, X, y, solver="lbfgs", random_state=0)
    >>> net.score(X, y) > 0.9
    True
    """
    if not layers:
        raise ValueError("layers must hold at least one pre-trained machine; pretrain makes them.")
    if taken := {"hidden_layer_sizes", "activation", "warm_start", "scaling", "embedding"} & set(parameters):
        raise ValueError(f"{', '.join(sorted(taken))} follow from the machines; leave them out.")
    net = MLPClassifier(
        [len(machine.intercept_hidden_) for machine in layers],
        activation="logistic",
        warm_start=True,
        scaling=None,
        embedding=None,
        **parameters,
    )
    rows = layers[0]._visible(X)
    classes = np.unique(np.asarray(y))
    n_outputs = 1 if len(classes) == 2 else len(classes)
    rng = check_random_state(net.random_state)
    top = len(layers[-1].intercept_hidden_)
    bound = np.sqrt(2.0 / (top + n_outputs))
    coefs = [machine.components_.T.copy() for machine in layers]
    net.coefs_ = [*coefs, rng.uniform(-bound, bound, (top, n_outputs))]
    net.intercepts_ = [*(machine.intercept_hidden_.copy() for machine in layers), np.zeros(n_outputs)]
    net.norms_, net.tables_, net.running_ = [], [], np.empty(0)
    net.fit(rows, y, sample_weight=sample_weight)
    return net.set_params(warm_start=False)


@method(
    "neural.dbn",
    section="5.6",
    task="classification",
    en="Deep belief network",
    zh="深度信念网络DBN",
)
class DBN(ClassifierMixin, Estimator):
    r"""Deep belief network: restricted Boltzmann machines one on the other, then a network that is trained as a whole.

    Each machine learns from the hidden probabilities of the one below, :math:`h^{(l)} = \sigma(W^{(l)\top} h^{(l-1)} +
    c^{(l)})`; with an output layer on top they are the start of back-propagation.

    Book: section 5.6. Cost: that of the machines and of the network.

    Parameters
    ----------
    hidden_layer_sizes : int or list of int, default=(100, 100)
        Units of each layer.
    pretrain_rate : float, default=0.05
        Rate of the machines.
    pretrain_iter : int, default=10
        Rounds of each machine; 0 is a network without pre-training.
    learning_rate_init : float, default=0.003
        First rate of the network, by Adam.
    alpha : float, default=1e-4
        Strength of the squared weights of the network.
    batch_size : int, default=20
        Rows of a step.
    max_iter : int, default=100
        Most rounds of the network.
    tol : float, default=1e-4
        Improvement of the loss that counts.
    early_stopping : bool, default=False
        Whether rows are held out to stop at the best weights.
    random_state : int, RandomState or None, default=None
        Draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), the labels
    machines_ : list of BernoulliRBM, as pre-trained
    network_ : MLPClassifier, as fine-tuned
    n_iter_ : int, rounds of the network
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.neural import DBN
    >>> X = np.random.RandomState(0).rand(80, 6) > 0.5
    >>> DBN((12,), learning_rate_init=0.02, tol=0.001, random_state=0).fit(X, X[:, 0]).score(X, X[:, 0]) > 0.9
    True

    References
    ----------
    Hinton, Osindero and Teh (2006), A fast learning algorithm for deep belief nets.
    """

    _state: ClassVar = {}

    classes_: np.ndarray
    machines_: list[BernoulliRBM]
    network_: MLPClassifier
    n_iter_: int

    def __init__(
        self,
        hidden_layer_sizes: Any = (100, 100),
        *,
        pretrain_rate: float = 0.05,
        pretrain_iter: int = 10,
        learning_rate_init: float = 0.003,
        alpha: float = 1e-4,
        batch_size: int = 20,
        max_iter: int = 100,
        tol: float = 1e-4,
        early_stopping: bool = False,
        random_state: Any = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.pretrain_rate = pretrain_rate
        self.pretrain_iter = pretrain_iter
        self.learning_rate_init = learning_rate_init
        self.alpha = alpha
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.random_state = random_state

    _params = rules_for(
        __init__,
        hidden_layer_sizes=Satisfies(
            lambda v: are_sizes(v) and np.size(v) > 0, "an integer >= 1 or a list of them, one a hidden layer"
        ),
        pretrain_rate=Real(above=0),
        pretrain_iter=Integer(low=0),
        learning_rate_init=Real(above=0),
        alpha=Real(low=0),
        batch_size=Integer(low=1),
        early_stopping=Flag(),
    )

    @fitting
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X with labels y; `sample_weight` says how much each counts in fine-tuning."""
        rows, codes = coded_rows(self, X, y, least=2)
        weight = self._weights(sample_weight, rows)
        rng = check_random_state(self.random_state)
        self.machines_ = pretrain(
            self.hidden_layer_sizes,
            rows,
            learning_rate=self.pretrain_rate,
            n_iter=self.pretrain_iter,
            batch_size=self.batch_size,
            random_state=rng,
        )
        self.network_ = fine_tune(
            self.machines_,
            rows,
            codes,
            sample_weight=weight,
            learning_rate_init=self.learning_rate_init,
            alpha=self.alpha,
            batch_size=self.batch_size,
            max_iter=self.max_iter,
            tol=self.tol,
            early_stopping=self.early_stopping,
            random_state=int(rng.randint(2**31 - 1)),
        )
        self.n_iter_ = self.network_.n_iter_
        return self

    def _asked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.machines_[0]._visible(self._take(X, reset=False))

    @blockwise
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``, for each row of X."""
        asked = self._asked(X)
        return np.asarray(self.network_.predict_proba(asked))

    @blockwise
    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row of X."""
        asked = self._asked(X)
        return np.asarray(self.classes_[self.network_.predict(asked)])
