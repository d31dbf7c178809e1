"""The right test for the design of a comparison."""

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from lanatus.evaluation.measures._named_measures import Measure
from lanatus.evaluation.significance._samples import level
from lanatus.evaluation.significance._verdict import PairwiseVerdict, Verdict, listed

if TYPE_CHECKING:
    from lanatus.evaluation.comparison._comparison import Comparison

PairTest = Callable[[int, int], Verdict]


@dataclass(frozen=True)
class Judgement:
    """What can be said of the differences in a comparison.

    Attributes
    ----------
    overall : Verdict or None
        The test of two learners, or of all of them at once.
    pairs : PairwiseVerdict or None
        The tests of pairs, corrected for their number.
    reason : str
        Why this test.
    meaning : str
        What it says, in one or two sentences.
    """

    overall: Verdict | None
    pairs: PairwiseVerdict | None
    reason: str
    meaning: str

    def __str__(self) -> str:
        return f"{self.reason} {self.meaning}"


def judge(result: "Comparison", measure: Measure, alpha: float, control: str | None) -> Judgement:
    """Choose the test by the numbers of learners and data sets and by the splits, and run it."""
    alpha = level(alpha)
    if control is not None and control not in result.learners:
        raise ValueError(f"control={control!r} is none of the learners {', '.join(result.learners)}.")
    if len(result.data_sets) == 1:
        return _on_one_data_set(result, measure, alpha, control)
    if len(result.learners) == 2:
        return _two_learners(result, measure, alpha)
    return _many_learners(result, measure, alpha, control)


# ---------------------------------------------------------------- one data set


def _on_one_data_set(result: "Comparison", measure: Measure, alpha: float, control: str | None) -> Judgement:
    from lanatus.evaluation.significance._many_learners import all_pairs

    complete = np.isfinite(result.values(measure.name)[0]).all(axis=1)
    if result.design == "leave-one-out":  # one row has no AUC, but it has a right or wrong answer
        complete = np.isfinite(result.means(measure.name)[0])
    left_out = [name for name, kept in zip(result.learners, complete, strict=True) if not kept]
    kept = [j for j in range(len(result.learners)) if complete[j]]
    remark = f" Left out for want of values: {listed(left_out)}." if left_out else ""
    if len(kept) < 2:
        return Judgement(None, None, "No test.", f"Fewer than two learners have values of {measure.name}.{remark}")
    if control is not None and control in left_out:
        return Judgement(None, None, "No test.", f"The control {control} has no values of {measure.name}.")
    test, reason = _pair_test(result, measure, alpha)
    if test is None:
        return Judgement(None, None, "No test.", f"{reason}{remark}")
    if len(kept) == 2:
        verdict = test(kept[0], kept[1])
        return Judgement(verdict, None, reason, f"{verdict.meaning}{remark}")
    pairs = all_pairs(
        lambda a, b: test(kept[a], kept[b]),
        tuple(result.learners[j] for j in kept),
        adjust="holm",
        alpha=alpha,
        control=control,
    )
    return Judgement(None, pairs, f"{reason[:-1]}, with Holm's correction.", f"{pairs.meaning}{remark}")


