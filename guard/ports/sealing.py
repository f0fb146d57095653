"""Clocks, ids and keys: what seals, marks and opens."""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from guard.nouns import Admitted, Decided, Evidence, Laid, Opened, Sealed
from memory.signals import Blinded, Signals
from memory.types import LeafId, MemoryId, Owner, State, TenantId

Clock = Callable[[], datetime]
"""Now, as an aware UTC instant."""
NewId = Callable[[], str]
"""A fresh unguessable id: a version 7 UUID in its 36-character form."""


class Vault(Protocol):
    """Seals and opens under the owner's keys. A destroyed or missing key reads as unreadable."""

    async def seal(self, admitted: Admitted) -> Sealed:
        """Return `admitted` sealed under its owner's key, labelled and tagged."""
        ...

    async def relabel(
        self,
        sealed: Sealed,
        *,
        state: State,
        leaf: LeafId,
        at: datetime,
        superseded_by: MemoryId | None = None,
        decided: Decided | None = None,
        faded: int | None = None,
        over: Sealed | None = None,
        laid: Laid | None = None,
    ) -> Sealed:
        """Return the same content with another state, the next version and a new tag.

        With state `forgotten` or `rejected` all three tokens and both digests become empty.
        `decided` replaces what it was decided by, where it keeps its content, and `faded` how often
        it was let fade. With `over` it becomes the version after that one, of the same memory.
        `laid` puts it into another layer, as its next revision. Raises UnreadableError when the tag
        of either does not hold.
        """
        ...

    async def open(self, owner: Owner, sealed: Sealed) -> Opened:
        """Return the content. Raises UnreadableError when anything does not fit `owner`."""
        ...

    async def open_entry(self, owner: Owner, sealed: Sealed) -> Blinded:
        """Return the search material of a memory. Raises UnreadableError."""
        ...

    async def open_evidence(self, owner: Owner, sealed: Sealed) -> Evidence:
        """Return what the decision rested on. Raises UnreadableError."""
        ...

    async def blind(self, owner: Owner, signals: Signals) -> Blinded:
        """Return search material keyed for `owner`; equal input gives equal output."""
        ...


class Marks(Protocol):
    """Keyed ids for equality without content. Same keys as the vault's."""

    async def fingerprint(self, owner: Owner, text: str) -> bytes:
        """Return 32 bytes, equal for equal `text` of one owner and unlinkable otherwise."""
        ...

    async def source(self, tenant: TenantId, reference: str) -> str:
        """Return the keyed id of a source reference or session within a tenant, 32 hex digits."""
        ...

    async def keyed(self, owner: Owner, *parts: str) -> bytes:
        """Return 32 bytes, equal for equal `parts` of one owner and unlinkable otherwise.

        For what is no memory's text; never equal to a fingerprint.
        """
        ...


class Record(StrEnum):
    """What is sealed under a subject's key beside memories, each under a key of its own."""

    ANSWER = "answer"
    WRITE = "write"
    OUTCOME = "outcome"
    TURN = "turn"
    TRACE = "trace"
    REMARK = "remark"
    UNDO = "undo"
    PROPOSAL = "proposal"
    HOOK = "hook"
    VISIT = "visit"


class Envelopes(Protocol):
    """Seals small records that are no memories, each bound to its owner and place."""

    async def wrap(
        self, owner: Owner, record: Record, place: Sequence[bytes], plain: bytes
    ) -> bytes:
        """Return `plain` sealed under the owner's key."""
        ...

    async def unwrap(
        self, owner: Owner, record: Record, place: Sequence[bytes], token: bytes
    ) -> bytes:
        """Return what was sealed. Raises UnreadableError when anything does not fit."""
        ...
