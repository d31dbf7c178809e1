"""Chapter 7 and the cookbook's chapter 2: decisions on known distributions."""

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from lanatus.bayes import (
    BayesOptimalClassifier,
    GaussianNB,
    bayes_risk,
    conditional_risk,
    error_decomposition,
    error_probability,
    gaussian_cut_points,
    min_risk_cut,
    neyman_pearson_cut,
)
from lanatus.book._registry import Figure, example
from lanatus.catalog import method
from lanatus.linear import LinearDiscriminantAnalysis


@example("7.1", en="Risk and Bayes' rule", zh="条件风险与贝叶斯判定准则")
def bayes_rule() -> Iterator[Figure]:
    """The 0/1 loss gives 1 - P (7.5); dear mistakes move the decision; nothing beats Bayes' rule."""
    from scipy.stats import norm

    posterior = np.array([0.7, 0.2, 0.1])
    yield Figure("risks of the 0/1 loss (7.5)", None, conditional_risk(posterior), digits=12, right=1 - posterior)
    loss = np.array([[0, 1, 10], [1, 0, 10], [1, 1, 0]])
    risks = conditional_risk(posterior, loss)
    yield Figure("risks where missing the third class is dear", None, risks, digits=12, right=(1.2, 1.7, 0.9))
    classes = [norm(0, 1), norm(2, 1)]
    best = bayes_risk(classes)
    yield Figure("Bayes risk of N(0,1) and N(2,1)", None, best, digits=9, right=0.158655254)
    others = [error_probability(classes, None, lambda X, t=t: (X[:, 0] > t).astype(int)).error for t in (0.5, 0.9, 1.4)]
    yield Figure("other cuts err more", None, str(all(error > best for error in others)), right="True")


@example("CB 2.2.1", en="Two normal classes: cuts and errors", zh="两正态分布: 边界与错误率")
def two_gaussians() -> Iterator[Figure]:
    """The cookbook's first homework: unequal variances give two cuts; errors by integration and by sampling."""
    from scipy.stats import norm

    cuts = gaussian_cut_points(0, 1, 2, 2)
    yield Figure("cuts of N(0,1) and N(2,4)", None, cuts, digits=9, right=(-2.570917243, 1.237583910))
    found = error_probability([norm(0, 1), norm(2, 2)])
    yield Figure("P1(e), P2(e)", None, found.class_errors, digits=9, right=(0.113006670, 0.340381465))
    yield Figure("P(e)", None, found.error, digits=9, right=0.226694067)
    drawn = error_probability([norm(0, 1), norm(2, 2)], how="sampling", random_state=0)
    near = abs(drawn.error - found.error) < 4 * drawn.standard_error
    yield Figure("by sampling, within four standard errors", None, str(bool(near)), right="True")
    yield Figure("the cut of N(0,1) and N(2,1)", None, gaussian_cut_points(0, 1, 2, 1), digits=12, right=(1.0,))


@example("CB 2.2.2", en="The cut of the least risk", zh="最小风险判决边界")
def least_risk_cut() -> Iterator[Figure]:
    """Missing the second class costs twice as much: the cut moves towards the first."""
    cut = min_risk_cut(0, 2, 1, costs=(1, 2))
    erratum = "the text has the logarithm upside down, which gives 1.346574 and moves the cut the wrong way"
    yield Figure("cut of N(0,1) and N(2,1)", 1.346573590, cut, digits=9, erratum=erratum, right=0.653426410)
    yield Figure("equal costs and priors: the midpoint", None, min_risk_cut(0, 2, 1), digits=12, right=1.0)


@example("CB 2.2.3", en="One error bounded", zh="给定一类错误率优化另一类错误率")
def one_error_bounded() -> Iterator[Figure]:
    """The Neyman-Pearson cut whose error of the second class is 0.05."""
    found = neyman_pearson_cut(0, 2, 1, 0.05)
    yield Figure("cut", None, found.cut, digits=9, right=0.355146373)
    yield Figure("P1(e)", None, found.error_1, digits=9, right=0.361239969)
    yield Figure("λ", None, found.multiplier, digits=9, right=3.631723227)


