"""Watching and resuming long fits, on top of ``sklearn.callback``.

``estimator.set_callbacks(Recorder(), Checkpoint("run.ckpt"), ProgressBar())``. `Progress` is the other side:
what an iterative estimator uses to report its restarts and iterations.
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.callback import CallbackSupportMixin, ProgressBar, ScoringMonitor

from lanatus._files import atomic_write

__all__ = [
    "CallbackSupportMixin",
    "Checkpoint",
    "Progress",
    "ProgressBar",
    "Recorder",
    "Restart",
    "ScoringMonitor",
    "tell",
]

State = dict[str, Any]


def tell(news: str) -> None:
    """A line for who asked for news by `verbose`, at once."""
    sys.stdout.write(news + "\n")
    sys.stdout.flush()


class Recorder:
    """Keeps the model of every iteration, for teaching and animation.

    Attributes
    ----------
    models : list of fitted estimators, one an iteration, in order
    restarts : list of int, the restart that each belongs to

    Examples
    --------
    >>> from lanatus.callbacks import Recorder
    >>> from lanatus.cluster import KMeans
    >>> recorder = Recorder()
    >>> model = KMeans(2, init=[[0.0], [1.0]]).set_callbacks(recorder).fit([[0], [1], [8], [9]])
    >>> [m.cluster_centers_.ravel().tolist() for m in recorder.models]
    [[0.0, 6.0], [0.5, 8.5], [0.5, 8.5]]
    """

    def __init__(self) -> None:
        self.models: list[Any] = []
        self.restarts: list[int] = []

    def setup(self, estimator: Any, context: Any) -> None:
        """Forget the models of an earlier fit."""
        self.models, self.restarts = [], []

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to do."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> None:
        """Keep the model as it is after an iteration."""
        if context.task_name == "iteration" and fitted_estimator is not None:
            self.models.append(fitted_estimator)
            self.restarts.append(context.parent.task_id)

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to do."""

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, index: int) -> Any:
        return self.models[index]


class Checkpoint:
    """Writes the state of a fit to a file, so that a killed one goes on from where it was.

    Give the same callback to the same estimator on the same data again and ``fit`` resumes; the answer is
    that of an uninterrupted fit. The file holds arrays only, is written atomically, and is removed at the end.

    Parameters
    ----------
    path : str or Path
        The file.
    seconds : float, default=0
        Least time between two writes; 0 writes after every iteration.
    """

    def __init__(self, path: str | Path, *, seconds: float = 0) -> None:
        self.path = Path(path)
        self.seconds = seconds
        self.resumed = False
        self._last = -np.inf

    def setup(self, estimator: Any, context: Any) -> None:
        """Offer the saved state to the estimator, which asks for it through `Progress`."""
        self.resumed = False
        self._last = -np.inf
        estimator._checkpoint = self

    def teardown(self, estimator: Any, context: Any) -> None:
        """Let go of the estimator."""
        estimator.__dict__.pop("_checkpoint", None)

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to do."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> None:
        """Write after an iteration; the file has done its work once the whole fit is through."""
        if context.parent is None or context.task_name == "fit":
            self.path.unlink(missing_ok=True)
        elif metadata and "state" in metadata and time.monotonic() - self._last >= self.seconds:
            self.write(metadata["state"](), metadata["fingerprint"])
            self._last = time.monotonic()

    def write(self, state: State, fingerprint: str) -> None:
        """Save arrays and numbers atomically."""
        arrays = {name: np.asarray(value) for name, value in state.items() if value is not None}
        header = np.frombuffer(json.dumps({"fingerprint": fingerprint}).encode(), np.uint8)
        with atomic_write(self.path) as file:
            np.savez(file, allow_pickle=False, __header__=header, **arrays)

    def read(self, fingerprint: str) -> State | None:
        """The saved state, None if there is none; an error if it is of another fit."""
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as saved:
                state = {name: saved[name] for name in saved.files}
            header = json.loads(state.pop("__header__").tobytes())
        except Exception as error:
            raise ValueError(f"{self.path} is not a checkpoint ({error}); delete it to start anew.") from None
        if header.get("fingerprint") != fingerprint:
            raise ValueError(
                f"{self.path} is the checkpoint of another fit (other data or parameters); "
                "delete it or give another path."
            )
        self.resumed = True
        return state


