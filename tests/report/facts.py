"""Makers of what a run found, as realistic as tests need it, without running anything."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
from scipy.stats import ttest_rel
from sklearn import metrics

from lanatus.explain import Dependence, Importance
from lanatus.profile import ColumnFacts, Finding, Profile, Words
from lanatus.report import Estimate, Facts, Readable, Standing

METHODS = [  # name, noise of its answers, simplicity
    ("Gradient boosting", 0.75, 8),
    ("Random forest", 0.85, 7),
    ("Logistic regression", 0.9, 2),
    ("Naive Bayes", 1.6, 2),
    ("Decision tree", 1.9, 1),
]
TREE = """petal <= 2.45: setosa (50)
petal > 2.45
|   width <= 1.75: versicolor (54)
|   width > 1.75: virginica (46)"""
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90"><path d="M150 10L60 70M150 10L240 70" '
    'stroke="#333"/><circle cx="150" cy="10" r="8"/><circle cx="60" cy="70" r="8"/><circle cx="240" cy="70" r="8"/>'
    "</svg>"
)
NASTY = [
    "<script>alert('x')</script>",
    "a & b < c > d \"quoted\" 'single'",
    "$x^2$ costs $5",
    "emoji 🍉 and \x07 bell",
    "</script><img src=x onerror=alert(1)>",
    "{braces} {0} %s",
    "\u202egnp.exe turned \u200fmark\u2067",
    "{{7*7}} ${7*7} #{7*7} <%= 7*7 %> {% raw %}",
    "W" * 300,
    "'\"><svg onload=alert(2)><!--",
    "javascript:alert(3)",
    "]]></style><style>*{display:none}</style>",
]
UNFIT = str.maketrans(dict.fromkeys("\x07\u202e\u2067", "\ufffd"))  # what a page shows in place of what it may not hold


def column(rng, name, n, kind="numeric"):
    missing = int(rng.integers(0, n // 5))
    if kind in ("numeric", "date"):
        x = rng.normal(rng.uniform(-5, 5), rng.uniform(0.5, 9), n) if kind == "numeric" else rng.uniform(9000, 20000, n)
        histogram = tuple(int(c) for c in np.histogram(x, 20)[0])
        quantiles = tuple(float(q) for q in np.quantile(x, [0, 0.25, 0.5, 0.75, 1]))
        moments = (float(x.mean()), float(x.std())) if kind == "numeric" else (None, None)
        return ColumnFacts(name, kind, True, missing, n - missing - 3, quantiles, *moments, histogram)
    names = {"boolean": ("yes", "no"), "constant": ("only",)}.get(kind, ("north", "south", "east", "west", ""))
    counts = sorted(rng.multinomial(n - missing, np.ones(len(names)) / len(names)), reverse=True)
    used = kind not in ("identifier", "constant", "empty")
    return ColumnFacts(name, kind, used, missing, len(names), top=tuple(zip(names, map(int, counts), strict=True)))


def columns(rng, n, count, names=None):
    kinds = ["numeric", "numeric", "nominal", "boolean", "numeric", "date", "text", "identifier", "constant", "ordinal"]
    names = names or [f"column_{k}" for k in range(count)]
    return tuple(column(rng, name, n, kinds[k % len(kinds)]) for k, name in enumerate(names))


def findings(names):
    return (
        Finding(
            "leak", "warning", (names[0],),
            Words(f"{names[0]} tells the target almost alone.", f"{names[0]} 几乎单独决定目标。"),
            Words("It is left out; say --keep to use it.", "已排除；如需使用请加 --keep。"),
        ),
        Finding(
            "duplicates", "note", (),
            Words("12 rows are there twice.", "有 12 行重复。"),
            Words("Copies stay in the same fold.", "重复的行放在同一折中。"),
        ),
    )  # fmt: skip


def standings(y, answers, measures, folds, level=0.95, methods=METHODS):
    """Scores on folds, their means with intervals, and the winner first."""
    parts = np.array_split(np.arange(len(y)), folds)
    found = []
    for name, _, simplicity in [*methods, ("Baseline", 0, 0)]:
        per = {m: np.array([score(m, y[p], answers[name][p]) for p in parts]) for m, _ in measures}
        scores = {}
        for m, _ in measures:
            value, half = score(m, y, answers[name]), 2 * per[m].std(ddof=1) / np.sqrt(folds) if folds > 1 else 0.03
            scores[m] = Estimate(float(value), float(value - half), float(value + half))
        found.append((name, simplicity, scores, tuple(float(v) for v in per[measures[0][0]])))
    first, greater = measures[0]
    found.sort(key=lambda one: (one[2][first].value * (-1 if greater else 1), one[0]))
    p = np.ones((len(found), len(found)))
    for i, j in combinations(range(len(found)), 2):
        a, b = found[i][3], found[j][3]
        same = len(a) < 2 or np.allclose(a, b)
        p[i, j] = p[j, i] = 1.0 if same else min(1.0, 5 * ttest_rel(a, b).pvalue)
    board = []
    for k, (name, simplicity, scores, per) in enumerate(found):
        verdict = (
            "winner" if k == 0 else "baseline" if name == "Baseline" else "worse" if p[0, k] < 1 - level else "level"
        )
        params = {} if name == "Baseline" else {"max_depth": str(3 + k), "learning_rate": "0.07", "l2": "1e-3"}
        board.append(
            Standing(name, scores, per, None if k == 0 else float(p[0, k]), verdict, simplicity,
                     scores[first].value * 1.01, 0.003 * 7**simplicity / 40, 0.004 * (k + 1), params)
        )  # fmt: skip
    return tuple(board), p


def score(measure, y, answers):
    if measure == "auc":
        if answers.shape[1] == 2:
            return metrics.roc_auc_score(y, answers[:, 1])
        return metrics.roc_auc_score(y, answers, multi_class="ovr", labels=np.arange(answers.shape[1]))
    if measure == "log_loss":
        return metrics.log_loss(y, answers, labels=np.arange(answers.shape[1]))
    if measure == "accuracy":
        return metrics.accuracy_score(y, answers.argmax(axis=1))
    return {
        "rmse": metrics.root_mean_squared_error, "mae": metrics.mean_absolute_error, "r2": metrics.r2_score
    }[measure](y, answers)  # fmt: skip


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def conclusion(board):
    winner, next_ = board[0].name, board[1].name
    return (
        Words(
            f"{winner} comes out on top, but {next_} cannot be told from it on this data; both beat the baseline.",
            f"{winner} 得分最高，但在这份数据上与 {next_} 分不出高下；二者都胜过基线。",
        ),
        Words(
            "On new rows of the same kind, expect a score within the interval.", "对同类的新数据，得分可望落在区间内。"
        ),
    )


SETTINGS = {
    "command": "lanatus fit credit.csv --target approved --budget 60",
    "seed": "0",
    "budget": "60 s",
    "outer": "5 folds, stratified",
    "hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "lanatus": "0.1.0",
    "python": "3.11.9",
    "seconds": "58.2",
}
WARNINGS = (
    Words("Stacking was cut short by the budget.", "堆叠因时间预算提前结束。"),
    Words(
        "Support vector machine did not converge; its score is from the last step.",
        "支持向量机未收敛，取最后一步的得分。",
    ),
)


def classification(k, *, n=600, folds=5, seed=0, count=20, classes=None, names=None, cost=None, threshold=None):
    rng = np.random.default_rng(seed)
    classes = tuple(classes or [f"class {c}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:k]])
    y = rng.choice(k, n, p=np.arange(2, k + 2) / np.arange(2, k + 2).sum())
    y[: 2 * k * folds : folds] = np.tile(np.arange(k), 2 * folds)[: len(y[: 2 * k * folds : folds])]
    hard = rng.normal(size=(n, k))
    answers = {name: softmax(2.2 * np.eye(k)[y] + hard + noise * rng.normal(size=(n, k))) for name, noise, _ in METHODS}
    answers["Baseline"] = np.tile(np.bincount(y, minlength=k) / n, (n, 1))
    measures = (("auc", True), ("accuracy", True), ("log_loss", False))
    board, p = standings(y, answers, measures, folds)
    table = columns(rng, n, count, names)
    top = tuple(sorted(zip(classes, map(int, np.bincount(y, minlength=k)), strict=True), key=lambda one: -one[1]))
    profile = Profile(
        n, 4, table, ColumnFacts("approved", "nominal", True, 0, k, top=top),
        "two-class" if k == 2 else "many-class", findings([one.name for one in table]),
    )  # fmt: skip
    return Facts(
        "credit.csv", profile, measures, 0.95, board, p, conclusion(board), classes, y, answers, cost, threshold,
        importances(rng, table), dependence(rng, table, 1 if k == 2 else k),
        Readable("Decision tree", TREE, PICTURE, board[-2].scores["auc"], True), WARNINGS, dict(SETTINGS),
    )  # fmt: skip


def importances(rng, table):
    values = np.sort(rng.gamma(0.6, 0.06, len(table)))[::-1]
    values[-1] = -0.002
    return tuple(Importance(c.name, float(v), float(abs(v) * 0.2 + 0.001)) for c, v in zip(table, values, strict=True))


def dependence(rng, table, outputs, scale=1.0):
    found = []
    for one in [c for c in table if c.kind in ("numeric", "nominal", "boolean")][:6]:
        numeric = one.kind == "numeric"
        grid = tuple(np.linspace(one.quantiles[0], one.quantiles[-1], 25)) if numeric else tuple(v for v, _ in one.top)
        moves = np.cumsum(rng.normal(0, 0.25, (len(grid), outputs)), axis=0)
        values = scale * moves if scale != 1 else softmax(moves) if outputs > 1 else 1 / (1 + np.exp(-moves))
        found.append(Dependence(one.name, grid, numeric, values))
    return tuple(found)


def two_class(**given):
    return classification(2, **{"classes": ("rejected", "granted")} | given)


def many_class(**given):
    return classification(7, **{"n": 900} | given)


def regression(n=800, folds=10, seed=0, count=20, names=None):
    rng = np.random.default_rng(seed)
    y = np.exp(rng.normal(12, 0.5, n))
    answers = {name: y * np.exp(0.2 * noise * rng.normal(size=n)) for name, noise, _ in METHODS}
    answers["Baseline"] = np.full(n, y.mean())
    measures = (("rmse", False), ("mae", False), ("r2", True))
    board, p = standings(y, answers, measures, folds)
    table = columns(rng, n, count, names)
    target = ColumnFacts(
        "price", "numeric", True, 0, n, tuple(float(q) for q in np.quantile(y, [0, 0.25, 0.5, 0.75, 1])),
        float(y.mean()), float(y.std()), tuple(int(c) for c in np.histogram(y, 30)[0]),
    )  # fmt: skip
    profile = Profile(n, 0, table, target, "regression", findings([one.name for one in table]))
    return Facts(
        "houses.csv", profile, measures, 0.95, board, p, conclusion(board), (), y, answers, None, None,
        importances(rng, table), dependence(rng, table, 1, scale=40000.0),
        Readable("Decision tree", TREE, "", board[3].scores["rmse"], False), (), dict(SETTINGS),
    )  # fmt: skip


def chinese():
    """The book's melons: names, classes and columns in Chinese."""
    names = ["色泽", "根蒂", "敲声", "纹理", "脐部", "触感", "密度", "含糖率", "采摘日期", "产地与种植者的完整名称"]
    facts = two_class(classes=("坏瓜", "好瓜"), names=names, count=len(names), n=400)
    names = ["梯度提升树", "随机森林", "对数几率回归", "朴素贝叶斯", "决策树", "基线"]
    chinese_names = dict(zip([*(name for name, _, _ in METHODS), "Baseline"], names, strict=True))
    board = tuple(replace(one, name=chinese_names[one.name]) for one in facts.leaderboard)
    target = replace(facts.profile.target, name="好瓜吗")
    return replace(
        facts,
        title="西瓜数据集 3.0",
        leaderboard=board,
        answers={chinese_names[name]: value for name, value in facts.answers.items()},
        profile=replace(facts.profile, target=target),
        conclusion=conclusion(board),
        readable=replace(
            facts.readable, name="决策树", text="纹理=清晰\n|   密度 <= 0.3815: 坏瓜\n|   密度 > 0.3815: 好瓜"
        ),
        cost=np.array([[0.0, 1.0], [5.0, 0.0]]),
        threshold=1 / 6,
    )


