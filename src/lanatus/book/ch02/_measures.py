"""Chapter 2: the numbers of the text on model evaluation and selection."""

from collections.abc import Iterator
from math import inf

import numpy as np
from sklearn.linear_model import LogisticRegression

from lanatus.book._registry import Figure, example
from lanatus.data import load_algorithm_comparison, load_critical_values, load_watermelon
from lanatus.evaluation import (
    Bootstrap,
    LeaveOneOut,
    ParameterGrid,
    RepeatedStratifiedKFold,
    accuracy_score,
    binomial_test,
    bootstrap_left_out_probability,
    break_even_point,
    confusion_matrix,
    cost_curve,
    critical_value,
    cross_val_score,
    f1_score,
    friedman_test,
    mcnemar_test,
    nemenyi_test,
    precision_score,
    rank_loss,
    recall_score,
    roc_auc_score,
    roc_to_cost_curve,
    test_error_pmf,
    train_test_split,
    zero_one_loss,
)


def melon_classifier() -> tuple[np.ndarray, np.ndarray, LogisticRegression]:
    """Density and sugar of watermelon 3.0alpha, whether a melon is good, and maximum-likelihood logistic regression."""
    bunch = load_watermelon("3.0a", frame="numpy")
    X = np.asarray(bunch.data, dtype=float)
    good = (np.asarray(bunch.target) == "是").astype(int)
    return X, good, LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, good)


@example("2.1", en="Error rate and accuracy", zh="错误率与精度")
def error_and_accuracy() -> Iterator[Figure]:
    """90 of 300 test examples are misclassified."""
    truth, predicted = np.ones(300, int), np.repeat([0, 1], [90, 210])
    yield Figure(
        "error rate, accuracy", (0.3, 0.7), (zero_one_loss(truth, predicted), accuracy_score(truth, predicted))
    )


@example("2.2.1", en="Stratified hold-out", zh="分层留出")
def stratified_hold_out() -> Iterator[Figure]:
    """70 % of 500 positive and 500 negative examples."""
    y = np.repeat([1, 0], 500)
    train, test = train_test_split(y, train_size=0.7, stratify=y, random_state=0)
    yield Figure("training part, + and -", (350, 350), np.bincount(train)[::-1], digits=0)
    yield Figure("test part, + and -", (150, 150), np.bincount(test)[::-1], digits=0)


@example("2.2.2", en="Models that cross-validation trains", zh="交叉验证的训练次数")
def models_of_cross_validation() -> Iterator[Figure]:
    """Ten times ten folds are as many as a hundred hold-outs; leave-one-out trains a model a row."""
    ten_by_ten = RepeatedStratifiedKFold(n_splits=10, n_repeats=10)
    yield Figure("10 x 10 folds", 100, ten_by_ten.get_n_splits(), digits=0)
    yield Figure("leave-one-out of a million rows", 1e6, LeaveOneOut().get_n_splits(np.empty((10**6, 0))), digits=0)


@example("2.2.3", en="What the bootstrap leaves out", zh="自助法的未采样比例")
def bootstrap_left_out() -> Iterator[Figure]:
    """Probability of never being drawn (2.1)."""
    yield Figure("limit", 0.368, bootstrap_left_out_probability(inf))
    finite = bootstrap_left_out_probability([10, 100, 1000])
    yield Figure("m = 10, 100, 1000", None, finite, digits=6, right=(0.348678, 0.366032, 0.367695))
    shares = [len(test) / 1000 for _, test in Bootstrap(100, random_state=0).split(np.empty((1000, 0)))]
    yield Figure("share left out of 100 samples of 1000 rows", 0.368, np.mean(shares), digits=2)


@example("2.2.4", en="Grid of parameters", zh="参数网格")
def parameter_grid() -> Iterator[Figure]:
    """[0, 0.2] in steps of 0.05."""
    steps = np.linspace(0, 0.2, 5)
    yield Figure("the step", 0.05, steps[1] - steps[0], digits=12)
    yield Figure("candidates", 5, len(ParameterGrid({"a": steps})), digits=0)
    yield Figure("models of three parameters", 125, len(ParameterGrid(dict.fromkeys("abc", steps))), digits=0)


