"""Texts compared by what they claim: fulfils `guard.relating.Relating` with `memory.claims`."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from guard.relating import Read, Reading, Said, Tie
from guard.retelling import claims_told, in_doubt_by
from memory.claims import Bond, BondKind, Claim, Form, Polarity, claims_of, one_meant, relate_claims
from memory.claims.asking import only_asks
from memory.claims.folding import folded
from memory.claims.version import LEXICON

_TIES: Final = {
    BondKind.SAME: Tie.SAME,
    BondKind.SUPERSEDES: Tie.AGAINST,
    BondKind.RETRACTS: Tie.AGAINST,
    BondKind.UNCERTAIN: Tie.DOUBT,
}
"""What a bond comes to; all others let both stand, and so does a doubt."""
_BETWEEN: Final = "\x1f"
_WORD: Final = "word\x1f"
_NUMBERED = re.compile(
    # A thing with a number, then what is said of it: the number names the thing and is no value.
    r"(?:the )?(?:[a-z]+ ){1,2}(?P<number>#?\d[\d.]*)(?: (?:at|in|on) [a-z ]{1,40})? "
    r"(?:is|are|was|were|has|had|holds|runs|contains|keeps|hosts|belongs|opens|closes|needs|uses|"
    r"serves|stands|houses|stores)\b"
    r"|(?P<place>[0-9一二三四五六七八九十]{1,4}[号栋楼层])[\u4e00-\u9fff]{1,6}?(?:里|上)?[有是放在归]",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"[^:：\d]{0,24}?(?P<name>[A-Za-z]{0,8}-?\d[\w-]{0,24})\s{0,2}[:：]\s{0,4}(?=[^\s\d])"
)
"""A heading with a number or code, and something under it: `Shelf B12: …`, `会议记录3：…`."""
_CODE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{1,8}-?\d[A-Za-z0-9-]{1,24}")
"""Letters, then digits: the name of a thing, unless it is the value itself."""
_MOST_BYTES: Final = 4096
"""Of a longer reading no record is kept: it would be as long as its text, which is read again."""


class _Record(msgspec.Struct, frozen=True, array_like=True):
    """A reading as it is kept. Sealed with the memory as an array; fields may only be appended."""

    lexicon: str
    claims: tuple[Claim, ...] = ()


class _Full(_Record, frozen=True, array_like=True):
    """The same with what a model told of the text, and which one. Only where one was asked."""

    by: str = ""
    told: tuple[Claim, ...] = ()


class Compared(msgspec.Struct, frozen=True):
    """An older text, and what the rules say that a new one is to it."""

    old: Read
    bond: Bond
    tie: Tie


_encoder = msgspec.msgpack.Encoder()
_records = msgspec.msgpack.Decoder(_Full)


class ByClaims:
    """Reads slots and values. What is not understood is compared by its words and hides nothing.

    What the model `by` told of a text that rules can't read is compared as well, and makes a doubt
    at most. What another model told is not looked at.
    """

    def __init__(self, by: str = "") -> None:
        self._by = by

    def read(self, said: Said) -> Reading:
        """Return slots and claims. Among the slots are the words that they are made of: a slot may
        be told more or less exactly, and taken back by another name.
        """
        claims = claims_of(said.text, at=said.at)
        known = [claim for claim in claims if claim.form is not Form.OPAQUE]
        keys = [claim.slot.key for claim in known]
        words = [_WORD + word for claim in known for word in claim.about]
        gist = tuple(_BETWEEN.join(_parts(claim)) for claim in claims)
        # Told is no gist: nothing is the same as another because a model says so.
        by, told = ("", ()) if known else self._heard(said)
        keys += [claim.slot.key for claim in told]
        return Reading(
            tuple(dict.fromkeys((*keys, *words))), gist, _record(_Full(LEXICON, claims, by, told))
        )

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return what `new` is to each of `old`. Of two things that have names of their own, a
        number or a code, neither is a version of the other.
        """
        return [one.tie for one in self.compared(new, old)[1]]

    def compared(self, new: Said, old: Sequence[Said]) -> tuple[Read, list[Compared]]:
        """Return what `new` says, and what it is to each of `old`."""
        mine, its = self._read(new), [self._read(one) for one in old]
        bonds = one_meant(mine.claims, [self._bond(mine, one) for one in its])
        found = []
        for one, read, bond in zip(old, its, bonds, strict=True):
            tie = self._tie(new, mine.claims, one, read.claims, bond)
            found.append(Compared(read, bond, tie))
        return mine, found

    @property
    def once(self) -> "ByClaims":
        """Return the same reader for one write."""
        return Once(self._by)

    @property
    def certain(self) -> "ByClaims":
        """Return a reader by rules alone for one answer: it reads each text of it once, and says
        no more of two that may both stand than that they may.
        """
        return _Certain(self._by)

    def is_unread(self, said: Said) -> bool:
        """Return whether a text states something of which the rules find no slot."""
        claims = self._read(said).claims
        opaque = all(claim.form is Form.OPAQUE for claim in claims)
        return bool(claims) and opaque and not only_asks(folded(said.text))

    def is_current(self, record: bytes) -> bool:
        """Return whether a text of this record was read by the lexicon of today, and where that
        finds no slot, by the model of today as well.
        """
        found = self._recorded(record)
        if found is None:
            return False
        unread = bool(found.claims) and all(one.form is Form.OPAQUE for one in found.claims)
        return found.by == self._by or not (unread or found.by)

    def _read(self, said: Said) -> Read:
        """Return what a text says: as it was recorded, else read now."""
        found = self._recorded(said.record)
        claims = found.claims if found is not None else ()
        return Read(said.text, claims or claims_of(said.text, at=said.at))

    def _bond(self, new: Read, old: Read) -> Bond:
        """Return what a text is to an older one, each by itself."""
        return relate_claims(new.claims, old.claims)

    def _recorded(self, record: bytes) -> _Full | None:
        """Return what was recorded, None when there is nothing or another lexicon read it."""
        return _recorded(record)

    def _tie(
        self, new: Said, mine: Sequence[Claim], old: Said, its: Sequence[Claim], bond: Bond
    ) -> Tie:
        tie = _TIES.get(bond.kind, Tie.BESIDE)
        if tie is Tie.BESIDE and in_doubt_by(mine, self._told(new), its, self._told(old)):
            tie = Tie.DOUBT
        return Tie.BESIDE if tie is Tie.BESIDE or _apart(new.text, mine, old.text, its) else tie

    def _heard(self, said: Said) -> tuple[str, tuple[Claim, ...]]:
        """Return what the model of today tells of a text, now or as it was recorded, and its name.

        Nobody is asked twice what he told already. Where it told nothing yet, both are empty.
        """
        if said.by and said.by == self._by:
            return self._by, claims_told(said)
        found = self._on_record(said)
        return ("", ()) if found is None else (found.by, found.told)

    def _told(self, said: Said) -> tuple[Claim, ...]:
        """Return what the model of today told of a text, as it was recorded."""
        found = self._on_record(said)
        return () if found is None else found.told

    def _on_record(self, said: Said) -> _Full | None:
        """Return the reading of a text that the model of today took part in, if it did."""
        found = self._recorded(said.record) if self._by else None
        return found if found is not None and found.by == self._by else None


