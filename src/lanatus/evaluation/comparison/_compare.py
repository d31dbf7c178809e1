"""Several learners on one or several data sets, by the same splits, in one call."""

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from joblib import Parallel, delayed
from joblib import hash as digest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

import lanatus
from lanatus.base import as_labels, n_rows
from lanatus.catalog import method
from lanatus.evaluation.comparison._comparison import Comparison
from lanatus.evaluation.comparison._identity import identity
from lanatus.evaluation.comparison._runs import ComparisonJournal, SplitJob, SplitResult
from lanatus.evaluation.measures._named_measures import Measure, as_measures
from lanatus.evaluation.significance._samples import level
from lanatus.params import check_integer


@dataclass(frozen=True)
class _DataSet:
    name: str
    X: Any
    y: np.ndarray
    groups: Any
    splits: list[tuple[np.ndarray, np.ndarray]]


@method(
    section="2.4.4",
    task="comparison",
    en="Comparison of learners",
    zh="学习器比较",
    peers=["scikit-learn:cross_validate"],
)
def compare(
    learners: Any,
    data: Any,
    y: Any = None,
    *,
    splitter: Any = 10,
    measures: Any = None,
    groups: Any = None,
    control: str | None = None,
    alpha: float = 0.05,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    checkpoint: Any = None,
    progress: bool | None = None,
) -> Comparison:
    """Compare learners on one or several data sets, all by the same splits, and test the differences.

    Every learner is fitted to the training part of every split and measured on its test part. The result is a
    table that knows its ranks, the statistical test that suits the design, and its picture (sections 2.2 to 2.4).

    Parameters
    ----------
    learners : dict of str to estimator, or sequence of estimators
        What to compare: all classifiers, or all regressors. They are cloned, never fitted themselves.
    data : dict of str to data set, or X
        Data sets by name: each a pair ``(X, y)``, a triple ``(X, y, groups)``, or a Bunch with `data` and `target`.
        Or the X of one data set, with `y` beside it.
    y : array-like, optional
        Target of a single data set.
    splitter : int or splitter, default=10
        Number of folds, stratified for classifiers, shuffled by `random_state`, and fewer where a class has fewer rows;
        or any splitter of scikit-learn or lanatus (hold-out, repeated folds, leave-one-out, Bootstrap, FiveByTwo, ...),
        or a list of pairs (training rows, test rows).
    measures : str, Measure, callable, list or dict of them, optional
        What to measure: names such as "accuracy", "auc", "log_loss" or "rmse", names of scikit-learn's scorers, scorers
        ``f(estimator, X, y)`` (greater is better) or a `Measure`. The first one decides ranks and tests. Default:
        accuracy, macro F1 and AUC for classifiers; RMSE, MAE and R2 for regressors.
    groups : array-like, optional
        Groups of the rows of a single data set, for splitters that ask for them.
    control : str, optional
        A learner that all others are tested against; without it, all pairs are tested.
    alpha : float, default=0.05
        Level of the tests.
    random_state : int or None, default=0
        Seeds the splits and every ``random_state`` of a learner that is None, so that the same call gives the same
        table. None draws anew each time.
    n_jobs : int, optional
        Fits at a time, as in joblib; ``with joblib.parallel_config("dask")`` runs them on a Dask cluster.
    checkpoint : path, optional
        A journal of finished fits. The same call after an interruption goes on from there, and ends with the same
        table; a call with one more learner or data set makes only the new fits.
    progress : bool, optional
        Whether to show a progress bar; by default where the output is a terminal or a notebook.

    Returns
    -------
    Comparison
        Table, ranks, test, picture and frame of the outcome.

    Notes
    -----
    A learner that fails is not fatal: the error is kept in ``failures``, its scores are missing, and on that data set
    it shares the last rank. A measure that a learner cannot give (AUC without scores) is missing too.

    The journal knows a learner by its class and parameters, a measure by its name, and both by the code of functions in
    them. It does not see changes inside a class of your own, or in what a function calls: take a new file then.

    Cost: (data sets x learners x splits) fits. Workers get a copy of the data; large arrays are shared by memory map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris, load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from lanatus.bayes import GaussianNB
    >>> from lanatus.evaluation import compare
    >>> learners = {"naive Bayes": GaussianNB(), "majority": DummyClassifier()}
    >>> result = compare(learners, {"iris": load_iris(), "wine": load_wine()}, splitter=5)
    >>> result.means().round(3).tolist()
    [[0.96, 0.333], [0.972, 0.399]]
    >>> result.best
    'naive Bayes'

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    """
    named = _named_learners(learners)
    task = _task(named)
    if control is not None and control not in named:
        raise ValueError(f"control={control!r} is none of the learners {', '.join(named)}.")
    alpha = level(alpha)
    if random_state is not None:
        random_state = check_integer("random_state", random_state, 0, 2**32 - 1)
    wanted = as_measures(measures, task)
    sets = [
        _prepared(name, *parts, task=task, splitter=splitter, seed=random_state)
        for name, parts in _named_data(data, y, groups).items()
    ]
    runs = _run_all(list(_jobs(named, sets, wanted, task, random_state)), n_jobs, checkpoint, progress)
    return Comparison(
        runs=runs,
        learners=tuple(named),
        data_sets=tuple(one.name for one in sets),
        measures=wanted,
        design=_design(splitter, sets),
        control=control,
        alpha=alpha,
    )


