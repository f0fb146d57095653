"""Other cases of a reviewer's queue that one case belongs together with."""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

from guard.checks import misfit
from guard.docket import MOST_COUNTED
from guard.errors import UnreadableError
from guard.nouns import Label, Row
from guard.ports import Docket
from guard.revise import Proven
from guard.rooms import Rooms
from memory.exact import local_routes
from memory.signals import Blinded, Sparse
from memory.types import MemoryId, Owner, TenantId

MOST_ALIKE: Final = 5
LEAST_LIKENESS: Final = 0.5
"""Cosine from which two cases are worth looking at together."""
MOST_COMPARED: Final = 200
"""Cases of the subject, the newest, that one is compared with."""
NEWEST: Final = 5
_NO_TERMS: Final = Sparse((), ())


class Alike(msgspec.Struct, frozen=True):
    """A held memory of the same subject, and how near it is: the best cosine, at most 1."""

    label: Label
    likeness: float


class By(StrEnum):
    """What cases have in common."""

    CLIENT = "client"
    """The client, and the class of origin."""
    SOURCE = "source"
    SESSION = "session"


class Cluster(msgspec.Struct, frozen=True):
    """How many cases of the tenant have this in common, `MOST_COUNTED` for at least so many, and
    the newest of them.
    """

    by: By
    count: int
    newest: tuple[MemoryId, ...]


async def alike(memory: Proven, rooms: Rooms) -> tuple[Alike, ...]:
    """Return the cases of the same subject that are nearest to a proven one, nearest first.

    They are compared by their sealed vectors, whatever an index says.
    """
    owner, own = memory.owner, memory.opened.label.id
    try:
        asked = await rooms.vault.open_entry(owner, memory.sealed)
    except UnreadableError:
        return ()
    docket = Docket(subjects=(owner.subject,))
    page = await rooms.quarantine.held(owner.tenant, None, MOST_COMPARED, docket)
    rows = {row.sealed.label.id: row for row in page.rows if row.sealed.label.id != own}
    opened = await asyncio.gather(*(_material(owner, row, rooms) for row in rows.values()))
    candidates = [
        (id, entry, row.sealed.label.recorded_at)
        for (id, row), entry in zip(rows.items(), opened, strict=True)
        if entry is not None
    ]
    dense = msgspec.structs.replace(asked, sparse=_NO_TERMS, entities=())
    best: dict[MemoryId, float] = {}
    for hits in local_routes(dense, candidates, len(candidates)).values():
        for id, cosine in hits:
            best[id] = max(cosine, best.get(id, cosine))
    near = sorted((id for id in best if best[id] >= LEAST_LIKENESS), key=lambda id: -best[id])
    return tuple(Alike(rows[id].sealed.label, min(best[id], 1.0)) for id in near[:MOST_ALIKE])


async def clusters(tenant: TenantId, label: Label, rooms: Rooms) -> tuple[Cluster, ...]:
    """Return what of the tenant's queue comes from where this case came from, itself included."""
    found = [await _cluster(tenant, By.CLIENT, _client(label), rooms)]
    if label.source:
        found.append(await _cluster(tenant, By.SOURCE, Docket(sources=(label.source,)), rooms))
    if label.session:
        found.append(await _cluster(tenant, By.SESSION, Docket(sessions=(label.session,)), rooms))
    return tuple(found)


def _client(label: Label) -> Docket:
    return Docket(clients=(label.client,), origins=(label.origin,))


async def _cluster(tenant: TenantId, by: By, docket: Docket, rooms: Rooms) -> Cluster:
    count = await rooms.quarantine.count(tenant, docket, MOST_COUNTED)
    page = await rooms.quarantine.held(tenant, None, NEWEST, docket)
    return Cluster(by, count, _ids(page.rows))


def _ids(rows: Sequence[Row]) -> tuple[MemoryId, ...]:
    return tuple(row.sealed.label.id for row in rows)


async def _material(owner: Owner, row: Row, rooms: Rooms) -> Blinded | None:
    if misfit(owner, row) is not None:
        return None
    try:
        return await rooms.vault.open_entry(owner, row.sealed)
    except UnreadableError:
        return None
