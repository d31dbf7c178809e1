"""Networks without a framework: multi-layer networks, maps and Boltzmann machines, made-up and real rows."""

import contextlib
import importlib
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from bench.runner import Case


def taught(n: int, d: int, classes: int, hidden: int, rounds: int) -> dict[str, Any]:
    """Rows whose class a random network says, with noise; a fifth more to be asked."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + n // 5, d)).astype(np.float32)
    said = np.tanh(X @ rng.normal(0, 1.5 / np.sqrt(d), (d, 30))) @ rng.normal(size=(30, classes))
    y = (said + 0.5 * rng.normal(size=said.shape)).argmax(axis=1)
    return {"X": X[:n], "y": y[:n], "Q": X[n:], "truth": y[n:], "hidden": hidden, "rounds": rounds}


def _quiet(fit: Any) -> Any:
    """Rounds run out: that is what is asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit()


def _network(package: str, case: dict[str, Any]) -> Any:
    made = importlib.import_module(package).MLPClassifier
    settings = {"max_iter": case["rounds"], "tol": 0.0, "n_iter_no_change": 10**6, "random_state": 0}
    settings |= {"scaling": None} if package == "lanatus.neural" else {}
    model = made((case["hidden"],), **settings)
    return _quiet(lambda: model.fit(case["X"], case["y"]))


class _Torch:
    """The same network, optimiser and batches in PyTorch, rows sliced from tensors."""

    def __init__(self, case: dict[str, Any]) -> None:
        import torch

        torch.manual_seed(0)
        X, y = torch.from_numpy(case["X"]), torch.from_numpy(case["y"])
        classes = int(y.max()) + 1
        self.net = torch.nn.Sequential(
            torch.nn.Linear(X.shape[1], case["hidden"]), torch.nn.ReLU(), torch.nn.Linear(case["hidden"], classes)
        )
        for layer in (self.net[0], self.net[2]):
            torch.nn.init.xavier_uniform_(layer.weight)
        rule = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        loss = torch.nn.CrossEntropyLoss()
        batch = min(200, len(X))
        for _ in range(case["rounds"]):
            order = torch.randperm(len(X))
            for begin in range(0, len(X), batch):
                rows = order[begin : begin + batch]
                rule.zero_grad()
                loss(self.net(X[rows]), y[rows]).backward()
                rule.step()

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Shares of the classes."""
        import torch

        with torch.no_grad():
            return np.asarray(torch.softmax(self.net(torch.from_numpy(X)), dim=1))


def log_score(case: dict[str, Any], model: Any) -> float:
    """Mean log probability of the classes of unseen rows."""
    proba = np.asarray(model.predict_proba(case["Q"]), dtype=np.float64)
    return float(np.log(np.maximum(proba[np.arange(len(proba)), case["truth"]], 1e-12)).mean())


def _fitting(name: str, made: Any, floor: float, *, torch: bool = True) -> Case:
    peers: dict[str, Any] = {"scikit-learn": partial(_network, "sklearn.neural_network")}
    return Case(
        suite="neural",
        name=name,
        make=made,
        ours=partial(_network, "lanatus.neural"),
        peers={**peers, "torch": _Torch} if torch else peers,
        quality=log_score,
        quality_name="log score",
        floor=floor,
        tolerance=0.03,  # of other random weights and orders
        rounds=3,
    )


def asking(n: int) -> dict[str, Any]:
    """A network of 100 hidden units, in all three libraries, and rows to be asked."""
    case = taught(5_000, 50, 10, 100, 3)
    rows = np.random.default_rng(1).normal(size=(n, 50)).astype(np.float32)
    nets = {"lanatus": _network("lanatus.neural", case), "scikit-learn": _network("sklearn.neural_network", case)}
    with contextlib.suppress(ImportError):
        nets["torch"] = _Torch(case)
    return {**case, "rows": rows, "nets": nets}


def _asked(name: str, case: dict[str, Any]) -> np.ndarray:
    if name not in case["nets"]:
        raise ImportError(name)
    return np.asarray(case["nets"][name].predict_proba(case["rows"]))


def _adds_up(case: dict[str, Any], found: np.ndarray) -> float:
    """Share of the rows whose probabilities add up to 1."""
    return float(np.mean(np.abs(found.sum(axis=1) - 1) < 1e-4))


def clouds(n: int, d: int) -> dict[str, Any]:
    """Rows around forty centres."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(40, d))
    return {"X": centres[rng.integers(0, 40, n)] + 0.3 * rng.normal(size=(n, d))}