def long_names():
    """Names as they come from surveys and data warehouses."""
    word = "customer_relationship_management_system_export_field_that_nobody_dared_to_rename"
    question = (
        "How satisfied were you, all in all, with the service that our colleagues gave you on your last visit? " * 2
    )
    names = [word, question, *(f"{word}_{k}" for k in range(8))]
    classes = tuple(f"{question.strip()} {answer}" for answer in ("no", "yes"))
    facts = two_class(names=names, count=len(names), classes=classes, n=300)
    long = dict.fromkeys(facts.answers, "")
    long = {name: f"{name} on standardised columns with selected interactions and early stopping" for name in long}
    return replace(
        facts,
        title=f"{word}.parquet",
        leaderboard=tuple(replace(one, name=long[one.name]) for one in facts.leaderboard),
        answers={long[name]: value for name, value in facts.answers.items()},
    )


def nasty():
    """Names that would be markup, formulas or format strings if anybody let them."""
    names = [*NASTY, *(f"x{k}" for k in range(4))]
    facts = many_class(classes=[*NASTY[:3], *NASTY[6:9], "plain"], names=names, count=len(names), n=700)
    cells = tuple(zip(NASTY, range(len(NASTY), 0, -1), strict=True))
    columns = tuple(replace(one, top=cells) if one.top else one for one in facts.profile.columns)
    board = tuple(
        replace(one, name=f"{one.name} {NASTY[(2 * k + 1) % len(NASTY)]}", params={NASTY[0]: NASTY[4]})
        for k, one in enumerate(facts.leaderboard)
    )
    old = {one.name: new.name for one, new in zip(facts.leaderboard, board, strict=True)}
    return replace(
        facts,
        title=NASTY[4],
        leaderboard=board,
        answers={old[name]: value for name, value in facts.answers.items()},
        profile=replace(facts.profile, columns=columns, target=replace(facts.profile.target, name=NASTY[0])),
        readable=replace(facts.readable, name=NASTY[1], text="\n".join(NASTY)),
        warnings=(Words(NASTY[0], NASTY[4]),),
        settings={NASTY[0]: NASTY[4]},
        conclusion=(Words(NASTY[0], NASTY[0]),),
    )