def _pair_test(result: "Comparison", measure: Measure, alpha: float) -> tuple[PairTest | None, str]:
    """The test of two learners by their scores on the same splits, and why it."""
    from lanatus.evaluation.significance._counts import mcnemar_test
    from lanatus.evaluation.significance._paired_t import corrected_resampled_t_test, five_by_two_cv_test

    sign = -1.0 if measure.greater_is_better else 1.0
    losses = sign * result.values(measure.name)[0]
    names = result.learners
    if result.design == "5x2":

        def by_halves(i: int, j: int) -> Verdict:
            diffs = (losses[i] - losses[j]).reshape(5, 2)
            return five_by_two_cv_test(diffs, statistic="F", alpha=alpha, names=(names[i], names[j]))

        return by_halves, "One data set by 5x2 folds: the combined F test."
    if result.design in ("hold-out", "leave-one-out"):
        wrong = _wrong_rows(result)
        if wrong is None or measure.name not in ("accuracy", "error_rate"):
            return None, (
                f"A {result.design} gives no two values of {measure.name} to tell chance by; "
                "use folds or repeated splits."
            )

        def by_rows(i: int, j: int) -> Verdict:
            e01, e10 = len(wrong[i] - wrong[j]), len(wrong[j] - wrong[i])
            method = "corrected" if e01 + e10 >= 25 else "exact"
            return mcnemar_test(e01, e10, method=method, alpha=alpha, names=(names[i], names[j]))

        return by_rows, f"One data set by {result.design}: McNemar's test of who errs on which row."
    fraction = float(np.mean([run.n_test / (run.n_train + run.n_test) for run in result.runs]))

    def by_splits(i: int, j: int) -> Verdict:
        return corrected_resampled_t_test(
            losses[i], losses[j], test_fraction=fraction, alpha=alpha, names=(names[i], names[j])
        )

    return by_splits, "One data set, splits that share training rows: the corrected resampled t test."


def _wrong_rows(result: "Comparison") -> list[set[tuple[int, int]]] | None:
    """(split, row) of every error of each learner; None where they were not kept."""
    out: list[set[tuple[int, int]]] = [set() for _ in result.learners]
    for run in result.runs:
        if run.wrong is None:
            if not run.error:
                return None
            continue
        out[result.learners.index(run.learner)] |= {(run.split, row) for row in run.wrong}
    return out


# ---------------------------------------------------------------- several data sets


def _two_learners(result: "Comparison", measure: Measure, alpha: float) -> Judgement:
    from lanatus.evaluation.significance._wilcoxon import wilcoxon_test

    means = result.means(measure.name)
    complete = np.isfinite(means).all(axis=1)
    missing = [name for name, kept in zip(result.data_sets, complete, strict=True) if not kept]
    remark = f" Left out for want of values: {listed(missing)}." if missing else ""
    if complete.sum() < 2:
        return Judgement(None, None, "No test.", f"Fewer than two data sets have values of both learners.{remark}")
    a, b = means[complete].T
    lower, names = not measure.greater_is_better, (result.learners[0], result.learners[1])
    verdict = wilcoxon_test(a, b, lower_is_better=lower, alpha=alpha, names=names)
    few = " With so few data sets no outcome could be significant." if 2.0 ** (1 - int(complete.sum())) > alpha else ""
    return Judgement(
        verdict,
        None,
        "Two learners on several data sets: Wilcoxon's signed-rank test.",
        f"{verdict.meaning}{few}{remark}",
    )


def _many_learners(result: "Comparison", measure: Measure, alpha: float, control: str | None) -> Judgement:
    from lanatus.evaluation.significance._many_learners import friedman_test
    from lanatus.evaluation.significance._post_hoc import bonferroni_dunn_test, nemenyi_test

    ranks = result.ranks(measure.name)
    n, names = len(result.data_sets), result.learners
    overall = friedman_test(ranks, statistic="F", alpha=alpha, names=names)
    reason = "Several learners on several data sets: Friedman's F test of the ranks"
    # All data sets rank k learners alike by chance once in (k!)^(n - 1) times; the F distribution does not know that.
    chance = factorial(len(names)) ** (1 - n)
    few = " With so few data sets even full agreement may be chance." if chance > alpha else ""
    if not overall.reject:
        return Judgement(overall, None, f"{reason}.", f"{overall.meaning}{few}")
    if control is None:
        pairs = nemenyi_test(ranks.mean(axis=0), n, alpha=alpha, names=names)
        return Judgement(
            overall, pairs, f"{reason}, then Nemenyi's test of all pairs.", f"{overall.meaning} {pairs.meaning}{few}"
        )
    pairs = bonferroni_dunn_test(ranks.mean(axis=0), n, control=control, alpha=alpha, names=names, adjust="holm")
    return Judgement(
        overall, pairs, f"{reason}, then Holm's against {control}.", f"{overall.meaning} {pairs.meaning}{few}"
    )
