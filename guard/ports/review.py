"""What waits for a person, and what persons said of it."""

from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

import msgspec

from guard.nouns import Leaf, Row, SealedRemark
from guard.ports.ledger import Page
from memory.origin import OriginClass
from memory.types import ClientId, Layer, MemoryId, Owner, State, SubjectId, TenantId


class Order(StrEnum):
    """How a queue is sorted: by when a memory was first written, or the worst first and of equals
    the newest.
    """

    NEWEST = "newest"
    OLDEST = "oldest"
    SCORE = "score"


class Docket(msgspec.Struct, frozen=True):
    """Which held rows to list, and in which order. Empty tuples mean no restriction.

    `sources` and `sessions` are keyed ids, as labels have them. `sealed` is what the caller sorts
    out by what is sealed: the ledger can't, and binds the cursor to it. `escalated` leaves only
    what a reviewer marked for others.
    """

    order: Order = Order.NEWEST
    origins: tuple[OriginClass, ...] = ()
    layers: tuple[Layer, ...] = ()
    clients: tuple[ClientId, ...] = ()
    subjects: tuple[SubjectId, ...] = ()
    sources: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    sealed: tuple[str, ...] = ()
    escalated: bool = False


WHOLE_QUEUE: Final = Docket()


class Quarantine(Protocol):
    """A reviewer's view: the held rows of one tenant. Decisions go through the ledger."""

    async def held(
        self, tenant: TenantId, cursor: str | None, limit: int, docket: Docket = WHOLE_QUEUE
    ) -> Page:
        """Return held rows of the tenant. Raises InvalidError for another docket's cursor."""
        ...

    async def case(self, tenant: TenantId, id: MemoryId, state: State = State.HELD) -> Row | None:
        """Return one row of the tenant that is in this state, or None."""
        ...

    async def doubted(self, tenant: TenantId, cursor: str | None, limit: int) -> Page:
        """Return active rows of the tenant that stand in doubt beside another, newest first."""
        ...

    async def count(
        self, tenant: TenantId, docket: Docket = WHOLE_QUEUE, most: int | None = None
    ) -> int:
        """Return how many rows the tenant holds, `most` where there are more than that."""
        ...

    async def count_of(self, owner: Owner, origin: OriginClass, client: ClientId) -> int:
        """Return how many rows are held of one subject from one class of origin and client."""
        ...

    async def lapsed(
        self, tenant: TenantId, before: datetime, now: datetime, after: MemoryId | None, limit: int
    ) -> list[Row]:
        """Return held rows of the tenant in order of id, after `after`: those that did not change
        since `before`, and those that have expired `now`.
        """
        ...


class Remarks(Protocol):
    """What reviewers remarked. It goes with the memory when that is forgotten."""

    async def keep(self, leaf: Leaf, remark: SealedRemark) -> None:
        """Append a leaf that changed no memory, and the remark on it, durably: both or neither."""
        ...

    async def on(self, tenant: TenantId, memory: MemoryId, limit: int) -> list[SealedRemark]:
        """Return the newest remarks on a memory of the tenant, newest first."""
        ...
