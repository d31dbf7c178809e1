"""Chapter 7: a wrong family of densities, more parents than rows allow, two models of text, k-means as a mixture."""

from collections.abc import Iterator

import numpy as np

from lanatus.bayes import KDB, BernoulliNB, GaussianNB, MultinomialNB, NaiveBayes
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.cluster import KMeans
from lanatus.density import GaussianMixture


@method(
    "bayes.wrong-density",
    section="7.2",
    task="classification",
    kind="experiment",
    en="A wrong family of densities misleads",
    zh="分布假设错误",
)
@example("7.2", en="A wrong family of densities misleads", zh="概率分布形式假设错误")
def wrong_density(n: int = 2000, random_state: int = 0) -> Iterator[Figure]:
    """Two classes of two humps each, one between those of the other: normal densities fail, kernel densities do not.

    Maximum likelihood finds the best normal density; that is of no use where no normal density is near the truth, and
    more rows do not help.

    Book: section 7.2.

    Parameters
    ----------
    n : int, default=2000
        Number of rows to learn from.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Errors of normal and of kernel densities beside that of Bayes' rule, and of ten times as many rows.

    Examples
    --------
    >>> from lanatus.book import wrong_density
    >>> all(figure.agrees for figure in wrong_density())
    True
    """
    rng = np.random.RandomState(random_state)
    X_new, y_new = _two_humps(rng, 20_000)
    best = float(np.mean((np.searchsorted([1.5, 4.5, 7.5], X_new[:, 0]) % 2) != y_new))  # humps meet half-way
    errors = {}
    for name, rows in (("few", n), ("many", 10 * n)):
        X, y = _two_humps(rng, rows)
        errors[f"normal, {name}"] = 1 - GaussianNB().fit(X, y).score(X_new, y_new)
        errors[f"kernel, {name}"] = 1 - NaiveBayes(density="kernel").fit(X, y).score(X_new, y_new)
    yield Figure("error of Bayes' rule", None, best, 2, right=0.10)
    yield Figure("kernels: error less the best", None, errors["kernel, few"] - best, 1, right=0.0)
    for name in ("few", "many"):
        yield Figure(f"normal, {name} rows: more than twice the best", None, errors[f"normal, {name}"] > 2 * best, 0,
                     right=True)  # fmt: skip


