"""A search: trials in rounds, from a part of the rows to all of them, then better parameters for the best methods.

What a round tries follows from what the rounds before it found, never from the clock: with the same seed the budget
says only how far it goes.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lanatus.auto._blend import blend_weights, blended
from lanatus.auto._plan import Plan
from lanatus.auto._scores import Score
from lanatus.auto._trial import Candidate, Trial
from lanatus.auto._work import Outcome, TrialJob

__all__ = ["Kept", "Search"]

_PER_ROUND = 6  # new trials
_PATIENCE = 8  # rounds without a better trial before the search ends by itself
_LEAST_KEPT = 5  # trials that go on to the next level
_FAMILIES = 3  # methods whose parameters are searched
_SPREAD = 0.2  # of a step away from the best parameters, in their unit intervals
_MEMBERS = 10  # trials that may enter a blend
_GROWTH = 0.8  # power of the rows that times seem to grow by: a part of each fit does not depend on them
_FINAL_COST = 3.0  # how many times as long a fit with the parameters for the last one takes


class Kept:
    """What a search ends with: trials and their weights in the mean of their answers."""

    def __init__(self, trials: Sequence[Trial], weights: Sequence[float], loss: float) -> None:
        self.trials = tuple(trials)
        self.weights = tuple(float(weight) for weight in weights)
        self.loss = loss


class Search:
    """Trials on the rows of one ground.

    Parameters
    ----------
    ground : Path
        Where the rows are.
    y : ndarray
        Targets of the rows to learn from.
    plan : Plan
        Levels and their parts.
    candidates : sequence of Candidate
        The methods.
    score : Score
        What to tune by.
    seed : int
        Of the trials and of the fits.
    most_seconds : float, default=inf
        What a single fit to all rows may take; trials that need longer are not kept, unless there is no other.
    """

    def __init__(
        self,
        ground: Path,
        y: np.ndarray,
        plan: Plan,
        candidates: Sequence[Candidate],
        score: Score,
        seed: int,
        most_seconds: float = math.inf,
    ) -> None:
        self.ground, self.y, self.plan, self.score, self.seed = ground, y, plan, score, seed
        self.most_seconds = most_seconds
        self.candidates = {family.name: family for family in candidates}
        self.trials: dict[str, Trial] = {}
        self.outcomes: dict[str, dict[str, Outcome]] = defaultdict(dict)
        self.failed: dict[str, str] = {}
        self.is_done = False
        self._losses: dict[tuple[str, str], float] = {}
        self._rng = np.random.RandomState(seed)
        self._stage = 0  # the level that the starts have reached
        self._proposed: list[Trial] = []
        self._best = math.inf
        self._stale = 0

    # ------------------------------------------------------------ rounds

    def next_round(self) -> list[tuple[Trial, list[TrialJob]]]:
        """The trials of the next round in order of promise, each with the jobs it needs; none where all is done."""
        if self._stage == 0:
            wanted = [(trial, 0) for family in self.candidates.values() for trial in family.starts()]
        elif self._stage < len(self.plan.levels):
            wanted = [(trial, self._stage) for trial in self._survivors(self._stage - 1)]
        else:
            wanted = self._tuning_round()
        self._stage += 1
        for trial, _ in wanted:
            self.trials.setdefault(trial.key, trial)
        jobs = [(trial, self._jobs(trial, level)) for trial, level in wanted]
        return [(trial, needed) for trial, needed in jobs if needed]

    def first_jobs(self) -> Iterator[list[TrialJob]]:
        """For each method, the simplest first, what it takes to know anything of it."""
        for family in self.candidates.values():
            trial = next(family.starts())
            yield self._jobs(trial, 0) if trial.key not in self.failed else []

    def _jobs(self, trial: Trial, level: int) -> list[TrialJob]:
        have = self.outcomes[trial.key]
        return [
            TrialJob(self.ground, trial, part, self.seed) for part in self.plan.levels[level].parts if part not in have
        ]

    def absorb(self, job: TrialJob, outcome: Outcome) -> None:
        """Take in what a job gave."""
        self.trials.setdefault(job.trial.key, job.trial)
        if outcome.error:
            self.failed[job.trial.key] = outcome.error
        else:
            self.outcomes[job.trial.key][job.part] = outcome

    def _survivors(self, level: int) -> list[Trial]:
        """The better half of the trials at a level."""
        ranked = self.ranked(level)
        return [self.trials[key] for key in ranked[: max(_LEAST_KEPT, math.ceil(len(ranked) / 2))]]

    def _tuning_round(self) -> list[tuple[Trial, int]]:
        last = len(self.plan.levels) - 1
        screen = max(0, last - 1)
        ranked = self.ranked(last)
        if not ranked:
            self.is_done = True
            return []
        best = self.loss(ranked[0], last)
        self._stale = 0 if best < self._best else self._stale + 1
        self._best = min(best, self._best)
        if self._stale > _PATIENCE:
            self.is_done = True
            return []
        promoted = self._promoted(screen, ranked)
        self._proposed = self._proposals(screen)
        if not promoted and not self._proposed:
            self.is_done = True
        return [(trial, last) for trial in promoted] + [(trial, screen) for trial in self._proposed]

    def _promoted(self, screen: int, incumbents: list[str]) -> list[Trial]:
        """Of the last proposals, those that the screening ranks among the trials that went on before."""
        worst = max(self.loss(key, screen) for key in incumbents[:_LEAST_KEPT])
        fresh = [trial for trial in self._proposed if self._reached(trial.key, screen)]
        fresh = [trial for trial in fresh if self.loss(trial.key, screen) < worst]
        return sorted(fresh, key=lambda trial: self.loss(trial.key, screen))[: _PER_ROUND // 2]

    def _proposals(self, screen: int) -> list[Trial]:
        """New parameters for the methods that do best, most of them near the best known ones."""
        leaders: dict[str, Trial] = {}
        for key in self.ranked(screen):
            trial = self.trials[key]
            if self.candidates[trial.family].contender.space:
                leaders.setdefault(trial.family, trial)
        chosen = list(leaders.values())[:_FAMILIES]
        if not chosen:
            return []
        trials: dict[str, Trial] = {}
        shares = np.array([0.5, 0.3, 0.2])[: len(chosen)]
        for _ in range(_PER_ROUND):
            near = chosen[int(self._rng.choice(len(chosen), p=shares / shares.sum()))]
            trial = self._moved(near)
            if trial.key not in self.trials:
                trials[trial.key] = trial
        return list(trials.values())

    def _moved(self, near: Trial) -> Trial:
        """Parameters a random step away from some, or one time in four anywhere."""
        space = self.candidates[near.family].contender.space
        params = dict(near.params)
        anywhere = self._rng.uniform() < 0.25
        moved = [name for name in space if anywhere or self._rng.uniform() < 0.5] or list(space)
        for name in moved:
            if anywhere or name not in params:
                place = self._rng.uniform()
            else:
                place = float(np.clip(space[name].place(params[name]) + _SPREAD * self._rng.normal(), 0, 1))
            params[name] = space[name].at(place)
        return self.candidates[near.family].trial(params)

    # ------------------------------------------------------------ what is known

    def _reached(self, key: str, level: int) -> bool:
        return key not in self.failed and set(self.plan.levels[level].parts) <= set(self.outcomes[key])

    def ranked(self, level: int) -> list[str]:
        """Trials that have all parts of a level, the best first."""
        return sorted((key for key in self.trials if self._reached(key, level)), key=lambda key: self.loss(key, level))

    def loss(self, key: str, level: int) -> float:
        """Mean loss of a trial over the parts of a level."""
        have = self.outcomes[key]
        parts = self.plan.levels[level].parts
        sizes = [len(self.plan.parts[part][1]) for part in parts]
        each = [self._part_loss(key, part, have[part]) for part in parts]
        return float(np.average(each, weights=sizes))

    def _part_loss(self, key: str, part: str, outcome: Outcome) -> float:
        if (key, part) not in self._losses:
            assert outcome.answers is not None
            self._losses[key, part] = self.score.loss(self.y[self.plan.parts[part][1]], outcome.answers)
        return self._losses[key, part]

    def highest(self) -> int | None:
        """The highest level that several trials have reached, None where not even one fit succeeded.

        Where the time was up in the middle of a level, the few that came that far are not all that is good.
        """
        reached = [len(self.ranked(level)) for level in range(len(self.plan.levels))]
        enough = min(_LEAST_KEPT, max(reached, default=0))
        return max((level for level, n in enumerate(reached) if n >= enough > 0), default=None)

    def seconds(self, trial: Trial, rows: int) -> float | None:
        """Expected time of one fit of a trial, from its own fits or those of its method; None where unknown."""
        own = self._timed(trial.key)
        if own is None:
            known = [self._timed(key) for key, other in self.trials.items() if other.family == trial.family]
            own = max((one for one in known if one is not None), key=lambda one: one[1] / one[0], default=None)
        if own is None:
            return None
        more = rows / own[0]
        return own[1] * (more**_GROWTH if more > 1 else more)

    def _timed(self, key: str) -> tuple[int, float] | None:
        """Rows and seconds of a trial's fit to the most rows."""
        found = [
            (len(self.plan.parts[part][0]), outcome.fit_seconds)
            for part, outcome in self.outcomes[key].items()
            if part in self.plan.parts
        ]
        if not found:
            return None
        most = max(rows for rows, _ in found)
        return most, float(np.mean([seconds for rows, seconds in found if rows == most]))

    # ------------------------------------------------------------ the end

    def best_of_families(self) -> Iterator[tuple[str, Trial, float]]:
        """The best trial of each method with its loss, at the highest level that the method reached."""
        for family in self.candidates:
            for level in reversed(range(len(self.plan.levels))):
                keys = [key for key in self.ranked(level) if self.trials[key].family == family]
                if keys:
                    yield family, self._settled(keys[0]), self.loss(keys[0], level)
                    break

    def _settled(self, key: str) -> Trial:
        rounds = [outcome.rounds for part, outcome in self.outcomes[key].items() if outcome.rounds is not None]
        last = self.plan.levels[-1].parts
        full = [o.rounds for part, o in self.outcomes[key].items() if o.rounds is not None and part in last]
        final = self.candidates[self.trials[key].family].contender.final
        if _FINAL_COST * self._last_seconds(key) > self.most_seconds:
            final = {}
        return self.trials[key].settled(float(np.mean(full or rounds)) if rounds else None, final)

    def _last_seconds(self, key: str) -> float:
        """Expected time of a fit to all rows."""
        return self.seconds(self.trials[key], len(self.y)) or 0.0

    def kept(self) -> Kept | None:
        """The best trial, or the weighted mean of several where that is better on the inner folds."""
        level = self.highest()
        if level is None:
            return None
        ranked = self.ranked(level)
        affordable = [key for key in ranked if self._last_seconds(key) <= self.most_seconds]
        members: list[str] = []
        for key in affordable or [min(ranked, key=self._last_seconds)]:
            family = self.trials[key].family
            if sum(self.trials[other].family == family for other in members) < _MEMBERS // 3:
                members.append(key)
        members = members[:_MEMBERS]
        rows, answers = self._held_out(members, level)
        weights = blend_weights(self.score, self.y[rows], answers)
        used = np.flatnonzero(weights > 0.04)  # less than one step of the selection in twenty is not worth a fit
        share = weights[used] / weights[used].sum()
        loss = self.score.loss(self.y[rows], blended([answers[j] for j in used], list(share)))
        return Kept([self._settled(members[j]) for j in used], list(share), loss)

    def _held_out(self, keys: Sequence[str], level: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """Rows that the parts of a level answer for, and each trial's mean answer for them."""
        parts = self.plan.levels[level].parts
        tests = [self.plan.parts[part][1] for part in parts]
        rows, place = np.unique(np.concatenate(tests), return_inverse=True)
        counts = np.bincount(place)
        out = []
        for key in keys:
            answers = np.concatenate([np.asarray(self.outcomes[key][part].answers) for part in parts])
            columns = answers[:, None] if answers.ndim == 1 else answers
            sums = np.stack([np.bincount(place, column, len(rows)) for column in columns.T], axis=1) / counts[:, None]
            out.append(sums[:, 0] if answers.ndim == 1 else sums)
        return rows, out
