"""The table as it was found: its target, what is odd about it, its columns."""

from lanatus.profile import ColumnFacts, Finding
from lanatus.report._html import Html, el, join, label
from lanatus.report._numbers import count, day, number, share
from lanatus.report._strips import Strip, sparkline
from lanatus.report._svg import Chart, figure
from lanatus.report._tables import head_cell, name_width, scroller
from lanatus.report._text import View

_OPEN = 25  # columns that are shown before the fold
_NAMES = 8  # columns that a finding names before the fold
_CLASSES = 12
_KINDS = {"numeric", "boolean", "ordinal", "nominal", "date", "text", "identifier", "constant", "empty"}


def data_part(view: View) -> Html:
    """Size, target, findings and columns."""
    return join(_tiles(view), el("div", _target(view), _findings(view), class_="pair"), _columns(view))


def _tiles(view: View) -> Html:
    profile, t = view.facts.profile, view.t
    cells = max(profile.n_rows * len(profile.columns), 1)
    tiles = [
        (
            "rows",
            count(profile.n_rows),
            t("rows dropped", n=count(profile.dropped_rows)) if profile.dropped_rows else "",
        ),
        ("columns", count(len(profile.columns)), t("columns used", n=count(sum(one.used for one in profile.columns)))),
        ("missing", share(sum(one.missing for one in profile.columns) / cells), t("of all cells")),
        ("task", t(f"task {profile.task}"), ""),
    ]
    return el(
        "dl",
        [
            el("div", el("dt", t(key)), el("dd", value), el("dd", more, class_="note") if more else None)
            for key, value, more in tiles
        ],
        class_="tiles",
    )


# ---------------------------------------------------------------- the target


def _target(view: View) -> Html | None:
    target, t = view.facts.profile.target, view.t
    title = t("target", name=target.name)
    if view.facts.profile.task == "regression":
        if not target.histogram or not target.quantiles:
            return None
        return figure(title, _distribution(view), note=_spread(view, target))
    if not target.top:
        return None
    return figure(title, _balance(view), note=t("balance note"))


def _distribution(view: View) -> Html:
    target, t = view.facts.profile.target, view.t
    low, high = target.quantiles[0], target.quantiles[-1]
    chart = Chart(
        "target",
        t("target", name=target.name),
        _spread(view, target),
        (low, high),
        (0, max(target.histogram) * 1.05),
        y_label=t("rows"),
        language=view.language,
        width=460,
        height=220,
    )
    steps = len(target.histogram)
    edges = [low + (chart.x[1] - low) * k / steps for k in range(steps + 1)]
    tips = [f"{number(edges[k])} – {number(edges[k + 1])}: {count(c)}" for k, c in enumerate(target.histogram)]
    chart.bars(edges, target.histogram, tips=tips)
    return chart.svg()


def _balance(view: View) -> Html:
    target, t = view.facts.profile.target, view.t
    shown = target.top[:_CLASSES]
    total = max(view.facts.profile.n_rows, 1)
    strip = Strip([n / total for _, n in shown], zero=True)
    rows = [
        el(
            "li",
            label(name, 120),
            strip.bar(n / total),
            el("span", f"{count(n)} · {share(n / total)}", class_="figure-value", data_value=n),
        )
        for name, n in shown
    ]
    left = max(target.distinct - len(shown), 0)
    if left:
        rest = max(total - sum(n for _, n in shown), 0)
        rows.append(
            el(
                "li",
                el("span", t("other classes", n=left)),
                strip.bar(rest / total, style="s7"),
                el("span", f"{count(rest)} · {share(rest / total)}", class_="figure-value"),
            )
        )
    return el("ul", rows, class_="bars")


def _spread(view: View, column: ColumnFacts) -> str:
    names = ("least", "lower", "median", "upper", "greatest")
    show = day if column.kind == "date" else number
    words = [f"{view.t(name)} {show(value)}" for name, value in zip(names, column.quantiles, strict=False)]
    if column.mean is not None:
        words.append(f"{view.t('mean')} {number(column.mean)}")
    return view.t("comma").join(words)


# ---------------------------------------------------------------- what is odd


def _findings(view: View) -> Html:
    t = view.t
    findings = sorted(view.facts.profile.findings, key=lambda one: one.severity != "warning")
    if not findings:
        return el("div", el("h3", t("findings")), el("p", t("no findings")), id="findings")
    return el(
        "div",
        el("h3", t("findings")),
        el("ul", [_finding(view, one) for one in findings], class_="findings"),
        id="findings",
    )


