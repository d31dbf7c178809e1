"""Chapter 7: Bayes classifiers."""

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

from lanatus.bayes import GaussianNB
from lanatus.book._registry import Figure, example
from lanatus.data import load_watermelon


@example("7.3", en="Gaussian naive Bayes on watermelon 3.0", zh="西瓜数据集3.0上的高斯朴素贝叶斯")
def gaussian_naive_bayes() -> Iterator[Figure]:
    """Class priors, means, deviations and densities of the two continuous attributes for melon 测1."""
    bunch = load_watermelon("3.0a", frame="numpy")
    model = GaussianNB(ddof=1, var_smoothing=0).fit(bunch.data, bunch.target)
    yes, no = list(model.classes_).index("是"), list(model.classes_).index("否")
    sd = np.sqrt(model.var_)
    melon = np.array([0.697, 0.460])
    density = norm.pdf(melon, model.theta_, sd)
    yield Figure("P(好瓜=是), P(好瓜=否)", (0.471, 0.529), model.class_prior_[[yes, no]])
    yield Figure("密度: mean and deviation, 是", (0.574, 0.129), (model.theta_[yes, 0], sd[yes, 0]))
    yield Figure("密度: mean and deviation, 否", (0.496, 0.195), (model.theta_[no, 0], sd[no, 0]))
    yield Figure("含糖率: mean and deviation, 是", (0.279, 0.101), (model.theta_[yes, 1], sd[yes, 1]))
    yield Figure("含糖率: mean and deviation, 否", (0.154, 0.108), (model.theta_[no, 1], sd[no, 1]))
    yield Figure("p(密度=0.697) given 是, 否", (1.959, 1.203), (density[yes, 0], density[no, 0]))
    yield Figure("p(含糖率=0.460) given 是, 否", (0.788, 0.066), (density[yes, 1], density[no, 1]))
    yield Figure("decision for 测1", "是", str(model.predict([melon])[0]))
