"""One way to write a text: one width, one script, no invisible signs. Meaning stays."""

import re
import unicodedata
from typing import Final

from memory.claims.traditional_rules import SIMPLIFIED

LONGEST: Final = 2_000
"""Characters that are read. What a text says after them is opaque."""

_SILENT = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_QUOTES = re.compile('["“”„«»「」『』《》〈〉‘]')
_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")
_SPELT: Final = (
    ("一刻钟", "15分钟"), ("三刻钟", "45分钟"), ("一分半钟", "90秒"),
    ("戒烟", "戒抽烟"), ("戒酒", "戒喝酒"),
    ("three quarters of an hour", "45 minutes"), ("a quarter of an hour", "15 minutes"),
)  # fmt: skip
"""What is put in other words before it is taken apart, so that one rule reads both."""
_APOSTROPHE: Final = str.maketrans({"’": "'", "`": "`", "、": "、", "−": "-", "–": "-", "—": ","})


def folded(text: str) -> str:
    """Return the text in one width and script; folding a folded text changes nothing."""
    if text.isascii():
        return _respelt(text[:LONGEST].replace('"', ""))
    cut = _SILENT.sub("", text[:LONGEST])
    plain = unicodedata.normalize("NFKC", cut.translate(_APOSTROPHE)).translate(_APOSTROPHE)
    done = _TONES.sub("", _QUOTES.sub("", _SILENT.sub("", plain))).translate(SIMPLIFIED)
    return _respelt(done)


def _respelt(text: str) -> str:
    for spelt, shorter in _SPELT:
        text = text.replace(spelt, shorter)
    return text