# ---------------------------------------------------------------- what is compared


def _named_learners(learners: Any) -> dict[str, Any]:
    if isinstance(learners, Mapping):
        named = _by_name("learners", learners)
    elif isinstance(learners, Sequence):
        names = _unique([_short_name(learner) for learner in learners])
        named = dict(zip(names, learners, strict=True))
    else:
        raise TypeError(
            f"learners must be a dict of names to estimators or a list of estimators; got {type(learners).__name__}."
        )
    if len(named) < 2:
        raise ValueError(f"a comparison needs at least two learners; got {len(named)}.")
    for name, learner in named.items():
        if isinstance(learner, type) or not (hasattr(learner, "fit") and hasattr(learner, "__sklearn_tags__")):
            raise TypeError(
                f"learner {name!r} must be an estimator object with fit and scikit-learn's tags; got {learner!r}. "
                "A class of your own inherits from ClassifierMixin or RegressorMixin, and BaseEstimator."
            )
    return named


def _by_name(what: str, given: Mapping[Any, Any]) -> dict[str, Any]:
    named = {str(name): one for name, one in given.items()}
    if len(named) < len(given):
        raise ValueError(f"{what} has names that read the same as text; got {list(given)}, wanted each of them once.")
    return named


def _short_name(learner: Any) -> str:
    """Class name; of a pipeline, that of its last step."""
    steps = getattr(learner, "steps", None)
    return type(steps[-1][1] if steps else learner).__name__


def _unique(names: list[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} {names[: i + 1].count(name)}" for i, name in enumerate(names)]


def _task(learners: dict[str, Any]) -> str:
    if all(is_classifier(learner) for learner in learners.values()):
        return "classification"
    if all(is_regressor(learner) for learner in learners.values()):
        return "regression"
    kinds = {
        name: "classifier" if is_classifier(one) else "regressor" if is_regressor(one) else "neither"
        for name, one in learners.items()
    }
    raise ValueError(f"wanted all classifiers or all regressors; got {kinds}.")


def _named_data(data: Any, y: Any, groups: Any) -> dict[str, tuple[Any, Any, Any]]:
    if y is not None:
        return {"data": (data, y, groups)}
    if _is_bunch(data):
        return {"data": (data["data"], data["target"], groups)}
    if isinstance(data, tuple) and len(data) in (2, 3):
        return {"data": _parts("data", data)}
    if not isinstance(data, Mapping):
        raise ValueError("y is missing: give compare(learners, X, y), or a dict of names to (X, y).")
    if groups is not None:
        raise ValueError("groups goes with a single data set; put it into each triple (X, y, groups) instead.")
    if not data:
        raise ValueError("data is empty; wanted at least one data set.")
    return {name: _parts(name, one) for name, one in _by_name("data", data).items()}


def _is_bunch(one: Any) -> bool:
    return isinstance(one, Mapping) and {"data", "target"} <= set(one)


def _parts(name: str, one: Any) -> tuple[Any, Any, Any]:
    if _is_bunch(one):
        return one["data"], one["target"], None
    if isinstance(one, tuple | list) and len(one) in (2, 3):
        return one[0], one[1], one[2] if len(one) == 3 else None
    raise TypeError(f"data set {name!r} must be (X, y), (X, y, groups) or a Bunch; got {type(one).__name__}.")


def _prepared(name: str, X: Any, y: Any, groups: Any, *, task: str, splitter: Any, seed: int | None) -> _DataSet:
    try:
        target = as_labels(y)
        if task == "regression":
            target = target.astype(float)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"data set {name!r}, target: {problem}") from problem
    rows = n_rows(X)
    if rows != len(target):
        raise ValueError(f"data set {name!r}: X has {rows} rows and y has {len(target)}; wanted as many.")
    if groups is not None and n_rows(groups) != rows:
        raise ValueError(f"data set {name!r}: X has {rows} rows and groups has {n_rows(groups)}.")
    try:
        folds = _as_splitter(splitter, target, task, seed)
        splits = [(np.asarray(a), np.asarray(b)) for a, b in folds.split(_indexable(X), target, groups)]
    except ValueError as problem:
        raise ValueError(f"data set {name!r} cannot be split: {problem}") from problem
    return _DataSet(name, X, target, groups, splits)


def _indexable(X: Any) -> Any:
    """X for a splitter to look at, or as many zeros where scikit-learn's splitters could not take it."""
    return X if hasattr(X, "__getitem__") else np.zeros(n_rows(X))


