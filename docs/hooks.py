"""Roles of reStructuredText, which the docstrings use, as Markdown readers expect them."""

import re
from typing import Any

_ROLE = re.compile(r":(?:math|func|class|mod|meth):<code>(.*?)</code>", re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    """Drop the name of a role and keep what it marks."""
    return _ROLE.sub(r"<code>\1</code>", html)
