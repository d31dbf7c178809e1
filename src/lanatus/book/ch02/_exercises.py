"""Chapter 2: exercises that ask for a proof or a number, shown on data."""

from collections.abc import Iterator
from math import log10

import numpy as np

from lanatus.book._registry import Figure, example
from lanatus.book.ch02._measures import melon_classifier
from lanatus.data import load_watermelon
from lanatus.evaluation import (
    chi2_test,
    cost_curve_to_roc,
    count_splits,
    error_from_roc,
    iso_error_line,
    rank_loss,
    rates,
    roc_auc_score,
    roc_curve,
    roc_to_cost_curve,
)
from lanatus.preprocess import MinMaxScaler, StandardScaler


@example("2.2.1", en="Number of hold-out splits (exercise 2.1)", zh="留出法划分数 (习题2.1)")
def ex_2_1() -> Iterator[Figure]:
    """70 % of 500 positive and 500 negative examples: stratified, and not."""
    stratified, plain = (log10(count_splits([500, 500], 0.7, stratified=s)) for s in (True, False))
    yield Figure("log10 of C(500, 350)^2", None, stratified, right=262.475)
    yield Figure("log10 of C(1000, 700)", None, plain, right=263.735)


@example("2.3.3", en="TPR, FPR, precision and recall (exercise 2.4)", zh="真正例率、假正例率与查准率、查全率 (习题2.4)")
def ex_2_4() -> Iterator[Figure]:
    """P = TPR m+ / (TPR m+ + FPR m-) and R = TPR, on the melon classifier."""
    X, good, model = melon_classifier()
    found = rates(good, model.predict(X))
    derived = found.tpr * 8 / (found.tpr * 8 + found.fpr * 9)
    yield Figure("TPR, FPR", None, (found.tpr, found.fpr), digits=12, right=(5 / 8, 2 / 9))
    yield Figure("recall", None, found.recall, digits=12, right=found.tpr)
    yield Figure("precision", None, found.precision, digits=12, right=derived)


@example("2.3.3", en="AUC = 1 - rank loss (exercise 2.5)", zh="AUC与排序损失之和为1 (习题2.5)")
def ex_2_5() -> Iterator[Figure]:
    """A thousand random rankings of 20 examples, most of them with ties."""
    rng = np.random.RandomState(0)
    sums = []
    for _ in range(1000):
        truth, scores = rng.permutation(np.repeat([0, 1], [12, 8])), rng.randint(10, size=20)
        sums.append(roc_auc_score(truth, scores) + rank_loss(truth, scores))
    yield Figure("AUC + rank loss, least and greatest", None, (min(sums), max(sums)), digits=12, right=(1.0, 1.0))


@example("2.3.3", en="Error rate and ROC (exercise 2.6)", zh="错误率与ROC (习题2.6)")
def ex_2_6() -> Iterator[Figure]:
    """E = (FPR m- + (1 - TPR) m+) / m; points of one error rate lie on a line of slope m- / m+."""
    X, good, model = melon_classifier()
    found = rates(good, model.predict(X))
    error = error_from_roc(found.fpr, found.tpr, m_pos=8, m_neg=9)
    slope, height = iso_error_line(error, m_pos=8, m_neg=9)
    yield Figure("error of the melon classifier", None, error, digits=12, right=5 / 17)
    yield Figure("slope of its line", None, slope, digits=12, right=9 / 8)
    yield Figure("TPR on the line at its FPR", None, height + slope * found.fpr, digits=12, right=found.tpr)


@example("2.3.4", en="ROC curve and cost curve (exercise 2.7)", zh="ROC曲线与代价曲线互换 (习题2.7)")
def ex_2_7() -> Iterator[Figure]:
    """There and back: the envelope of the cost curve is the convex hull of the ROC curve."""
    X, good, model = melon_classifier()
    fpr, tpr, _ = roc_curve(good, model.decision_function(X))
    curve = roc_to_cost_curve(fpr, tpr)
    hull_fpr, hull_tpr = cost_curve_to_roc(curve)
    again = roc_to_cost_curve(hull_fpr, hull_tpr)
    above = np.interp(fpr, hull_fpr, hull_tpr) - tpr
    yield Figure(
        "cost-curve area, and of its hull", None, (curve.area, again.area), digits=12, right=(85 / 602, 85 / 602)
    )
    yield Figure("ROC points above their hull", None, int((above < -1e-12).sum()), digits=0, right=0)


@example("2.3.4", en="Normalisation (exercise 2.8)", zh="规范化 (习题2.8)")
def normalisation() -> Iterator[Figure]:
    """Min-max (2.43) and z-score (2.44) of the density of watermelon 3.0alpha."""
    X = np.asarray(load_watermelon("3.0a", frame="numpy").data, dtype=float)[:, :1]
    low, high = float(X.min()), float(X.max())
    scaled = MinMaxScaler().fit_transform(X)
    z = StandardScaler().fit_transform(X)
    yield Figure("min-max of the first melon", None, scaled[0, 0], digits=12, right=(0.697 - low) / (high - low))
    yield Figure("mean and deviation of z-scores", None, (z.mean(), z.std()), digits=12, right=(0.0, 1.0))


@example("2.4", en="Chi-square test (exercise 2.9)", zh="卡方检验 (习题2.9)")
def ex_2_9() -> Iterator[Figure]:
    """Whether a good melon depends on its texture, in watermelon 2.0."""
    bunch = load_watermelon("2.0", frame="numpy")
    texture, good = bunch.data[:, list(bunch.feature_names).index("纹理")], np.asarray(bunch.target)
    observed = [[int(((texture == t) & (good == g)).sum()) for g in ("是", "否")] for t in ("清晰", "稍糊", "模糊")]
    verdict = chi2_test(observed)
    # With row totals r and column totals c: the sum of o^2 / (r c / m), less m.
    by_hand = 17 * (7**2 / (9 * 8) + 2**2 / (9 * 9) + 1 / (5 * 8) + 4**2 / (5 * 9) + 3**2 / (3 * 9) - 1)
    yield Figure("good and bad: 清晰, 稍糊, 模糊", None, observed, digits=0, right=((7, 2), (1, 4), (0, 3)))
    yield Figure("statistic", None, verdict.statistic, digits=12, right=by_hand)
    yield Figure("critical value at 0.05, 2 degrees of freedom", None, verdict.critical_value, right=5.991)
    yield Figure("independence rejected", None, str(verdict.reject), right="True")
