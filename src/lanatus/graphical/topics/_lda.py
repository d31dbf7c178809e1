"""Latent Dirichlet allocation."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import digamma, gammaln, logsumexp, polygamma
from sklearn.utils import check_random_state

from lanatus._core import core
from lanatus._core import graphical as kernels
from lanatus.base import Floats, StateError, Takes, Transformer, check_is_fitted, fitting
from lanatus.callbacks import CallbackSupportMixin, Progress, tell
from lanatus.catalog import method
from lanatus.graphical.topics._counts import as_counts, team_of
from lanatus.graphical.topics._tokens import Tokens
from lanatus.params import COMMON, Choice, Flag, Integer, Nothing, Real, rules_for


@method(
    "graphical.lda-topic-model",
    "graphical.lda-gibbs",
    "graphical.lda-variational",
    section="14.6",
    task="transform",
    en="Latent Dirichlet allocation",
    zh="隐狄利克雷分配模型",
    peers=["scikit-learn:LatentDirichletAllocation", "tomotopy:LDAModel", "lda:LDA"],
)
class LatentDirichletAllocation(CallbackSupportMixin, Transformer):
    r"""Topics of documents: each is a mixture of topics, and each topic a distribution over words.

    A document draws its shares :math:`\Theta_t \sim Dir(\alpha)`, a topic its words :math:`\beta_k \sim Dir(\eta)`,
    each word of a document a topic :math:`z \sim \Theta_t` and then itself from :math:`\beta_z` (14.41). What lies
    hidden is found by variational inference, of all documents at a time or of a few ("batch", "online"), or by
    collapsed Gibbs sampling.

    Book: section 14.6, figures 14.11 and 14.12. Kernel: ``cpp/graphical/topics.hpp``. Cost: a round takes
    :math:`O(sk)` for *s* entries of X and *k* topics, times some inner rounds; a sweep of "gibbs" :math:`O(nk)` for *n*
    words in all. Threads over documents.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics, *k*.
    doc_topic_prior : float or None, default=None
        :math:`\alpha`; None is :math:`1/k`.
    topic_word_prior : float or None, default=None
        :math:`\eta`; None is :math:`1/k`.
    learning_method : {"batch", "online", "gibbs"}, default="batch"
        How it learns.
    learning_decay : float, default=0.7
        Power by which "online" forgets less and less.
    learning_offset : float, default=10.0
        Slows its first steps.
    max_iter : int, default=10
        Rounds over the data; of "gibbs" sweeps, of which some hundreds are wanted.
    batch_size : int, default=128
        Documents of a step of "online".
    evaluate_every : int, default=-1
        Every how many rounds the perplexity is computed, to stop by `perp_tol`; 0 or less never does.
    total_samples : int, default=1e6
        Documents in all, for ``partial_fit``.
    perp_tol : float, default=0.1
        Stop once the perplexity falls by less.
    mean_change_tol : float, default=1e-3
        When the inner rounds of a document end: at this mean change of its parameters.
    max_doc_update_iter : int, default=100
        Most inner rounds.
    n_jobs : int or None, default=None
        Threads; None are all that there are.
    verbose : int, default=0
        Above 0, says each round.
    random_state : int, RandomState or None, default=None
        Draws the start, and topics.
    learn_priors : bool, default=False
        Whether :math:`\alpha` (one for each topic) and :math:`\eta` are learned too, by Newton's method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), parameters of the topics' distributions over words; of
        "gibbs" counts with the prior
    exp_dirichlet_component_ : ndarray of the same shape, :math:`e^{E[\ln \beta]}`
    n_batch_iter_ : int, steps of the E step
    n_iter_ : int, rounds over the data
    bound_ : float, perplexity of the training documents at the end
    doc_topic_prior_ : float or ndarray of shape (n_components,), :math:`\alpha`
    topic_word_prior_ : float, :math:`\eta`
    random_state_ : RandomState, what is drawn from
    schema_ : Schema, the columns seen in ``fit``
    n_features_in_ : int, number of them
    feature_names_in_ : ndarray of str, their names, where they had any

    Notes
    -----
    As printed, (14.41) multiplies the priors of the topics once for each document; here each counts once. "gibbs" takes
    whole counts only. A document without a word has the shares of the prior.

    Examples
    --------
    >>> import numpy as np
    >>> from lanatus.graphical import LatentDirichletAllocation
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> model = LatentDirichletAllocation(2, random_state=0).fit(X)
    >>> shares = model.transform(X)
    >>> bool(shares[0].argmax() != shares[-1].argmax()), shares.shape
    (True, (20, 2))

    References
    ----------
    Blei, Ng and Jordan (2003), Latent Dirichlet allocation. Griffiths and Steyvers (2004), Finding scientific topics.
    Hoffman, Blei and Bach (2010), Online learning for latent Dirichlet allocation.
    """

    _takes = Takes(sparse=True)
    _state: ClassVar[Mapping[str, Any]] = {
        "components_": Floats("topics", "columns", low=0.0),
        "exp_dirichlet_component_": Floats("topics", "columns", low=0.0),
    }

    components_: np.ndarray

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: float | None = None,
        topic_word_prior: float | None = None,
        learning_method: str = "batch",
        learning_decay: float = 0.7,
        learning_offset: float = 10.0,
        max_iter: int = 10,
        batch_size: int = 128,
        evaluate_every: int = -1,
        total_samples: float = 1e6,
        perp_tol: float = 1e-1,
        mean_change_tol: float = 1e-3,
        max_doc_update_iter: int = 100,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
        learn_priors: bool = False,
    ) -> None:
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learning_method = learning_method
        self.learning_decay = learning_decay
        self.learning_offset = learning_offset
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.evaluate_every = evaluate_every
        self.total_samples = total_samples
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state
        self.learn_priors = learn_priors

    _params = rules_for(
        __init__,
        COMMON,
        n_components=Integer(low=1),
        doc_topic_prior=Real(above=0, high=1e6) | Nothing(),
        topic_word_prior=Real(above=0, high=1e6) | Nothing(),
        learning_method=Choice("batch", "online", "gibbs"),
        learning_decay=Real(low=0, high=1),
        learning_offset=Real(low=1, below=np.inf),
        max_iter=Integer(low=0),
        batch_size=Integer(low=1),
        evaluate_every=Integer(),
        total_samples=Real(above=0, below=np.inf),
        perp_tol=Real(low=0, below=np.inf),
        mean_change_tol=Real(low=0, below=np.inf),
        max_doc_update_iter=Integer(low=0),
        verbose=Integer(low=0),
        learn_priors=Flag(),
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    # ---------------------------------------------------------------- learning

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
        self._begin(counts.shape[1])
        progress = Progress(self, counts, max_iter=max(self.max_iter, 1))
        if self.learning_method == "gibbs":
            self._by_gibbs(counts, progress)
        else:
            self._by_variation(counts, progress)
        gamma = self._documents(counts)[0]
        self.bound_ = self._perplexity(counts, gamma)
        progress.finish(self._learned())
        return self

    def _learned(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name.endswith("_") and not name.startswith("_")}

    def _begin(self, n_words: int) -> None:
        self.random_state_ = check_random_state(self.random_state)
        even = 1 / self.n_components
        self.doc_topic_prior_: Any = even if self.doc_topic_prior is None else self.doc_topic_prior
        self.topic_word_prior_: Any = even if self.topic_word_prior is None else self.topic_word_prior
        self.n_batch_iter_, self.n_iter_ = 1, 0
        self._set_topics(self.random_state_.gamma(100.0, 0.01, (self.n_components, n_words)))

    def _set_topics(self, components: np.ndarray) -> None:
        self.components_ = components
        self.exp_dirichlet_component_ = np.exp(digamma(components) - digamma(components.sum(axis=1, keepdims=True)))

    def _by_variation(self, counts: sp.csr_array, progress: Progress) -> None:
        last = np.inf
        for iteration in progress.iterations():
            if iteration.number >= self.max_iter:
                break
            if self.learning_method == "online":
                for begin in range(0, counts.shape[0], self.batch_size):
                    self._learn_some(counts[begin : begin + self.batch_size], counts.shape[0])
            else:
                self._learn_all(counts)
            self.n_iter_ = iteration.number + 1
            iteration.done(state=dict, attributes=self._learned)
            if self.evaluate_every > 0 and self.n_iter_ % self.evaluate_every == 0:
                now = self._perplexity(counts, self._documents(counts)[0])
                if self.verbose:
                    tell(f"iteration: {self.n_iter_} of max_iter: {self.max_iter}, perplexity: {now:.4f}")
                if last - now < self.perp_tol:
                    break
                last = now
            elif self.verbose:
                tell(f"iteration: {self.n_iter_} of max_iter: {self.max_iter}")
            if iteration.stop:
                break

    def _expected(self, counts: sp.csr_array, *, random: bool) -> tuple[np.ndarray, np.ndarray]:
        """The E step: parameters of the documents, and expected counts of the words (topics, words)."""
        gamma, weight = self._documents(counts, random=random)
        words = kernels.topic_words(
            core.csc(sp.csc_array(counts)), weight, self._word_weight(), n_threads=team_of(self.n_jobs)
        )
        return gamma, words.T

    def _learn_all(self, counts: sp.csr_array) -> None:
        gamma, words = self._expected(counts, random=True)
        if self.learn_priors:
            self._learn_priors(gamma)
        self._set_topics(self.topic_word_prior_ + words)
        self.n_batch_iter_ += 1

    def _learn_some(self, counts: sp.csr_array, total: float) -> None:
        gamma, words = self._expected(counts, random=True)
        if self.learn_priors:
            self._learn_priors(gamma)
        pace = (self.learning_offset + self.n_batch_iter_) ** -self.learning_decay
        fresh = self.topic_word_prior_ + words * (total / max(counts.shape[0], 1))
        self._set_topics((1 - pace) * self.components_ + pace * fresh)
        self.n_batch_iter_ += 1

    @fitting
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from some more documents, of `total_samples` in all.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            How often each word stands in each document.
        y : Ignored
            For scikit-learn's sake.
        """
        if self.learning_method == "gibbs":
            raise ValueError("learning_method='gibbs' needs all documents at once; take 'online' for partial_fit.")
        first = not hasattr(self, "components_")
        counts = as_counts(self._take(X, reset=first), self)
        if first:
            self._begin(counts.shape[1])
        for begin in range(0, counts.shape[0], self.batch_size):
            self._learn_some(counts[begin : begin + self.batch_size], self.total_samples)
        return self

    def _by_gibbs(self, counts: sp.csr_array, progress: Progress) -> None:
        rng = self.random_state_
        tokens, seed = Tokens(counts, self.n_components, rng), int(rng.randint(2**31 - 1))
        for iteration in progress.iterations():
            if iteration.number >= self.max_iter:
                break
            eta = float(self.topic_word_prior_)
            tokens.sweep(self._alpha(), eta, seed=seed, number=iteration.number, n_threads=team_of(self.n_jobs))
            self.n_iter_ = self.n_batch_iter_ = iteration.number + 1
            if self.learn_priors and iteration.number % 10 == 9:
                self._learn_priors(tokens.of_document + self._alpha())
            self._set_topics(tokens.of_word.T + self.topic_word_prior_)
            iteration.done(state=dict, attributes=self._learned)
            if self.verbose:
                tell(f"sweep: {self.n_iter_} of max_iter: {self.max_iter}")
            if iteration.stop:
                break
        self._set_topics(tokens.of_word.T + self.topic_word_prior_)

    def _learn_priors(self, gamma: np.ndarray) -> None:
        self.doc_topic_prior_ = newton_dirichlet(gamma, self._alpha())
        eta = newton_symmetric(self.components_, float(self.topic_word_prior_))
        self.topic_word_prior_ = eta

    # ---------------------------------------------------------------- documents

    def _alpha(self) -> np.ndarray:
        return np.ascontiguousarray(np.broadcast_to(self.doc_topic_prior_, (self.n_components,)), dtype=np.float64)

    def _word_weight(self) -> np.ndarray:
        return np.ascontiguousarray(self.exp_dirichlet_component_.T, dtype=np.float64)

    def _documents(self, counts: sp.csr_array, *, random: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the documents' shares of topics, and their exponentials."""
        shape = (counts.shape[0], self.n_components)
        start = self.random_state_.gamma(100.0, 0.01, shape) if random else np.ones(shape)
        gamma, weight = kernels.document_topics(
            core.csr(counts), self._word_weight(), self._alpha(), start,
            max_iter=self.max_doc_update_iter, tol=self.mean_change_tol, n_threads=team_of(self.n_jobs),
        )  # fmt: skip
        return gamma, weight

    def transform(self, X: Any, *, normalize: bool = True) -> np.ndarray:
        """Shares of the topics in each document.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            Documents.
        normalize : bool, default=True
            Whether shares sum to 1; otherwise they are parameters of the Dirichlet distribution.
        """
        check_is_fitted(self)
        rows = self._take(X, reset=False)
        gamma = self._documents(as_counts(rows, self))[0]
        shares = gamma / gamma.sum(axis=1, keepdims=True) if normalize else gamma
        return np.asarray(shares, dtype=rows.dtype)

    def score(self, X: Any, y: Any = None) -> float:
        """The evidence lower bound of documents, about their log-likelihood."""
        check_is_fitted(self)
        counts = as_counts(self._take(X, reset=False), self)
        return self._bound(counts, self._documents(counts)[0])

    def perplexity(self, X: Any, sub_sampling: bool = False) -> float:
        """exp of minus the bound a word; the smaller the better.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            Documents.
        sub_sampling : bool, default=False
            Whether they stand for `total_samples` of their kind, so that the topics' own part of the bound counts less.
        """
        check_is_fitted(self)
        counts = as_counts(self._take(X, reset=False), self)
        times = self.total_samples / max(counts.shape[0], 1) if sub_sampling else 1.0
        return self._perplexity(counts, self._documents(counts)[0], times)

    def _perplexity(self, counts: sp.csr_array, gamma: np.ndarray, times: float = 1.0) -> float:
        words = times * counts.sum()
        return float(np.exp(-self._bound(counts, gamma, times) / words)) if words else 1.0

    def _bound(self, counts: sp.csr_array, gamma: np.ndarray, times: float = 1.0) -> float:
        """(14.33) for the documents, as if there were so many times as many, and the topics."""
        log_theta = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
        log_beta = digamma(self.components_) - digamma(self.components_.sum(axis=1, keepdims=True))
        total = _dirichlet_bound(self._alpha(), gamma, log_theta)
        for begin in range(0, counts.shape[0], 256):  # a block at a time, for memory
            block = counts[begin : begin + 256].tocoo()
            joint = log_theta[begin + block.row] + log_beta.T[block.col]
            total += float(block.data @ logsumexp(joint, axis=1)) if block.nnz else 0.0
        eta = np.full(self.components_.shape[1], float(self.topic_word_prior_))
        return float(times * total + _dirichlet_bound(eta, self.components_, log_beta))

    def _require_sound(self) -> None:
        alpha, eta = np.asarray(self.doc_topic_prior_, dtype=float), float(self.topic_word_prior_)
        if alpha.shape not in ((), (len(self.components_),)) or not (alpha > 0).all() or not eta > 0:
            raise StateError("doc_topic_prior_ and topic_word_prior_ must be above 0, one or one a topic")
        if len(self.components_) != self.n_components or not (self.components_ > 0).all():
            raise StateError("components_ must be above 0, a row a topic")
        if self.exp_dirichlet_component_.shape != self.components_.shape:
            raise StateError("exp_dirichlet_component_ and components_ differ in shape")


def _dirichlet_bound(prior: np.ndarray, q: np.ndarray, logs: np.ndarray) -> float:
    """E[ln p - ln q] of Dirichlet distributions, a row each."""
    value = ((prior - q) * logs).sum() + (gammaln(q) - gammaln(prior)).sum()
    return float(value + (gammaln(prior.sum()) - gammaln(q.sum(axis=1))).sum())


def newton_dirichlet(gamma: np.ndarray, alpha: np.ndarray, *, max_iter: int = 50) -> np.ndarray:
    r"""The :math:`\alpha` under which expected logarithms of Dirichlet shares are likeliest, by Newton's method with a
    Hessian that is a diagonal and a constant."""
    n = len(gamma)
    wanted = (digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))).mean(axis=0)
    for _ in range(max_iter):
        gradient = n * (digamma(alpha.sum()) - digamma(alpha) + wanted)
        diagonal, constant = -n * polygamma(1, alpha), n * polygamma(1, alpha.sum())
        shared = (gradient / diagonal).sum() / (1 / constant + (1 / diagonal).sum())
        step = (gradient - shared) / diagonal
        size = 1.0
        while (alpha - size * step <= 0).any():
            size /= 2
        alpha = np.clip(alpha - size * step, 1e-6, 1e6)
        if np.abs(size * step).max() < 1e-8:
            break
    return alpha


def newton_symmetric(components: np.ndarray, eta: float, *, max_iter: int = 50) -> float:
    r"""The one :math:`\eta` under which the topics are likeliest."""
    k, v = components.shape
    wanted = float((digamma(components) - digamma(components.sum(axis=1, keepdims=True))).sum())
    for _ in range(max_iter):
        gradient = k * v * (digamma(v * eta) - digamma(eta)) + wanted
        curvature = k * v * (v * polygamma(1, v * eta) - polygamma(1, eta))
        log_step = (
            gradient / (curvature * eta + gradient) if curvature * eta + gradient < 0 else -np.sign(gradient) * 0.5
        )
        new = float(np.clip(eta * np.exp(-np.clip(log_step, -2, 2)), 1e-6, 1e6))
        if abs(new - eta) < 1e-10 * eta:
            return new
        eta = new
    return eta