def _finding(view: View, one: Finding) -> Html:
    t = view.t
    names, more = one.columns[:_NAMES], one.columns[_NAMES:]
    tags = [el("code", name, class_="name") for name in names]
    fold = el(
        "details", el("summary", t("more names", n=len(more))), [el("code", name, class_="name") for name in more]
    )
    return el(
        "li",
        el("p", el("span", t(one.severity), class_=f"badge {one.severity}"), " ", el("b", t.words(one.what))),
        el("p", tags, fold if more else None, class_="tags") if tags else None,
        el("p", el("span", "→ ", aria_hidden="true"), t.words(one.done), class_="done"),
        class_=f"is-{one.severity}",
        data_code=one.code,
    )


# ---------------------------------------------------------------- the columns


def _columns(view: View) -> Html:
    columns, t = view.facts.profile.columns, view.t
    if not columns:
        return el("p", t("no columns"))
    many = len(columns) > _OPEN
    heads = [
        head_cell(t("column"), sort="text"),
        head_cell(t("kind"), sort="text"),
        head_cell(t("missing"), sort="number"),
        head_cell(t("distinct"), sort="number"),
        head_cell(t("shape")),
        head_cell(t("values")),
    ]
    table = el(
        "table",
        el("caption", t("columns caption"), class_="unseen"),
        el("thead", el("tr", heads)),
        el("tbody", [_column(view, one, k >= _OPEN) for k, one in enumerate(columns)]),
        class_="columns sortable",
        id="columns-table",
        style=name_width((one.name for one in columns), 7, 17),
    )
    controls = el(
        "div",
        el("label", t("search columns"), for_="columns-search"),
        el("input", type="search", id="columns-search", autocomplete="off", data_template=t.template("columns found")),
        el("span", "", class_="found", role="status"),
        el("button", t("show all", n=len(columns)), type="button", class_="unfold", aria_expanded="false")
        if many
        else None,
        class_="controls columns-controls",
    )
    folded = el("p", t("folded", shown=_OPEN, n=count(len(columns))), class_="note fold-note") if many else None
    return el(
        "div",
        el("h3", t("columns")),
        controls if len(columns) > 8 else None,
        scroller(table, t("columns")),
        folded,
        class_="columns-box folded" if many else "columns-box",
    )


def _column(view: View, one: ColumnFacts, beyond: bool) -> Html:
    t, rows = view.t, max(view.facts.profile.n_rows, 1)
    lost = one.missing / rows
    kind = t(f"kind {one.kind}") if one.kind in _KINDS else one.kind
    return el(
        "tr",
        el(
            "th",
            one.name,
            None if one.used else [" ", el("span", t("unused"), class_="badge quiet")],
            scope="row",
            class_="name",
        ),
        el("td", el("span", kind, class_=f"kind k-{one.kind if one.kind in _KINDS else 'text'}")),
        el(
            "td",
            share(lost),
            el("span", class_="gauge", style=f"--share:{min(lost, 1):.3f}") if one.missing else None,
            class_="number",
            data_value=one.missing,
        ),
        el("td", count(one.distinct), class_="number", data_value=one.distinct),
        el("td", _shape(view, one), class_="shape"),
        el("td", _values(view, one), class_="values"),
        class_="more" if beyond else None,
    )


def _shape(view: View, one: ColumnFacts) -> Html | None:
    if one.histogram:
        return sparkline(one.histogram, view.t("histogram of", name=one.name))
    if one.top:
        return sparkline([n for _, n in one.top[:12]], view.t("counts of", name=one.name), slots=10)
    return None


def _values(view: View, one: ColumnFacts) -> Html:
    """What a column holds, in one line."""
    t, rows = view.t, max(view.facts.profile.n_rows, 1)
    if len(one.quantiles) == 5:
        show = day if one.kind == "date" else number
        least, _, median, _, greatest = one.quantiles
        middle = number(one.mean) if one.mean is not None else show(median)
        spread = f" ± {number(one.deviation)}" if one.mean is not None and one.deviation is not None else ""
        return join(f"{show(least)} … ", el("b", f"{middle}{spread}"), f" … {show(greatest)}")
    shown = one.top[:3]
    tags = [
        el(
            "span",
            el("span", name if name.strip() else t("blank"), class_="name"),
            f" {share(n / rows, 0)}",
            class_="value",
        )
        for name, n in shown
    ]
    more = one.distinct - len(shown)
    return join(tags, el("span", t("more values", n=count(more)), class_="note nowrap") if more > 0 and shown else None)
