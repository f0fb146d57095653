"""How the times of a question move memories among those that answer it. Pure.

A time that was read from words is a wish and no condition: what lies within is lifted, and nothing
is left out. Only bounds that the caller gives exclude.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from memory.exact import Candidate, Hits
from memory.times import Order, Span, times_of
from memory.types import MemoryId

WHEN: Final = "when"
"""The route of memories that were so within the time that a question speaks of."""
WHEN_WEIGHT: Final = 0.2
"""Beside the weights of `fusion`. It is no evidence: a time alone makes nothing an answer."""
TOLD: Final = 0.08
"""Added to the relevance of a memory that was recorded at another time and tells of that one."""
PEERS: Final = 0.75
"""Part of the best relevance from which memories are peers that order by time may rearrange."""


def hits(rows: Sequence[Candidate], spans: Sequence[Span]) -> Hits:
    """Return the rows that were so within any of the stretches."""
    return [(id, 1.0) for id, _, at in rows if within(at, spans)]


def within(at: datetime, spans: Sequence[Span]) -> bool:
    """Say whether an instant lies within any of the stretches."""
    return any(span.holds(at) for span in spans)


def told(text: str, at: datetime, spans: Sequence[Span], zone: ZoneInfo) -> float:
    """Return what is added to a memory that was so at `at`, for the times that its text names."""
    if not spans or within(at, spans):
        return 0.0
    said = times_of(text, at, zone).spans
    return TOLD if any(one.meets(span) for one in said for span in spans) else 0.0


def in_order(
    relevance: Mapping[MemoryId, float], times: Mapping[MemoryId, datetime], order: Order | None
) -> dict[MemoryId, float]:
    """Return the relevance with the most relevant in order of time: newest (or oldest) first.

    What is less relevant than `PEERS` of the best stays below: the last one of its kind is asked
    for, and not the last thing of all.
    """
    best = max(relevance.values(), default=0.0)
    peers = [id for id, value in relevance.items() if value >= PEERS * best]
    if order is None or not peers:
        return dict(relevance)
    first = sorted(peers, key=lambda id: (times[id], id), reverse=order is Order.NEWEST)
    step = (1.0 - PEERS) * best / len(first)
    return dict(relevance) | {id: best - step * place for place, id in enumerate(first)}
