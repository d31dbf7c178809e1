"""Topics whose number is found: the hierarchical Dirichlet process."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import graphical as kernels
from lanatus.base import Floats, StateError, Takes, Transformer, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress
from lanatus.catalog import method
from lanatus.graphical.topics._counts import as_counts, team_of
from lanatus.graphical.topics._tokens import Tokens
from lanatus.params import COMMON, Integer, Nothing, Real, rules_for

_MERGE_EVERY = 10
_LEAST = 1e-3  # share of the words that makes a topic count
_ALIKE = 0.2  # cosine between the words of two topics, below which they are not looked at together
_NEXT_TO_NONE = 1e-12


@method(
    "graphical.hdp",
    section="ex 14.10",
    task="transform",
    en="Hierarchical Dirichlet process",
    zh="层次化狄利克雷过程",
    peers=["gensim:HdpModel", "tomotopy:HDPModel"],
)
class HierarchicalDirichletProcess(CallbackSupportMixin, Transformer):
    r"""Latent Dirichlet allocation without a preset number of topics.

    All documents share one draw :math:`G_0 \sim DP(\gamma, H)` of a Dirichlet process, an endless list of topics of
    which few matter; each document draws its shares around it, :math:`G_d \sim DP(\alpha_0, G_0)`. Here at most
    `max_components` topics exist (the limit of which is the process), with :math:`G_0 \sim Dir(\gamma / L, \ldots)`;
    collapsed Gibbs sampling of the words' topics takes turns with draws of :math:`G_0` and of both concentrations. A
    word at a time, two topics of one meaning take very long to become one: every tenth sweep after the first
    quarter pairs are put together where that makes words and topics likelier.

    Book: section 14.7; exercise 14.10. Kernel: ``cpp/graphical/topics.hpp``. Cost: a sweep :math:`O(nL)` for *n* words.
    Threads over documents.

    Parameters
    ----------
    max_components : int, default=50
        Most topics, *L*; several times as many as are expected.
    gamma : float or None, default=None
        Concentration of :math:`G_0`: the larger, the more topics. None learns it.
    alpha : float or None, default=None
        Concentration of the documents' shares. None learns it.
    topic_word_prior : float, default=0.01
        :math:`\eta`, the Dirichlet parameter of topics over words; the smaller, the finer the topics.
    max_iter : int, default=200
        Sweeps; the first half is left out of the means.
    n_jobs : int or None, default=None
        Threads; None are all that there are.
    random_state : int, RandomState or None, default=None
        Draws.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features), distributions of the topics over words, by weight
    weights_ : ndarray of shape (n_components_,), shares of the topics among all words
    n_components_ : int, topics that have words at the end
    n_components_trace_ : ndarray of shape (max_iter,), after each sweep
    gamma_, alpha_ : float, concentrations at the end
    n_iter_ : int, sweeps
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    Topics that hold less than one word in a thousand do not count. A warning is given where all
    `max_components` are in use, for then the limit is what was found.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import HierarchicalDirichletProcess
    >>> X = np.repeat([[9, 8, 0, 0, 0, 0], [0, 0, 9, 7, 0, 0], [0, 0, 0, 0, 8, 9]], 20, axis=0)
    >>> HierarchicalDirichletProcess(20, random_state=0).fit(X).n_components_
    3

    References
    ----------
    Teh, Jordan, Beal and Blei (2006), Hierarchical Dirichlet processes. Escobar and West (1995), Bayesian density
    estimation and inference using mixtures.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar[Mapping[str, Any]] = {
        "components_": Floats("topics", "columns", low=0.0),
        "weights_": Floats("topics", low=0.0),
    }

    components_: np.ndarray
    weights_: np.ndarray

    def __init__(
        self,
        max_components: int = 50,
        *,
        gamma: float | None = None,
        alpha: float | None = None,
        topic_word_prior: float = 0.01,
        max_iter: int = 200,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_components = max_components
        self.gamma = gamma
        self.alpha = alpha
        self.topic_word_prior = topic_word_prior
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    _params = rules_for(
        __init__,
        COMMON,
        max_components=Integer(low=1, high=10_000),
        gamma=Real(above=0, high=1e6) | Nothing(),
        alpha=Real(above=0, high=1e6) | Nothing(),
        topic_word_prior=Real(above=0, high=1e6),
        max_iter=Integer(low=1),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # whole numbers
        return tags

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn topics, and how many there are.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            How often each word stands in each document, in whole numbers.
        y : Ignored
            For scikit-learn's sake.
        """
        counts = as_counts(self._take(X, reset=True), self)
        rng, most = check_random_state(self.random_state), self.max_components
        tokens, seed = Tokens(counts, most, rng), int(rng.randint(2**31 - 1))
        self.gamma_, self.alpha_ = self.gamma or 1.0, self.alpha or 1.0
        weights, sums, kept = np.full(most, 1 / most), np.zeros((most, counts.shape[1])), 0
        trace: list[int] = []
        progress = Progress(self, counts, max_iter=self.max_iter)
        for iteration in progress.iterations():
            alpha = np.maximum(self.alpha_ * weights, 1e-12)
            tokens.sweep(
                alpha, self.topic_word_prior, seed=seed, number=iteration.number, n_threads=team_of(self.n_jobs)
            )
            if 4 * iteration.number > self.max_iter and iteration.number % _MERGE_EVERY == 0:
                weights = _merged(tokens, weights, self.alpha_, self.topic_word_prior)
            weights = self._draw_weights(tokens, weights, rng)
            self.n_iter_ = iteration.number + 1
            trace.append(int((tokens.of_topic > _LEAST * len(tokens.word)).sum()))
            if 2 * iteration.number >= self.max_iter:
                sums, kept = sums + tokens.of_word.T, kept + 1
            iteration.done(state=dict, attributes=lambda: {"n_components_": trace[-1], "alpha_": self.alpha_})
            if iteration.stop:
                break
        self.n_components_trace_ = np.array(trace)
        self._keep(tokens, sums / kept if kept else tokens.of_word.T)
        progress.finish({"n_components_": self.n_components_})
        return self

    def _keep(self, tokens: Tokens, words: np.ndarray) -> None:
        """The topics that have words, the heaviest first."""
        weight = tokens.of_topic / max(len(tokens.word), 1)
        used = np.flatnonzero(weight > _LEAST)
        used = used[np.argsort(-weight[used], kind="stable")] if len(used) else np.array([0])
        if len(used) == self.max_components > 1:
            warnings.warn(
                f"all max_components={self.max_components} topics are in use, so that their number is not what was "
                "found; raise max_components.",
                UserWarning,
                stacklevel=4,
            )
        counts = words[used] + self.topic_word_prior
        self.components_ = counts / counts.sum(axis=1, keepdims=True)
        self.weights_ = weight[used] / weight[used].sum() if weight[used].sum() else np.ones(len(used))
        self.n_components_ = len(used)

    def _draw_weights(self, tokens: Tokens, weights: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """G_0 given how many tables each topic has in each document, and both concentrations."""
        tables = _tables(tokens.of_document, self.alpha_ * weights, rng)
        total = int(tables.sum())
        in_use = int((tables.sum(axis=0) > 0).sum())
        if self.alpha is None and total:
            self.alpha_ = _draw_alpha(self.alpha_, np.diff(tokens.start), total, rng)
        if self.gamma is None and total:
            self.gamma_ = _draw_gamma(self.gamma_, in_use, total, rng)
        drawn = rng.gamma(np.maximum(tables.sum(axis=0) + self.gamma_ / len(weights), 1e-9))
        drawn = np.maximum(drawn, 1e-300)
        return np.asarray(drawn / drawn.sum())

    def transform(self, X: Any) -> np.ndarray:
        """Expected shares of the topics in each document, by variational inference with the topics as they are.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            Documents.
        """
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        counts = as_counts(rows, self)
        alpha = np.maximum(self.alpha_ * self.weights_, 1e-6)
        gamma, _ = kernels.document_topics(
            core.csr(counts), np.ascontiguousarray(self.components_.T, dtype=np.float64), alpha,
            np.tile(alpha + 1.0, (counts.shape[0], 1)), max_iter=200, tol=1e-5, n_threads=team_of(self.n_jobs),
        )  # fmt: skip
        return np.asarray(gamma / gamma.sum(axis=1, keepdims=True), dtype=rows.dtype)

    def _require_sound(self) -> None:
        if len(self.components_) != self.n_components_ or len(self.weights_) != self.n_components_:
            raise StateError("components_ and weights_ must have a row a topic")
        if not (np.isfinite(self.alpha_) and self.alpha_ > 0 and np.isfinite(self.gamma_) and self.gamma_ > 0):
            raise StateError("alpha_ and gamma_ must be above 0")


def _merged(tokens: Tokens, weights: np.ndarray, alpha: float, eta: float) -> np.ndarray:
    """Topics that are likelier as one become one; the weights after it."""
    weights = weights.copy()
    used = np.flatnonzero(tokens.of_topic)
    words = tokens.of_word[:, used].T.astype(np.float64)
    like = words @ words.T / np.outer(norms := np.linalg.norm(words, axis=1), norms)
    pairs = np.argwhere(np.triu(like > _ALIKE, 1))
    for i, j in pairs[np.argsort(-like[tuple(pairs.T)], kind="stable")]:
        one, other = int(used[i]), int(used[j])
        if tokens.of_topic[one] and tokens.of_topic[other] and _gain(tokens, weights, alpha, eta, one, other) > 0:
            tokens.merge(one, other)
            weights[one], weights[other] = weights[one] + weights[other], _NEXT_TO_NONE
    return weights


def _gain(tokens: Tokens, weights: np.ndarray, alpha: float, eta: float, one: int, other: int) -> float:
    """ln P(words, topics) with two topics as one, less what it is."""
    n_words = len(tokens.of_word)

    def topic(of_word: np.ndarray) -> float:
        there = of_word[of_word > 0]
        own = gammaln(n_words * eta) - gammaln(of_word.sum() + n_words * eta)
        return float(own + (gammaln(there + eta) - gammaln(eta)).sum())

    def shares(of_document: np.ndarray, prior: float) -> float:
        there = of_document[of_document > 0]
        return float((gammaln(there + prior) - gammaln(prior)).sum())

    a, b = tokens.of_word[:, one].astype(float), tokens.of_word[:, other].astype(float)
    gain = topic(a + b) - topic(a) - topic(b)
    p, q = (max(alpha * weights[k], 1e-12) for k in (one, other))
    a, b = tokens.of_document[:, one].astype(float), tokens.of_document[:, other].astype(float)
    return gain + shares(a + b, p + q) - shares(a, p) - shares(b, q)


def _tables(of_document: np.ndarray, prior: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """How many tables of a Chinese restaurant serve each topic: customer i opens one with chance p / (p + i - 1)."""
    document, topic = np.nonzero(of_document)
    times = of_document[document, topic]
    first = np.repeat(np.cumsum(times) - times, times)
    already = np.arange(times.sum()) - first
    p = np.repeat(prior[topic], times)
    opens = (already == 0) | (rng.random_sample(len(p)) * (p + already) < p)
    tables = np.zeros(of_document.shape)
    np.add.at(tables, (np.repeat(document, times), np.repeat(topic, times)), opens)
    return tables


def _draw_alpha(alpha: float, lengths: np.ndarray, tables: int, rng: np.random.RandomState) -> float:
    """The documents' concentration under a Gamma(1, 1) prior, by auxiliary variables."""
    lengths = lengths[lengths > 0]
    w = rng.beta(alpha + 1, lengths)
    s = rng.random_sample(len(lengths)) < lengths / (lengths + alpha)
    return float(max(rng.gamma(1 + tables - s.sum()) / (1 - np.log(w).sum()), 1e-6))


def _draw_gamma(gamma: float, topics: int, tables: int, rng: np.random.RandomState) -> float:
    """The concentration of G_0 under a Gamma(1, 1) prior."""
    rate = 1 - np.log(rng.beta(gamma + 1, tables))
    odds = topics / (tables * rate)
    return float(max(rng.gamma(1 + topics - (rng.random_sample() >= odds / (1 + odds))) / rate, 1e-6))
