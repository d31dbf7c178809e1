"""Rows without a target: the winner with them, and whether that is better on rows held out."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from lanatus.auto._board import Board
from lanatus.auto._design import Design
from lanatus.auto._prepare import Prepared, cleaned
from lanatus.auto._runner import Judged
from lanatus.auto._scores import Scores, difference
from lanatus.auto._search import Kept
from lanatus.auto._work import answers_of
from lanatus.base import take_rows
from lanatus.evaluation.significance import adjusted_p_values
from lanatus.profile import Words

__all__ = ["TriedUnlabelled", "built", "fitted_with_unlabelled", "try_unlabelled"]

_MOST_ROWS = 20_000  # unlabelled ones that take part
_SURE = 0.9  # probability from which on self-training takes a label
_ROUNDS = 3  # of self-training


@dataclass(frozen=True)
class TriedUnlabelled:
    """The way that is kept, None for none, and what there is to say."""

    kept: str | None
    said: tuple[Words, ...]


def built(kept: Kept, n_classes: int, seed: int) -> Any:
    """The model that a search kept, not fitted yet."""
    from lanatus.ensemble import VotingClassifier, VotingRegressor

    members = [(f"{trial.family}_{k}", trial.build(seed)) for k, trial in enumerate(kept.trials, 1)]
    if len(members) == 1:
        return members[0][1]
    if n_classes:
        return VotingClassifier(members, voting="soft", weights=list(kept.weights))
    return VotingRegressor(members, weights=list(kept.weights))


def _ways(n_classes: int) -> dict[str, Callable[[Any], Any]]:
    """Safe ways to learn from unlabelled rows, each made of the winner."""
    from lanatus.semi import (
        CoReg,
        InductiveGraphSSL,
        LabelSpreading,
        SelfTrainingClassifier,
        SemiSupervisedEnsemble,
        SemiSupervisedNB,
    )

    if not n_classes:
        return {"CoReg": lambda base: make_pipeline(Design(), CoReg(random_state=0))}

    def safe_labels(base: Any) -> Any:
        members = [make_pipeline(Design(), LabelSpreading(kernel="knn")), make_pipeline(Design(), SemiSupervisedNB())]
        return InductiveGraphSSL(base, graph=SemiSupervisedEnsemble(members, base=clone(base)))

    return {
        "SelfTraining": lambda base: SelfTrainingClassifier(base, threshold=_SURE, max_iter=_ROUNDS),
        "SafeEnsemble": safe_labels,
    }


def try_unlabelled(
    prepared: Prepared,
    judged: Sequence[tuple[np.ndarray, Judged]],
    result: Board,
    scores: Scores,
    asked: dict[str, Any],
    seconds: float,
) -> TriedUnlabelled | None:
    """The winner of each outer part with the unlabelled rows, judged on the same rows held out.

    The way with the greatest gain is kept if the test says so, corrected for the number of ways.

    Parameters
    ----------
    prepared : Prepared
        The table.
    judged : sequence of (rows, Judged)
        For each outer part its rows, and what was kept for it.
    result : Board
        What the winner is worth.
    scores : Scores
        The measures; the first decides.
    asked : dict
        Seed and level.
    seconds : float
        About how long it may take; ways that need more are left out.

    Returns
    -------
    TriedUnlabelled or None
        None where every row has a target.
    """
    count = prepared.unlabelled.num_rows
    if not count:
        return None
    if _says_unlabelled(prepared.classes):
        en = "Rows without a target were left out: a class named -1 would mean the same as having none."
        return TriedUnlabelled(None, (Words(en, "未使用无标记样本:名为-1的类别与“无标记”无法区分。"),))
    first, start = scores.shown[0], time.monotonic()
    winner = np.concatenate([one.winner.answers for _, one in judged])
    found, failed = {}, []
    for name, way in _ways(prepared.n_classes).items():
        answers = _answers(prepared, judged, way, asked["seed"], start + seconds)
        if answers is None:
            failed.append(name)
        else:
            found[name] = (answers, *difference(first, result.y, answers, winner, result.parts))
    p = adjusted_p_values(np.array([one[2] for one in found.values()]), "holm") if found else np.empty(0)
    tested = {name: (gain, float(q)) for (name, (_, gain, _)), q in zip(found.items(), p, strict=True)}
    good = {name: gain for name, (gain, q) in tested.items() if gain > 0 and q <= 1 - asked["level"]}
    kept = max(good, key=lambda name: good[name]) if good else None
    return TriedUnlabelled(kept, _said(count, first.name, tested, failed, kept))


def _said(
    count: int, measure: str, tested: dict[str, tuple[float, float]], failed: list[str], kept: str | None
) -> tuple[Words, ...]:
    each = "; ".join(f"{name} {gain:+.4f} {measure} (p {q:.3f})" for name, (gain, q) in tested.items())
    begun = f"{count:,} rows without a target were tried with the winner, on rows held out"
    said = [
        Words(
            f"{begun}: {each or 'nothing fitted'}. "
            + (f"{kept} is better and is in the model." if kept else "None is better for certain: left out."),
            f"用{count:,}行无标记样本改进胜者,在留出样本上:{each or '均未成功'}。"
            + (f"{kept}显著更好,已采用。" if kept else "均无显著提升,未采用。"),
        )
    ]
    if failed:
        names = ", ".join(failed)
        said.append(Words(f"With unlabelled rows not tried to the end: {names}.", f"无标记样本上未能完成:{names}。"))
    return tuple(said)


def _answers(
    prepared: Prepared,
    judged: Sequence[tuple[np.ndarray, Judged]],
    way: Callable[[Any], Any],
    seed: int,
    until: float,
) -> np.ndarray | None:
    """What a way answers for all rows held out; None where it fails, or takes too long."""
    more = _some_of(prepared.unlabelled, seed)
    everything = np.arange(len(prepared.y))
    answers = []
    for k, (test, one) in enumerate(judged):
        if time.monotonic() > until:
            return None
        train = np.setdiff1d(everything, test)
        rows = np.concatenate([train, test])
        _, table = cleaned(prepared, rows, len(train), seed, more)
        seen = np.concatenate([np.arange(len(train)), np.arange(len(rows), len(rows) + more.num_rows)])
        unseen = np.arange(len(train), len(rows))
        begun = time.monotonic()
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                model = way(built(one.kept, prepared.n_classes, seed))
                model.fit(take_rows(table, seen), _with_holes(prepared.y[train], more.num_rows, prepared.n_classes))
                answers.append(answers_of(model, take_rows(table, unseen), prepared.n_classes))
        except Exception:  # whatever a way does on odd data, the winner stays
            return None
        left = len(judged) - k - 1
        if time.monotonic() + left * (time.monotonic() - begun) > until:
            return None if left else np.concatenate(answers)
    found = np.concatenate(answers)
    return found if np.isfinite(found).all() else None


def _some_of(table: pa.Table, seed: int) -> pa.Table:
    if table.num_rows <= _MOST_ROWS:
        return table
    chosen = np.sort(np.random.RandomState(seed).permutation(table.num_rows)[:_MOST_ROWS])
    return table.take(pa.array(chosen))


def _with_holes(y: np.ndarray, count: int, n_classes: int) -> np.ndarray:
    """Targets, and as many holes."""
    if n_classes:
        return np.concatenate([y, np.full(count, -1, dtype=y.dtype)])
    return np.concatenate([y, np.full(count, np.nan)])


def _says_unlabelled(classes: np.ndarray) -> bool:
    return any(str(label) in ("-1", "-1.0") for label in classes.tolist())


def fitted_with_unlabelled(prepared: Prepared, kept: Kept, way: str, costs: np.ndarray | None, seed: int) -> Any:
    """Cleaner and model, fitted to all rows, with a target and without."""
    from lanatus.bayes import BayesDecision

    more = _some_of(prepared.unlabelled, seed)
    n = len(prepared.y)
    cleaner, table = cleaned(prepared, np.arange(n), n, seed, more)
    model = _ways(prepared.n_classes)[way](built(kept, prepared.n_classes, seed))
    if costs is not None:
        model = BayesDecision(model, loss_matrix=costs.T)
    y = prepared.labels
    if y.dtype.kind in "iuf":
        hole = -1 if prepared.n_classes else np.nan
        y = np.concatenate([y, np.full(more.num_rows, hole)])
    else:
        y = np.concatenate([y.astype(object), np.full(more.num_rows, None, dtype=object)])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model.fit(table, y)
    return Pipeline([("clean", cleaner), ("model", model)])
