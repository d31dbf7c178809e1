"""Every block of Python in the documentation runs, page by page, in an empty folder."""

import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from plain_install import guard, required

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / "docs" / "chapters", ROOT / "docs" / "api"
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh-CN.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not set(MADE) & set(page.parents)),
]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def extras_named(page):
    """Extras that the page tells to install."""
    named = re.findall(r"lanatus\[([\w,]+)\]", page.read_text(encoding="utf-8"))
    return frozenset(extra for group in named for extra in group.split(","))


def run_blocks(page, folder, **environment):
    """The blocks of a page in one process, one after the other, warnings being errors."""
    program = folder / "page.py"
    program.write_text("\n".join(blocks(page)), encoding="utf-8")
    (folder / "run").mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", program],
        cwd=folder / "run",
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "agg", **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow  # a page is a whole program: the longest grow forests, search, or start workers
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page, tmp_path):
    """With what a plain install brings, and the extras that the page names."""
    site = tmp_path / "site"
    site.mkdir()
    run_blocks(page, tmp_path, PYTHONPATH=str(guard(site, extras_named(page))))


def test_a_plain_install_is_plain(tmp_path):
    """What the guard lets through: the requirements of lanatus, and nothing of the extras."""
    assert {"numpy", "pandas", "pyarrow", "scikit-learn", "typer"} <= required()
    assert not {"polars", "dask", "pytest", "lightgbm", "hypothesis"} & required()
    assert {"dask", "distributed"} <= required(frozenset({"dask"}))
    environment = {**os.environ, "PYTHONPATH": str(guard(tmp_path))}
    for module, status in (("pandas", 0), ("polars", 1), ("lightgbm", 1)):
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"], env=environment, capture_output=True, check=False
        )
        assert done.returncode == status, done.stderr


@pytest.mark.slow  # builds a wheel, though the kernels are compiled already, and runs the README from it
def test_the_readme_runs_from_a_wheel(tmp_path):
    """Installed beside nothing but its requirements, and not from the source tree."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
        "-w",
        tmp_path,
        ROOT,
    ]
    built = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if built.returncode != 0 and "No module named" in built.stderr:
        pytest.skip("what builds a wheel is not installed here")
    assert built.returncode == 0, built.stderr
    site = tmp_path / "site"
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    # The editable install finds the source tree before any path is looked at; the guard puts the wheel before it.
    finder = guard(site) / "sitecustomize.py"
    first = f"import importlib.machinery, sys\n_WHEEL = {str(site)!r}\n"
    finder.write_text(first + finder.read_text(encoding="utf-8") + _FROM_WHEEL, encoding="utf-8")
    check = tmp_path / "check.md"
    check.write_text(f"```python\nimport lanatus\n\nassert lanatus.__file__.startswith({str(site)!r})\n```\n", "utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    run_blocks(check, tmp_path / "a", PYTHONPATH=str(site))
    run_blocks(ROOT / "README.md", tmp_path / "b", PYTHONPATH=str(site))


_FROM_WHEEL = """

class _Wheel:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "lanatus":
            return importlib.machinery.PathFinder.find_spec(name, [_WHEEL] if path is None else path)
        return None


sys.meta_path.insert(0, _Wheel)
"""


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
