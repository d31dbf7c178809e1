"""Every word of every document with its topic: what collapsed Gibbs sampling walks over."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from lanatus._core import graphical as kernels


class Tokens:
    """Words one by one, the topic that each has at the moment, and how often each topic is in documents and words.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        Whole numbers.
    n_topics : int
        Topics.
    rng : RandomState
        Draws the first topics.
    """

    def __init__(self, counts: sp.csr_array, n_topics: int, rng: np.random.RandomState) -> None:
        if (counts.data != np.floor(counts.data)).any():
            raise ValueError("Gibbs sampling draws a topic for each word, so that counts must be whole numbers.")
        n, n_words = counts.shape
        times = counts.data.astype(np.int64)
        self.word = np.repeat(counts.indices, times).astype(np.int32)
        self.start = np.concatenate([[0], np.cumsum(times)])[counts.indptr].astype(np.int64)
        self.document = np.repeat(np.arange(n), np.diff(self.start))
        self.topic = rng.randint(n_topics, size=len(self.word)).astype(np.int32)
        self.of_document = np.zeros((n, n_topics), dtype=np.int32)
        self.of_word = np.zeros((n_words, n_topics), dtype=np.int32)
        np.add.at(self.of_document, (self.document, self.topic), 1)
        np.add.at(self.of_word, (self.word, self.topic), 1)
        self.of_topic = self.of_word.sum(axis=0, dtype=np.int64)

    def merge(self, one: int, other: int) -> None:
        """Give all words of the other topic to the one."""
        self.topic[self.topic == other] = one
        for counts in (self.of_document, self.of_word):
            counts[:, one] += counts[:, other]
            counts[:, other] = 0
        self.of_topic[one] += self.of_topic[other]
        self.of_topic[other] = 0

    def sweep(self, alpha: Any, eta: float, *, seed: int, number: int, n_threads: int) -> None:
        r"""Draw the topic of every word once from :math:`(n_{dk} + \alpha_k) (n_{kw} + \eta) / (n_k + V \eta)`."""
        kernels.gibbs_sweep(
            self.word, self.start, self.topic, self.of_document, self.of_word, self.of_topic, alpha,
            eta=eta, seed=seed, sweep=number, n_threads=n_threads,
        )  # fmt: skip
