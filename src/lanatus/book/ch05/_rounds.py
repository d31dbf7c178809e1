"""Networks trained for as many rounds as an example asks, at rest by then or not."""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

ROUNDS = 1000
# Of a network that goes on through all its rounds.
TO_THE_END: dict[str, Any] = {"tol": 0.0, "n_iter_no_change": 10**9}


def trained(net: Any, X: Any, y: Any) -> Any:
    """The network after ``fit``, without a word of rounds that ran out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return net.fit(X, y)
