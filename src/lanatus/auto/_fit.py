"""``lanatus.fit``: a table in, an honest comparison and a model out."""

import hashlib
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np

import lanatus
from lanatus._files import alone_in
from lanatus.auto._finish import finish
from lanatus.auto._journal import TrialJournal
from lanatus.auto._plan import outer_parts, plan, strata_of
from lanatus.auto._prepare import Prepared, cleaned, cost_matrix, prepare
from lanatus.auto._run import Run, refuse_other_results
from lanatus.auto._runner import OUTER, Runner, RunProgress, Split
from lanatus.auto._scores import Scores, scores_for
from lanatus.auto._search import Search
from lanatus.auto._trial import Candidate, candidates
from lanatus.auto._work import TrialData
from lanatus.auto._workers import Crew
from lanatus.profile import Profile

__all__ = ["fit"]

_LONGEST_FIT = 0.08  # share of the budget that one of the last fits may take


def fit(
    data: Any,
    target: str,
    *,
    budget: float = 60.0,
    task: str | None = None,
    measure: str | None = None,
    cost: Any = None,
    methods: Sequence[str] | None = None,
    seed: int = 0,
    level: float = 0.95,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    unlabelled: str = "leave",
    force: bool = False,
    language: str = "en",
    name: str | None = None,
    watch: Callable[[Profile | RunProgress], None] | None = None,
) -> Run:
    """Find a good model for a column of a table, and say honestly how good it is.

    The contenders of the catalogue are tried, the cheap ones first and on few rows; the better ones go on to more rows
    and folds, and the best get their parameters searched and their answers blended, as long as the budget lasts. The
    scores come from rows that took no part in any of this: for up to 2000 rows the whole search is done anew for each
    of five outer folds, for more a fifth of the rows (at most 100,000) is set aside before it begins.

    Parameters
    ----------
    data : path or frame
        A file that `lanatus.data.read` knows, or a frame of pandas, polars or pyarrow; strings, dates, holes and all.
    target : str
        The column to predict. Rows without it are left out.
    budget : float, default=60.0
        Seconds for everything, about; the search ends sooner where it finds nothing better any more.
    task : {"classification", "two-class", "many-class", "regression"} or None, default=None
        None looks at the target.
    measure : str or None, default=None
        What decides: ``auc``, ``accuracy``, ``balanced_accuracy``, ``f1`` (``f1_macro``), ``log_loss``, ``brier`` or
        ``cost`` for classes, ``r2``, ``rmse`` or ``mae`` for numbers. None is the cost where there are costs, AUC for
        two classes, the log loss for more, R2 for numbers.
    cost : str, mapping, array-like, path or None, default=None
        ``"fn=5,fp=1"`` for two classes, the second one being the positive; or a matrix, or a file with one, with a row
        for each true class. The model then answers with the class of the least expected cost.
    methods : sequence of str or None, default=None
        Names of methods to try instead of the contenders.
    seed : int, default=0
        Of splits, trials and fits. With the same seed the budget only says how far the search goes.
    level : float, default=0.95
        Confidence of the intervals; the tests have level ``1 - level``.
    n_jobs : int or None, default=None
        Worker processes, each on one core; None is all cores, 1 works in this process.
    out : path or None, default=None
        Folder to save everything in (`Run.save`), and to go on from where a run was killed. One run at a time.
    unlabelled : {"leave", "use"}, default="leave"
        What to do with rows whose target is missing: leave them out, or try the winner with them, too, by safe methods
        that are kept only if they are better on rows held out by more than chance.
    force : bool, default=False
        Whether results in `out` that come from other data or another target may be replaced.
    language : {"en", "zh"}, default="en"
        Of the report in `out`.
    name : str or None, default=None
        What the report calls the data; the name of the file by default.
    watch : callable or None, default=None
        Called with the `Profile` of the table, then with a `RunProgress` now and then.

    Returns
    -------
    Run
        With ``model``, ``leaderboard``, ``facts``, ``predictions``, ``report(path)`` and ``save(folder)``.

    Notes
    -----
    Ctrl-C ends the search; the best so far is judged, fitted and returned.

    Examples
    --------
    >>> import lanatus
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> run = lanatus.fit(iris, target="target", budget=5, n_jobs=1, methods=["NaiveBayes", "DecisionTree"])
    >>> run.model.predict(iris.drop(columns="target"))[:3].tolist()
    [0, 0, 0]
    >>> run.facts.winner.scores["log_loss"].value < 0.5
    True
    """
    start = time.monotonic()
    if not budget > 0:
        raise ValueError(f"budget must be above 0 seconds; got {budget}.")
    if not 0.5 < level < 1:
        raise ValueError(f"level must be between 0.5 and 1; got {level}.")
    if unlabelled not in ("leave", "use"):
        raise ValueError(f"unlabelled must be 'leave' or 'use'; got {unlabelled!r}.")
    prepared = prepare(data, target, task, name)
    if watch is not None:
        watch(prepared.profile)
    costs = cost_matrix(cost, prepared.classes)
    scores = scores_for(prepared.profile.task, measure, costs)
    found = candidates(prepared.profile.task, len(prepared.y), prepared.X.num_columns, methods)
    asked = {
        "target": target, "task": prepared.profile.task, "measure": scores.shown[0].name, "budget": budget,
        "seed": seed, "level": level, "cost": None if costs is None else costs.tolist(),
        "methods": [family.name for family in found], "data": _hash(prepared), "name": prepared.name,
        "unlabelled": unlabelled if prepared.unlabelled.num_rows else "none",
    }  # fmt: skip
    if out is None:
        return _searched(prepared, found, scores, costs, asked, TrialJournal(None, ""), start, n_jobs, watch)
    with alone_in(Path(out)):
        if not force:
            refuse_other_results(Path(out), asked)
        journal = TrialJournal(Path(out) / ".progress", repr({**asked, "budget": None, "version": lanatus.__version__}))
        run = _searched(prepared, found, scores, costs, asked, journal, start, n_jobs, watch)
        run.save(out, "zh" if language == "zh" else "en")
        journal.close()
    return run


