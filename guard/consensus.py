"""What recall makes of memories that contradict each other (R6).

Most contradictions end when they are written: the newer stands, or is held. What is left are
memories that were not compared then, or could not be. Of two that can't both hold, the one counts
that the subject himself said, or confirmed, on more distinct days. How often something was repeated
counts for nothing, and what an agent, a page or a tool says has no support of its own, however
often it comes (W4).
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from itertools import takewhile
from typing import Final

import msgspec

from guard.aside import aside
from guard.kin import TO_COMPARE, said_in
from guard.nouns import Label, Leaf, Opened, Row
from guard.relating import Relating, Said, Tie
from guard.rooms import Rooms
from memory.origin import TRUST_OF_SUBJECT
from memory.ranking import Factors
from memory.types import MemoryId, TenantId

CHECK: Final = "consensus"
"""The check that fails for a memory which must not be shown beside better supported ones."""
OUTWEIGHED: Final = "consensus.outweighed"
"""Another memory in the answer says otherwise, and is better supported."""
DISPUTED: Final = "consensus.disputed"
"""Another memory in the answer says otherwise, and neither is better supported."""
_SPOKEN: Final = frozenset({"stored", "redacted", "superseding", "merged"})
"""Outcomes of a write that said what the memory says, once more or for the first time."""
_CONFIRM: Final = "confirm"
_TOPICS: Final = 2
"""Keyed ids that two memories of one slot share at least: its own, and that of a word in it."""


class Voice(msgspec.Struct, frozen=True):
    """A memory that may be shown, opened, and the keyed ids of what it speaks of."""

    row: Row
    opened: Opened
    topics: AbstractSet[str]

    @property
    def id(self) -> MemoryId:
        """The memory's id."""
        return self.row.sealed.label.id


class Verdict(msgspec.Struct, frozen=True):
    """What the others make of a memory; `against` are those it can't hold beside."""

    reason: str
    against: tuple[MemoryId, ...]
    withheld: bool = False


class Voices:
    """The memories that were read for one answer, each compared with the others when it matters.

    Who asks for five memories does not wait for what thirty others are to each other.
    """

    def __init__(self, voices: Sequence[Voice], rooms: Rooms) -> None:
        self._rooms = rooms
        self._relating = rooms.relating.certain
        # What was recorded later may contradict what stands before it.
        ordered = sorted(voices, key=lambda one: (one.row.sealed.label.recorded_at, one.id))
        self._ordered = {voice.id: voice for voice in ordered}
        self._said = {voice.id: said_in(voice.opened) for voice in ordered}
        self._settled: set[MemoryId] = set()
        self._whole: set[MemoryId] = set()
        self._opposed: dict[MemoryId, list[Voice]] = {}
        self._verdicts: Mapping[MemoryId, Verdict] = {}

    def trust(self, id: MemoryId) -> int:
        """Return the trust of one of them."""
        return _trust(self._ordered[id])

    async def verdicts_on(self, ids: Iterable[MemoryId]) -> Mapping[MemoryId, Verdict]:
        """Return the verdicts on those of these memories that another one contradicts.

        What contradicts them is judged as well, and what contradicts that: who is withheld himself
        outweighs nothing.
        """
        wanted = [id for id in ids if id not in self._settled]
        if not wanted:
            return self._verdicts
        while wanted:
            self._settled.update(wanted)
            wanted = await self._compared(frozenset(wanted))
        opposed = [
            (newer, old) for id, newer in self._ordered.items() for old in self._opposed.get(id, ())
        ]
        if opposed:
            concerned = list(dict.fromkeys(voice.id for pair in opposed for voice in pair))
            tenant = TenantId(opposed[0][0].row.sealed.label.tenant)
            made = await self._rooms.audit.made(tenant, concerned)
            self._verdicts = verdicts(opposed, _support([*self._ordered.values()], made))
        return self._verdicts

    async def _compared(self, chosen: AbstractSet[MemoryId]) -> list[MemoryId]:
        """Compare these with all others; return who contradicts them and was not compared yet."""
        rows = {id: self._olds(id, chosen) for id in self._ordered if id not in self._whole}
        opposed = await self._against(rows)
        # Which of several memories is meant is only known beside all of them.
        partly = opposed.keys() - chosen
        for id in partly:
            del opposed[id]
        opposed |= await self._against({id: self._olds(id, {id}) for id in partly})
        self._whole |= chosen | partly
        self._opposed |= opposed
        named = [id for newer, olds in opposed.items() for id in (newer, *(old.id for old in olds))]
        return [id for id in dict.fromkeys(named) if id not in self._settled]

    def _olds(self, id: MemoryId, chosen: AbstractSet[MemoryId]) -> list[Voice]:
        """Return what a memory is compared with, of what was recorded before it: what speaks of a
        same thing. Of one that is not chosen, only the chosen ones.
        """
        newer = self._ordered[id]
        return [
            older
            for older in takewhile(lambda one: one is not newer, self._ordered.values())
            if (id in chosen or older.id in chosen) and len(newer.topics & older.topics) >= _TOPICS
        ]

    async def _against(self, rows: Mapping[MemoryId, list[Voice]]) -> dict[MemoryId, list[Voice]]:
        """Return which of the older ones each memory contradicts, where it contradicts any."""
        asked = {id: olds for id, olds in rows.items() if olds}
        size = sum(_size(one) for id, olds in asked.items() for one in (self._ordered[id], *olds))
        pairs = [(self._ordered[id], olds) for id, olds in asked.items()]
        return await aside(size, _opposed, pairs, self._said, self._relating)


