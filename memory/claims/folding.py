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


_THAT_ONE: Final = re.compile("那一(?=[排块条个间家张本份种套位只])")
_FRONTED: Final = re.compile(
    r"(?P<before>^|[,;。!?\n]\s?)(?P<what>(?!因|所|但|如|虽|后|其实|结果|为了|以|现|今|昨|明|前|刚|要是)"
    r"[\u3400-\u9fff]{1,12})(?<![天年月日周候前后在来间上下早晚时])(?P<who>我们|我)"
    r"(?P<how>(?:已经|现在|早就|早|再也|也|还|不再|不|没有|没|从不|会|能)+)"
    r"(?P<does>[\u3400-\u9fff]{1,4}?)(?P<end>了?)(?=$|[,;。!?\n])"
    r"|(?P<again>^|[,;。!?\n]\s?)(?P<that>[\u3400-\u9fff]{1,16})(?<![天年月日周候前后在来间上下早晚时])"
    r"(?P<one>我们|我)(?P<ends>取消|退掉|退订|卸载|放弃|戒掉|停掉|卖掉|戒|停|退|卖)了(?=$|[,;。!?\n])"
)
"""What is spoken of put first, then who does it: 烟我已经不抽了, 那门课我取消了."""


_AND_A_HALF: Final = re.compile(
    r"\b(?P<many>an?|one|two|three|four|five|six|\d{1,3}) (?:(?P<unit>[a-z]{3,9}?)s? and a half\b"
    r"|and a half (?P<of>[a-z]{3,10})\b)",
    re.IGNORECASE,
)
"""A number with its half in words: "an hour and a half", "two and a half hours"."""
_WHOLE: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _with_half(found: re.Match[str]) -> str:
    many = found["many"].lower()
    return f"{_WHOLE.get(many, many)}.5 {found['unit'] or found['of']}"


def _respelt(text: str) -> str:
    if "and a half" in text:
        text = _AND_A_HALF.sub(_with_half, text)
    for spelt, shorter in _SPELT:
        text = text.replace(spelt, shorter)
    text = _THAT_ONE.sub("那", text)
    return _FRONTED.sub(_behind, text) if "我" in text[1:] else text


def _behind(found: re.Match[str]) -> str:
    """Return a clause with what is done before what it is done to."""
    if "我" in (found["what"] or found["that"]):
        return found.group()
    if found["that"]:
        return f"{found['again']}{found['one']}{found['ends']}了{found['that']}"
    return (
        f"{found['before']}{found['who']}{found['how']}{found['does']}{found['what']}{found['end']}"
    )