def _two_humps(rng: np.random.RandomState, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal humps at 0, 3, 6 and 9, of two classes by turns."""
    y = np.arange(n) % 2
    return (rng.standard_normal(n) + 3.0 * y + 6.0 * rng.randint(2, size=n))[:, None], y


@method(
    "bayes.kde-sample-need",
    section="7.4",
    task="classification",
    kind="experiment",
    en="kDE: k against sample size",
    zh="kDE样本需求",
)
@example("7.4", en="More parents need more rows", zh="kDE: k增大时样本需求")
def kde_samples(n_repeats: int = 12, random_state: int = 0) -> Iterator[Figure]:
    """Errors of k-dependence classifiers for k = 0, 1 and 3, from few rows and from many.

    Each attribute depends on the three before it. With few rows the tables of many parents are nearly empty, and naive
    Bayes is best; with many rows more parents are better, as the book says: what is needed grows exponentially with k.

    Book: section 7.4.

    Parameters
    ----------
    n_repeats : int, default=12
        Number of training sets of each size.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        The best k for each number of rows.

    Examples
    --------
    >>> from lanatus.book import kde_samples
    >>> [figure.computed for figure in kde_samples()]
    [0, 3]
    """
    rng = np.random.RandomState(random_state)
    tables = rng.beta(0.35, 0.35, size=(2, 8, 8))  # P(x_j = 1 | c, the three before): far from 1/2
    X_new, y_new = _chained(rng, tables, 4000)
    for size, right in ((20, 0), (4000, 3)):
        errors = np.zeros(3)
        for _ in range(n_repeats if size < 1000 else 2):
            X, y = _chained(rng, tables, size)
            errors += [1 - KDB(k).fit(X, y).score(X_new, y_new) for k in (0, 1, 3)]
        yield Figure(f"{size} rows: best k of 0, 1, 3", None, (0, 1, 3)[int(np.argmin(errors))], 0, right=right)


def _chained(rng: np.random.RandomState, tables: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Eight columns of 0 and 1, each drawn by the class and the three before it."""
    y = np.arange(n) % 2
    X = np.zeros((n, 11), dtype=np.int64)  # the first three are drawn, and not shown
    X[:, :3] = rng.randint(2, size=(n, 3))
    for j in range(8):
        before = X[:, j : j + 3] @ [4, 2, 1]
        X[:, j + 3] = rng.rand(n) < tables[y, j, before]
    return X[:, 3:], y


@method(
    "bayes.event-models",
    section="7.7",
    task="classification",
    kind="experiment",
    en="Bernoulli against multinomial naive Bayes on text",
    zh="两种文本NB",
)
@example("7.7", en="Two naive Bayes models of text", zh="伯努利与多项式朴素贝叶斯")
def nb_event_models(n_repeats: int = 5, random_state: int = 0) -> Iterator[Figure]:
    """Words that are there or not, against words that are counted, with a small and a large vocabulary.

    Documents of two topics have 60 words each. With twenty words in all nearly every word is in every document, and
    only its count tells; with two thousand most words come once, and being there says it all. So the multinomial model
    is far better with few words, and the two are close with many (McCallum and Nigam, 1998).

    Book: section 7.7.

    Parameters
    ----------
    n_repeats : int, default=5
        Number of corpora.
    random_state : int, default=0
        Seed.

    Yields
    ------
    Figure
        Which model is better for each vocabulary, and by how much for the large one.

    Examples
    --------
    >>> from lanatus.book import nb_event_models
    >>> [figure.computed for figure in nb_event_models()][0]
    'multinomial'
    """
    rng = np.random.RandomState(random_state)
    gaps = {}
    for words, sharp in ((20, 6.0), (2000, 0.5)):
        errors = np.zeros(2)
        for _ in range(n_repeats):
            topics = rng.dirichlet(np.full(words, sharp), size=2)
            X, y = _documents(rng, topics, 200)
            X_new, y_new = _documents(rng, topics, 1000)
            for place, model in enumerate((BernoulliNB(), MultinomialNB())):
                errors[place] += (1 - model.fit(X, y).score(X_new, y_new)) / n_repeats
        gaps[words] = errors
    better = "multinomial" if gaps[20][1] < gaps[20][0] - 0.05 else "Bernoulli or close"
    yield Figure("better with 20 words, by more than .05", None, better, right="multinomial")
    yield Figure("2000 words: difference of the errors", None, float(gaps[2000][0] - gaps[2000][1]), 1, right=0.0)


def _documents(rng: np.random.RandomState, topics: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    return np.array([rng.multinomial(60, topics[label]) for label in y]), y


@method(
    "density.kmeans-as-mixture",
    section="7.7",
    task="clustering",
    kind="experiment",
    en="k-means as a mixture of equal variances and hard assignment",
    zh="k均值为GMM特例",
)
@example("9.7", en="k-means as a special mixture", zh="k均值是混合高斯聚类的特例")
def kmeans_as_gmm(random_state: int = 0) -> Iterator[Figure]:
    """A mixture of equal weights and one small variance, begun where k-means begins, moves its means as k-means does.

    As the variance goes to 0 each row belongs to the nearest mean alone, so that the E step is the assignment of
    k-means and the M step its means.

    Book: sections 7.7 and 9.7.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the rows and the start.

    Yields
    ------
    Figure
        How far the means of one step, and of ten, are from those of k-means, and rows that they assign otherwise.

    Examples
    --------
    >>> from lanatus.book import kmeans_as_gmm
    >>> all(figure.agrees for figure in kmeans_as_gmm())
    True
    """
    rng = np.random.RandomState(random_state)
    X = np.vstack([rng.normal(centre, 1.0, size=(60, 2)) for centre in ((0, 0), (4, 0), (2, 4))])
    means = X[rng.choice(len(X), 3, replace=False)]
    for steps in (1, 10):
        soft = means
        for _ in range(steps):  # a mixture whose variance and weights are set anew to those of k-means
            soft = _hard_em_step(X, soft)
        hard = KMeans(3, init=means, n_init=1, tol=0, max_iter=steps, algorithm="lloyd")
        found = _without_warning(hard, X)
        gap = float(np.abs(soft - found.cluster_centers_).max())
        yield Figure(f"largest difference of the means after {steps} steps", None, gap, 6, right=0.0)
    apart = int((np.argmin(((X[:, None] - soft) ** 2).sum(axis=2), axis=1) != found.predict(X)).sum())
    yield Figure("rows assigned otherwise", None, apart, 0, right=0)


def _hard_em_step(X: np.ndarray, means: np.ndarray) -> np.ndarray:
    """One EM step of a mixture of equal weights and a variance of 1e-6."""
    model = GaussianMixture(
        len(means),
        covariance_type="spherical",
        weights_init=np.full(len(means), 1 / len(means)),
        means_init=means,
        covariances_init=np.full(len(means), 1e-6),
        max_iter=1,
        tol=0,
    )
    return np.asarray(_without_warning(model, X).means_)


def _without_warning(model: KMeans | GaussianMixture, X: np.ndarray) -> KMeans | GaussianMixture:
    """A fit of a few steps on purpose."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)
