"""Probabilistic latent semantic analysis."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import graphical as kernels
from lanatus.base import (
    Floats,
    StateError,
    Takes,
    Transformer,
    check_is_fitted,
    fitting,
    warn_unconverged,
)
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.graphical.topics._counts import as_counts, team_of
from lanatus.params import COMMON, Integer, Real, rules_for


@method(
    "graphical.plsa",
    section="14.7",
    task="transform",
    en="Probabilistic latent semantic analysis",
    zh="概率隐语义分析",
    peers=["plsa:PLSA"],
)
class PLSA(CallbackSupportMixin, Transformer):
    r"""Topics of documents without priors: :math:`P(w \mid d) = \sum_z P(z \mid d) P(w \mid z)`, by EM.

    Each round shares out every word among topics, :math:`P(z \mid d, w) \propto P(z \mid d) P(w \mid z)`, and counts
    them; the likelihood of the words never falls. It is what latent Dirichlet allocation comes to without Dirichlet
    priors, and like it takes documents for bags of words.

    Book: section 14.7. Kernel: ``cpp/graphical/topics.hpp``. Cost: a round :math:`O(sk)` for *s* entries of X and *k*
    topics. Threads over documents and over words.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics, *k*.
    max_iter : int, default=200
        Most rounds.
    tol : float, default=1e-5
        Stop once the mean log-likelihood of a word rises by less.
    n_jobs : int or None, default=None
        Threads; None are all that there are.
    random_state : int, RandomState or None, default=None
        Draws the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), :math:`P(w \mid z)`
    log_likelihood_ : float, mean :math:`\ln P(w \mid d)` of the words of the training documents
    log_likelihoods_ : ndarray, after each round
    n_iter_ : int, rounds
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    A document without a word has even shares. A word that no training document has is of no topic: of a new document
    it tells nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import PLSA
    >>> X = np.array([[4, 3, 0, 0], [2, 2, 0, 0], [0, 0, 5, 2], [0, 0, 1, 1]])
    >>> model = PLSA(2, random_state=0).fit(X)
    >>> model.transform(X).round(3).tolist()
    [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]

    References
    ----------
    Hofmann (2001), Unsupervised learning by probabilistic latent semantic analysis.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar[Mapping[str, Any]] = {"components_": Floats("topics", "columns", low=0.0)}

    components_: np.ndarray

    def __init__(
        self,
        n_components: int = 10,
        *,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        n_components=Integer(low=1),
        max_iter=Integer(low=1),
        tol=Real(low=0, below=np.inf),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the topics of documents.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            How often each word stands in each document.
        y : Ignored
            For scikit-learn's sake.
        """
        counts = as_counts(self._take(X, reset=True), self)
        rng, (n, d), k = check_random_state(self.random_state), counts.shape, self.n_components
        shares, topics = rng.dirichlet(np.ones(k), n), np.ascontiguousarray(rng.dirichlet(np.ones(d), k).T)
        by_word, by_document = core.csc(sp.csc_array(counts)), core.csc(sp.csc_array(counts.T))
        progress = Progress(self, counts, max_iter=self.max_iter)
        trace = [self._log_likelihood(counts, shares, topics)]
        for iteration in progress.iterations():
            words = kernels.topic_words(by_word, shares, topics, n_threads=team_of(self.n_jobs))
            shares = _rows(kernels.topic_words(by_document, topics, shares, n_threads=team_of(self.n_jobs)))
            topics = np.ascontiguousarray(_rows(words.T).T)
            trace.append(self._log_likelihood(counts, shares, topics))
            now = {"components_": topics.T, "log_likelihood_": trace[-1]}
            iteration.done(state=dict, attributes=partial(dict, now))
            if iteration.stop or trace[-1] - trace[-2] < self.tol:
                break
        self.components_ = np.ascontiguousarray(topics.T)
        self.log_likelihoods_, self.log_likelihood_ = np.array(trace[1:]), trace[-1]
        self.n_iter_ = len(trace) - 1
        progress.finish({"components_": self.components_})
        if self.n_iter_ == self.max_iter and trace[-1] - trace[-2] >= self.tol > 0:
            warn_unconverged(self)
        return self

    def transform(self, X: Any) -> np.ndarray:
        r"""Shares of the topics in each document, :math:`P(z \mid d)`, by EM with the topics as they are.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            Documents.
        """
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        shares = self._folded_in(as_counts(rows, self))
        return np.asarray(shares, dtype=rows.dtype)

    def score(self, X: Any, y: Any = None) -> float:
        r"""Mean :math:`\ln P(w \mid d)` of the words of documents, whose shares are found first.

        Words that no training document had are left out: to the model they are impossible.
        """
        check_is_fitted(self)
        counts = as_counts(self._take(X, reset=False), self)
        return self._log_likelihood(counts, self._folded_in(counts), self._topics())

    def _topics(self) -> np.ndarray:
        return np.ascontiguousarray(self.components_.T, dtype=np.float64)

    def _folded_in(self, counts: sp.csr_array) -> np.ndarray:
        topics = self._topics()
        shares = np.full((counts.shape[0], self.n_components), 1 / self.n_components)
        by_document = core.csc(sp.csc_array(counts.T))
        last = self._log_likelihood(counts, shares, topics)
        for _ in range(self.max_iter):
            shares = _rows(kernels.topic_words(by_document, topics, shares, n_threads=team_of(self.n_jobs)))
            now = self._log_likelihood(counts, shares, topics)
            if now - last < self.tol:
                break
            last = now
        return shares

    @staticmethod
    def _log_likelihood(counts: sp.csr_array, shares: np.ndarray, topics: np.ndarray) -> float:
        total = words = 0.0
        for begin in range(0, counts.shape[0], 256):  # a block at a time, for memory
            block = counts[begin : begin + 256].tocoo()
            chance = np.einsum("ij,ij->i", shares[begin + block.row], topics[block.col])
            known = chance > 0
            total += float(block.data[known] @ np.log(chance[known]))
            words += float(block.data[known].sum())
        return total / words if words else 0.0

    def _require_sound(self) -> None:
        if len(self.components_) != self.n_components:
            raise StateError("components_ must have a row a topic")


def _rows(counts: np.ndarray) -> np.ndarray:
    """Rows that sum to 1; even where there was nothing to count."""
    sums = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(sums > 0, counts / np.where(sums > 0, sums, 1), 1 / counts.shape[1]))