def _map(case: dict[str, Any]) -> np.ndarray:
    from lanatus.neural import SOM

    return np.asarray(SOM((20, 20), max_iter=10, sigma_end=1.0, random_state=0).fit(case["X"]).weights_)


def _minisom(case: dict[str, Any]) -> np.ndarray:
    from minisom import MiniSom

    som = MiniSom(20, 20, case["X"].shape[1], sigma=10.0, random_seed=0, sigma_decay_function="linear_decay_to_one")
    som.pca_weights_init(case["X"])
    som.train(case["X"], 2 * len(case["X"]), random_order=True)
    return np.asarray(som.get_weights().reshape(400, -1))


def nearness(case: dict[str, Any], W: np.ndarray) -> float:
    """Minus the mean distance of rows to their best units."""
    from sklearn.metrics import pairwise_distances_argmin_min

    return -float(pairwise_distances_argmin_min(case["X"], W)[1].mean())


def digits() -> dict[str, Any]:
    """Pixels of digits as numbers from 0 to 1."""
    return {"X": load_digits().data / 16}


def _machine(package: str, case: dict[str, Any]) -> Any:
    made = importlib.import_module(package).BernoulliRBM
    return made(100, learning_rate=0.05, n_iter=20, random_state=0).fit(case["X"])


def likeness(case: dict[str, Any], machine: Any) -> float:
    """Mean logarithm of the pseudo-likelihood, all units looked at, for the weights of either."""
    V, W = case["X"], machine.components_.T
    inside = V @ W + machine.intercept_hidden_
    before, total = np.logaddexp(0, inside).sum(axis=1), np.zeros(len(V))
    for i in range(V.shape[1]):
        step = 1 - 2 * V[:, i]
        after = np.logaddexp(0, inside + step[:, None] * W[i]).sum(axis=1)
        total -= np.logaddexp(0, step * machine.intercept_visible_[i] + after - before)
    return float(total.mean())


CASES = [
    _fitting("MLP 50k x 50, hidden 100, 10 rounds", partial(taught, 50_000, 50, 10, 100, 10), 3.0),
    _fitting("MLP 1k x 10, hidden 10, 100 rounds", partial(taught, 1_000, 10, 3, 10, 100), 10.0, torch=False),
    Case(
        suite="neural",
        name="MLP predict_proba, 1M x 50, hidden 100",
        make=partial(asking, 1_000_000),
        ours=partial(_asked, "lanatus"),
        peers={"scikit-learn": partial(_asked, "scikit-learn"), "torch": partial(_asked, "torch")},
        quality=_adds_up,
        quality_name="rows adding up to 1",
        floor=2.0,
        rounds=3,
    ),
    Case(
        suite="neural",
        name="SOM 20k x 20, map 20 x 20",
        make=partial(clouds, 20_000, 20),
        ours=_map,
        peers={"minisom": _minisom},
        quality=nearness,
        quality_name="minus distance to the best unit",
        floor=5.0,
        tolerance=0.03,
        rounds=3,
    ),
    Case(
        suite="neural",
        name="RBM digits, 100 hidden, 20 rounds",
        make=digits,
        ours=partial(_machine, "lanatus.neural"),
        peers={"scikit-learn": partial(_machine, "sklearn.neural_network")},
        quality=likeness,
        quality_name="pseudo-likelihood",
        floor=5.0,
        tolerance=0.03,
        rounds=3,
    ),
]