class Progress:
    """Reports the restarts and iterations of one fit to its callbacks, and finds where a killed one stopped.

    Parameters
    ----------
    estimator : estimator with ``CallbackSupportMixin``
        The one being fitted.
    X : data
        Handed to the callbacks, and part of what a checkpoint must match.
    weight : data, optional
        Weights of the rows, which a checkpoint must match too.
    restarts : int
        Number of restarts, each with at most `max_iter` iterations.
    max_iter : int
        Most iterations in a restart.
    """

    def __init__(self, estimator: Any, X: Any, weight: Any = None, *, restarts: int = 1, max_iter: int) -> None:
        self.estimator = estimator
        self.X = X
        self.max_iter = max_iter
        self.root = estimator._init_callback_context(max_subtasks=restarts)
        self.watched = bool(self.root._callbacks)
        self.root.call_on_fit_task_begin(estimator=estimator, X=X)
        checkpoint = getattr(estimator, "_checkpoint", None)
        self._fingerprint = fingerprint(estimator, X, weight) if checkpoint is not None else ""
        self.saved: State | None = checkpoint.read(self._fingerprint) if checkpoint is not None else None

    def iterations(self, start: int = 0) -> Iterator["Iteration"]:
        """The iterations of the next restart; ends early when a callback asks to stop."""
        return self._iterations(start, lambda state: state)

    def best_restart(
        self, seeds: np.ndarray, run: Callable[["Restart"], State], better: Callable[[State, State], bool]
    ) -> State:
        """Run a restart for each seed and give the best result; goes on from a checkpoint if there is one.

        Parameters
        ----------
        seeds : ndarray of int
            One for each restart.
        run : callable
            Runs one `Restart` and gives its result, a dict of arrays and numbers.
        better : callable
            Whether the first of two results is the better one; the earlier is kept where neither is.
        """
        saved = self.saved or {}
        seeds = saved.get("seeds", seeds)
        best, first = _with_prefix(saved, "best_"), int(saved.get("start", 0))
        for number, seed in enumerate(seeds):
            if number < first:  # finished before the fit was interrupted
                self.root.subcontext("restart", max_subtasks=self.max_iter)
                continue
            frame = {"start": number, "seeds": seeds, **_prefixed(best, "best_")}
            found = run(Restart(self, int(seed), _with_prefix(saved, "pass_") if number == first else {}, frame))
            if not best or better(found, best):
                best = found
        return best

    def _iterations(self, start: int, whole: Callable[[State], State]) -> Iterator["Iteration"]:
        run = self.root.subcontext("restart", max_subtasks=self.max_iter)
        run.call_on_fit_task_begin(estimator=self.estimator, X=self.X)
        for number in range(start, self.max_iter):
            step = Iteration(self, run.subcontext("iteration") if self.watched else None, number, whole)
            yield step
            if step.stop:
                break
        run.call_on_fit_task_end(estimator=self.estimator, X=self.X)

    def finish(self, attributes: State) -> None:
        """The whole fit is through."""
        self.root.call_on_fit_task_end(estimator=self.estimator, X=self.X, reconstruction_attributes=lambda: attributes)


class Restart:
    """One of several starts of a fit, of which the best is kept.

    Attributes
    ----------
    seed : int, what its random numbers come from
    saved : dict, the state of its last iteration before the fit was interrupted; empty for a fresh start
    """

    def __init__(self, progress: Progress, seed: int, saved: State, frame: State) -> None:
        self.seed = seed
        self.saved = saved
        self._progress = progress
        self._frame = frame

    def iterations(self, start: int = 0) -> Iterator["Iteration"]:
        """Its iterations from `start` on; ends early when a callback asks to stop."""
        return self._progress._iterations(start, lambda state: {**self._frame, **_prefixed(state, "pass_")})


class Iteration:
    """One iteration: `number` counts from 0, `stop` says that a callback wants an end."""

    def __init__(self, progress: Progress, context: Any, number: int, whole: Callable[[State], State]) -> None:
        self.number = number
        self.stop = False
        self._progress = progress
        self._context = context
        self._whole = whole  # a state with that of the other restarts
        if context is not None:
            context.call_on_fit_task_begin(estimator=progress.estimator, X=progress.X)

    def done(self, *, state: Callable[[], State], attributes: Callable[[], State]) -> None:
        """Report the end: `state` is all that a resumed fit needs, `attributes` make a model of this moment."""
        if self._context is not None:
            progress = self._progress
            self.stop = self._context.call_on_fit_task_end(
                estimator=progress.estimator,
                X=progress.X,
                metadata={"state": lambda: self._whole(state()), "fingerprint": progress._fingerprint},
                reconstruction_attributes=attributes,
            )


def _prefixed(state: State, prefix: str) -> State:
    return {prefix + name: value for name, value in state.items()}


def _with_prefix(state: State, prefix: str) -> State:
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}


def fingerprint(estimator: Any, *data: Any) -> str:
    """A digest of an estimator's parameters and of (a sample of) the data: rows, weights."""
    digest = hashlib.sha256(type(estimator).__qualname__.encode())
    for name, value in sorted(estimator.get_params().items()):
        value = np.asarray(value).tolist() if hasattr(value, "__array__") or isinstance(value, list | tuple) else value
        if isinstance(value, np.random.RandomState):
            value = "RandomState"
        digest.update(f"{name}={value!r};".encode())
    for part in data:
        for piece in _pieces(part):
            digest.update(piece)
    return digest.hexdigest()


def _pieces(part: Any) -> Iterator[bytes]:
    """What tells one data set from another without reading all of it."""
    if part is None:
        yield b"none"
    elif hasattr(part, "files"):  # a scanned source
        stamps = [(file, os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in part.files]
        yield repr((stamps, part.feature_names, part.target, part.weight, len(part))).encode()
    elif hasattr(part, "__dask_graph__"):  # its name is a digest of how it came about
        yield repr((getattr(part, "_name", None) or getattr(part, "name", None), part.ndim)).encode()
    else:
        yield repr((part.shape, str(part.dtype))).encode()
        for values in (part.data, part.indices, part.indptr) if sp.issparse(part) else (np.asarray(part),):
            flat = values.reshape(-1)
            yield np.ascontiguousarray(flat[:: max(1, flat.size // 100_000)]).tobytes()
