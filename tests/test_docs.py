"""Every block of Python in the documentation runs, page by page, in an empty folder."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / "docs" / "chapters", ROOT / "docs" / "api"
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh-CN.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not set(MADE) & set(page.parents)),
]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow  # a page is a whole program: the longest grow forests, search, or start workers
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page, tmp_path):
    """In one process, one after the other, warnings being errors."""
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks(page)), encoding="utf-8")
    (tmp_path / "run").mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", program],
        cwd=tmp_path / "run",
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_pages_that_matter_have_blocks():
    with_blocks = {page.name for page in PAGES if blocks(page)}
    assert with_blocks >= {"README.md", "README.zh-CN.md", "index.md", "getting-started.md", "scale.md"}


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http") and not target.startswith(("chapters/", "api/")):
                assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_pages_made_from_the_catalogue(monkeypatch):
    """Every method and every worked example is on the page of its chapter, with errata and anchors.

    The examples of chapter 9 run; for the others stands one figure, since tests/book/test_examples.py runs every one
    of them and writes its figures as a page would.
    """
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import generate

    from lanatus import book, catalog

    def standing_in(example):
        def run():
            return [book.Figure("x", 0.5, 0.5)]

        run.__doc__ = example.run.__doc__
        return example if generate.chapter_of(example.section) == "9" else replace(example, run=run)

    monkeypatch.setattr(generate, "examples", lambda: [standing_in(one) for one in book.examples()])
    chapters, api = generate.chapter_pages(), generate.api_pages()
    text = "\n".join(chapters.values())
    for entry in catalog.entries():
        assert f"[`{entry.path}`]" in text
        package = entry.path.split(".")[1]
        assert entry.path in api[f"{package}.md"]
    for example in book.examples():
        assert f"### {example.section} {example.en} {example.zh}" in text
    assert "0.166" in chapters["9.md"]
    assert "**erratum:** the third is 0.1654" in chapters["9.md"]
    assert "✗" not in text
    assert ">>> from lanatus.cluster import KMeans" in chapters["9.md"]
    assert 'id="lanatus.cluster.KMeans"' in api["cluster.md"]
