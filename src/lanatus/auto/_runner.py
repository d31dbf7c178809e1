"""The course of a run: searches round by round within the budget, then fits to all rows but those that judge them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanatus.auto._blend import blended
from lanatus.auto._journal import TrialJournal
from lanatus.auto._search import Kept, Search
from lanatus.auto._trial import Trial
from lanatus.auto._work import Outcome, TrialJob
from lanatus.auto._workers import Crew

__all__ = ["OUTER", "Answered", "Judged", "RunProgress", "Runner", "Split", "said_of"]

OUTER = "outer"  # the part of a ground that fits all rows to learn from and answers for those held out
_EXPLAINING = 0.1  # share of the budget for importances and the report
_MOST_RESERVED = 0.4  # share of the budget that is kept for the last fits at the most
_SLACK = 1.25  # how much longer than foreseen the last fits may take


@dataclass(frozen=True)
class RunProgress:
    """How far a run is, for whoever watches.

    Attributes
    ----------
    phase : {"search", "judge"}
        Whether trials are searched, or the best fitted to all rows for the judgement.
    seconds, budget : float
        Time used, and allowed.
    n_fits, n_trials, n_found : int
        Fits done; trials begun in the search on all rows; fits found of an earlier run that was killed.
    standings : tuple of (str, float, int)
        Methods with their best score in tuning so far and their number of trials, the best first.
    """

    phase: str
    seconds: float
    budget: float
    n_fits: int
    n_trials: int
    n_found: int
    standings: tuple[tuple[str, float, int], ...]


@dataclass(frozen=True)
class Split:
    """A search and the rows that judge it; no rows where the search serves the last model alone."""

    search: Search
    judged: np.ndarray | None


@dataclass(frozen=True)
class Answered:
    """A method fitted to all rows of a search, with its answers for those that judge it."""

    answers: np.ndarray
    loss: float
    fit_seconds: float
    predict_seconds: float
    params: dict[str, str]


@dataclass(frozen=True)
class Judged:
    """What one split found: the model kept, and the best of each method."""

    kept: Kept
    winner: Answered
    methods: dict[str, Answered]


class Runner:
    """Searches that go on side by side, one round after the other.

    Parameters
    ----------
    splits : sequence of Split
        The searches; the last one is that whose outcome the last model is made of.
    crew : Crew
        Who does the jobs.
    journal : TrialJournal
        Where outcomes are kept.
    budget : float
        Seconds from `start` on.
    start : float
        When the run began, by ``time.monotonic``.
    watch : callable or None
        Called with a `RunProgress` after each fit.
    """

    def __init__(
        self,
        splits: Sequence[Split],
        crew: Crew,
        journal: TrialJournal,
        budget: float,
        start: float,
        watch: Callable[[RunProgress], None] | None = None,
    ) -> None:
        self.splits = list(splits)
        self.crew, self.journal, self.watch = crew, journal, watch
        self.budget, self.start = budget, start - journal.seconds
        self.n_fits = 0
        self.was_stopped = False
        self._told = -np.inf
        self._owner: dict[Path, Search] = {split.search.ground: split.search for split in self.splits}

    # ------------------------------------------------------------ the search

    def search(self) -> None:
        """Rounds until all searches are done, the time is up, or the user has had enough."""
        try:
            self._rounds()
            self._at_least_one()
        except KeyboardInterrupt:
            self.was_stopped = True

    def _rounds(self) -> None:
        while any(not split.search.is_done for split in self.splits):
            rounds = [(split.search, split.search.next_round()) for split in self.splits]
            until = self.start + self.budget - self._reserve()
            jobs = self._affordable(rounds, until - time.monotonic())
            if any(needed for _, needed in rounds) and not jobs:
                return
            if not self._do(jobs, until, self._absorb):
                return

    def _absorb(self, job: TrialJob, outcome: Outcome) -> None:
        self._owner[job.ground].absorb(job, outcome)

    def _at_least_one(self) -> None:
        """However short the budget, some method that can be fitted is, on every split."""
        for split in self.splits:
            for jobs in split.search.first_jobs():
                if split.search.highest() is None:
                    self._do(jobs, np.inf, self._absorb)

    def _affordable(
        self, rounds: list[tuple[Search, list[tuple[Trial, list[TrialJob]]]]], left: float
    ) -> list[TrialJob]:
        """The jobs of the most promising trials that the time left is enough for, the first of each search first."""
        jobs: list[TrialJob] = []
        capacity = left * self.crew.n_jobs
        queues = [(search, list(needed)) for search, needed in rounds]
        while any(needed for _, needed in queues):
            for search, needed in queues:
                if not needed:
                    continue
                trial, own = needed.pop(0)
                each = [search.seconds(trial, len(search.plan.parts[job.part][0])) or 0.0 for job in own]
                if capacity <= 0 or sum(each) > capacity or max(each) > left:
                    continue
                capacity -= sum(each)
                jobs += own
        return jobs

    def _do(self, jobs: Sequence[TrialJob], until: float, absorb: Callable[[TrialJob, Outcome], None]) -> bool:
        """Do jobs, or look them up where they were done before the run was killed."""

        def done(job: TrialJob, outcome: Outcome) -> None:
            self.journal.add(job, outcome)
            take(job, outcome)

        def take(job: TrialJob, outcome: Outcome) -> None:
            self.n_fits += 1
            absorb(job, outcome)
            self._tell("search" if job.part != OUTER else "judge")

        fresh = []
        for job in jobs:
            known = self.journal.find(job)
            if known is None:
                fresh.append(job)
            else:
                take(job, known)
        whole = self.crew.run(fresh, until, done)
        self.journal.note(time.monotonic() - self.start)
        return whole

    def _reserve(self) -> float:
        """Seconds that the fits after the search will take."""
        seconds, last = 0.0, 0.0
        for split in self.splits:
            if (level := split.search.highest()) is None:
                continue
            rows = len(split.search.y)
            best = [split.search.trials[key] for key in split.search.ranked(level)[:4]]
            chosen = sum(split.search.seconds(trial, rows) or 0.0 for trial in best)
            last = chosen
            if split.judged is not None:
                seconds += chosen
                seconds += sum(self._optional(split.search).values())
        # Before the larger levels these are rough guesses, which must not end the search.
        fits = min((seconds + 2 * last) / self.crew.n_jobs * _SLACK, _MOST_RESERVED * self.budget)
        return fits + _EXPLAINING * self.budget

    def _optional(self, search: Search) -> dict[str, float]:
        """Methods whose fit on all rows is worth its time, with that time."""
        found = {}
        for family, trial, _ in search.best_of_families():
            seconds = search.seconds(trial, len(search.y)) or 0.0
            if seconds < 0.1 * self.budget:
                found[family] = seconds
        return found

    def _tell(self, phase: str) -> None:
        if self.watch is None or time.monotonic() - self._told < 0.2:
            return
        self._told = time.monotonic()
        last = self.splits[-1].search
        counts: dict[str, int] = {}
        for trial in last.trials.values():
            counts[trial.family] = counts.get(trial.family, 0) + 1
        sign = -1 if last.score.greater_is_better else 1
        ranked = sorted(((loss, family) for family, _, loss in last.best_of_families()), key=lambda pair: pair[0])
        standings = tuple((family, sign * loss, counts.get(family, 0)) for loss, family in ranked)
        seconds = time.monotonic() - self.start
        self.watch(
            RunProgress(phase, seconds, self.budget, self.n_fits, len(last.trials), self.journal.n_found, standings)
        )

    # ------------------------------------------------------------ the judgement

    def judge(self) -> list[Judged | None]:
        """Fit what each search kept, and the best of each method, to all its rows, and answer for those held out.

        None for a split without rows to judge by, or where nothing could be fitted.
        """
        kept = [split.search.kept() if split.judged is not None else None for split in self.splits]
        outcomes: dict[str, Outcome] = {}

        def absorb(job: TrialJob, outcome: Outcome) -> None:
            if not outcome.error:
                outcomes[f"{job.ground}/{job.trial.key}"] = outcome

        must, may = [], []
        for split, one in zip(self.splits, kept, strict=True):
            if one is not None:
                worth = self._optional(split.search)
                must += [self._outer(split, trial) for trial in one.trials]
                best = split.search.best_of_families()
                may += [self._outer(split, trial) for family, trial, _ in best if family in worth]
        self._do(_once(must), np.inf, absorb)
        last = self.splits[-1].search
        final = last.kept()
        closing = sum(last.seconds(trial, len(last.y)) or 0.0 for trial in final.trials) if final else 0.0
        rest = [job for job in _once(may) if f"{job.ground}/{job.trial.key}" not in outcomes]
        allowed = self.start + self.budget - closing - _EXPLAINING * self.budget
        try:
            if not self.was_stopped:
                self._do(rest, max(allowed, time.monotonic() + 0.1 * self.budget), absorb)
        except KeyboardInterrupt:
            self.was_stopped = True
        return [self._judged(split, one, outcomes) for split, one in zip(self.splits, kept, strict=True)]

    def _outer(self, split: Split, trial: Trial) -> TrialJob:
        return TrialJob(split.search.ground, trial, OUTER, split.search.seed)

    def _judged(self, split: Split, kept: Kept | None, outcomes: dict[str, Outcome]) -> Judged | None:
        if kept is None:
            return None

        def answered(trials: Sequence[Trial], weights: Sequence[float], loss: float) -> Answered | None:
            have = [outcomes.get(f"{split.search.ground}/{trial.key}") for trial in trials]
            alive = [(one, weight) for one, weight in zip(have, weights, strict=True) if one is not None]
            if not alive:
                return None
            total = sum(weight for _, weight in alive)
            answers = [np.asarray(one.answers) for one, _ in alive]
            return Answered(
                blended(answers, [weight / total for _, weight in alive]),
                loss,
                sum(one.fit_seconds for one, _ in alive),
                sum(one.predict_seconds for one, _ in alive),
                said_of(trials, weights),
            )

        winner = answered(kept.trials, kept.weights, kept.loss)
        if winner is None:
            return None
        each = {family: answered([trial], [1.0], loss) for family, trial, loss in split.search.best_of_families()}
        return Judged(kept, winner, {family: one for family, one in each.items() if one is not None})


def said_of(trials: Sequence[Trial], weights: Sequence[float]) -> dict[str, str]:
    """Parameters of a trial, or the members of a blend with their weights."""
    if len(trials) == 1:
        return {name: str(value) for name, value in trials[0].params.items()}
    numbered = enumerate(zip(trials, weights, strict=True), 1)
    return {f"{k}. {trial.family}": f"{weight:.2f}" for k, (trial, weight) in numbered}


def _once(jobs: Sequence[TrialJob]) -> list[TrialJob]:
    """Each job once."""
    return list({job.key: job for job in jobs}.values())
