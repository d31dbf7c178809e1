"""Chapter 9.4.3 and cookbook 4: Gaussian mixtures by EM on watermelon 4.0."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch09._kmeans import _clusters, _melons
from lanatus.callbacks import Recorder
from lanatus.density import GaussianMixture, multivariate_normal_pdf


def book_start(**how: Any) -> GaussianMixture:
    """The book's mixture: equal weights, means x6, x22, x27, covariances 0.1 I."""
    return GaussianMixture(
        3,
        weights_init=np.full(3, 1 / 3),
        means_init=_melons()[[5, 21, 26]],
        covariances_init=np.tile(0.1 * np.eye(2), (3, 1, 1)),
        reg_covar=0.0,
        **how,
    )


@cache
def _run() -> tuple[GaussianMixture, Recorder]:
    """The fit to its end, and the model after each round."""
    recorder = Recorder()
    model = book_start(tol=1e-14, max_iter=5000).set_callbacks(recorder).fit(_melons())
    return model, recorder


def _after(rounds: int) -> GaussianMixture:
    return _run()[1].models[rounds - 1]


@example("9.4.3", en="Gaussian mixture on watermelon 4.0", zh="西瓜数据集4.0上的高斯混合聚类")
def mixture_rounds() -> Iterator[Figure]:
    """k = 3 from x6, x22, x27: the first round, likelihoods and clusters."""
    X = _melons()
    start = book_start(max_iter=0).fit(X)
    gamma = start.predict_proba(X)[0]
    one = _after(1)
    yield Figure("probabilities of the components given x1", (0.219, 0.404, 0.377), gamma)
    yield Figure("the same, more digits", None, gamma, digits=8, right=(0.21875150, 0.40437245, 0.37687605))
    yield Figure("weights after round 1", (0.361, 0.323, 0.316), one.weights_)
    yield Figure("mean 1 after round 1", (0.491, 0.251), one.means_[0])
    yield Figure("mean 2 after round 1", (0.571, 0.281), one.means_[1])
    yield Figure("mean 3 after round 1", (0.534, 0.295), one.means_[2])
    yield Figure("covariance 1 after round 1", (0.025, 0.004, 0.004, 0.016), one.covariances_[0].ravel())
    yield Figure("covariance 2 after round 1", (0.023, 0.004, 0.004, 0.017), one.covariances_[1].ravel())
    yield Figure("covariance 3 after round 1", (0.024, 0.005, 0.005, 0.016), one.covariances_[2].ravel())
    model, _ = _run()
    likelihood = len(X) * model.lower_bounds_
    yield Figure(
        "log-likelihood at the start and after 1, 2, 5, 10, 20, 50 rounds",
        None,
        likelihood[[0, 1, 2, 5, 10, 20, 50]],
        digits=9,
        right=(3.811005861, 32.144954820, 32.183240904, 32.410296179, 33.840172001, 38.649633172, 40.603794549),
    )
    yield Figure("log-likelihood in the limit", None, len(X) * model.score(X), digits=9, right=41.601998428)
    yield Figure("weights in the limit", None, model.weights_, digits=5, right=(0.38706, 0.43981, 0.17312))


@example("9.4.3", en="Clusters of the mixture after several rounds", zh="高斯混合聚类若干轮后的簇")
def mixture_clusters() -> Iterator[Figure]:
    """Figure 9.7: the most probable component of each melon after 5, 10, 20 and 50 rounds, and in the limit."""
    X = _melons()
    wanted = {
        5: "{6,7,8,10,11,12,15,18,19,20,23} {2,3,4,5,9,13,14,16,17,21,22} {1,24,25,26,27,28,29,30}",
        10: "{6,7,8,10,11,12,18,19,20} {2,3,4,5,9,13,14,16,17,21,22} {1,15,23,24,25,26,27,28,29,30}",
        20: "{6,7,8,10,11,12,18,19,20,23} {1,2,3,9,13,14,16,17,21,22,26,29} {4,5,15,24,25,27,28,30}",
        50: "{6,8,10,11,12,15,18,19,20} {1,2,3,4,9,13,14,16,17,21,22,26,29} {5,7,23,24,25,27,28,30}",
    }
    for rounds, clusters in wanted.items():
        yield Figure(f"clusters after {rounds} rounds", None, _clusters(_after(rounds).predict(X)), right=clusters)
    yield Figure(
        "clusters in the limit",
        None,
        _clusters(_run()[0].predict(X)),
        right="{5,6,7,8,10,11,12,15,18,19,20,23} {1,2,3,4,9,13,14,16,17,21,22,26,29} {24,25,27,28,30}",
    )


@example("9.4.3", en="Sampling from the mixture", zh="从高斯混合分布采样")
def mixture_sampler() -> Iterator[Figure]:
    """A component by its weight, then a row of it: shares and means of many draws are those of the model."""
    model, _ = _run()
    X, component = model.sample(200_000, random_state=0)
    shares = np.bincount(component) / len(component)
    yield Figure("weights, from 200000 draws", None, shares, digits=2, right=(0.387065, 0.439813, 0.173123))
    for c, mean in enumerate([(0.374072, 0.218197), (0.683742, 0.269507), (0.489970, 0.414222)]):
        yield Figure(f"mean {c + 1}, from the draws", None, X[component == c].mean(axis=0), digits=2, right=mean)


@example("CB 4.1", en="A mixture by the equations of a stationary likelihood", zh="直接极大似然求解高斯混合")
def mixture_fixed_point() -> Iterator[Figure]:
    """The fixed-point equations, iterated as they stand, end where EM does; and the posterior needs its weight."""
    X = _melons()
    model = book_start(solver="fixed-point", tol=1e-14, max_iter=5000).fit(X)
    yield Figure("log-likelihood in the limit, as by EM", None, len(X) * model.score(X), digits=8, right=41.601998428)
    densities = np.array([multivariate_normal_pdf(X[0], mean, 0.1) for mean in X[[5, 21, 26]]])
    yield Figure(
        "P(w_k | x1), k = 1, 2, 3, at the start of 9.4.3",
        None,
        densities / 3 / (densities / 3).sum(),
        digits=8,
        right=(0.21875150, 0.40437245, 0.37687605),
    )
    yield Figure(
        "sum of P(w_k | x1) over k by the formula of the text",
        1.0,
        float((densities / (densities / 3).sum()).sum()),
        digits=9,
        erratum="the text leaves alpha_k out of the numerator, so that the sum is 1 / alpha = 3 here; with it, 1",
        right=3.0,
    )
