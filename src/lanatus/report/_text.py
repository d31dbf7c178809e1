"""The words of the page in one of its languages, and what every part of the page is given."""

from dataclasses import dataclass
from typing import Any

from lanatus.profile import Words
from lanatus.report._facts import Facts
from lanatus.report._html import Html, escape
from lanatus.report._words import MEASURES, WORDS
from lanatus.table import Language


class Text:
    """Texts by key, in one language."""

    def __init__(self, language: Language) -> None:
        if language not in ("en", "zh"):
            raise ValueError(f"language must be 'en' or 'zh'; got {language!r}.")
        self.language: Language = language

    def __call__(self, key: str, **values: Any) -> str:
        """The text with values filled in; it is escaped when it comes to the page, like all text."""
        return self.template(key).format(**values)

    def html(self, key: str, **values: Any) -> Html:
        """The text with markup filled in."""
        return Html(escape(self.template(key)).format(**{name: escape(value) for name, value in values.items()}))

    def words(self, words: Words) -> str:
        """What the facts say, in this language."""
        return words.of(self.language)

    def measure(self, name: str) -> str:
        """Name of a measure; one that is not known keeps its own."""
        return MEASURES[name].of(self.language) if name in MEASURES else name

    def heading(self, measure: str) -> str:
        """Name of a measure where it begins a line."""
        name = self.measure(measure)
        return name[:1].upper() + name[1:]

    def setting(self, name: str) -> str:
        """Name of a setting; one that is not known keeps its own."""
        key = f"setting {name}"
        return self(key) if key in WORDS else name.replace("_", " ")

    def template(self, key: str) -> str:
        """The text with its gaps, for the script to fill."""
        return WORDS[key].of(self.language)


@dataclass(frozen=True)
class View:
    """What a part of the page is made from."""

    facts: Facts
    t: Text

    @property
    def language(self) -> Language:
        """The language of the page."""
        return self.t.language