def failed():
    """Seven rows: one class in the test rows, no intervals, nothing explained."""
    rng = np.random.default_rng(0)
    nan = float("nan")
    table = (column(rng, "x", 7), ColumnFacts("nothing", "empty", False, 7, 0))
    profile = Profile(
        7, 2, table, ColumnFacts("y", "boolean", True, 0, 2, top=(("no", 6), ("yes", 1))), "two-class",
        (Finding("few-rows", "warning", (), Words("Only 7 rows.", "只有 7 行。"), Words("No tuning.", "不调参。")),),
    )  # fmt: skip
    only = Standing("Baseline", {"auc": Estimate(nan, nan, nan)}, (nan,), None, "baseline", 0, nan, 0.0, 0.0)
    return Facts(
        "few.csv", profile, (("auc", True),), 0.95, (only,), np.ones((1, 1)),
        (Words("Too few rows to tell anything.", "行数太少，无法得出结论。"),), ("no", "yes"), np.zeros(2, int),
        {"Baseline": np.full((2, 2), 0.5)}, None, None, (), (), None,
        (Words("Every method failed: a fold holds one class only.", "所有方法都失败：某折只有一类。"),), {"seed": "0"},
    )  # fmt: skip


def sixty_columns():
    return two_class(count=60, cost=np.array([[0.0, 1.0], [5.0, 0.0]]), threshold=0.1667)


ALL = {
    "two-class": cache(two_class),
    "many-class": cache(many_class),
    "regression": cache(regression),
    "chinese": cache(chinese),
    "long names": cache(long_names),
    "nasty names": cache(nasty),
    "60 columns": cache(sixty_columns),
    "failed": failed,
}