@example("CB 3.5.1", en="Where the error of a classifier comes from", zh="分类器误差分解")
def three_errors() -> Iterator[Figure]:
    """A normal density for a class of two humps: the model errs even with rows without end, and more with twenty."""
    from scipy.stats import norm

    class Humps:
        """Half N(-2, 0.5²), half N(2, 0.5²)."""

        parts = (norm(-2, 0.5), norm(2, 0.5))

        def logpdf(self, X: np.ndarray) -> np.ndarray:
            return np.logaddexp(*(part.logpdf(X) for part in self.parts)) - np.log(2)

        def cdf(self, x: np.ndarray) -> np.ndarray:
            return np.mean([part.cdf(x) for part in self.parts], axis=0)

        def ppf(self, q: float) -> float:
            return float(self.parts[0 if q < 0.5 else 1].ppf(q))

        def rvs(self, size: int, random_state: np.random.RandomState) -> np.ndarray:
            side = np.random.RandomState(random_state) if isinstance(random_state, int) else random_state
            return side.choice([-2.0, 2.0], size) + 0.5 * side.normal(size=size)

    random = np.random.RandomState(1)
    classes = [Humps(), norm(1, 0.5)]
    X = np.concatenate([classes[0].rvs(10, random), classes[1].rvs(10, random_state=random)])[:, None]
    found = error_decomposition(GaussianNB(), classes, X, np.repeat([0, 1], 10), random_state=0)
    parts = found.bayes_error + found.model_error + found.estimation_error
    yield Figure("the three make up the error", None, found.total, digits=12, right=parts)
    known = error_probability(classes).error
    yield Figure("Bayes error", None, found.bayes_error, digits=12, right=known)
    yield Figure("the family is wrong", None, str(found.model_error > 0.01), right="True")


@method(
    "bayes.lda-bayes-optimal",
    section="ex 7.5",
    task="classification",
    kind="experiment",
    en="LDA is Bayes-optimal for normal classes of one covariance",
    zh="LDA产生贝叶斯最优",
)
@example("7.1", en="Discriminant analysis is Bayes' rule (exercise 7.5)", zh="LDA与贝叶斯最优 (习题7.5)")
def ex_7_5(random_state: int = 0, n_samples: int = 20_000) -> Iterator[Figure]:
    """Normal classes of one covariance and equal priors: the direction and the cut of LDA are those of Bayes' rule.

    With the means and the covariance known, Bayes' rule is a line with the normal S⁻¹(μ1 - μ0) through the middle of
    the means, which is (3.39) and its midpoint. LDA learned from rows comes as close as the rows allow.

    Book: exercise 7.5, section 3.4.

    Parameters
    ----------
    random_state : int, default=0
        Draws the rows.
    n_samples : int, default=20000
        Rows of each class.

    Returns
    -------
    iterator of Figure

    Examples
    --------
    >>> from lanatus.book import ex_7_5
    >>> all(figure.agrees for figure in ex_7_5())
    True
    """
    from scipy.stats import multivariate_normal

    means, covariance = np.array([[0.0, 0.0], [1.5, 1.0]]), np.array([[1.0, 0.6], [0.6, 2.0]])
    classes = [multivariate_normal(mean, covariance) for mean in means]
    rule = BayesOptimalClassifier(classes)
    random = np.random.RandomState(random_state)
    grid = random.uniform(-4, 5, (2000, 2))
    w = np.linalg.solve(covariance, means[1] - means[0])
    line = (grid - means.mean(axis=0)) @ w > 0
    yield Figure("points where the line is not Bayes' rule", None, int((rule.predict(grid) != line).sum()), 0, right=0)
    X = np.vstack([each.rvs(n_samples, random_state=random) for each in classes])
    model = LinearDiscriminantAnalysis().fit(X, np.repeat([0, 1], n_samples))
    learned = model.coef_[0]
    cosine = float(learned @ w / np.linalg.norm(learned) / np.linalg.norm(w))
    yield Figure("cosine of the learned direction and Bayes' own", None, cosine, digits=3, right=1.0)
    best = float(ndtr(-np.sqrt((means[1] - means[0]) @ w) / 2))
    yield Figure("Bayes error Φ(-d/2), by integration", None, bayes_risk(classes, n_grid=801), digits=4, right=best)
    error = error_probability(classes, None, model, n_grid=801).error
    yield Figure("error of LDA less that", None, error - best, digits=3, right=0.0)