@example("2.3.2", en="Precision, recall, F1 of the melon classifier", zh="西瓜分类器的查准率、查全率、F1")
def precision_and_recall() -> Iterator[Figure]:
    """Logistic regression on watermelon 3.0alpha."""
    X, good, model = melon_classifier()
    predicted = model.predict(X)
    counts = confusion_matrix(good, predicted, labels=[1, 0])
    yield Figure("TP, FN and FP, TN (Table 2.1)", None, counts, digits=0, right=((5, 3), (2, 7)))
    scores = [score(good, predicted) for score in (precision_score, recall_score, f1_score)]
    yield Figure("P, R, F1 (2.8-2.10)", None, scores, digits=6, right=(0.714286, 0.625, 0.666667))
    yield Figure("F1 = 2 TP / (m + TP - TN)", None, scores[2], digits=12, right=2 * 5 / (17 + 5 - 7))
    yield Figure("break-even point", None, break_even_point(good, model.decision_function(X)), digits=12, right=0.75)


@example("2.3.3", en="AUC and rank loss", zh="AUC与排序损失")
def auc_and_rank_loss() -> Iterator[Figure]:
    """Positives score 0.9, 0.6, 0.6 and negatives 0.6, 0.3; then the melon classifier."""
    truth, scores = [1, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.6, 0.3]
    yield Figure("rank loss (2.21)", None, rank_loss(truth, scores), digits=12, right=1 / 6)
    yield Figure("AUC (2.20)", None, roc_auc_score(truth, scores), digits=12, right=5 / 6)
    X, good, model = melon_classifier()
    yield Figure("AUC on the melons", None, roc_auc_score(good, model.decision_function(X)), digits=12, right=58 / 72)


@example("2.3.4", en="Cost curves", zh="代价曲线")
def cost_curves() -> Iterator[Figure]:
    """Area under the lower envelope: expected total cost."""
    yield Figure("of guessing, the diagonal", None, roc_to_cost_curve([0, 1], [0, 1]).area, digits=12, right=0.25)
    yield Figure("of the ideal point", None, roc_to_cost_curve([0], [1]).area, digits=12, right=0.0)
    X, good, model = melon_classifier()
    area = cost_curve(good, model.decision_function(X)).area
    yield Figure("of the melon classifier", None, area, digits=12, right=85 / 602)


@example("2.2.2", en="Leave-one-out on the melons", zh="西瓜数据上的留一法")
def melons_left_out() -> Iterator[Figure]:
    """Errors of logistic regression on watermelon 3.0alpha: on the training melons, and on melons left out."""
    X, good, model = melon_classifier()
    yield Figure("training errors of 17", None, int((model.predict(X) != good).sum()), digits=0, right=5)
    hits = cross_val_score(model, X, good, cv=LeaveOneOut())
    yield Figure("leave-one-out errors of 17", None, int((1 - hits).sum()), digits=0, right=7)


@example("2.4.1", en="Binomial test", zh="二项检验")
def binomial_tests() -> Iterator[Figure]:
    """Ten examples, error rate 0.3 (figure 2.6)."""
    chances = [test_error_pmf(n / 10, 0.3, m=10) for n in range(11)]
    derived = (0.028248, 0.121061, 0.233474, 0.266828, 0.200121, 0.102919, 0.036757, 0.009002, 0.001447, 0.000138, 6e-6)
    yield Figure("most likely number of errors", 3, int(np.argmax(chances)), digits=0)
    yield Figure("P of 0 to 10 errors (2.26)", None, chances, digits=6, right=derived)
    small = [binomial_test(5, 10, 0.3, alpha=alpha).critical_value for alpha in (0.05, 0.1)]
    large = [binomial_test(30, 100, 0.3, alpha=alpha).critical_value for alpha in (0.05, 0.1)]
    yield Figure("critical errors of 10 at 0.05, 0.1", None, small, digits=0, right=(5, 5))
    yield Figure("critical errors of 100 at 0.05, 0.1", None, large, digits=0, right=(38, 36))


@example("2.4.1", en="Critical values of t (Table 2.3)", zh="t检验临界值 (表2.3)")
def t_table() -> Iterator[Figure]:
    """Two-sided, for k test errors."""
    table = load_critical_values("t", frame="numpy")
    for alpha, printed in zip(table.alpha, table.data, strict=True):
        computed = [critical_value("t", alpha, k=int(k)) for k in table.k]
        yield Figure(f"k = 2, 5, 10, 20, 30 at {alpha:g}", printed.tolist(), computed)


