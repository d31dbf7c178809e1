"""Linear tests for the nodes of oblique trees: directions by least squares, logistic regression and perceptrons.

Every learner sees standardised columns `Z`, class codes counted from 0 and positive weights, takes all rows at a time
and draws nothing, so that neither the order of the rows nor repeating one instead of weighing it changes the answer.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning


def least_squares_directions(Z: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
    """Directions, one a row, that fit class against the rest by least squares: one for two classes, else one each."""
    share = weight / weight.sum()
    centred = Z - share @ Z
    targets = _signs(codes, n_classes)
    gram = (centred.T * share) @ centred
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-10 * max(values[-1], 1e-300)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
    against = (centred.T * share) @ (targets - share @ targets)
    return np.asarray((vectors @ (inverse[:, None] * (vectors.T @ against))).T)


def logistic_directions(
    Z: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_classes: int, C: float, max_iter: int
) -> np.ndarray:
    """Directions of a penalised logistic regression, so that they exist at nodes that a line can separate."""
    from lanatus.linear import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a direction that is nearly best serves as well
        model = LogisticRegression(C=C, max_iter=max_iter).fit(Z, codes, sample_weight=weight)
    return np.asarray(model.coef_, dtype=np.float64)


def perceptron_directions(
    Z: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_classes: int, max_iter: int
) -> np.ndarray:
    """Directions of thermal perceptrons, class against the rest."""
    if n_classes == 2:
        machine, _ = linear_machine(Z, codes, weight, 2, max_iter)
        return np.asarray(machine[1:] - machine[:1])
    rest = (linear_machine(Z, (codes == k).astype(np.intp), weight, 2, max_iter)[0] for k in range(n_classes))
    return np.stack([machine[1] - machine[0] for machine in rest])


def linear_machine(
    Z: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_classes: int, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """A linear function for each class, the largest of which names the class: its weights and constants.

    Frean's thermal perceptron rule for many classes, all rows at a time: what is wrong pulls the function of its class
    up and that of the winner down, the less the farther it is on the wrong side, ``exp(-distance / T)``, while the
    temperature T falls to 0. The best functions met are kept (Gallant's pocket). Finds a separation where there is one
    and the rounds suffice.
    """
    n, d = Z.shape
    inputs = np.column_stack([Z, np.ones(n)])
    share = weight / weight.sum()
    rows = np.arange(n)
    W = np.zeros((n_classes, d + 1))
    W[:, -1] = np.bincount(codes, share, n_classes) * 1e-3  # ties at the start go to the heavier class
    pocket, least = W.copy(), np.inf
    for step in range(max_iter + 1):
        scores = inputs @ W.T
        won = scores.argmax(axis=1)
        wrong = won != codes
        error = float(share[wrong].sum())
        if error < least - 1e-12:
            pocket, least = W.copy(), error
        if error <= 0 or step == max_iter:
            break
        gap = scores[rows, won] - scores[rows, codes]
        typical = float(share[wrong] @ gap[wrong]) / error
        temperature = 2 * max(typical, 1e-12) * (1 - step / max_iter)
        pull = np.where(wrong, share * np.exp(-gap / max(temperature, 1e-12)), 0.0)
        pulls = np.zeros((n, n_classes))
        pulls[rows, codes] = pull
        pulls[rows, won] -= pull
        total = pull.sum()
        if total <= 0:
            break
        W += pulls.T @ inputs / total
    return pocket[:, :-1], pocket[:, -1]


def _signs(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """One column of +1 and -1 for each class against the rest; one column for two classes."""
    columns = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(codes[:, None] == columns, 1.0, -1.0)
