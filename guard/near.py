"""The memories of a subject that are nearest to a draft, scored exactly (W8, W9).

The index nominates and decides nothing: each nominee is proved and scored by its sealed vectors. So
a stale or forged index can hide a neighbour and never invent one. Without an index the answer says
that nobody looked; a write must not fail for it.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from guard.checks import is_alive, misfit
from guard.errors import UnavailableError, UnreadableError
from guard.nouns import Near, Row
from guard.ports import Filter, Found, Probe
from guard.rooms import Rooms
from memory.exact import local_routes
from memory.fusion import DENSE, ENTITY
from memory.signals import Blinded, Sparse
from memory.types import INDEXED_LAYERS, MemoryId, Owner

_NO_TERMS = Sparse((), ())


class Neighbours(msgspec.Struct, frozen=True):
    """The nearest memories, nearest first; `unseen` when the index did not take part.

    `kin` are those that speak of a slot of the draft, most in common first.
    """

    near: tuple[Near, ...]
    kin: tuple[Row, ...]
    unseen: bool


async def neighbours(
    owner: Owner, blinded: Blinded, fresh: Iterable[Row], rooms: Rooms, slots: tuple[str, ...] = ()
) -> Neighbours:
    """Return the subject's memories that are nearest to a draft with this search material, and
    those that speak of one of its `slots`.

    `fresh` are rows that the index lacks; they must have been read before the index is asked, so
    that a row which is being indexed just now is in one of the two. Raises UnavailableError when
    the ledger does not answer.
    """
    # (1) Ask the index once, by meaning and by slots.
    asked = msgspec.structs.replace(blinded, sparse=_NO_TERMS, entities=slots)
    recent = {row.sealed.label.id: row for row in fresh}
    probe = Probe(asked, INDEXED_LAYERS, rooms.bounds.near_rows, contents=False)
    try:
        found = await rooms.index.search(owner.tenant, blinded.subject, probe)
    except UnavailableError:
        found = None

    if found is None:
        # What the subject said last stands in for what the index would have named.
        newest = Filter(layers=INDEXED_LAYERS)
        limit = rooms.bounds.degraded_rows
        page = await rooms.ledger.page(owner.tenant, owner.subject, newest, None, limit)
        recent |= {row.sealed.label.id: row for row in page.rows}

    # (2) Load what it named: of those that share a slot no more than are compared.
    shares, named = _named(found, rooms.bounds.kin_rows)
    rows = dict(recent)
    missing = [id for id in dict.fromkeys((*named, *shares)) if id not in rows]
    rows |= await _loaded(owner, missing, rooms)

    # (3) Prove what may be near, and score it by what is sealed. What shares a slot is proved when
    # it is compared: whoever forges the index can only have two texts compared.
    near = {id: rows[id] for id in dict.fromkeys((*recent, *named)) if id in rows}
    opened = await _materials(owner, near.values(), rooms)
    proved = {id: entry for id, entry in zip(near, opened, strict=True) if entry is not None}
    wanted = frozenset(slots)
    shares |= {id: len(wanted.intersection(one.entities)) for id, one in proved.items()}
    return Neighbours(
        _scored(asked, proved, near, rooms.bounds.near_rows),
        _sharing(owner, shares, rows, rooms),
        unseen=found is None,
    )


async def _loaded(owner: Owner, ids: list[MemoryId], rooms: Rooms) -> dict[MemoryId, Row]:
    """Return the rows of these ids; where there are none the ledger is not asked."""
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, ids) if ids else ()
    return {row.sealed.label.id: row for row in rows}


def _named(found: Found | None, most: int) -> tuple[dict[MemoryId, float], list[MemoryId]]:
    """Return what the index says of slots in common, at most `most`, and what may be near."""
    if found is None:
        return {}, []
    shares = {hit.id: hit.score for hit in found.routes.get(ENTITY, ())[:most]}
    near = (hits for route, hits in found.routes.items() if route != ENTITY)
    return shares, [hit.id for hits in near for hit in hits]


async def _materials(owner: Owner, rows: Collection[Row], rooms: Rooms) -> Sequence[Blinded | None]:
    """Return what each row is found by; without rows there is nothing to wait for."""
    return await asyncio.gather(*(_material(owner, row, rooms) for row in rows)) if rows else ()


async def _material(owner: Owner, row: Row, rooms: Rooms) -> Blinded | None:
    """Return what a row is found by, None for one that may not speak."""
    if misfit(owner, row) is not None or not is_alive(row, rooms.clock()):
        return None
    try:
        return await rooms.vault.open_entry(owner, row.sealed)
    except UnreadableError:
        return None


def _scored(
    asked: Blinded, proved: Mapping[MemoryId, Blinded], rows: Mapping[MemoryId, Row], limit: int
) -> tuple[Near, ...]:
    dense = msgspec.structs.replace(asked, entities=())
    candidates = [(id, entry, rows[id].sealed.label.recorded_at) for id, entry in proved.items()]
    likeness: dict[MemoryId, dict[str, float]] = {}
    for route, hits in local_routes(dense, candidates, len(candidates)).items():
        for id, cosine in hits:
            likeness.setdefault(id, {})[route.removeprefix(DENSE)] = cosine
    near = [Near(rows[id], cosines) for id, cosines in likeness.items()]
    return tuple(sorted(near, key=lambda one: -max(one.likeness.values()))[:limit])


def _sharing(
    owner: Owner, shares: Mapping[MemoryId, float], rows: Mapping[MemoryId, Row], rooms: Rooms
) -> tuple[Row, ...]:
    """Return the rows that speak of the draft's slots, most in common first, then the newest."""
    now = rooms.clock()
    shared = [
        row
        for id, row in rows.items()
        if shares.get(id) and misfit(owner, row) is None and is_alive(row, now)
    ]
    shared.sort(key=lambda row: row.sealed.label.recorded_at, reverse=True)
    shared.sort(key=lambda row: -shares[row.sealed.label.id])
    return tuple(shared[: rooms.bounds.kin_rows])
