"""Counters and limits that replicas share."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from memory.types import TenantId


class Rates(Protocol):
    """Counts writes per origin in a sliding window."""

    async def note(self, tenant: TenantId, key: str, at: datetime) -> int:
        """Record one write and return how many fall within the window, this one included."""
        ...


class Allowed(msgspec.Struct, frozen=True):
    """What a tenant may spend a minute, in units, where that is not what the settings say."""

    tenant: int | None = None
    origin: int | None = None
    subject: int | None = None


class Bucket(msgspec.Struct, frozen=True):
    """One token bucket: at most `capacity` units, of which `refill` (above 0) come back a second.

    `policy` is the limit's name as callers are told it, `whose` the names it is counted for, the
    tenant first. Equal policy and names are the same bucket.
    """

    policy: str
    whose: tuple[str, ...]
    capacity: int
    refill: float


class Taken(msgspec.Struct, frozen=True):
    """Whether the cost was taken; per bucket, in the order asked, what is left in it, and the
    seconds until it holds the cost (0 where it held it). Refused, nothing was taken from any.
    """

    allowed: bool
    left: tuple[float, ...]
    waits: tuple[float, ...]


class Buckets(Protocol):
    """Counts what callers spend (E7). A bucket that nobody has drawn from is full."""

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Take `cost` units from each bucket, or from none; a cost of 0 only looks.

        Raises UnavailableError when a store that is shared does not answer in time.
        """
        ...
