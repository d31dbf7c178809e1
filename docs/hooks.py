"""What the site is made with: the navigation found from the pages, and docstrings' roles as Markdown readers expect."""

import re
from pathlib import Path
from typing import Any

_ROLE = re.compile(r":(?:math|func|class|mod|meth):<code>(.*?)</code>", re.DOTALL)
_PLACE = re.compile(r"\A---\nnav: (\d+)\n---\n")
_MADE = {"chapters/index.md": ("Chapters", 60), "api/index.md": ("API", 61)}  # written by generate.py


def on_config(config: Any) -> Any:
    """The navigation: every page by the number that its first lines give it, decisions last; no list to edit."""
    folder = Path(config["docs_dir"])
    pages = [(place, title, name) for name, (title, place) in _MADE.items()]
    for file in folder.glob("*.md"):
        text = file.read_text(encoding="utf-8")
        place = _PLACE.match(text)
        heading = re.search(r"^# (.+)$", text, re.MULTILINE)
        title = "Home" if file.name == "index.md" else heading[1] if heading else file.stem
        pages.append((int(place[1]) if place else 50, title, file.name))
    decisions = sorted(f"decisions/{file.name}" for file in (folder / "decisions").glob("*.md"))
    config["nav"] = [{title: name} for _, title, name in sorted(pages)] + [{"Decisions": decisions}]
    return config


def on_page_content(html: str, **_: Any) -> str:
    """Drop the name of a role and keep what it marks."""
    return _ROLE.sub(r"<code>\1</code>", html)