class Once(ByClaims):
    """Reads for one answer or write, in which a memory is compared with many. Holds what it read
    and compared, so that nobody keeps it longer than that takes.
    """

    def __init__(self, *parts: Any) -> None:
        """Take what the reader takes that does this once."""
        super().__init__(*parts)
        self._on_hand: dict[bytes, _Full | None] = {}
        self._said: dict[tuple[bytes, str, datetime], Read] = {}
        self._bonds: dict[tuple[int, int], Bond] = {}

    def _read(self, said: Said) -> Read:
        key = said.record, said.text, said.at
        found = self._said.get(key)
        if found is None:
            found = self._said[key] = super()._read(said)
        return found

    def _bond(self, new: Read, old: Read) -> Bond:
        # Both are held, so that nothing else can have their numbers.
        key = id(new), id(old)
        found = self._bonds.get(key)
        if found is None:
            found = self._bonds[key] = super()._bond(new, old)
        return found

    def _recorded(self, record: bytes) -> _Full | None:
        if record not in self._on_hand:
            self._on_hand[record] = super()._recorded(record)
        return self._on_hand[record]


class _Certain(Once):
    """Tells what is against what, and asks no more of two claims of which neither can be."""

    def _bond(self, new: Read, old: Read) -> Bond:
        if cannot_replace(new.claims, old.claims):
            return _BOTH_STAND
        return super()._bond(new, old)


_BOTH_STAND: Final = Bond(BondKind.BESIDE, "of_two_slots")


def cannot_replace(new: Sequence[Claim], old: Sequence[Claim]) -> bool:
    """Return whether `relate_claims` surely finds no bond by which the new text replaces the old.

    Two plain statements of two slots, the newer of which says of no change: what most memories of
    one subject are to each other. What is denied, ends, or was not understood is compared.
    """
    if len(new) != 1 or len(old) != 1:
        return False
    mine, its = new[0], old[0]
    return not (
        mine.marks
        or mine.about == its.about
        or Form.OPAQUE in (mine.form, its.form)
        or not mine.polarity is its.polarity is Polarity.AFFIRMED
        or set(mine.about) == set(its.about)
    )


def _record(full: _Full) -> bytes:
    """Return a reading as it is kept; of a long one only by which lexicon it was made."""
    record = _encode(full if full.by else _Record(LEXICON, full.claims))
    return record if len(record) <= _MOST_BYTES else _encode(_Record(LEXICON))


def _encode(record: _Record) -> bytes:
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:
        return _encoder.encode(_Record(LEXICON))  # half a character; the vault refuses such a text


def _recorded(record: bytes) -> _Full | None:
    """Return what was recorded, None when there is nothing or another lexicon read it."""
    if not record:
        return None
    try:
        found = _records.decode(record)
    except msgspec.MsgspecError:
        return None
    return found if found.lexicon == LEXICON else None


def told_apart(new: Read, old: Read) -> bool:
    """Return whether two texts speak of two things that have names of their own."""
    return _apart(new.text, new.claims, old.text, old.claims)


def _apart(new: str, mine: Sequence[Claim], old: str, its: Sequence[Claim]) -> bool:
    if _named_apart(new, old):
        return True
    names, others = _codes(new, mine), _codes(old, its)
    return bool(names and others and not names & others)


def _named_apart(new: str, old: str) -> bool:
    """Say whether both texts begin with a thing that has a number, and with two different ones."""
    for form in (_NUMBERED, _HEADED):
        mine, its = form.match(new), form.match(old)
        if mine is not None and its is not None:
            return mine.groupdict() != its.groupdict()
    return False


def _codes(text: str, claims: Sequence[Claim]) -> set[str]:
    """Return the codes in a text that are nobody's value."""
    values = " ".join(" ".join((one.value.text, *one.words)) for one in claims).casefold()
    found = {code.casefold() for code in _CODE.findall(text)}
    return {code for code in found if code not in values}


def _parts(claim: Claim) -> Iterator[str]:
    """Yield all of a claim but what only points at an earlier one."""
    yield claim.slot.key
    yield claim.value.kind
    yield claim.value.text
    yield claim.polarity
    yield claim.limit
    yield from claim.scope
