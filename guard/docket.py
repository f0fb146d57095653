"""A reviewer's queue: what of it to list, said in the reviewer's words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from guard.ports import Docket, Order
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.types import ClientId, Layer, SubjectId, TenantId

MOST_COUNTED: Final = 10_000
"""Beyond that a queue is told to be at least so long: counting goes through all that it counts."""
MOST_LOOKED_AT: Final = 300
"""Cases that are opened for one page where a reason is asked for: reasons are sealed."""


class Search(msgspec.Struct, frozen=True):
    """What of the queue to list. Empty tuples mean no restriction.

    `references` and `sessions` are as the writer named them, or keyed ids as cases show them. A
    reason is one of a case's, or its family: `authority` for whatever begins with `authority.`.
    `escalated` leaves only what a reviewer marked for others.
    """

    order: Order = Order.NEWEST
    origins: tuple[OriginClass, ...] = ()
    layers: tuple[Layer, ...] = ()
    clients: tuple[ClientId, ...] = ()
    subjects: tuple[SubjectId, ...] = ()
    references: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    escalated: bool = False


EVERYTHING: Final = Search()


async def docket_of(tenant: TenantId, search: Search, rooms: Rooms) -> Docket:
    """Return the search in terms of what the ledger knows in the clear."""
    return Docket(
        order=search.order,
        origins=search.origins,
        layers=search.layers,
        clients=search.clients,
        subjects=search.subjects,
        sources=await _keyed(tenant, search.references, rooms),
        sessions=await _keyed(tenant, search.sessions, rooms),
        since=search.since,
        until=search.until,
        sealed=search.reasons,
        escalated=search.escalated,
    )


def answers(reasons: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether a case with these reasons is wanted: one of them, or of their families."""
    return not wanted or any(
        reason == one or reason.startswith(one + ".") for reason in reasons for one in wanted
    )


async def _keyed(tenant: TenantId, names: Sequence[str], rooms: Rooms) -> tuple[str, ...]:
    keyed = [await rooms.marks.source(tenant, name) for name in names]
    # A keyed id is found by itself, too; that it equals another name's is as good as impossible.
    return (*names, *keyed)
