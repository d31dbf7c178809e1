"""What a profile says, in both languages: for each finding what was seen and what is done about it.

``{names}`` stands for the columns it is about; the other places are filled in by the place that tells it. Where one
finding can end in two ways, the second has its own key, ``code:way``.
"""

from collections.abc import Sequence
from typing import Any, Literal

from lanatus.profile._facts import Finding, Words

_SHOWN = 5  # names in a sentence

# key -> what was seen (English, Chinese), what is done about it (English, Chinese)
_TEXTS: dict[str, tuple[str, str, str, str]] = {
    # ------------------------------------------------------------ the target given away
    "leak:equal": (
        "{names} equals the target.",
        "{names}与目标完全相同。",
        "Set aside: it would not be known when the model is asked.",
        "不使用：真正预测时不会知道它。",
    ),
    "leak:recoding": (
        "{names} is the target under another name: each value of one goes with one value of the other.",
        "{names}是目标的另一种写法：两者的取值一一对应。",
        "Set aside: it would not be known when the model is asked.",
        "不使用：真正预测时不会知道它。",
    ),
    "leak:only": (
        "{names} is the target under another name: each value of one goes with one value of the other.",
        "{names}是目标的另一种写法：两者的取值一一对应。",
        "Kept, as there is nothing else to learn from.",
        "保留，因为没有别的列可用。",
    ),
    "leak:suspicious": (
        "{names} alone predicts the target almost perfectly ({score}).",
        "仅凭{names}就能几乎完美地预测目标（{score}）。",
        "Kept; if it is known only after the target is, remove it, or every score is too good.",
        "保留；若它在目标之后才可知，请去掉，否则成绩都会偏高。",
    ),
    "missing-tells": (
        "{names}: whether the value is missing goes with the target.",
        "{names}：是否缺失与目标有关。",
        "Kept; make sure that it is filled in before the target is known, and not because of it.",
        "保留；请确认它在目标已知之前填写，而不是因目标而填。",
    ),
    "missing-tells:strong": (
        "{names}: whether the value is missing says almost all about the target.",
        "{names}：是否缺失几乎决定了目标。",
        "Kept; if it is filled in only after the target is known, remove it, or every score is too good.",
        "保留；若它在目标已知之后才填写，请去掉，否则成绩都会偏高。",
    ),
    # ------------------------------------------------------------ columns that say nothing
    "identifier": (
        "{names}: a name or a count of the rows; nearly all values differ.",
        "{names}：像行的编号或名称，取值几乎各不相同。",
        "Set aside: a learner could only learn rows by heart from it.",
        "不使用：学习器只能据此死记每一行。",
    ),
    "identifier:kept": (
        "{names}: a name or a count of the rows; nearly all values differ.",
        "{names}：像行的编号或名称，取值几乎各不相同。",
        "Kept, as you asked for it or nothing else is left.",
        "保留：按要求保留，或没有别的列可用。",
    ),
    "constant": ("{names}: the same value in every row.", "{names}：每一行取值相同。", "Set aside.", "不使用。"),
    "constant:kept": ("{names}: the same value in every row.", "{names}：每一行取值相同。", "Kept.", "保留。"),
    "empty": ("{names}: no value at all.", "{names}：没有任何值。", "Set aside.", "不使用。"),
    "empty:kept": ("{names}: no value at all.", "{names}：没有任何值。", "Kept.", "保留。"),
    "one-value": (
        "{names}: one value or none at all.",
        "{names}：只有一个取值，其余缺失。",
        "Kept: whether it is missing may tell something.",
        "保留：是否缺失本身可能有信息。",
    ),
    "near-constant": (
        "{names}: one value in at least {share} of the rows.",
        "{names}：至少 {share} 的行取同一个值。",
        "Kept, though there is little to learn from it.",
        "保留，但可学的信息很少。",
    ),
    "duplicate-columns": (
        "{names}: the same values as {others}.",
        "{names}：与{others_zh}取值相同。",
        "Set aside: one of them says it all.",
        "不使用：其中一列已包含全部信息。",
    ),
    # ------------------------------------------------------------ how they are written
    "numbers-as-text": (
        "{names}: numbers written as text, such as '{example}'.",
        "{names}：写成文字的数，如“{example}”。",
        "Read as numbers.",
        "按数值读取。",
    ),
    "date": (
        "{names}: dates.",
        "{names}：日期。",
        "Made into days since 1970, year, month, weekday and hour, those of them that vary.",
        "转成距 1970 年的天数、年、月、星期和小时，只取有变化的。",
    ),
    "date-as-text": (
        "{names}: dates written as text or numbers, such as '{example}'.",
        "{names}：写成文字或数字的日期，如“{example}”。",
        "Made into days since 1970, year, month, weekday and hour, those of them that vary.",
        "转成距 1970 年的天数、年、月、星期和小时，只取有变化的。",
    ),
    "date-order": (
        "{names}: no value tells whether the day or the month comes first, as in '{example}'.",
        "{names}：无法从取值判断日在前还是月在前，如“{example}”。",
        "Read with the {first} first; write dates as 2024-03-01 to be sure.",
        "按{first_zh}在前读取；写成 2024-03-01 的形式更可靠。",
    ),
    "booleans-as-words": (
        "{names}: yes and no in words.",
        "{names}：用文字表示的是与否。",
        "Read as truth values.",
        "按真假值读取。",
    ),
    "mixed-types": (
        "{names}: {wanted}, but words in {rows} rows ({example}).",
        "{names}：多数是{wanted_zh}，但有 {rows} 行是文字（{example}）。",
        "The {wanted} are used; the words are missing values.",
        "使用其中的{wanted_zh}；文字按缺失值处理。",
    ),
    "mixed-types:kept": (
        "{names}: {wanted}, but words in {rows} rows ({example}).",
        "{names}：多数是{wanted_zh}，但有 {rows} 行是文字（{example}）。",
        "The {wanted} are used; the words make a column of their own.",
        "使用其中的{wanted_zh}；文字另成一列。",
    ),
    "text": (
        "{names}: free text.",
        "{names}：自由文本。",
        "Made into at most {most} numbers: tf-idf of its words, then their main directions.",
        "每列转成至多 {most} 个数：先算词的 tf-idf，再取主要方向。",
    ),
    "text:dropped": ("{names}: free text.", "{names}：自由文本。", "Set aside.", "不使用。"),
    "many-categories": (
        "{names}: many categories, up to {number}.",
        "{names}：类别很多，最多 {number} 个。",
        "Kept as they are.",
        "按原样保留。",
    ),
    "many-categories:joined": (
        "{names}: very many categories, up to {number}.",
        "{names}：类别非常多，最多 {number} 个。",
        "The rarest are joined into one; {most} are left.",
        "最少见的合并为一类，保留 {most} 类。",
    ),
    # ------------------------------------------------------------ holes and numbers
    "missing": (
        "Values are missing in {number} of {all} columns, {share} of all values: {names}.",
        "{all} 列中有 {number} 列含缺失值，占全部取值的 {share}：{names}。",
        "Left to the methods that have a rule for them, filled in for the others.",
        "能处理缺失值的方法直接使用，其余方法先填补。",
    ),
    "much-missing": (
        "{names}: missing in more than {share} of the rows.",
        "{names}：超过 {share} 的行缺失。",
        "Kept: that a value is there may tell something.",
        "保留：有没有值本身可能有信息。",
    ),
    "infinite": (
        "{names}: {number} infinite values.",
        "{names}：有 {number} 个无穷大。",
        "Taken as missing.",
        "按缺失值处理。",
    ),
    "sentinel": (
        "{names}: {value} comes often and far from all other values; it may stand for a missing one.",
        "{names}：{value} 频繁出现且远离其他取值，可能表示缺失。",
        "Kept as a number; if it means missing, take it out first.",
        "按数值保留；若表示缺失，请先去掉。",
    ),
    "outliers": (
        "{names}: values more than {far} quartile ranges from the median.",
        "{names}：有取值距中位数超过 {far} 个四分位距。",
        "Kept as they are; check that they are no slips.",
        "按原样保留；请检查是否笔误。",
    ),
    # ------------------------------------------------------------ names and order
    "time-order": (
        "The rows stand in the order of {names}.",
        "各行按{names}的次序排列。",
        "Not used for splitting: if the model is to answer for later times than it learned, test it on the latest.",
        "划分时不考虑：若模型要预测以后的情况，请用最晚的行检验。",
    ),
    "time-order:dates": (
        "{names}: each row has its time.",
        "{names}：每行都有时间。",
        "Not used for splitting: if the model is to answer for later times than it learned, test it on the latest.",
        "划分时不考虑：若模型要预测以后的情况，请用最晚的行检验。",
    ),
    "sorted-by-target": (
        "The rows stand in the order of the target.",
        "各行按目标的次序排列。",
        "Shuffled before they are parted.",
        "划分前先打乱。",
    ),
    "groups": (
        "{names}: names something that has several rows; rows of one may fall on both sides of a split.",
        "{names}：同一对象有多行，划分时可能分到两侧。",
        "Kept. If the model is to answer for others than those it learned, keep some of them for a test of your own.",
        "保留。若模型要用于新的对象，请另留一些对象作检验。",
    ),
    "name-blanks": (
        "Names with blanks at the ends: {names}.",
        "列名首尾有空格：{names}。",
        "Kept as they are; they must be written so later too.",
        "按原样保留，以后也须这样写。",
    ),
    "names-alike": (
        "Names that are easily mixed up: {names}.",
        "容易混淆的列名：{names}。",
        "Taken as different columns.",
        "作为不同的列使用。",
    ),
    # ------------------------------------------------------------ rows
    "duplicates": (
        "Rows that repeat an earlier row in every column that is used: {number} ({share}).",
        "{number} 行（{share}）与前面某行在所有使用的列上相同。",
        "Kept: with so few different values rows agree by chance, and those to come will, too.",
        "保留：取值种类少，行相同多属偶然，将来的数据也会如此。",
    ),
    "duplicates:copies": (
        "Rows that repeat an earlier row in every column that is used: {number} ({share}).",
        "{number} 行（{share}）与前面某行在所有使用的列上相同。",
        "Kept, copies always on the same side of a split; if they are one thing entered twice, remove them.",
        "保留，相同的行始终分在划分的同一侧；若是重复录入，请先去掉。",
    ),
    "contrary-duplicates": (
        "Rows that equal another in every column that is used, but are of another class: {number}.",
        "{number} 行与别的行在所有使用的列上相同，类别却不同。",
        "Kept; no method can get more than {best} of all rows right.",
        "保留；任何方法的精度都不会超过 {best}。",
    ),
    "wide": (
        "{width} columns for {number} rows.",
        "{number} 行却有 {width} 列。",
        "All are used; trust only scores on rows that took no part in learning or choosing.",
        "全部使用；只应相信未参与学习与选择的行上的成绩。",
    ),
    "few-rows": (
        "Only {number} rows.",
        "只有 {number} 行。",
        "All are used; the intervals will be wide.",
        "全部使用；区间会很宽。",
    ),
    # ------------------------------------------------------------ the target
    "missing-target": (
        "The target is missing in {number} of {all} rows.",
        "{all} 行中有 {number} 行目标缺失。",
        "These rows are left out.",
        "这些行不使用。",
    ),
    "missing-target:words": (
        "The target is missing in {number} of {all} rows; in {strays} of them it is a word among numbers.",
        "{all} 行中有 {number} 行目标缺失，其中 {strays} 行是混在数里的文字。",
        "These rows are left out.",
        "这些行不使用。",
    ),
    "single-row-class": (
        "Classes with a single row ({number}): {labels}.",
        "{number} 个类只有一行：{labels_zh}。",
        "Kept, but they cannot be both learned and tested: no score speaks for them.",
        "保留，但无法既学习又检验，成绩不能反映它们。",
    ),
    "small-class": (
        "Classes with fewer than {least} rows ({number}): {labels}.",
        "{number} 个类不足 {least} 行：{labels_zh}。",
        "Kept; scores say little about so few.",
        "保留；行数太少，成绩难以反映。",
    ),
    "imbalance": (
        "The classes differ much in size: '{label}' has {number} of {all} rows ({share}).",
        "各类大小悬殊：“{label}”只有 {number}/{all} 行（{share}）。",
        "Splits keep the shares. Do not judge by accuracy: always answering the largest class gets {largest} right.",
        "划分时保持比例。不要只看精度：总是回答最大的类也有 {largest} 正确。",
    ),
    "skewed-target": (
        "The target has a long tail (skewness {lean}): a few rows weigh much in squared errors.",
        "目标分布有长尾（偏度 {lean}）：少数行对平方误差影响很大。",
        "Learned as it is.",
        "按原样学习。",
    ),
}


def tell(
    key: str, columns: Sequence[str] = (), *, severity: Literal["note", "warning"] = "note", **places: Any
) -> Finding:
    """A finding in both languages; the part of `key` before a colon is its code."""
    named = listed(columns)
    what_en, what_zh, done_en, done_zh = _TEXTS[key]
    en, zh = {**places, "names": named.en}, {**places, "names": named.zh}
    what = Words(what_en.format(**en), what_zh.format(**zh))
    done = Words(done_en.format(**en), done_zh.format(**zh))
    return Finding(key.partition(":")[0], severity, tuple(columns), what, done)


def listed(names: Sequence[str], unit: str = "列") -> Words:
    """Names in a sentence, cut when they are many."""
    rest = len(names) - _SHOWN
    shown = [f"'{name}'" for name in (names[:_SHOWN] if rest > 0 else names)]
    if rest > 0:
        en = f"{', '.join(shown)} and {rest} more"
    else:
        en = " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
    zh = "、".join(f"“{name[1:-1]}”" for name in shown) + (f"等 {len(names)} {unit}" if rest > 0 else "")
    return Words(en, zh)
