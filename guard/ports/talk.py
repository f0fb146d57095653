"""What was said in sessions, and what recalls left behind."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from memory.types import Owner, SubjectId, TenantId, TraceId, TurnId


class SealedTurn(msgspec.Struct, frozen=True):
    """One turn of a session as it is kept: its place in time, and sealed bytes."""

    id: TurnId
    at: datetime
    expires_at: datetime
    token: bytes


class Window(msgspec.Struct, frozen=True):
    """How much of one session is kept, the newest turns first; the bytes are sealed ones."""

    turns: int
    bytes: int


class Transcript(Protocol):
    """What was said in sessions, sealed and for a short while (W3). `session` is the keyed id
    that labels name it by.

    Never the truth about a memory: all of it can be lost, and only trust is lost with it. All
    methods raise UnavailableError when the database does not answer.
    """

    async def add(
        self,
        tenant: TenantId,
        subject: SubjectId,
        session: str,
        turns: Sequence[SealedTurn],
        window: Window,
    ) -> None:
        """Add turns to a session durably, then remove its oldest as far as `window` asks for."""
        ...

    async def turns(
        self, tenant: TenantId, subject: SubjectId, session: str, now: datetime
    ) -> list[SealedTurn]:
        """Return the session's turns that have not expired, oldest first."""
        ...

    async def erase(
        self, tenant: TenantId, subject: SubjectId, sessions: Sequence[str] | None = None
    ) -> int:
        """Remove the turns of these sessions of a subject, by default of all; return how many."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove the turns of every tenant that have expired; return how many."""
        ...


class Traces(Protocol):
    """What recalls left behind (R10), sealed under their subject's key and for some days.

    Lost when the process is killed: what was recorded within the last flush interval.
    """

    def record(self, owner: Owner, id: TraceId, at: datetime, plain: bytes) -> None:
        """Take one trace off the request's path; never blocks and never raises."""
        ...

    async def read(self, owner: Owner, id: TraceId, now: datetime) -> bytes | None:
        """Return what was recorded, None for what is not this owner's, has expired, or does not
        open. Raises UnavailableError.
        """
        ...

    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Remove all traces of a subject, or of the whole tenant; return how many.

        What is being answered just now leaves none either. Raises UnavailableError.
        """
        ...

    async def expire(self, now: datetime) -> int:
        """Remove the traces of every tenant that have expired; return how many."""
        ...