def verdicts(
    opposed: Sequence[tuple[Voice, Voice]], support: Mapping[MemoryId, int]
) -> dict[MemoryId, Verdict]:
    """Return what follows from who contradicts whom, and on how many days each was supported.

    What is not the subject's own word is withheld beside what he said on more days. His own word is
    never withheld for having been said on fewer days: he may have changed his mind.
    """
    found: dict[MemoryId, Verdict] = {}
    # The best supported first: what is withheld itself outweighs nothing.
    for pair in sorted(opposed, key=lambda two: -max(_rank(one, support) for one in two)[0]):
        weak, strong = sorted(pair, key=lambda voice: _rank(voice, support))
        if any(one.id in found and found[one.id].withheld for one in pair):
            continue
        if _rank(weak, support) == _rank(strong, support):
            for one, other in ((weak, strong), (strong, weak)):
                found[one.id] = _added(found.get(one.id), DISPUTED, other.id)
            continue
        lesser = (
            _rank(weak, support)[0] < _rank(strong, support)[0] and _trust(weak) < TRUST_OF_SUBJECT
        )
        verdict = _added(found.get(weak.id), OUTWEIGHED, strong.id)
        found[weak.id] = msgspec.structs.replace(verdict, withheld=lesser)
    return found


def verified_days(label: Label, leaves: Sequence[Leaf]) -> frozenset[date]:
    """Return the days (UTC) on which the subject himself said this, or confirmed it.

    A memory of the subject's own trust is only made and touched by writes of that trust. One that
    he confirmed was somebody else's before: it counts from then.
    """
    if label.trust < TRUST_OF_SUBJECT:
        return frozenset()
    confirmed = [place for place, leaf in enumerate(leaves) if leaf.action == _CONFIRM]
    own = leaves[confirmed[0] :] if confirmed else leaves
    return frozenset(
        leaf.at.date() for leaf in own if leaf.action == _CONFIRM or leaf.outcome in _SPOKEN
    )


def _support(
    voices: Sequence[Voice], made: Mapping[MemoryId, Sequence[Leaf]]
) -> dict[MemoryId, int]:
    """Return on how many days each was supported; memories of equal claim support each other.

    One whose leaves are no leaves any more is left out: nothing speaks for it.
    """
    days = {
        voice.id: verified_days(voice.row.sealed.label, made[voice.id])
        for voice in voices
        if voice.id in made
    }
    claims = {voice.id: voice.row.sealed.claim for voice in voices if voice.id in made}
    return {
        id: len(
            frozenset[date]().union(
                *(
                    of
                    for other, of in days.items()
                    if other == id or (claim and claims[other] == claim)
                )
            )
        )
        for id, claim in claims.items()
    }


def _opposed(
    rows: Sequence[tuple[Voice, Sequence[Voice]]],
    said: Mapping[MemoryId, Said],
    relating: Relating,
) -> dict[MemoryId, list[Voice]]:
    opposed = {}
    for newer, olds in rows:
        ties = relating.ties(said[newer.id], [said[old.id] for old in olds])
        against = [old for old, tie in zip(olds, ties, strict=True) if tie is Tie.AGAINST]
        if against:
            opposed[newer.id] = against
    return opposed


def _size(voice: Voice) -> int:
    """Return how long a memory is to compare, in characters of a text that is still to be read."""
    body = voice.opened.body
    return len(body.reading) // TO_COMPARE if body.reading else len(body.text)


def _rank(voice: Voice, support: Mapping[MemoryId, int]) -> tuple[int, int]:
    return support.get(voice.id, 0), _trust(voice)


def _trust(voice: Voice) -> int:
    return voice.row.sealed.label.trust


def _added(before: Verdict | None, reason: str, other: MemoryId) -> Verdict:
    """Return a verdict with one more memory against it; being outweighed says more."""
    if before is None:
        return Verdict(reason, (other,))
    reasons = {before.reason, reason}
    return Verdict(OUTWEIGHED if OUTWEIGHED in reasons else DISPUTED, (*before.against, other))


def behind(
    ranked: Sequence[tuple[MemoryId, Factors]], found: Mapping[MemoryId, Verdict]
) -> list[tuple[MemoryId, Factors]]:
    """Return the ranking, what is outweighed no higher than right behind what outweighs it."""
    places = {id: place for place, (id, _) in enumerate(ranked)}

    def place(id: MemoryId) -> tuple[int, int]:
        verdict = found.get(id)
        if verdict is None or verdict.reason != OUTWEIGHED:
            return places[id], 0
        better = [places[other] for other in verdict.against if other in places]
        lowest = max(better, default=-1)
        return (lowest, 1) if lowest > places[id] else (places[id], 0)

    return sorted(ranked, key=lambda one: place(one[0]))


def reasons_of(verdict: Verdict | None) -> tuple[str, ...]:
    """Return what an answer tells of a memory that is shown: the reason, and what is against it."""
    if verdict is None:
        return ()
    return (verdict.reason, *(f"against.{id}" for id in verdict.against))
