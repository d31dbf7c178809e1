"""The leaderboard: what the methods are worth on rows that took no part in learning or tuning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lanatus.auto._runner import Answered, Judged, said_of
from lanatus.auto._scores import Score, Scores, difference, estimate
from lanatus.auto._search import Kept
from lanatus.auto._trial import Candidate
from lanatus.evaluation.significance import adjusted_p_values
from lanatus.profile import Words
from lanatus.report import Standing

__all__ = ["BASELINE", "BLEND", "Board", "board", "label_of", "names_of"]

Verdict = Literal["winner", "better", "level", "worse", "baseline"]
BASELINE = "Baseline"
BLEND = "Blend"


@dataclass(frozen=True)
class Board:
    """Standings, and the answers behind them.

    Attributes
    ----------
    rows : ndarray
        The rows that judge, in the order of `y` and `answers`.
    parts : ndarray of int
        Which outer part each of them was held out in.
    y : ndarray
        Their targets.
    answers : dict of str to ndarray
        By method.
    standings : tuple of Standing
        The winner first, the others by their score.
    differences : ndarray
        Corrected p-values of all pairs, in the order of the standings.
    """

    rows: np.ndarray
    parts: np.ndarray
    y: np.ndarray
    answers: dict[str, np.ndarray]
    standings: tuple[Standing, ...]
    differences: np.ndarray


def names_of(candidates: Sequence[Candidate]) -> dict[str, Words]:
    """What people call the methods: in English the class, which the command line knows, in Chinese the book's name."""
    found = {family.name: Words(family.name, family.entry.zh) for family in candidates}
    found |= {BLEND: Words(BLEND, "加权组合"), BASELINE: Words(BASELINE, "基线")}
    chinese = [words.zh for words in found.values()]
    return {name: words for name, words in found.items() if chinese.count(words.zh) == 1}


def label_of(kept: Kept) -> str:
    """What a kept model is called: its method, or a blend."""
    return kept.trials[0].family if len(kept.trials) == 1 else BLEND


def board(
    judged: Sequence[tuple[np.ndarray, Judged]],
    y: np.ndarray,
    baselines: Sequence[np.ndarray],
    candidates: Sequence[Candidate],
    scores: Scores,
    final: Kept,
    level: float,
) -> Board:
    """Put the answers of the outer parts together and judge them.

    Parameters
    ----------
    judged : sequence of (rows, Judged)
        For each outer part its rows, and what was answered for them.
    y : ndarray
        Targets of all rows.
    baselines : sequence of ndarray
        For each part the answers of always saying the same.
    candidates : sequence of Candidate
        The methods.
    scores : Scores
        The measures.
    final : Kept
        What the last model is made of; it names the winner.
    level : float
        Confidence of the intervals, and one minus the level of the tests.
    """
    rows = np.concatenate([part for part, _ in judged])
    parts = np.repeat(np.arange(len(judged)), [len(part) for part, _ in judged])
    truth = y[rows]
    labels = {label_of(one.kept) for _, one in judged} | {label_of(final)}
    winner = labels.pop() if len(labels) == 1 else BLEND
    everywhere = [name for name in judged[0][1].methods if all(name in one.methods for _, one in judged)]
    methods = {name: [one.methods[name] for _, one in judged] for name in everywhere}
    methods[winner] = [one.winner for _, one in judged]
    methods[BASELINE] = [Answered(answers, np.nan, 0.0, 0.0, {}) for answers in baselines]
    answers = {name: np.concatenate([one.answers for one in each]) for name, each in methods.items()}
    first = scores.shown[0]
    scored = {
        name: {one.name: estimate(one, truth, said, parts, level) for one in scores.shown}
        for name, said in answers.items()
    }
    sign = -1 if first.greater_is_better else 1
    order = sorted(answers, key=lambda name: (name != winner, sign * scored[name][first.name][0].value))
    gains, against, differences = _tested(first, truth, [answers[name] for name in order], parts)
    simplicity = {family.name: family.contender.simplicity for family in candidates} | {BASELINE: 0, BLEND: 6}
    standings = []
    for k, name in enumerate(order):
        each = methods[name]
        tuning = final.loss if name == winner else each[-1].loss
        standings.append(
            Standing(
                name=name,
                scores={measure: one for measure, (one, _) in scored[name].items()},
                fold_scores=scored[name][first.name][1],
                p_value=None if k == 0 else float(against[k - 1]),
                verdict=_verdict(name, k, gains, against, 1 - level),
                simplicity=simplicity[name],
                tuning_score=sign * tuning if scores.tuned is first else np.nan,
                fit_seconds=float(np.mean([one.fit_seconds for one in each])),
                predict_seconds=1000 * sum(one.predict_seconds for one in each) / len(rows),
                params=said_of(final.trials, final.weights) if name == winner else each[-1].params,
            )
        )
    return Board(rows, parts, truth, answers, tuple(standings), differences)


def _tested(
    score: Score, y: np.ndarray, answers: Sequence[np.ndarray], parts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How much worse the others are than the first, the p-values of that, and those of all pairs; both corrected."""
    k = len(answers)
    gains, p = np.zeros((k, k)), np.ones((k, k))
    above = np.triu_indices(k, 1)
    for i, j in zip(above[0].tolist(), above[1].tolist(), strict=True):
        gains[i, j], p[i, j] = difference(score, y, answers[i], answers[j], parts)
    differences = np.ones((k, k))
    differences[above] = adjusted_p_values(p[above], "holm")
    differences = np.minimum(differences, differences.T)
    return gains[0, 1:], adjusted_p_values(p[0, 1:], "holm"), differences


def _verdict(name: str, k: int, gains: np.ndarray, against: np.ndarray, alpha: float) -> Verdict:
    if k == 0:
        return "winner"
    if name == BASELINE:
        return "baseline"
    if against[k - 1] > alpha:
        return "level"
    return "worse" if gains[k - 1] > 0 else "better"
