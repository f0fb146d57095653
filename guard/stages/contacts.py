"""Finds telephone numbers and mail addresses, and tells whose they are (W6).

`contact` is somebody's. `public_contact` is a place's: a shared mailbox, a free number, a line that
says "call us". `correspondent` is that of those who write and are written to: it stands in the head
of a letter or under it. A letter is no dossier, so only the first is held from outside.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import phonenumbers

from guard.stages.contact_rules import (
    AUTHOR,
    CLOSING,
    EMAIL,
    FOOTER,
    FREE,
    HEADER,
    MOBILE_CN,
    NUMBER_LABEL,
    OWN,
    PHONE,
    PHONE_LABEL,
    PUBLIC_LINE,
    PUBLIC_MAILBOX,
    SALUTATION,
    SUBJECT,
)
from policies.model import Span

CONTACT: Final = "contact"
PUBLIC: Final = "public_contact"
CORRESPONDENT: Final = "correspondent"

_SIGNATURE: Final = 420
"""Characters under the close of a letter that are its signature."""
_SIGNED: Final = 4
"""Contacts in one signature; a longer list is a list."""
_SIGNS: Final = 2
"""Signs of a letter that make one: a head, a subject, a salutation, a close."""

_MESSAGE: Final = 54
"""Characters, Chinese ones twice, from which on a text says more than how to reach somebody."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_DIGIT: Final = re.compile(r"\d")
_REGIONS: Final = ("CN", "US", "GB")
_NEAR: Final = 24
_LINE: Final = 72
_PARSED: Final = 64
"""Telephone numbers parsed per view; from there on a candidate counts as one unparsed."""


class Letter(msgspec.Struct, frozen=True):
    """Where a letter names those who write and are written to; nowhere in what is none."""

    heads: tuple[tuple[int, int], ...]
    signatures: tuple[tuple[int, int], ...]

    def in_head(self, start: int) -> bool:
        """Return whether a place is in a line that says from or to whom."""
        return any(low <= start < high for low, high in self.heads)

    def signature(self, start: int) -> int | None:
        """Return which signature a place is in."""
        within = (i for i, (low, high) in enumerate(self.signatures) if low <= start < high)
        return next(within, None)


NO_LETTER: Final = Letter((), ())


def contacts(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind and place of each telephone number and mail address."""
    yield from _phones(text)
    yield from _mail(text)


def correspondents(text: str, spans: Sequence[Span]) -> set[Span]:
    """Return those of `spans`, contacts in order, that are of a letter's own correspondents.

    What its head names counts anywhere in it, a few under each close, and those by which the
    writer of a message says how to reach himself. The letter is the text
    itself: in a reading whose lines are joined it could not be told.
    """
    own = _by_the_writer(text, spans)
    letter = letter_of(text)
    if letter is NO_LETTER:
        return own
    named = {text[s.start : s.end].lower() for s in spans if letter.in_head(s.start)}
    theirs = own
    signed: Counter[int] = Counter()
    for span in spans:
        signature = letter.signature(span.start)
        if signature is not None:
            signed[signature] += 1
        of_signature = signature is not None and signed[signature] <= _SIGNED
        if of_signature or text[span.start : span.end].lower() in named:
            theirs.add(span)
    return theirs


def _by_the_writer(text: str, spans: Sequence[Span]) -> set[Span]:
    """Return those by which a writer says how to reach himself, and those he signs with."""
    if len(text) + len(_HAN.findall(text)) < _MESSAGE:
        return set()
    own = {span for span in spans if OWN.search(text, max(0, span.start - _LINE), span.start)}
    last = [span for span in spans if not text[span.end :].strip(" .\t\n)>")]
    own.update(s for s in last if FOOTER.search(text, max(0, s.start - _LINE), s.start))
    return own if len(own) <= _SIGNED else set()


def letter_of(text: str) -> Letter:
    """Return where a letter names its correspondents."""
    heads = [match.span() for match in HEADER.finditer(text)]
    closes = list(CLOSING.finditer(text))
    one_each = (SUBJECT.search(text), SALUTATION.search(text), closes)
    authors = [match.span() for match in AUTHOR.finditer(text)]
    if len(heads[:_SIGNS]) + sum(map(bool, one_each)) < _SIGNS:
        return Letter(tuple(authors), ()) if authors else NO_LETTER
    signatures = [(close.end(), min(close.end() + _SIGNATURE, len(text))) for close in closes]
    return Letter((*heads, *authors), tuple(signatures))


def _mail(text: str) -> Iterator[tuple[str, int, int]]:
    if "@" not in text:
        return
    for match in EMAIL.finditer(text):
        public = PUBLIC_MAILBOX.match(match.group().lower()) or _is_public(text, match.start())
        yield PUBLIC if public else CONTACT, match.start(), match.end()


def _phones(text: str) -> Iterator[tuple[str, int, int]]:
    if _DIGIT.search(text) is None:
        return
    parsed = 0
    for match in PHONE.finditer(text):
        near = text[max(0, match.start() - _NEAR) : match.start()]
        raw = match.group()
        international = raw.startswith(("+", "00"))
        mobile = MOBILE_CN.match(raw) and not NUMBER_LABEL.search(near)
        public = FREE.match(raw) or _is_public(text, match.start())
        if not (international or mobile or public or PHONE_LABEL.search(near)):
            continue
        parsed += 1
        if parsed > _PARSED or _is_phone(raw, international=international):
            yield PUBLIC if public else CONTACT, match.start(), match.end()


def _is_public(text: str, start: int) -> bool:
    """Return whether a line says before this place that it is a place's and not a person's."""
    return PUBLIC_LINE.search(text, max(0, start - _LINE), start) is not None


def _is_phone(raw: str, *, international: bool) -> bool:
    number = f"+{raw[2:]}" if raw.startswith("00") else raw
    for region in (None,) if international else _REGIONS:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(number, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False
