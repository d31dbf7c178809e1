"""Write the pages that follow from the code: chapters from the catalogue, ``api`` from the packages.

``python docs/generate.py && mkdocs build --strict``. Both folders are git-ignored and made anew each time.
"""

import doctest
import importlib
import inspect
import pkgutil
import shutil
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Any

import lanatus
from lanatus import catalog
from lanatus.book import Example, Figure, examples

DOCS = Path(__file__).resolve().parent
TITLES = {
    "1": "绪论 Introduction",
    "2": "模型评估与选择 Evaluation and selection",
    "3": "线性模型 Linear models",
    "4": "决策树 Decision trees",
    "5": "神经网络 Neural networks",
    "6": "支持向量机 Support vector machines",
    "7": "贝叶斯分类器 Bayes classifiers",
    "8": "集成学习 Ensembles",
    "9": "聚类 Clustering",
    "10": "降维与度量学习 Dimensionality reduction and metric learning",
    "11": "特征选择与稀疏学习 Feature selection and sparsity",
    "12": "计算学习理论 Learning theory",
    "13": "半监督学习 Semi-supervised learning",
    "14": "概率图模型 Graphical models",
    "15": "规则学习 Rules",
    "16": "强化学习 Reinforcement learning",
}
BOOKS = {"CB": "Machine Learning Cookbook", "CH5": "Chapter on statistical learning", "SL": "Lecture slides"}


# ---------------------------------------------------------------- chapters


def chapter_of(section: str) -> str:
    """``9`` of 9.4.1, ``10`` of exercise 10.6, ``CB`` of the cookbook's 5.4."""
    book, _, number = section.rpartition(" ")
    return book if book not in ("", "ex") else number.split(".")[0]


def chapter_title(chapter: str) -> str:
    """What to call a page."""
    return BOOKS[chapter] if chapter in BOOKS else f"{chapter} {TITLES[chapter]}"


def chapter_pages() -> dict[str, str]:
    """File name to text, one a chapter that has a method or a worked example."""
    methods: dict[str, list[catalog.Entry]] = defaultdict(list)
    worked: dict[str, list[Example]] = defaultdict(list)
    for entry in catalog.entries():
        methods[chapter_of(entry.section)].append(entry)
    for example in examples():
        worked[chapter_of(example.section)].append(example)
    chapters = sorted(
        {*methods, *worked}, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name)
    )
    pages = {f"{name.lower()}.md": chapter_page(name, methods[name], worked[name]) for name in chapters}
    lines = ["# Chapters", "", "| chapter | methods | worked examples |", "|---|---|---|"]
    for name in chapters:
        inside = ", ".join(entry.name for entry in methods[name])
        lines.append(f"| [{chapter_title(name)}]({name.lower()}.md) | {inside} | {len(worked[name])} |")
    return {"index.md": "\n".join(lines) + "\n", **pages}


def chapter_page(chapter: str, methods: list[catalog.Entry], worked: list[Example]) -> str:
    """Methods with the worked examples of their sections, then the examples that belong to none."""
    lines = [f"# {chapter_title(chapter)}", ""]
    shown: set[str] = set()
    for entry in methods:
        lines += method_lines(entry)
        own = [one for one in worked if one.section == entry.section and one.section not in shown]
        for one in own:
            lines += example_lines(one)
        shown |= {one.section for one in own}
    if rest := [one for one in worked if one.section not in shown]:
        lines += ["## Worked examples", ""]
        for one in rest:
            lines += example_lines(one)
    return "\n".join(lines) + "\n"


def method_lines(entry: catalog.Entry) -> list[str]:
    """Names, section, summary, abilities, ids, peers and the docstring's examples."""
    package = entry.path.split(".")[1]
    abilities = ", ".join(name for name, has in entry.abilities().items() if has) or "-"
    ids = ", ".join(f"`{id_}`" for id_ in entry.ids) or "-"
    lines = [
        f"## {entry.en} {entry.zh}",
        "",
        f"[`{entry.path}`](../api/{package}.md#{entry.path}), section {entry.section}, {entry.task}.",
        "",
        f"scikit-learn's [`{entry.name}`]({their_page(entry.object)}), as it is."
        if entry.is_borrowed
        else plain(entry.summary),
        "",
        "| can take | ids | peers |",
        "|---|---|---|",
        f"| {abilities} | {ids} | {', '.join(entry.peers) or '-'} |",
        "",
    ]
    runs = doctest.DocTestParser().get_examples(inspect.getdoc(entry.object) or "")
    if runs and not entry.is_borrowed:
        lines += ["```pycon", *(line for run in runs for line in typed(run)), "```", ""]
    return lines


def typed(run: doctest.Example) -> list[str]:
    """One example of a docstring as a session shows it."""
    first, *more = run.source.rstrip("\n").split("\n")
    said = run.want.rstrip("\n").split("\n") if run.want else []
    return [f">>> {first}", *(f"... {line}" for line in more), *said]


