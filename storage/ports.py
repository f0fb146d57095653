"""What the rooms of storage ask of each other; guard knows none of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from guard.nouns import Row
from memory.types import MemoryId, Owner, SubjectId, TenantId, TraceId


class WrappedKey(msgspec.Struct, frozen=True):
    """A key as the key store keeps it: wrapped by its parent, with its number (from 1)."""

    number: int
    wrapped: bytes


class KeyStore(Protocol):
    """Wrapped tenant and subject keys, apart from the ledger and its backups (S3)."""

    async def tenant_keys(self, tenant: TenantId) -> list[WrappedKey]:
        """Return the tenant's keys, oldest first."""
        ...

    async def subject_keys(self, tenant: TenantId, subject: SubjectId) -> list[WrappedKey]:
        """Return the subject's keys, oldest first."""
        ...

    async def put_tenant(self, tenant: TenantId, key: WrappedKey) -> WrappedKey:
        """Durably add a key unless that number exists; return the one that stands."""
        ...

    async def put_subject(
        self, tenant: TenantId, subject: SubjectId, key: WrappedKey
    ) -> WrappedKey:
        """Durably add a key unless that number exists; return the one that stands."""
        ...

    async def shred_subject(self, tenant: TenantId, subject: SubjectId) -> int:
        """Destroy all keys of a subject for good; return how many."""
        ...

    async def shred_tenant(self, tenant: TenantId) -> int:
        """Destroy all keys of a tenant and of its subjects for good; return how many."""
        ...


class Task(msgspec.Struct, frozen=True):
    """One thing the index must follow: the memory as of this label version."""

    tenant: TenantId
    subject: SubjectId
    id: MemoryId
    version: int


class Outbox(Protocol):
    """What the index has yet to follow (S9). Rows enter it inside the ledger's own commits."""

    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Task]:
        """Return due tasks, oldest first, hidden from other claimants until the lease ends."""
        ...

    async def done(self, tasks: Sequence[Task]) -> None:
        """Forget tasks and mark their rows as indexed at that version."""
        ...

    async def retry(self, tasks: Sequence[Task], at: datetime) -> None:
        """Make tasks due again at `at`, and count the attempt."""
        ...

    async def release(self, now: datetime) -> None:
        """Make every task due now: for a gateway that is alone and finds another's leases."""
        ...

    async def waiting(self) -> int:
        """Return how many tasks there are, claimed ones included."""
        ...

    async def active(self, tenant: TenantId, after: MemoryId | None, limit: int) -> list[Row]:
        """Return active rows of a tenant in order of id, after `after`: for rebuild and repair."""
        ...

    async def tenants(self) -> list[TenantId]:
        """Return every tenant that owns a row."""
        ...


class SealedTrace(msgspec.Struct, frozen=True):
    """What one recall left behind, as it is kept."""

    owner: Owner
    id: TraceId
    at: datetime
    expires_at: datetime
    token: bytes


class TraceStore(Protocol):
    """Where traces are kept. All methods raise UnavailableError when it does not answer."""

    async def add(self, traces: Sequence[SealedTrace]) -> None:
        """Add traces of any tenants durably, all or none. Raises ConflictError for a known id."""
        ...

    async def find(
        self, tenant: TenantId, subject: SubjectId, id: TraceId, now: datetime
    ) -> SealedTrace | None:
        """Return the subject's trace, None when there is none or it has expired."""
        ...

    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Remove the traces of a subject, or of the whole tenant; return how many."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove the traces of every tenant that have expired; return how many."""
        ...
