"""What a case is, and how it is run: one process, ours and the peers in turn, medians, quality beside time."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """One comparison.

    `make` gives the data once; `ours` and each of `peers` take it and give a result; `quality` of a result is a
    number, higher is better. The floor is for the time of the fastest peer of equal quality over ours.
    """

    suite: str
    name: str
    make: Callable[[], Any]
    ours: Callable[[Any], Any]
    peers: dict[str, Callable[[Any], Any]]
    quality: Callable[[Any, Any], float]
    quality_name: str
    floor: float
    tolerance: float = 1e-3  # relative difference of quality that still counts as equal
    rounds: int = 5


@dataclass
class Timing:
    """Times of one contender: the first call, then the warm ones."""

    first: float = 0.0
    warm: list[float] = field(default_factory=list)
    quality: float = float("nan")

    @property
    def seconds(self) -> float:
        """Median of the warm runs."""
        return statistics.median(self.warm)


@dataclass(frozen=True)
class Outcome:
    """All timings of a case."""

    case: Case
    timings: dict[str, Timing]
    absent: dict[str, str]

    def equal_or_better(self, name: str) -> bool:
        """Whether a peer is a rival: its quality is not below ours by more than the tolerance."""
        ours, theirs = self.timings["lanatus"].quality, self.timings[name].quality
        return theirs >= ours - self.case.tolerance * max(abs(ours), 1e-12)

    @property
    def worse_than_peers(self) -> bool:
        """Whether our quality is below that of some peer by more than the tolerance."""
        ours = self.timings["lanatus"].quality
        return any(t.quality > ours + self.case.tolerance * max(abs(ours), 1e-12) for t in self.timings.values())

    @property
    def rival(self) -> str | None:
        """The fastest peer of equal quality; None where no such peer is installed."""
        names = [name for name in self.timings if name != "lanatus" and self.equal_or_better(name)]
        return min(names, key=lambda name: self.timings[name].seconds, default=None)

    @property
    def ratio(self) -> float:
        """Rival's time over ours; NaN without a rival."""
        if self.rival is None:
            return float("nan")
        return self.timings[self.rival].seconds / self.timings["lanatus"].seconds

    @property
    def passed(self) -> bool:
        """Floor met at equal quality; without a rival, no peer that is there being better."""
        return not self.worse_than_peers and not self.ratio < self.case.floor


@dataclass(frozen=True)
class Finding:
    """Something measured that is no race: memory, growth."""

    what: str
    wanted: str
    got: str
    passed: bool


def run(case: Case, say: Callable[[str], None]) -> Outcome:
    """Time ours and the peers in turn, `rounds` times after a first call each."""
    data = case.make()
    contenders = {"lanatus": case.ours, **case.peers}
    timings: dict[str, Timing] = {}
    absent: dict[str, str] = {}
    for name, call in contenders.items():
        try:
            seconds, result = _timed(call, data)
        except ImportError as error:
            absent[name] = str(error)
            continue
        timings[name] = Timing(first=seconds, quality=case.quality(data, result))
    for _ in range(case.rounds):
        for name, timing in timings.items():
            timing.warm.append(_timed(contenders[name], data)[0])
    outcome = Outcome(case, timings, absent)
    for name, timing in timings.items():
        say(
            f"    {name:28s} {timing.seconds:9.4f} s  first {timing.first:9.4f} s  "
            f"{case.quality_name} {timing.quality:.6g}"
        )
    return outcome


def _timed(call: Callable[[Any], Any], data: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call(data)
    return time.perf_counter() - start, result