@example("2.4.2", en="Critical values of the 5 x 2 test", zh="5×2交叉验证检验临界值")
def five_by_two_critical() -> Iterator[Figure]:
    """t with five degrees of freedom."""
    computed = [critical_value("t", alpha, df=5) for alpha in (0.05, 0.1)]
    yield Figure("at 0.05, 0.1", (2.5706, 2.0150), computed, digits=4)


@example("2.4.3", en="McNemar test", zh="McNemar检验")
def mcnemar() -> Iterator[Figure]:
    """Chi-square with one degree of freedom; 10 and 25 disagreements."""
    computed = [critical_value("chi2", alpha, df=1) for alpha in (0.05, 0.1)]
    yield Figure("critical values at 0.05, 0.1", (3.8415, 2.7055), computed, digits=4)
    verdict = mcnemar_test(10, 25)
    yield Figure("statistic (2.33)", None, verdict.statistic, digits=12, right=5.6)
    yield Figure("rejected at 0.05", None, str(verdict.reject), right="True")


@example("2.4.4", en="Friedman and Nemenyi tests of Table 2.5", zh="表2.5的Friedman与Nemenyi检验")
def friedman_and_nemenyi() -> Iterator[Figure]:
    """Three algorithms on four data sets."""
    ranks = load_algorithm_comparison(frame="numpy").data
    chi2, corrected = (friedman_test(ranks, statistic="chi2", tie_correction=tie).statistic for tie in (False, True))
    f = friedman_test(ranks, statistic="F")
    nemenyi = nemenyi_test(ranks.mean(axis=0), len(ranks), names=["A", "B", "C"])
    cd = float(nemenyi.critical_difference or np.nan)
    yield Figure("mean ranks", (1, 2.125, 2.875), ranks.mean(axis=0))
    yield Figure("chi-square (2.34)", None, chi2, digits=12, right=7.125)
    yield Figure("chi-square, corrected for ties (not the book's)", None, corrected, digits=12, right=7.6)
    yield Figure("F (2.35)", 24.429, f.statistic)
    yield Figure("its critical value", 5.143, f.critical_value)
    yield Figure("critical difference (2.36)", 1.657, cd)
    different = " ".join(f"{a}-{b}" for a, b, *_, significant in nemenyi.pairs() if significant)
    yield Figure("significant", "A-C", different)
    ends = [(rank - cd / 2, rank + cd / 2) for rank in ranks.mean(axis=0)]
    right = ((0.171, 1.829), (1.296, 2.954), (2.046, 3.704))
    yield Figure("segments of figure 2.8", None, ends, right=right)


@example("2.4.4", en="Critical values of Friedman's F (Table 2.6)", zh="F检验临界值 (表2.6)")
def friedman_table() -> Iterator[Figure]:
    """For N data sets and k = 2 to 10 algorithms."""
    table = load_critical_values("friedman-f", frame="numpy")
    for alpha, rows in zip(table.alpha, table.data, strict=True):
        for n, right in zip(table.n_datasets, rows, strict=True):
            computed = [critical_value("friedman", alpha, k=int(k), n=int(n)) for k in table.k]
            what = f"N = {n} at {alpha:g}"
            if (alpha, n) == (0.1, 4):
                printed = [1.940 if k == 9 else value for k, value in zip(table.k, right.tolist(), strict=True)]
                yield Figure(what, printed, computed, erratum="k = 9 is 1.941", right=right.tolist())
            else:
                yield Figure(what, right.tolist(), computed)


@example("2.4.4", en="Critical values of Nemenyi's q (Table 2.7)", zh="Nemenyi检验q值 (表2.7)")
def nemenyi_table() -> Iterator[Figure]:
    """For k = 2 to 10 algorithms."""
    table = load_critical_values("nemenyi", frame="numpy")
    misprints = {0.05: (7, 2.949, "k = 7 is 2.948"), 0.1: (5, 2.459, "k = 5 is 2.460")}
    for alpha, right in zip(table.alpha, table.data, strict=True):
        k_wrong, value_wrong, erratum = misprints[float(alpha)]
        printed = [value_wrong if k == k_wrong else value for k, value in zip(table.k, right.tolist(), strict=True)]
        computed = [critical_value("nemenyi", alpha, k=int(k)) for k in table.k]
        yield Figure(f"at {alpha:g}", printed, computed, erratum=erratum, right=right.tolist())
