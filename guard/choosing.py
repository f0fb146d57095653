"""What an answer shows of the memories that were proved: the first few, read and undisputed."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from guard.asking import Asked
from guard.browse import memory_of
from guard.consensus import Verdict, Voice, Voices, behind, reasons_of
from guard.nouns import Label, Opened
from guard.outcomes import Recalled
from guard.proof import Proof, Proved
from guard.talk import Places
from guard.trace import End
from memory.answering import fit, worded
from memory.bearing import Read
from memory.ranking import Factors, Standing, bound_low_trust, rank
from memory.timely import in_order, told, within
from memory.types import MemoryId

_READ_LOW: Final = 4
"""Low-trust memories that are read for one that may be shown."""

Ranking = Sequence[tuple[MemoryId, Factors]]
"""Memories with what made their scores, best first."""


async def best_of(
    asked: Asked, shown: Sequence[Proved], places: Places, proof: Proof
) -> tuple[Recalled, ...]:
    """Return the first `k`, opened, with no more of low trust among them than configured.

    The most relevant are opened and read once more: how their wording fits the question (R3).
    """
    query, rooms, times = asked.query, asked.rooms, asked.meant.times
    by_id = {memory.id: memory for memory in shown}
    relevant = asked.relevant(shown, places)
    read: dict[MemoryId, Opened] = {}
    relevance: dict[MemoryId, float] = {}
    told_at: dict[MemoryId, datetime] = {}
    seen: dict[MemoryId, Read] = {}
    wanted = worded(query.text)
    count, most = max(query.k, rooms.bounds.rerank_items), rooms.bounds.low_trust_items
    # However many pages say it, they don't crowd out what is read.
    first = bound_low_trust(relevant, count, _READ_LOW * most, lambda id: _trust(by_id[id]))
    asked.trail.bounded(
        list(relevant), first, count, beyond=End.UNREAD, trust=lambda id: _trust(by_id[id])
    )
    for id in first:
        opened = await proof.content(by_id[id].row)
        if opened is not None:
            read[id] = opened
            text, at = opened.body.text, opened.body.occurred_at or opened.label.recorded_at
            wording = fit(wanted, text)
            when = told(text, at, times.spans, asked.meant.zone)
            asked.trail.worded(id, wording, when)
            relevance[id] = relevant[id] + wording + when
            told_at[id] = at
            seen[id] = Read(text, when > 0.0 or within(at, times.spans))
    if not asked.answered(seen, max(told_at.values(), default=None)):
        return ()
    voices = Voices([_voice(by_id[id], opened) for id, opened in read.items()], rooms)
    # A model reads nothing that others outvote.
    unread = rooms.closely is None and rooms.ordering is None
    against = await voices.verdicts_on(() if unread else read)
    undisputed = {id: one for id, one in read.items() if not _outvoted(id, against)}
    texts = {id: one.body.text for id, one in undisputed.items()}
    relevance = await asked.closer(relevance, texts)
    relevance = await asked.ordered(relevance, undisputed)
    relevance = in_order(relevance, told_at, times.order)
    # Who asks about a time does not want what is newest.
    used = rooms.clock() if times.spans or times.order else None
    standings = {id: _standing(opened.label, used) for id, opened in read.items()}
    every = rank(relevance, standings, rooms.clock(), rooms.bounds.ranking)
    ranked, kept, against = await _undisputed(every, voices, against, asked)
    for id, verdict in against.items():
        if verdict.withheld:
            proof.outvoted(id)
    asked.trail.ranked(dict(ranked))
    asked.trail.bounded(
        [id for id, _ in ranked],
        [id for id, _ in kept],
        query.k,
        beyond=End.BEYOND_K,
        trust=lambda id: _trust(by_id[id]),
    )
    return tuple(
        Recalled(memory_of(read[id]), factors.score, reasons_of(against.get(id)))
        for id, factors in kept
    )


async def _undisputed(
    every: Ranking, voices: Voices, against: Mapping[MemoryId, Verdict], asked: Asked
) -> tuple[Ranking, Ranking, Mapping[MemoryId, Verdict]]:
    """Return a ranking without what is outvoted, what of it is shown, and the verdicts on that."""
    k, most = asked.query.k, asked.rooms.bounds.low_trust_items
    judged: set[MemoryId] = set()
    while True:
        left = [one for one in every if not _outvoted(one[0], against)]
        ranked = behind(left, against)
        kept = bound_low_trust(ranked, k, most, lambda one: voices.trust(one[0]))
        # What comes into the place of one that is outvoted is held against the others, too.
        fresh = [id for id, _ in kept if id not in judged]
        if not fresh:
            return ranked, kept, against
        against = await voices.verdicts_on(fresh)
        judged.update(fresh)


def _outvoted(id: MemoryId, against: Mapping[MemoryId, Verdict]) -> bool:
    verdict = against.get(id)
    return verdict is not None and verdict.withheld


def _voice(memory: Proved, opened: Opened) -> Voice:
    return Voice(memory.row, opened, frozenset(memory.blinded.entities))


def _trust(memory: Proved) -> int:
    return memory.row.sealed.label.trust


def _standing(label: Label, used: datetime | None) -> Standing:
    return Standing(
        label.layer,
        label.importance,
        label.confidence,
        used or label.changed_at,
        faded=label.faded,
    )
