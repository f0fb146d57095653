"""All that a ledger holds, for work that goes through it."""

from datetime import datetime
from typing import Protocol

import msgspec

from guard.nouns import Row
from memory.types import MemoryId, State, TenantId


class Sweep(msgspec.Struct, frozen=True):
    """Which of a tenant's rows to go through: `states` is never empty, None means no restriction.

    `unless` leaves out what was decided by exactly that version, `alive_at` what expired by then.
    """

    states: tuple[State, ...]
    since: datetime | None = None
    unless: str | None = None
    alive_at: datetime | None = None


class Stretch(msgspec.Struct, frozen=True):
    """Some rows of a sweep in the order of their ids, and where the next begins; None at the end.

    There may be fewer rows than asked for before the end: what can't be read is left out.
    """

    rows: tuple[Row, ...]
    last: MemoryId | None


class Stock(Protocol):
    """All rows of a tenant, for whoever goes through everything once."""

    async def count(self, tenant: TenantId, sweep: Sweep) -> int:
        """Return how many rows the sweep has now."""
        ...

    async def rows(
        self, tenant: TenantId, sweep: Sweep, after: MemoryId | None, limit: int
    ) -> Stretch:
        """Return the next rows of the sweep, those with ids after `after`."""
        ...
