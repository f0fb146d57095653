"""What was said in sessions, in memory. `transcript.offline = True` makes every call fail."""

from collections.abc import Sequence
from datetime import datetime

from guard.errors import ConflictError, UnavailableError
from guard.ports import SealedTurn, Window
from memory.types import SubjectId, TenantId

_Place = tuple[TenantId, SubjectId, str]


class MemoryTranscript:
    """Fulfils `guard.ports.Transcript`."""

    def __init__(self) -> None:
        self.offline = False
        self._sessions: dict[_Place, list[SealedTurn]] = {}

    async def add(
        self,
        tenant: TenantId,
        subject: SubjectId,
        session: str,
        turns: Sequence[SealedTurn],
        window: Window,
    ) -> None:
        """Add turns to a session, then remove its oldest as far as `window` asks for."""
        self._answer()
        known = {turn.id for place in self._of(tenant) for turn in self._sessions[place]}
        if known & {turn.id for turn in turns}:
            raise ConflictError("conflict")
        place = (tenant, subject, session)
        every = [*self._sessions.get(place, []), *turns]
        kept: list[SealedTurn] = []
        size = 0
        for turn in sorted(every, key=_order, reverse=True)[: window.turns]:
            size += len(turn.token)
            if size > window.bytes:
                break
            kept.append(turn)
        self._sessions[place] = kept[::-1]

    async def turns(
        self, tenant: TenantId, subject: SubjectId, session: str, now: datetime
    ) -> list[SealedTurn]:
        """Return the session's turns that have not expired, oldest first."""
        self._answer()
        kept = self._sessions.get((tenant, subject, session), [])
        return [turn for turn in kept if turn.expires_at > now]

    async def erase(
        self, tenant: TenantId, subject: SubjectId, sessions: Sequence[str] | None = None
    ) -> int:
        """Remove the turns of these sessions of a subject, by default of all; return how many."""
        self._answer()
        mine = [place for place in self._of(tenant) if place[1] == subject]
        gone = [place for place in mine if sessions is None or place[2] in sessions]
        return sum(len(self._sessions.pop(place)) for place in gone)

    async def expire(self, now: datetime) -> int:
        """Remove the turns of every tenant that have expired; return how many."""
        self._answer()
        removed = 0
        for place, turns in list(self._sessions.items()):
            self._sessions[place] = [turn for turn in turns if turn.expires_at > now]
            removed += len(turns) - len(self._sessions[place])
        return removed

    def _of(self, tenant: TenantId) -> list[_Place]:
        return [place for place in self._sessions if place[0] == tenant]

    def _answer(self) -> None:
        if self.offline:
            raise UnavailableError("ledger")


def _order(turn: SealedTurn) -> tuple[datetime, str]:
    return turn.at, turn.id
