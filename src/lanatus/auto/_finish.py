"""The end of a run: judgement, last fit, explanation, and all of it as facts."""

import platform
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.pipeline import Pipeline

import lanatus
from lanatus.auto._board import Board, board, names_of
from lanatus.auto._conclusion import conclude, readable_of
from lanatus.auto._prepare import Prepared, cleaned
from lanatus.auto._run import Run
from lanatus.auto._runner import Runner
from lanatus.auto._scores import Scores
from lanatus.auto._search import Kept
from lanatus.auto._trial import Candidate
from lanatus.auto._unlabelled import built, fitted_with_unlabelled, try_unlabelled
from lanatus.auto._work import answers_of
from lanatus.explain import Dependence, Importance, dependence_on, importances_of, read_model
from lanatus.profile import Words
from lanatus.report import Facts, Readable

__all__ = ["finish"]

_EXPLAINED_ROWS = 500
_EXPLAINED_FIT = 50_000  # rows that are enough to see what a model goes by
_EXPLAINED_COLUMNS = 40
_SHOWN_DEPENDENCE = 6


def finish(
    prepared: Prepared,
    runner: Runner,
    outer: list[tuple[np.ndarray, np.ndarray]],
    found: Sequence[Candidate],
    scores: Scores,
    costs: np.ndarray | None,
    asked: dict[str, Any],
) -> Run:
    judged = runner.judge()[: len(outer)]
    last = runner.splits[-1].search
    final = last.kept()
    if final is None or any(one is None for one in judged):
        if runner.was_stopped:
            raise KeyboardInterrupt
        raise RuntimeError(_nothing_fitted(runner))
    baselines = [_baseline(prepared, train, len(test)) for train, test in outer]
    pairs = [(test, one) for (_, test), one in zip(outer, judged, strict=True) if one is not None]
    result = board(pairs, prepared.y, baselines, found, scores, final, asked["level"])
    everything = np.arange(len(prepared.y))
    tried = None
    if asked["unlabelled"] == "use" and not runner.was_stopped:
        tried = try_unlabelled(prepared, pairs, result, scores, asked, runner.budget)
    if tried is None or tried.kept is None:
        model = _fitted(prepared, final, everything, costs, asked["seed"])
    else:
        model = fitted_with_unlabelled(prepared, final, tried.kept, costs, asked["seed"])
    importances, dependence = _explained(prepared, final, outer[0], model, scores, runner, asked["seed"])
    readable = _readable(prepared, result, runner, scores, asked["level"], asked["seed"])
    used = time.monotonic() - runner.start
    settings = {
        **asked,
        "rows": len(prepared.y),
        "outer": "nested 5-fold" if len(outer) > 1 else f"hold-out of {len(outer[0][1])} rows",
        "fits": runner.n_fits,
        "seconds": round(used, 1),
        "n_jobs": runner.crew.n_jobs,
        "versions": {
            "lanatus": lanatus.__version__,
            "python": platform.python_version(),
            **{package: version(package) for package in ("numpy", "scipy", "scikit-learn", "pyarrow")},
        },
    }
    first, names = scores.shown[0], names_of(found)
    facts = Facts(
        title=prepared.name,
        profile=prepared.profile,
        measures=tuple((one.name, one.greater_is_better) for one in scores.shown),
        level=asked["level"],
        leaderboard=result.standings,
        differences=result.differences,
        conclusion=conclude(result, names, prepared.profile, first.name, first.greater_is_better, asked["level"]),
        classes=tuple(str(label) for label in prepared.classes),
        y=result.y,
        answers=result.answers,
        cost=costs,
        threshold=_threshold(costs, prepared.n_classes),
        importances=importances,
        dependence=dependence,
        readable=readable,
        warnings=(*_warnings(runner, found), *(() if tried is None else tried.said)),
        settings=_as_words(settings),
        names=names,
    )
    return Run(model, facts, _predictions(prepared, result, facts, costs), settings)


def _as_words(settings: dict[str, Any]) -> dict[str, str]:
    """Settings as a person reads them; what was not set is left out."""
    out: dict[str, str] = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            out |= {name: str(one) for name, one in value.items()}
        elif value is not None:
            out[key] = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return out


def _nothing_fitted(runner: Runner) -> str:
    failed = runner.splits[-1].search.failed
    if failed:
        key, error = next(iter(failed.items()))
        return f"no method could be fitted; the first to fail was {key.partition('-')[0]} with {error}"
    return f"no fit ended within the budget of {runner.budget:g} seconds; raise it."


def _baseline(prepared: Prepared, train: np.ndarray, n: int) -> np.ndarray:
    """The shares of the classes, or the mean, of the rows to learn from."""
    if not prepared.n_classes:
        return np.full(n, prepared.y[train].mean())
    share = np.bincount(prepared.y[train], minlength=prepared.n_classes) / len(train)
    return np.tile(share, (n, 1))


