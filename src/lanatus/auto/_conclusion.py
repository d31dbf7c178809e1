"""Whether the winner really wins, in plain words."""

from collections.abc import Mapping

from scipy.stats import norm

from lanatus.auto._board import BASELINE, BLEND, Board
from lanatus.profile import Profile, Words
from lanatus.report import Standing

__all__ = ["conclude", "readable_of"]

# Methods whose model a person can read, in `_explain.read_model`.
READABLE = ("DecisionTree", "C45", "CART", "LogisticRegression", "Ridge")


def readable_of(board: Board, measure: str, greater: bool, level: float) -> tuple[Standing, bool] | None:
    """The simplest readable method within one standard error of the winner, or else of the best readable one.

    And whether it is the former.
    """
    winner = board.standings[0].scores[measure]
    error = (winner.high - winner.low) / (2 * float(norm.ppf(0.5 + level / 2)))
    sign = 1 if greater else -1
    candidates = [one for one in board.standings if one.name in READABLE]
    if not candidates:
        return None
    best = max(sign * one.scores[measure].value for one in candidates)
    within = best >= sign * winner.value - error
    bar = (sign * winner.value if within else best) - error
    near = [one for one in candidates if sign * one.scores[measure].value >= bar]
    return min(near, key=lambda one: (one.simplicity, -sign * one.scores[measure].value)), within


def conclude(
    board: Board, names: Mapping[str, Words], profile: Profile, measure: str, greater: bool, level: float
) -> tuple[Words, ...]:
    """Sentences on the winner: its score, against the baseline, against the others."""
    winner = board.standings[0]
    baseline = next(one for one in board.standings if one.name == BASELINE)
    score = winner.scores[measure]
    share = f"{level:.0%}"
    name_en = "A blend of methods" if winner.name == BLEND else winner.name
    name_zh = "多个方法的加权组合" if winner.name == BLEND else _in_chinese(winner.name, names)
    out = [
        Words(
            f"{name_en} was chosen by tuning. On rows that took no part in that it has {measure} {score.value:.4g} "
            f"({share} interval {score.low:.4g} to {score.high:.4g}).",
            f"调参选出的模型是{name_zh}。在未参与学习与调参的样本上,其{measure}为{score.value:.4g}"
            f"({share}置信区间{score.low:.4g}至{score.high:.4g})。",
        ),
        _against_baseline(winner, baseline, measure, greater, level),
    ]
    others = [one for one in board.standings[1:] if one.name != BASELINE]
    for one in others:
        if one.verdict == "better":
            out.append(
                Words(
                    f"{one.name} did significantly better on these rows, though tuning saw it behind: try it by name.",
                    f"在这些样本上{_in_chinese(one.name, names)}显著更好,但调参时落后;可指定该方法再试。",
                )
            )
    alike = [one for one in others if one.verdict == "level"]
    if others and all(one.verdict == "worse" for one in others):
        rest = others[0].name if len(others) == 1 else f"each of the {len(others)} other methods"
        out.append(
            Words(
                f"It is better than {rest}, significantly at level {1 - level:.2g}.",
                f"在显著性水平{1 - level:.2g}下,它显著优于其余{len(others)}种方法。",
            )
        )
    elif alike:
        simplest = min(alike, key=lambda one: (one.simplicity, one.name))
        simpler = simplest.simplicity < winner.simplicity
        listed = ", ".join(one.name for one in alike)
        listed_zh = "、".join(_in_chinese(one.name, names) for one in alike)
        end = f"; of these {simplest.name} is the simplest." if simpler else "."
        end_zh = f";其中{_in_chinese(simplest.name, names)}最简单。" if simpler else "。"
        out.append(
            Words(
                f"The rows cannot tell it from {listed} (level {1 - level:.2g}){end}",
                f"这些样本不足以将它与{listed_zh}区分开(显著性水平{1 - level:.2g}){end_zh}",
            )
        )
    if profile.n_rows < 200:
        out.append(
            Words(
                f"With {profile.n_rows} rows every figure here is rough; more rows would say more than more tuning.",
                f"仅有{profile.n_rows}个样本,以上数字都较粗略;增加样本比继续调参更有用。",
            )
        )
    return tuple(out)


def _in_chinese(name: str, names: Mapping[str, Words]) -> str:
    return names[name].zh if name in names else name


def _against_baseline(winner: Standing, baseline: Standing, measure: str, greater: bool, level: float) -> Words:
    mine, its = winner.scores[measure].value, baseline.scores[measure].value
    better = (mine > its) == greater and mine != its
    p = baseline.p_value
    if better and p is not None and p <= 1 - level:
        return Words(
            f"It has learned something: always giving the same answer has {measure} {its:.4g} (p = {p:.2g}).",
            f"它确实学到了规律:总是给出同一答案的基线,{measure}为{its:.4g}(p = {p:.2g})。",
        )
    return Words(
        f"There is no winner: it is not shown to be better than always giving the same answer, which has {measure} "
        f"{its:.4g}. The columns may say nothing about the target, or there are too few rows to show it.",
        f"没有胜者:未能证明它优于总是给出同一答案的基线({measure}为{its:.4g})。可能各列与目标无关,也可能样本太少。",
    )
