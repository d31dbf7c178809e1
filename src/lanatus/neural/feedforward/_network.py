"""A network's parameters as one vector, and as the arrays that users read; calls of the kernels."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanatus._core import neural as kernels
from lanatus.base import n_threads

# scikit-learn's names of what a unit does, and those of the kernels.
HIDDEN = ("identity", "logistic", "tanh", "relu")


@dataclass
class Network:
    """The shape of a feedforward network: layers, units, loss; with its kernels.

    Parameters
    ----------
    n_numbers : int
        Inputs that are numbers.
    embeddings : list of (int, int)
        Number of values and width of each embedded column.
    sizes : list of int
        Units of each layer, the outputs last.
    hidden, output : str
        What hidden units and outputs do.
    loss : str
        "squared_error", "log_loss" or "poisson".
    normed : bool
        Whether hidden layers are normalised over the batch.
    dropout : list of float
        Share of each hidden layer's outputs that is left out while learning.
    double : bool
        Whether it computes in float64 rather than float32.
    """

    n_numbers: int
    embeddings: list[tuple[int, int]]
    sizes: list[int]
    hidden: str = "relu"
    output: str = "identity"
    loss: str = "squared_error"
    normed: bool = False
    dropout: list[float] = field(default_factory=list)
    double: bool = True

    def __post_init__(self) -> None:
        make = kernels.Network64 if self.double else kernels.Network32
        self.dropout = self.dropout or [0.0] * (len(self.sizes) - 1)
        self.kernel = make(
            self.n_numbers,
            self.embeddings,
            self.sizes,
            hidden=self.hidden,
            output=self.output,
            loss=self.loss,
            normed=self.normed,
            dropout=self.dropout,
        )
        self.dtype = np.dtype(np.float64 if self.double else np.float32)
        self.n_parameters = int(self.kernel.n_parameters)
        self._layers = list(self.kernel.layers)

    # ------------------------------------------------------------ parameters

    def arrays(self, theta: np.ndarray) -> dict[str, list[np.ndarray]]:
        """The parameters as arrays of their own: weights and constants of the layers, gammas and betas, tables."""
        found: dict[str, list[np.ndarray]] = {"coefs": [], "intercepts": [], "norms": [], "tables": []}
        layers = self.kernel.layers
        for number, (rows, units, weights, bias) in enumerate(layers):
            found["coefs"].append(theta[weights : weights + rows * units].reshape(rows, units).copy())
            found["intercepts"].append(theta[bias : bias + units].copy())
            if self.normed and number + 1 < len(layers):
                found["norms"].append(theta[bias + units : bias + 3 * units].reshape(2, units).copy())
        for rows, width, table in self.kernel.tables:
            found["tables"].append(theta[table : table + rows * width].reshape(rows, width).copy())
        return found

    def vector(self, arrays: dict[str, list[np.ndarray]]) -> np.ndarray:
        """The parameters in a row, from the arrays that `arrays` gives."""
        parts: list[np.ndarray] = []
        for number, (coef, intercept) in enumerate(zip(arrays["coefs"], arrays["intercepts"], strict=True)):
            parts += [coef.ravel(), intercept.ravel()]
            if self.normed and number + 1 < len(self.sizes):
                parts.append(arrays["norms"][number].ravel())
        parts += [table.ravel() for table in arrays["tables"]]
        return np.ascontiguousarray(np.concatenate(parts), dtype=self.dtype)

    def start(self, rng: np.random.RandomState, how: str) -> np.ndarray:
        """Weights to begin with.

        "glorot" draws uniformly within sqrt(6 / (in + out)), sqrt(2 / (in + out)) for logistic units, as scikit-learn;
        "unit" draws all weights and thresholds from (0, 1), as figure 5.8.
        """
        arrays: dict[str, list[np.ndarray]] = {"coefs": [], "intercepts": [], "norms": [], "tables": []}
        layers = self.kernel.layers
        for number, (rows, units, _, _) in enumerate(layers):
            if how == "unit":
                arrays["coefs"].append(rng.uniform(0, 1, (rows, units)))
                arrays["intercepts"].append(-rng.uniform(0, 1, units))
            else:
                bound = np.sqrt((2.0 if self.hidden == "logistic" else 6.0) / (rows + units))
                arrays["coefs"].append(rng.uniform(-bound, bound, (rows, units)))
                arrays["intercepts"].append(rng.uniform(-bound, bound, units))
            if self.normed and number + 1 < len(layers):
                arrays["norms"].append(np.stack([np.ones(units), np.zeros(units)]))
        for rows, width, _ in self.kernel.tables:
            arrays["tables"].append(rng.normal(0, 1 / np.sqrt(width), (rows, width)))
        return self.vector(arrays)

    def start_running(self) -> np.ndarray:
        """Means of 0 and variances of 1, for batch normalisation."""
        parts = [np.repeat([0.0, 1.0], units) for units in self.sizes[:-1]] if self.normed else []
        return np.concatenate([np.empty(0), *parts]).astype(self.dtype)

    def weight_places(self) -> np.ndarray:
        """Which parameters are weights of a layer, those that decay."""
        places = np.zeros(self.n_parameters, dtype=bool)
        for rows, units, weights, _ in self.kernel.layers:
            places[weights : weights + rows * units] = True
        return places

    def weight_squares(self, theta: np.ndarray) -> float:
        """Sum of the squares of these."""
        parts = (theta[at : at + rows * units].astype(np.float64) for rows, units, at, _ in self._layers)
        return float(sum(part @ part for part in parts))

    # ------------------------------------------------------------ kernels

    def gradient(
        self, rows: Any, target: "NetworkTarget", theta: np.ndarray, running: np.ndarray
    ) -> tuple[float, float, np.ndarray]:
        """Sum of the losses, sum of the weights, gradient of the first."""
        loss, weight, found = self.kernel.gradient(
            rows, target.codes, target.numbers, target.weight, theta, running, n_threads=n_threads()
        )
        return float(loss), float(weight), found

    def outputs(self, rows: Any, theta: np.ndarray, running: np.ndarray, layer: int | None = None) -> np.ndarray:
        """Outputs of a layer, by default the last; 0 is the inputs."""
        at = len(self.sizes) if layer is None else layer
        return np.asarray(self.kernel.outputs(rows, theta, running, at, n_threads=n_threads()))

    def jacobian(self, rows: Any, theta: np.ndarray, running: np.ndarray, *, before: bool = False) -> np.ndarray:
        """Derivatives of the outputs by all parameters, (rows * outputs, parameters)."""
        return np.asarray(self.kernel.jacobian(rows, theta, running, before=before, n_threads=n_threads()))


@dataclass
class NetworkTarget:
    """What a network is to say: codes of classes, or numbers; with weights."""

    codes: np.ndarray | None
    numbers: np.ndarray | None
    weight: np.ndarray | None = None

    def of(self, rows: np.ndarray) -> "NetworkTarget":
        """That of some rows."""
        return NetworkTarget(
            *(None if part is None else part[rows] for part in (self.codes, self.numbers, self.weight))
        )

    def __len__(self) -> int:
        told = self.numbers if self.codes is None else self.codes
        return 0 if told is None else len(told)