def example_lines(one: Example) -> list[str]:
    """A worked example as a table of book and computed."""
    said = textwrap.dedent(one.run.__doc__ or "").strip()
    lines = [f"### {one.section} {one.en} {one.zh}", "", said, ""]
    lines += [f"`lanatus book {one.section}`", "", "| figure | the book | computed | |", "|---|---|---|---|"]
    for figure in one.run():
        printed = "*not printed*" if figure.printed is None else shown_value(figure.printed, figure)
        verdict = "✓" if figure.agrees else "✗"
        note = f" **erratum:** {plain(figure.erratum)}" if figure.erratum else ""
        lines.append(f"| {plain(figure.what)} | {printed} | {shown_value(figure.computed, figure)} | {verdict}{note} |")
    return [*lines, ""]


def shown_value(value: Any, figure: Figure) -> str:
    """A figure as the book would print it."""
    if isinstance(value, str):
        return plain(value)
    if hasattr(value, "__iter__"):
        return "(" + ", ".join(shown_value(part, figure) for part in value) + ")"
    return f"{float(value):.{figure.digits}f}"


def plain(text: str) -> str:
    """Text that Markdown leaves alone in a table."""
    for letter in "|<*_":
        text = text.replace(letter, "&lt;" if letter == "<" else "\\" + letter)
    return text


# ---------------------------------------------------------------- API


def public_packages() -> list[str]:
    """Modules and packages of lanatus without underscore, other than the command line."""
    found = [module.name for module in pkgutil.iter_modules(lanatus.__path__) if not module.name.startswith("_")]
    return sorted(name for name in found if name != "cli")


def api_pages() -> dict[str, str]:
    """File name to text, one a package; headings have the anchors that estimators link to."""
    pages, rows = {}, ["# API", "", "| package | what is in it |", "|---|---|"]
    for name in public_packages():
        module = importlib.import_module(f"lanatus.{name}")
        public = [member for member in public_names(module) if documented(module, member) and at_home(module, member)]
        head = (module.__doc__ or "").strip().split("\n\n")
        pages[f"{name}.md"] = api_page(name, module, head, public)
        rows.append(f"| [`lanatus.{name}`]({name}.md) | {plain(head[0].replace(chr(10), ' '))} |")
    return {"index.md": "\n".join(rows) + "\n", **pages}


def public_names(module: Any) -> list[str]:
    """``__all__``, or where there is none what the module defines itself."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name, member in vars(module).items()
        if not name.startswith("_") and getattr(member, "__module__", None) == module.__name__
    )


def documented(module: Any, name: str) -> bool:
    """Whether the thing is a class or function of ours; what is scikit-learn's has its page there."""
    member = getattr(module, name)
    return (inspect.isclass(member) or inspect.isfunction(member)) and member.__module__.startswith("lanatus")


def at_home(module: Any, name: str) -> bool:
    """Whether no other package of ours is the home of the thing, which then has its page there."""
    home = getattr(module, name).__module__.split(".")[1:2]
    package = module.__name__.split(".")[1:2]
    return home == package or name not in getattr(importlib.import_module(".".join(["lanatus", *home])), "__all__", ())


def borrowed(module: Any, name: str) -> bool:
    """Whether the thing is scikit-learn's, and offered as it is."""
    return str(getattr(getattr(module, name), "__module__", "")).startswith("sklearn")


def their_page(member: Any) -> str:
    """The page of a class or function in scikit-learn's documentation."""
    package = ".".join(part for part in member.__module__.split(".") if not part.startswith("_"))
    return f"https://scikit-learn.org/stable/modules/generated/{package}.{member.__name__}.html"


def api_page(name: str, module: Any, head: list[str], public: list[str]) -> str:
    """One mkdocstrings block for each public name, under its public anchor."""
    lines = [f"# lanatus.{name}", "", *("\n\n".join(head)).split("\n"), ""]
    for member in public:
        home = getattr(module, member).__module__
        path, anchor = f"{home}.{member}", f"lanatus.{name}.{member}"
        if path == anchor:
            lines += [f"::: {path}", ""]
        else:
            lines += [f'<a id="{anchor}"></a>', "", f"::: {path}", ""]
    if theirs := [member for member in public_names(module) if borrowed(module, member)]:
        lines += ["## From scikit-learn, as it is", ""]
        for member in theirs:
            page = their_page(getattr(module, member))
            lines.append(f'- <a id="lanatus.{name}.{member}"></a>[`{member}`]({page})')
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Make both folders anew."""
    for folder, pages in (("chapters", chapter_pages()), ("api", api_pages())):
        shutil.rmtree(DOCS / folder, ignore_errors=True)
        (DOCS / folder).mkdir()
        for name, text in pages.items():
            (DOCS / folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