def _searched(
    prepared: Prepared,
    found: Sequence[Candidate],
    scores: Scores,
    costs: np.ndarray | None,
    asked: dict[str, Any],
    journal: TrialJournal,
    start: float,
    n_jobs: int | None,
    watch: Callable[[Profile | RunProgress], None] | None,
) -> Run:
    """Search, judge and fit."""
    crew = Crew(n_jobs if n_jobs is not None and n_jobs > 0 else joblib.cpu_count())
    budget, seed = asked["budget"], asked["seed"]
    with tempfile.TemporaryDirectory(prefix="lanatus-") as scratch:
        try:
            splits, outer = _splits(prepared, found, scores, seed, Path(scratch), _LONGEST_FIT * budget)
            runner = Runner(splits, crew, journal, budget, start, watch)
            runner.search()
            return finish(prepared, runner, outer, found, scores, costs, asked)
        finally:
            crew.close()


def _splits(
    prepared: Prepared, found: Sequence[Candidate], scores: Scores, seed: int, scratch: Path, most_seconds: float
) -> tuple[list[Split], list[tuple[np.ndarray, np.ndarray]]]:
    """A search for each outer part, and one on all rows where there are several of them."""
    strata = strata_of(prepared.y, prepared.n_classes)
    outer = outer_parts(strata, seed, prepared.groups)
    splits = [
        _split(prepared, train, test, found, scores, seed, scratch / f"outer-{k}.joblib", most_seconds)
        for k, (train, test) in enumerate(outer)
    ]
    if len(outer) > 1:
        everything = np.arange(len(prepared.y))
        splits.append(_split(prepared, everything, None, found, scores, seed, scratch / "all.joblib", most_seconds))
    return splits, outer


def _split(
    prepared: Prepared,
    train: np.ndarray,
    test: np.ndarray | None,
    found: Sequence[Candidate],
    scores: Scores,
    seed: int,
    path: Path,
    most_seconds: float,
) -> Split:
    rows = train if test is None else np.concatenate([train, test])
    _, table = cleaned(prepared, rows, len(train), seed)
    groups = None if prepared.groups is None else prepared.groups[train]
    y = prepared.y[rows]
    levels = plan(strata_of(y[: len(train)], prepared.n_classes), seed, groups)
    parts = dict(levels.parts)
    if test is not None:
        parts[OUTER] = (np.arange(len(train)), np.arange(len(train), len(rows)))
    TrialData(table, y, prepared.n_classes, parts).save(path)
    return Split(Search(path, y[: len(train)], levels, found, scores.tuned, seed, most_seconds), test)


def _hash(prepared: Prepared) -> str:
    """A fingerprint of the rows."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(np.ascontiguousarray(prepared.y).tobytes())
    for name, column in zip(prepared.X.column_names, prepared.X.columns, strict=True):
        digest.update(name.encode())
        for chunk in column.chunks:
            for buffer in chunk.buffers():
                if buffer is not None:
                    digest.update(buffer)
    return digest.hexdigest()