def _as_splitter(splitter: Any, y: np.ndarray, task: str, seed: int | None) -> Any:
    if isinstance(splitter, int | np.integer) and not isinstance(splitter, bool):
        if splitter < 2:
            raise ValueError(f"splitter={splitter} folds; wanted at least 2.")
        if task == "regression":
            return KFold(max(2, min(int(splitter), len(y))), shuffle=True, random_state=seed)
        _, counts = np.unique(y, return_counts=True)
        if len(counts) < 2:
            raise ValueError("the target has a single class; wanted at least two.")
        if counts.min() < 2:
            # Folds cannot share out a class of one row.
            return KFold(max(2, min(int(splitter), len(y))), shuffle=True, random_state=seed)
        return StratifiedKFold(max(2, min(int(splitter), int(counts.min()))), shuffle=True, random_state=seed)
    if isinstance(splitter, list | tuple | Iterator):
        return check_cv(list(splitter))
    if not hasattr(splitter, "get_n_splits"):
        raise ValueError(f"splitter must be a number of folds or a splitter such as KFold(5); got {splitter!r}.")
    if seed is not None and getattr(splitter, "random_state", seed) is None:
        splitter = copy.copy(splitter)
        splitter.random_state = seed
    return splitter


def _design(splitter: Any, sets: list[_DataSet]) -> str:
    """What the splits are, as far as the choice of a test goes."""
    from lanatus.evaluation.splitting._splits import FiveByTwo

    if isinstance(splitter, FiveByTwo):
        return "5x2"
    splits = [one.splits for one in sets]
    if all(len(parts) == 1 for parts in splits):
        return "hold-out"
    if all(len(test) == 1 for parts in splits for _, test in parts):
        return "leave-one-out"
    return "resampled"


# ---------------------------------------------------------------- fits


def _jobs(
    learners: dict[str, Any], sets: list[_DataSet], measures: tuple[Measure, ...], task: str, seed: int | None
) -> Iterator[SplitJob]:
    """Jobs in an order that shows something of every learner early."""
    asked = [(one.name, one.response, one.with_classes, identity(one.function)) for one in measures]
    tools = (lanatus.__version__, sklearn.__version__, asked)
    for one in sets:
        data_key = digest((one.X, one.y))
        # Only these two designs are judged by who is right on which row.
        keep_wrong = task == "classification" and (len(one.splits) == 1 or len(one.splits[0][1]) == 1)
        for number, (train, test) in enumerate(one.splits):
            for name, learner in learners.items():
                seeded = _seeded(learner, seed, number)
                key = digest((tools, one.name, data_key, number, train, test, name, identity(seeded)))
                yield SplitJob(key, one.name, name, number, seeded, one.X, one.y, train, test, measures, keep_wrong)


def _seeded(learner: Any, seed: int | None, split: int) -> Any:
    """A clone whose unset random states follow from the seed and the split."""
    model = clone(learner)
    if seed is not None:
        drawn = np.random.SeedSequence([seed, split]).generate_state(1)[0] % (2**31)
        unset = [name for name, value in model.get_params().items() if _is_seed(name) and value is None]
        if unset:
            model.set_params(**{name: int(drawn) for name in unset})
    return model


def _is_seed(name: str) -> bool:
    return re.fullmatch(r"(.*__)?random_state", name) is not None


def _run_all(jobs: list[SplitJob], n_jobs: int | None, checkpoint: Any, progress: bool | None) -> list[SplitResult]:
    """Runs in the order of the jobs, whichever ends first."""
    journal = None if checkpoint is None else ComparisonJournal(checkpoint)
    done = {job.key: journal.found[job.key] for job in jobs if job.key in journal.found} if journal else {}
    left = [job for job in jobs if job.key not in done]
    with _bar(len(jobs), len(done), progress) as advance:
        try:
            for key, run in _finished(left, n_jobs):
                done[key] = run
                if journal:
                    journal.add(key, run)
                advance(run)
        except KeyboardInterrupt as stop:
            if journal:
                stop.add_note(
                    f"{len(done)} of {len(jobs)} fits are in {journal.path}: the same call goes on from there."
                )
            raise
    return [done[job.key] for job in jobs]


def _finished(jobs: list[SplitJob], n_jobs: int | None) -> Iterable[tuple[str, SplitResult]]:
    if not jobs:
        return ()
    found: Iterable[tuple[str, SplitResult]] = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(SplitJob.run)(job) for job in jobs
    )
    return found


@contextmanager
def _bar(total: int, done: int, wanted: bool | None) -> Iterator[Callable[[SplitResult], None]]:
    """A progress bar, or nothing; gives the function to call after each run."""
    from rich.console import Console

    console = Console(stderr=True)
    if not (wanted if wanted is not None else console.is_terminal or console.is_jupyter):
        yield lambda run: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=total, completed=done)
        yield lambda run: bar.update(task, advance=1, description=f"{run.data_set}: {run.learner}")
