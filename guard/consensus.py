"""What recall makes of memories that contradict each other (R6).

Most contradictions end when they are written: the newer stands, or is held. What is left are
memories that were not compared then, or could not be. Of two that can't both hold, the one counts
that the subject himself said, or confirmed, on more distinct days. How often something was repeated
counts for nothing, and what an agent, a page or a tool says has no support of its own, however
often it comes (W4).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import Final

import msgspec

from guard.kin import said_in
from guard.nouns import Label, Leaf, Opened, Row
from guard.relating import Relating, Tie
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


async def agreed(voices: Sequence[Voice], rooms: Rooms) -> Mapping[MemoryId, Verdict]:
    """Return the verdicts on those of one subject's `voices` that another one contradicts."""
    pairs = list(_comparable(voices))
    if not pairs:
        return {}
    opposed = await asyncio.to_thread(_opposed, pairs, rooms.relating)
    if not opposed:
        return {}
    concerned = list(dict.fromkeys(voice.id for pair in opposed for voice in pair))
    tenant = TenantId(voices[0].row.sealed.label.tenant)
    made = await rooms.audit.made(tenant, concerned)
    return verdicts(opposed, _support(voices, made))


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


def _comparable(voices: Sequence[Voice]) -> Iterator[tuple[Voice, Voice]]:
    """Yield the pairs that speak of a same thing, the one that was recorded later first."""
    ordered = sorted(voices, key=lambda one: (one.row.sealed.label.recorded_at, one.id))
    for place, newer in enumerate(ordered):
        for older in ordered[:place]:
            if len(newer.topics & older.topics) >= _TOPICS:
                yield newer, older


def _opposed(pairs: Sequence[tuple[Voice, Voice]], relating: Relating) -> list[tuple[Voice, Voice]]:
    by_newer: dict[MemoryId, list[tuple[Voice, Voice]]] = {}
    for pair in pairs:
        by_newer.setdefault(pair[0].id, []).append(pair)
    opposed = []
    for of_one in by_newer.values():
        ties = relating.ties(
            said_in(of_one[0][0].opened), [said_in(old.opened) for _, old in of_one]
        )
        opposed += [pair for pair, tie in zip(of_one, ties, strict=True) if tie is Tie.AGAINST]
    return opposed


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