def _fitted(prepared: Prepared, kept: Kept, rows: np.ndarray, costs: np.ndarray | None, seed: int) -> Any:
    """Cleaner and model, fitted to some rows: what a user gets."""
    from lanatus.bayes import BayesDecision

    model = built(kept, prepared.n_classes, seed)
    if costs is not None:
        model = BayesDecision(model, loss_matrix=costs.T)
    cleaner, table = cleaned(prepared, rows, len(rows), seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model.fit(table, prepared.labels[rows])
    return Pipeline([("clean", cleaner), ("model", model)])


def _threshold(costs: np.ndarray | None, n_classes: int) -> float | None:
    """The probability of the second of two classes from which on it is the cheaper answer."""
    if n_classes != 2:
        return None
    return 0.5 if costs is None else float(costs[0, 1] / (costs[0, 1] + costs[1, 0]))


def _explained(
    prepared: Prepared,
    kept: Kept,
    outer: tuple[np.ndarray, np.ndarray],
    model: Any,
    scores: Scores,
    runner: Runner,
    seed: int,
) -> tuple[tuple[Importance, ...], tuple[Dependence, ...]]:
    """Importances on held-out rows by a fit that has not seen them; dependence by the last model."""
    train, test = outer
    seconds = max(0.05, min(0.15, 1 - (time.monotonic() - runner.start) / runner.budget)) * runner.budget
    began = time.monotonic()
    rng = np.random.RandomState(seed)
    rows = rng.permutation(test)[:_EXPLAINED_ROWS]
    held_out = _fitted(prepared, kept, np.sort(rng.permutation(train)[:_EXPLAINED_FIT]), None, seed)
    X = prepared.X.take(pa.array(rows))
    n = prepared.n_classes

    def by(pipeline: Any) -> Callable[[pa.Table], np.ndarray]:
        def answers(table: pa.Table) -> np.ndarray:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                if not n:
                    return answers_of(pipeline, table, 0)
                said = np.zeros((table.num_rows, n))
                said[:, np.searchsorted(prepared.classes, pipeline.classes_)] = pipeline.predict_proba(table)
                return said

        return answers

    columns = _likely(prepared, seed)
    importances = importances_of(
        by(held_out), X, prepared.y[rows], scores.tuned.loss, columns=columns, seconds=0.6 * seconds, seed=seed
    )
    facts = {column.name: column for column in prepared.profile.columns}
    sample = X.slice(0, 300)
    dependence: list[Dependence] = []
    for one in importances:
        if len(dependence) == _SHOWN_DEPENDENCE or time.monotonic() - began > seconds:
            break
        curve = dependence_on(by(model), sample, facts[one.column], n) if one.value > 0 else None
        if curve is not None:
            dependence.append(curve)
    return importances, tuple(dependence)


def _likely(prepared: Prepared, seed: int) -> list[str]:
    """The columns, or of very many those that a quick forest uses most."""
    names = prepared.X.column_names
    if len(names) <= _EXPLAINED_COLUMNS:
        return list(names)
    from lanatus.ensemble import RandomForestClassifier, RandomForestRegressor

    rows = np.random.RandomState(seed).permutation(len(prepared.y))[:2000]
    cleaner, table = cleaned(prepared, rows, len(rows), seed)
    forest = (RandomForestClassifier if prepared.n_classes else RandomForestRegressor)(50, random_state=seed)
    gains = forest.fit(table, prepared.y[rows]).feature_importances_
    total: dict[str, float] = {}
    for made, gain in zip(table.schema.names, gains, strict=True):
        total[cleaner.made_[made]] = total.get(cleaner.made_[made], 0.0) + gain
    return sorted(total, key=lambda column: -total[column])[:_EXPLAINED_COLUMNS]


def _readable(
    prepared: Prepared, result: Board, runner: Runner, scores: Scores, level: float, seed: int
) -> Readable | None:
    first = scores.shown[0]
    chosen = readable_of(result, first.name, first.greater_is_better, level)
    if chosen is None:
        return None
    standing, within = chosen
    trial = next(t for family, t, _ in runner.splits[-1].search.best_of_families() if family == standing.name)
    _, table = cleaned(prepared, np.arange(len(prepared.y)), len(prepared.y), seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = trial.build(seed).fit(table, prepared.y)
    text, svg = read_model(model, [str(label) for label in prepared.classes])
    return Readable(standing.name, text, svg, standing.scores[first.name], within)


def _warnings(runner: Runner, found: Sequence[Candidate]) -> tuple[Words, ...]:
    out = []
    if runner.was_stopped:
        en, zh = "The search was stopped by hand; a longer one may find more.", "搜索被手动中止;继续搜索可能更好。"
        out.append(Words(en, zh))
    failed: dict[str, str] = {}
    for split in runner.splits:
        for key, error in split.search.failed.items():
            failed.setdefault(key.partition("-")[0], error)
    for family, error in failed.items():
        out.append(Words(f"{family} failed on some rows: {error}", f"{family}在部分样本上失败:{error}"))
    last = runner.splits[-1].search
    tried = {trial.family for key, trial in last.trials.items() if last.outcomes[key]}
    if left := [family.name for family in found if family.name not in tried | set(failed)]:
        names = ", ".join(left)
        out.append(Words(f"Not tried for want of time: {names}.", f"因时间不足未尝试:{names}。"))
    return tuple(out)


def _predictions(prepared: Prepared, result: Board, facts: Facts, costs: np.ndarray | None) -> dict[str, np.ndarray]:
    """Answers of the winner for the outer test rows, in the order of the table."""
    order = np.argsort(result.rows, kind="stable")
    said = result.answers[facts.winner.name][order]
    out: dict[str, np.ndarray] = {"row": result.rows[order], "part": result.parts[order]}
    if not prepared.n_classes:
        return out | {"target": result.y[order], "prediction": said}
    chosen = said.argmax(axis=1) if costs is None else (said @ costs).argmin(axis=1)
    out |= {"target": prepared.classes[result.y[order]], "prediction": prepared.classes[chosen]}
    return out | {f"probability_{label}": said[:, k] for k, label in enumerate(facts.classes)}
