"""The ledger of memories: rows by owner, and changes that stand as one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from guard.nouns import Change, Row
from memory.origin import OriginClass
from memory.types import Epoch, Kind, Layer, MemoryId, State, SubjectId, TenantId


class Filter(msgspec.Struct, frozen=True):
    """What to list. Empty tuples mean no restriction; `states` is never empty."""

    states: tuple[State, ...] = (State.ACTIVE,)
    layers: tuple[Layer, ...] = ()
    kinds: tuple[Kind, ...] = ()
    origins: tuple[OriginClass, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    superseded_by: tuple[MemoryId, ...] = ()


class Page(msgspec.Struct, frozen=True):
    """Rows newest first, and an opaque cursor to the next page, None at the end."""

    rows: tuple[Row, ...]
    cursor: str | None


class Beside(msgspec.Struct, frozen=True):
    """The memories that were recorded right before and right after one in its session."""

    before: MemoryId | None
    after: MemoryId | None


class Sessions(Protocol):
    """In which order memories came within a session. Part of the ledger."""

    async def beside(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, Beside]:
        """Return what stands beside those of `ids` that this subject has in a session.

        Only active memories stand beside one, in the order in which they were recorded.
        """
        ...


class Ledger(Sessions, Protocol):
    """The truth. All methods raise UnavailableError when the database does not answer."""

    async def epoch(self, tenant: TenantId, subject: SubjectId) -> Epoch:
        """Return the subject's epoch, 0 for one that has never written."""
        ...

    async def commit(self, change: Change) -> None:
        """Apply all of `change` durably in one transaction, or nothing.

        Raises ConflictError when the epoch moved or a row is not at the expected version.
        """
        ...

    async def rows(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> list[Row]:
        """Return those of `ids` that this subject owns, in any state, in the order of `ids`."""
        ...

    async def unindexed(self, tenant: TenantId, subject: SubjectId, limit: int) -> list[Row]:
        """Return the newest active rows that the index does not have yet, at most `limit`."""
        ...

    async def page(
        self, tenant: TenantId, subject: SubjectId, filter: Filter, cursor: str | None, limit: int
    ) -> Page:
        """Return one page of the subject's rows. Raises InvalidError for a foreign cursor."""
        ...

    async def twins(
        self, tenant: TenantId, subject: SubjectId, fingerprint: bytes, claim: bytes = b""
    ) -> list[Row]:
        """Return the subject's rows with this fingerprint, or with this claim unless it is empty,
        in any state, newest first.
        """
        ...
