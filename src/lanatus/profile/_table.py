"""What is odd about a table and its target as a whole."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import skew

from lanatus.profile._facts import Finding
from lanatus.profile._leaks import Leak
from lanatus.profile._rows import Repeats
from lanatus.profile._target import Target
from lanatus.profile._words import listed, tell

_RARE, _VERY_RARE = 0.1, 0.01  # the smallest class against the largest
_SMALL = 10  # rows of a class
_SKEWED = 2.0
_FEW_ROWS = 50
_STRONG = 0.8  # of an effect between 0 and 1
_MANY_COPIES = 0.02  # of the rows


def leak_findings(leaks: Sequence[Leak], dropped: set[str]) -> Iterator[Finding]:
    """Columns that give the target away."""
    for leak in leaks:
        key = "only" if leak.kind == "recoding" and leak.name not in dropped else leak.kind
        yield tell(f"leak:{key}", [leak.name], severity="warning", score=f"{leak.score:.4f}")


def hole_findings(telling: dict[str, float], target: Target) -> Iterator[Finding]:
    """Missing values that go with the target; of many classes they can tell but one or two from the others."""
    strong = [name for name, effect in telling.items() if effect > _STRONG and target.task != "many-class"]
    if strong:
        yield tell("missing-tells:strong", strong, severity="warning")
    if names := [name for name in telling if name not in strong]:
        yield tell("missing-tells", names)


def twin_findings(pairs: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """Columns that come twice."""
    if pairs:
        others = listed(list(dict.fromkeys(earlier for _, earlier in pairs)))
        yield tell("duplicate-columns", [later for later, _ in pairs], others=others.en, others_zh=others.zh)


def row_findings(repeats: Repeats, n: int, n_columns: int) -> Iterator[Finding]:
    """Rows that come twice, and too few of them."""
    if repeats.copies:
        share = repeats.copies / n
        odd = share >= _MANY_COPIES and repeats.unlikely and n >= 100
        code = "duplicates:copies" if repeats.unlikely else "duplicates"
        yield tell(code, severity="warning" if odd else "note", number=repeats.copies, share=f"{share:.1%}")
    if repeats.best < 0.995:
        yield tell("contrary-duplicates", number=repeats.contrary, best=f"{repeats.best:.1%}")
    if n < n_columns:
        yield tell("wide", severity="warning", number=n, width=n_columns)
    if n < _FEW_ROWS:
        yield tell("few-rows", number=n)


def target_findings(target: Target) -> Iterator[Finding]:
    """Holes, balance, shape and order of the target."""
    lost, n = int(np.count_nonzero(~target.keep)), len(target.values)
    if lost:
        strays = target.reading.strays if target.task == "regression" else 0
        yield tell(
            "missing-target:words" if strays else "missing-target",
            [target.name],
            severity="warning" if lost > 0.2 * (n + lost) or strays else "note",
            number=lost,
            all=n + lost,
            strays=strays,
        )
    yield from _of_numbers(target) if target.task == "regression" else _of_classes(target)
    if n >= 20 and _is_sorted(target):
        yield tell("sorted-by-target", [target.name])


def _of_numbers(target: Target) -> Iterator[Finding]:
    if len(target.values) < 20:
        return
    with np.errstate(all="ignore"):
        lean = float(skew(target.values))
    if abs(lean) > _SKEWED:
        yield tell("skewed-target", [target.name], lean=f"{lean:.1f}")


def _of_classes(target: Target) -> Iterator[Finding]:
    counts = np.bincount(target.codes, minlength=len(target.classes))
    labels = [str(label) for label in target.classes]
    single = [label for label, count in zip(labels, counts, strict=True) if count == 1]
    small = [label for label, count in zip(labels, counts, strict=True) if 1 < count < _SMALL]
    for key, rare in (("single-row-class", single), ("small-class", small)):
        if rare:
            said = listed(rare, "类")
            severity = "warning" if rare is single else "note"
            places = {"number": len(rare), "least": _SMALL, "labels": said.en, "labels_zh": said.zh}
            yield tell(key, [target.name], severity=severity, **places)  # type: ignore[arg-type]
    least, most, n = int(counts.min()), int(counts.max()), int(counts.sum())
    if least < _RARE * most:
        yield tell(
            "imbalance",
            [target.name],
            severity="warning" if least < _VERY_RARE * most else "note",
            label=labels[int(counts.argmin())],
            number=least,
            all=n,
            share=f"{least / n:.2%}",
            largest=f"{most / n:.1%}",
        )


def _is_sorted(target: Target) -> bool:
    if target.task != "regression":
        return bool(np.count_nonzero(np.diff(target.codes)) == len(target.classes) - 1)
    steps = np.diff(target.values)
    return bool((steps >= 0).all() or (steps <= 0).all())
