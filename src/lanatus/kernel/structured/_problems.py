"""What a structured machine needs to know of its answers; ready-made for sequences of labels and for rankings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array


class StructuredProblem:
    r"""Inputs x, answers y, features of both :math:`\psi(x, y)`, a loss of answers, and an oracle.

    A problem of your own is a class with these methods. `oracle` must be exact for the machine to be the best one.
    """

    def n_features(self, X: Sequence[Any], y: Sequence[Any]) -> int:
        """How many numbers the features have; the rows of ``fit`` may be looked at to learn it."""
        raise NotImplementedError

    def joint_features(self, x: Any, y: Any) -> np.ndarray:
        """Features of an input with an answer."""
        raise NotImplementedError

    def loss(self, y: Any, answer: Any) -> float:
        """How bad an answer is; 0 for y itself."""
        raise NotImplementedError

    def oracle(self, x: Any, w: np.ndarray, y: Any = None) -> Any:
        """The answer of the largest w'psi(x, answer), with y given of that plus loss(y, answer)."""
        raise NotImplementedError


class SequenceProblem(StructuredProblem):
    """Sequences: a label at each place, by the place's columns and by the label before. The loss counts wrong labels.

    Features are the sums of the columns by label, then the counts of each pair of labels that follow each other; the
    oracle is Viterbi's algorithm.

    Parameters
    ----------
    n_labels : int
        Labels are 0, 1, ..., n_labels - 1.
    """

    def __init__(self, n_labels: int) -> None:
        self.n_labels = n_labels

    def n_features(self, X: Sequence[Any], y: Sequence[Any]) -> int:
        """Columns times labels, and pairs of labels."""
        d = {check_array(x, input_name="X").shape[1] for x in X}
        if len(d) != 1:
            raise ValueError(f"all sequences must have as many columns; got {sorted(d)}.")
        for x, labels in zip(X, y, strict=True):
            labels = np.asarray(labels)
            if labels.shape != (len(x),) or labels.min() < 0 or labels.max() >= self.n_labels:
                raise ValueError(f"a sequence of {len(x)} rows wants as many labels of 0 to {self.n_labels - 1}.")
        return int(d.pop()) * self.n_labels + self.n_labels**2

    def joint_features(self, x: Any, y: Any) -> np.ndarray:
        """Sums of the columns by label, and counts of pairs."""
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
        sums = np.zeros((self.n_labels, x.shape[1]))
        np.add.at(sums, y, x)
        pairs = np.bincount(y[:-1] * self.n_labels + y[1:], minlength=self.n_labels**2)
        return np.concatenate([sums.ravel(), pairs])

    def loss(self, y: Any, answer: Any) -> float:
        """The number of wrong labels."""
        return float(np.count_nonzero(np.asarray(y) != np.asarray(answer)))

    def oracle(self, x: Any, w: np.ndarray, y: Any = None) -> np.ndarray:
        """Viterbi's algorithm."""
        x, k = np.asarray(x, dtype=np.float64), self.n_labels
        scores = x @ w[: -(k**2)].reshape(k, -1).T
        follow = w[-(k**2) :].reshape(k, k)
        if y is not None:
            scores = scores + (np.arange(k) != np.asarray(y)[:, None])
        best, back = scores[0], np.zeros((len(x), k), dtype=np.intp)
        for place in range(1, len(x)):
            ways = best[:, None] + follow
            back[place] = ways.argmax(axis=0)
            best = ways.max(axis=0) + scores[place]
        labels = np.empty(len(x), dtype=np.intp)
        labels[-1] = best.argmax()
        for place in range(len(x) - 1, 0, -1):
            labels[place - 1] = back[place, labels[place]]
        return labels


class RankingProblem(StructuredProblem):
    """Rankings: the rows of a question in an order, relevant ones first. The loss is the share of pairs out of order.

    y says which rows are relevant (1) and which are not (0); an answer is a score a row, of which the order counts.
    Features are the mean over pairs of a relevant row and another of their difference, the higher less the lower. An
    answer of the oracle to a known y has two columns, y and scores: the features need both.
    """

    def n_features(self, X: Sequence[Any], y: Sequence[Any]) -> int:
        """As many as columns."""
        for x, relevant in zip(X, y, strict=True):
            relevant = np.asarray(relevant)
            if relevant.shape != (len(x),) or set(np.unique(relevant).tolist()) != {0, 1}:
                raise ValueError("y wants 0 or 1 for each row of a question, and both of them.")
        return int(check_array(X[0], input_name="X").shape[1])

    def joint_features(self, x: Any, y: Any) -> np.ndarray:
        """Mean over pairs of the higher row less the lower."""
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        relevant, scores = (y == 1, y) if y.ndim == 1 else (y[:, 0] == 1, y[:, 1])
        up, down = scores[relevant], scores[~relevant]
        share = np.empty(len(x))
        share[relevant] = 2.0 * np.searchsorted(np.sort(down), up, side="left") - len(down)
        share[~relevant] = 2.0 * np.searchsorted(np.sort(up), down, side="right") - len(up)
        return share @ x / (len(up) * len(down))

    def loss(self, y: Any, answer: Any) -> float:
        """Share of the pairs of a relevant and another row that the answer does not put in order."""
        relevant, answer = np.asarray(y) == 1, np.asarray(answer, dtype=np.float64)
        scores = answer if answer.ndim == 1 else answer[:, 1]
        below = np.searchsorted(np.sort(scores[~relevant]), scores[relevant], side="left")
        return 1.0 - float(below.mean()) / np.count_nonzero(~relevant)

    def oracle(self, x: Any, w: np.ndarray, y: Any = None) -> np.ndarray:
        """Scores of the rows; with y given, others are raised by half: a pair is worth its loss below that."""
        scores = np.asarray(x, dtype=np.float64) @ w
        if y is None:
            return np.asarray(scores)
        relevant = np.asarray(y) == 1
        return np.column_stack([relevant.astype(np.float64), np.where(relevant, scores, scores + 0.5)])
