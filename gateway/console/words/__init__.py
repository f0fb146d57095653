"""What the pages say, in each language: tables of plain texts, and nothing that is markup.

A language is a folder; each section of the console has a file there.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

LANGUAGES: Final = ("en", "zh")
"""The first one is spoken to whoever asks for none of them."""
_MOST_WISHES: Final = 16


class Words:
    """The texts of one language by key."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language: Final = language
        self.texts: Final = texts

    def __call__(self, key: str, **named: object) -> str:
        """Return a text, with what is named in it. Raises KeyError for a key that there is not."""
        text = self.texts[key]
        return text.format(**named) if named else text

    def of(self, prefix: str, word: str, otherwise: str | None = None, /, **named: object) -> str:
        """Return the text for a word of a vocabulary that may grow, with what is named in it; if
        there is none, the word itself, or what is to be said otherwise.
        """
        text = self.texts.get(f"{prefix}.{word}")
        if text is None:
            return word if otherwise is None else otherwise
        return text.format(**named) if named else text


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{before}{key}.")
        else:
            found[before + key] = str(value)
    return found


def _read(language: str) -> Words:
    texts: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / language).glob("*.toml")):
        found = _flat(tomllib.loads(path.read_text("utf-8")))
        twice = texts.keys() & found.keys()
        if twice:
            raise ValueError(f"{path.name}: said already: {sorted(twice)}")
        texts |= found
    return Words(language, texts)


WORDS: Final = {language: _read(language) for language in LANGUAGES}


def language_of(chosen: str | None, accepted: str) -> str:
    """Return the language of a page: what was chosen, else what the browser would rather have."""
    if chosen in LANGUAGES:
        return chosen
    wishes: list[tuple[float, str]] = []
    for wish in accepted.split(",")[:_MOST_WISHES]:
        name, _, quality = wish.partition(";")
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            wishes.append((_quality(quality), language))
    best = max(wishes, key=lambda wish: wish[0], default=(0.0, LANGUAGES[0]))
    return best[1] if best[0] > 0 else LANGUAGES[0]


def _quality(said: str) -> float:
    try:
        return float(said.strip().removeprefix("q=")) if said.strip() else 1.0
    except ValueError:
        return 0.0
