"""Readings of what a text carries encoded: each run is decoded in place, so its context stays.

Every decoder but one shrinks its run and the remaining one (HTML entities) keeps within it, so
decoding can never blow up. What decodes to something that is not text is left alone.
"""

import base64
import binascii
import html
import re
from collections.abc import Callable
from string import ascii_lowercase
from typing import Final
from urllib.parse import unquote

from guard.nouns import View
from guard.views.rewrite import rewritten

_HTML = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ESCAPES = re.compile(
    r"(?:\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\x[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]{1,6}\})+"
)
_ESCAPE = re.compile(
    r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})|\\u\{([0-9a-fA-F]{1,6})\}"
)
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:0[xX])?"
    r"(?:(?:[0-9a-fA-F]{2}){6,}|[0-9a-fA-F]{2}(?:[ ,:\-][0-9a-fA-F]{2}){5,})(?![0-9A-Za-z])"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{12,}(?:\r?\n[A-Za-z0-9+/_\-]{12,})*={0,2}")
_BASE64_PIECE = re.compile(r"[A-Za-z0-9]{12,}={0,2}")
_BASE32 = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z2-7]{16,}|[a-z2-7]{24,})={0,6}(?![A-Za-z0-9=])")
_QUOTED = re.compile(r"(?:=[0-9A-Fa-f]{2}){4,}")
_DECIMAL = re.compile(r"(?<![\d.,])\d{2,3}(?:(?:, ?| )\d{2,3}){9,}(?![\d.])")
_BINARY = re.compile(r"(?<![01])[01]{8}(?: ?[01]{8}){5,}(?![01])")
_MORSE = re.compile(r"(?<![\w.\-])[.\-]{1,6}(?:[ ]{1,3}(?:/[ ]{1,3})?[.\-]{1,6}){7,}(?![\w.\-])")
_MORSE_CODE = """
.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. --
-. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..
"""
_LETTERS_OF: Final = dict(zip(_MORSE_CODE.split(), ascii_lowercase, strict=True))
_NAMES = (
    "a|abbr|article|aside|b|big|blockquote|body|br|button|caption|center|cite|code|dd|del|details"
    "|div|dl|dt|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd"
    "|label|li|link|main|mark|meta|nav|noscript|object|ol|option|p|pre|q|s|samp|script|section"
    "|select|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea"
    "|tfoot|th|thead|title|tr|tt|u|ul|var|video|wbr"
)
_MARKS = re.compile(
    rf"<!--(?P<comment>[^>]{{0,4000}}?)-->|</?(?P<name>{_NAMES})(?=[\s/>])[^<>]{{0,400}}>",
    re.IGNORECASE,
)
_INLINE = re.compile(
    "a|abbr|b|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u"
    "|var|wbr",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(?<=[^\W\d_])(?:\*{1,3}|~~|`|\\(?=[^\W\d_]))(?=[^\W\d_])")
_RUN: Final = 12
_RUNS = re.compile(rf"[A-Za-z0-9+/_\-]{{{_RUN}}}")
_PAIRS = re.compile(r"[0-9a-fA-F]{2}(?:[ ,:\-][0-9a-fA-F]{2}){3}")
_NUMBERS = re.compile(r"\d(?:, ?| )\d")
_NOT_HEX = re.compile(r"[^0-9a-fA-F]")
_TAGS = re.compile(r"[\U000e0020-\U000e007e]+")
_SELECTORS = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_FLAG_TAGS: Final = 6
"""Flags of regions end in up to this many tag characters; a hidden message is longer."""
_PROSE: Final = 0.6
_PRINTABLE: Final = 0.95
_MORSE_LETTERS: Final = 4
"""Different signs that a message has; rulers and rows of dots have fewer."""


def hidden(view: View) -> View:
    """Return the reading in which tag characters and variation selectors say what they carry."""
    if view.text.isascii():
        return view
    seen = rewritten(view, _TAGS, _tags)
    return rewritten(seen, _SELECTORS, _selectors)


def decoded(view: View) -> tuple[View, tuple[str, ...]]:
    """Return the reading with every encoded run decoded once, and the kinds of code found."""
    kinds: list[str] = []
    seen = view
    for may_have, decoders in _DECODERS:
        if not may_have(seen.text):
            continue
        for kind, pattern, decode in decoders:
            after = rewritten(seen, pattern, decode)
            if after is not seen:
                kinds.append(kind)
                seen = after
    return seen, tuple(kinds)


def _tags(match: re.Match[str]) -> str | None:
    run = match.group()
    if len(run) <= _FLAG_TAGS:
        return None
    # Set apart, since it was hidden inside or behind a word.
    return f" {''.join(chr(ord(c) - 0xE0000) for c in run)} "


def _selectors(match: re.Match[str]) -> str | None:
    data = bytes(
        ord(c) - 0xFE00 if ord(c) <= 0xFE0F else ord(c) - 0xE0100 + 16  # noqa: PLR2004
        for c in match.group()
    )
    text = _text(data)
    return None if text is None else f" {text} "


def _html(match: re.Match[str]) -> str | None:
    new = html.unescape(match.group())
    return new if len(new) < len(match.group()) else None


def _escapes(match: re.Match[str]) -> str | None:
    points = [int(next(filter(None, m.groups())), 16) for m in _ESCAPE.finditer(match.group())]
    if any(p > 0x10FFFF for p in points):  # noqa: PLR2004
        return None
    raw = "".join(map(chr, points))
    # Surrogate pairs become the character they stand for; a lone one becomes U+FFFD.
    return raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _percent(match: re.Match[str]) -> str | None:
    return unquote(match.group(), errors="replace")


def _hex(match: re.Match[str]) -> str | None:
    digits = match.group()
    digits = _NOT_HEX.sub("", digits[2:] if digits[:2] in ("0x", "0X") else digits)
    return _text(bytes.fromhex(digits)) if len(digits) % 2 == 0 else None


def _base64(match: re.Match[str]) -> str | None:
    run = match.group()
    if (whole := _base64_text(run)) is not None:
        return whole
    # A payload after a slash or dash of its surroundings is not on a boundary of four.
    found = False

    def piece(inner: re.Match[str]) -> str:
        nonlocal found
        text = _base64_text(inner.group())
        found = found or text is not None
        return inner.group() if text is None else text

    pieces = _BASE64_PIECE.sub(piece, run)
    return pieces if found else None


def _base64_text(run: str) -> str | None:
    body = re.sub(r"[\r\n=]", "", run).translate({ord("-"): "+", ord("_"): "/"})
    body = body[:-1] if len(body) % 4 == 1 else body
    try:
        data = base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except binascii.Error:
        return None
    return _text(data)


def _base32(match: re.Match[str]) -> str | None:
    body = match.group().rstrip("=").upper()
    try:
        data = base64.b32decode(body + "=" * (-len(body) % 8))
    except binascii.Error:
        return None
    return _text(data)


def _quoted(match: re.Match[str]) -> str | None:
    return _text(bytes.fromhex(match.group().replace("=", "")))


def _decimal(match: re.Match[str]) -> str | None:
    codes = [int(number) for number in re.findall(r"\d+", match.group())]
    if any(code > 255 for code in codes):  # noqa: PLR2004  # no byte
        return None
    text = _text(bytes(codes))
    # Numbers below 127 are letters by chance, too: a sentence is little else.
    return text if text and sum(c.isalpha() or c == " " for c in text) >= 0.9 * len(text) else None


def _binary(match: re.Match[str]) -> str | None:
    bits = match.group().replace(" ", "")
    return _text(int(bits, 2).to_bytes(len(bits) // 8, "big"))


def _morse(match: re.Match[str]) -> str | None:
    words = [word.split() for word in re.split(r" {2,}|/", match.group())]
    if any(letter not in _LETTERS_OF for word in words for letter in word):
        return None
    text = " ".join("".join(_LETTERS_OF[letter] for letter in word) for word in words if word)
    return text if len(set(text)) > _MORSE_LETTERS else None


def _marks(match: re.Match[str]) -> str | None:
    """Take a tag away, and say what a comment says: a reader sees neither, a model both."""
    comment = match.group("comment")
    if comment is not None:
        # What stands in the middle of a word to cut it is no sentence.
        return f" {comment.strip()} " if " " in comment.strip() else comment[:0]
    return "" if _INLINE.fullmatch(match.group("name")) else " "


def _nothing(_match: re.Match[str]) -> str | None:
    return ""


def _text(data: bytes) -> str | None:
    """Return `data` as text if it reads as prose or as a further code, else None."""
    for encoding, alphabet in _ENCODINGS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if alphabet.fullmatch(text) and _is_prose(text):
            return text
    return None


def _is_prose(text: str) -> bool:
    shown = sum(c.isprintable() or c in "\t\r\n" for c in text)
    words = sum(c.isalnum() or c == " " for c in text)
    return bool(text) and shown >= _PRINTABLE * len(text) and words >= _PROSE * len(text)


_COMMON = "\t\r\n -~\u2010-\u2030\u3000-\u303f\u4e00-\u9fff\uff00-\uffef"
_ENCODINGS: Final = (
    ("utf-8", re.compile(r"[^\x00]*", re.DOTALL)),
    # Any even number of bytes is UTF-16 or GBK of something: only of what people write is it text.
    ("utf-16-le", re.compile(rf"[{_COMMON}]{{4,}}")),
    ("utf-16-be", re.compile(rf"[{_COMMON}]{{4,}}")),
    ("gb2312", re.compile(rf"[{_COMMON}]{{4,}}")),
)


def _has(sign: str) -> Callable[[str], bool]:
    """Return what says whether a text has this sign."""
    return lambda text: sign in text


def _has_run(text: str) -> bool:
    """Say whether as many characters of a code as one has at least stand side by side."""
    return max(map(len, text.split()), default=0) >= _RUN and _RUNS.search(text) is not None


def _may_be_hex(text: str) -> bool:
    return _has_run(text) or _PAIRS.search(text) is not None


def _may_be_decimal(text: str) -> bool:
    return _NUMBERS.search(text) is not None


def _may_be_morse(text: str) -> bool:
    return " ." in text or " -" in text


def _may_be_emphasis(text: str) -> bool:
    return "*" in text or "`" in text or "\\" in text or "~~" in text


_Decoder = tuple[str, re.Pattern[str], Callable[[re.Match[str]], str | None]]
_DECODERS: Final[tuple[tuple[Callable[[str], bool], tuple[_Decoder, ...]], ...]] = (
    (_has("&"), (("html", _HTML, _html),)),
    (_has("\\"), (("escape", _ESCAPES, _escapes),)),
    (_has("%"), (("percent", _PERCENT, _percent),)),
    (_has("="), (("quoted", _QUOTED, _quoted),)),
    (_may_be_hex, (("hex", _HEX, _hex),)),
    (_has_run, (("base32", _BASE32, _base32), ("base64", _BASE64, _base64))),
    (_may_be_decimal, (("decimal", _DECIMAL, _decimal),)),
    (_has("0"), (("binary", _BINARY, _binary),)),
    (_may_be_morse, (("morse", _MORSE, _morse),)),
    (_has("<"), (("marks", _MARKS, _marks),)),
    (_may_be_emphasis, (("emphasis", _EMPHASIS, _nothing),)),
)
"""What says quickly that a text has none of some kinds, and by kind what finds one and reads it."""
