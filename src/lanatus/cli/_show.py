"""What a run looks like in a terminal: the table as it was found, progress, leaderboard."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table as RichTable
from rich.text import Text

from lanatus.auto import Run, RunProgress
from lanatus.profile import Profile
from lanatus.report import Facts
from lanatus.table import Language

__all__ = ["show_profile", "show_run", "watching"]

_MANY_HOLES = 0.2  # share of rows without a target from which on it is said what they are good for
_WORDS = {
    "two-class": {"en": "two classes", "zh": "二分类"},
    "many-class": {"en": "many classes", "zh": "多分类"},
    "regression": {"en": "numbers", "zh": "回归"},
    "table": {"en": "{rows:,} rows, {columns} columns ({kinds}); to predict: {target} ({task})",
              "zh": "{rows:,}行,{columns}列({kinds});预测目标:{target}({task})"},
    "dropped": {"en": "{n:,} rows without a target are left out.", "zh": "{n:,}行缺少目标值,未使用。"},
    "unlabelled": {"en": "{n:,} rows of {total:,} have no target: left out, or with --unlabelled use tried too.",
                   "zh": "{total:,}行中有{n:,}行缺少目标值:不使用,或用 --unlabelled use 尝试半监督学习。"},
    "balance": {"en": "classes: {said}", "zh": "类别:{said}"},
    "fits": {"en": "{seconds:.0f} of {budget:.0f} s, {fits} fits",
             "zh": "已用{seconds:.0f}/{budget:.0f}秒,拟合{fits}次"},
    "method": {"en": "method", "zh": "方法"},
    "tuning": {"en": "while tuning", "zh": "调参得分"},
    "trials": {"en": "trials", "zh": "试验数"},
    "verdict": {"en": "verdict", "zh": "结论"},
    "winner": {"en": "winner", "zh": "胜者"},
    "level": {"en": "level", "zh": "无差异"},
    "better": {"en": "better", "zh": "更好"},
    "worse": {"en": "worse", "zh": "较差"},
    "baseline": {"en": "baseline", "zh": "基线"},
    "title": {"en": "On rows held out, {level:.0%} intervals", "zh": "留出样本上的得分,{level:.0%}置信区间"},
    "found": {"en": "Found in the table", "zh": "数据中的发现"},
    "earlier": {"en": "Going on: {n} fits of an earlier run are there.", "zh": "继续上次的运行:已有{n}次拟合。"},
}  # fmt: skip


def _say(key: str, language: Language, **values: Any) -> str:
    return _WORDS[key][language].format(**values)


def show_profile(console: Console, profile: Profile, language: Language = "en") -> None:
    """What is in a table, and what is done about what is odd in it."""
    kinds: dict[str, int] = {}
    for column in profile.columns:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    said = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    console.print(
        escape(
            _say(
                "table",
                language,
                rows=profile.n_rows,
                columns=len(profile.columns),
                kinds=said,
                target=profile.target.name,
                task=_say(profile.task, language),
            )
        )
    )
    if profile.task != "regression" and profile.target.top:
        total = max(profile.n_rows, 1)
        shares = ", ".join(f"{value} {count / total:.0%}" for value, count in profile.target.top[:8])
        console.print(escape(_say("balance", language, said=shares)))
    if profile.dropped_rows:
        total = profile.n_rows + profile.dropped_rows
        many = profile.dropped_rows >= _MANY_HOLES * total
        console.print(_say("unlabelled" if many else "dropped", language, n=profile.dropped_rows, total=total))
    if profile.findings:
        console.print(f"[bold]{_say('found', language)}[/]")
    for finding in profile.findings:
        mark = "[bold yellow]![/]" if finding.severity == "warning" else "[dim]-[/]"
        line = escape(finding.what.of(language))
        console.print(f" {mark} {line} [dim]{escape(finding.done.of(language))}[/]")


@contextmanager
def watching(console: Console, language: Language = "en") -> Iterator[Callable[[Profile | RunProgress], None]]:
    """Something to give to ``lanatus.fit`` as `watch`: a live table on a terminal, a line now and then elsewhere."""
    live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
    shown = [-1.0]

    def watch(news: Profile | RunProgress) -> None:
        if isinstance(news, Profile):
            show_profile(console, news, language)
            if live is not None:
                live.start()
            return
        if shown[0] < 0 and news.n_found:
            console.print(_say("earlier", language, n=news.n_found))
        if live is not None:
            shown[0] = news.seconds
            live.update(_progress(news, language))
        elif news.seconds - shown[0] >= max(5.0, news.budget / 6) or shown[0] < 0:
            shown[0] = news.seconds
            best = f", {news.standings[0][0]} {news.standings[0][1]:.4g}" if news.standings else ""
            used = _say("fits", language, seconds=news.seconds, budget=news.budget, fits=news.n_fits)
            console.print(f"[dim]{used}{escape(best)}[/]")

    try:
        yield watch
    finally:
        if live is not None:
            live.stop()


def _progress(news: RunProgress, language: Language) -> Group:
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    table.add_column(_say("method", language))
    table.add_column(_say("tuning", language), justify="right")
    table.add_column(_say("trials", language), justify="right")
    for k, (name, score, trials) in enumerate(news.standings[:8]):
        table.add_row(name, f"{score:.4g}", str(trials), style="bold green" if k == 0 else "")
    used = _say("fits", language, seconds=news.seconds, budget=news.budget, fits=news.n_fits)
    bar = ProgressBar(total=news.budget, completed=min(news.seconds, news.budget), width=40)
    return Group(bar, Text(used), table)


def show_run(console: Console, run: Run, language: Language = "en") -> None:
    """Leaderboard, conclusion and warnings of a run."""
    console.print(_leaderboard(run.facts, language))
    for words in run.facts.conclusion:
        console.print(escape(words.of(language)))
    for words in run.facts.warnings:
        console.print(f"[yellow]! {escape(words.of(language))}[/]")


def _leaderboard(facts: Facts, language: Language) -> RichTable:
    table = RichTable(title=_say("title", language, level=facts.level))
    table.add_column(_say("method", language), no_wrap=True)
    names = [name for name, _ in facts.measures[:2]]
    table.add_column(names[0], justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in names[1:]:
        table.add_column(name, justify="right")
    table.add_column(_say("verdict", language))
    table.add_column("p", justify="right")
    styles = {"winner": "bold green", "worse": "dim", "baseline": "dim italic"}
    for one in facts.leaderboard:
        p = "" if one.p_value is None else "<0.001" if one.p_value < 0.001 else f"{one.p_value:.3f}"
        first, *others = (one.scores[name] for name in names)
        span = f"{first.low:.4g} - {first.high:.4g}"
        cells = [f"{first.value:.4g}", span, *(f"{score.value:.4g}" for score in others)]
        table.add_row(escape(one.name), *cells, _say(one.verdict, language), p, style=styles.get(one.verdict, ""))
    return table
