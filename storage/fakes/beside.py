"""What the ledger keeps beside memories, in memory: answers, and writes that are decided later.

Made by `MemoryLedger`, whose changes pass through here: `refuse` before anything is changed, then
`apply`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.errors import ConflictError
from guard.nouns import (
    Accepted,
    Answer,
    Cancelled,
    Change,
    Ended,
    Progress,
    SealedProposal,
    SealedRemark,
    Undoable,
    Write,
)
from guard.ports import Dead, Due
from memory.types import MemoryId, Owner, State, SubjectId, TenantId
from storage.rows import instant


class _Waiting:
    """One write that waits, and when it is due."""

    def __init__(self, owner: Owner, id: MemoryId) -> None:
        self.owner: Final = owner
        self.id: Final = id
        self.due_at = instant(0)
        self.attempts = 0
        self.dead_at: datetime | None = None
        self.reason = ""


class _Kept(msgspec.Struct):
    """One accepted write, and what it became."""

    owner: Owner
    write: Write
    memory: MemoryId | None = None
    expires_at: datetime | None = None


class Beside:
    """The state behind both ports."""

    def __init__(self, answer: Callable[[], None]) -> None:
        """`answer` raises UnavailableError while the ledger is offline."""
        self.reachable: Final = answer
        self.answers: dict[tuple[str, bytes], tuple[Owner, Answer]] = {}
        self.writes: dict[tuple[str, MemoryId], _Kept] = {}
        self.queue: dict[tuple[str, MemoryId], _Waiting] = {}
        self.doubts: set[tuple[str, MemoryId, MemoryId]] = set()
        self.dismissed: set[tuple[str, MemoryId, MemoryId]] = set()
        self.remarks: list[SealedRemark] = []
        self.escalated: set[tuple[TenantId, MemoryId]] = set()
        self.proposed: dict[tuple[TenantId, str], SealedProposal] = {}
        self.undoable: dict[tuple[TenantId, MemoryId], Undoable] = {}

    def refuse(self, change: Change) -> None:
        """Raise ConflictError when the change can't be applied whole."""
        tenant, later = change.owner.tenant, change.later
        if isinstance(later, Ended | Cancelled):
            waiting = self.queue.get((tenant, later.id))
            if waiting is None or waiting.owner != change.owner:
                raise ConflictError("conflict")
        if any((tenant, id) not in self.proposed for id in change.settled):
            raise ConflictError("conflict")
        if isinstance(later, Accepted) and (tenant, later.id) in self.writes:
            raise ConflictError("conflict")
        if change.answer is not None:
            standing = self.answers.get((tenant, change.answer.mark))
            if standing is not None and standing[1].expires_at > change.leaves[0].at:
                raise ConflictError("conflict")

    def apply(self, change: Change) -> None:
        """Apply all of a change but its rows and leaves."""
        owner, later = change.owner, change.later
        tenant = owner.tenant
        rows = (row.label for row in change.rows)
        self._forget(tenant, [one.id for one in rows if one.state is State.FORGOTTEN])
        if isinstance(later, Accepted):
            write = Write(later.id, Progress.QUEUED, later.at, later.token, b"")
            self.writes[tenant, later.id] = _Kept(owner, write)
            self.queue[tenant, later.id] = _Waiting(owner, later.id)
        elif later is not None:
            del self.queue[tenant, later.id]
        if isinstance(later, Cancelled):
            self._forget(tenant, [later.id])
        if isinstance(later, Ended):
            kept = self.writes[tenant, later.id]
            done = msgspec.structs.replace(
                kept.write, progress=Progress.DONE, token=b"", outcome=later.outcome
            )
            self.writes[tenant, later.id] = _Kept(owner, done, later.memory, later.expires_at)
        over = {row.label.id for row in change.rows if row.label.state is not State.ACTIVE}
        self.doubts = {
            doubt for doubt in self.doubts if doubt[0] != tenant or not over & {*doubt[1:]}
        }
        self.dismissed &= self.doubts
        self.doubts |= {(tenant, *pair) for pair in change.doubts}
        self.remarks += change.remarks
        labels = [row.label for row in change.rows]
        self.escalated -= {(tenant, one.id) for one in labels if one.state is not State.HELD}
        self.escalated |= {(tenant, id) for id in change.escalated}
        gone = [one.id for one in labels if one.state is State.FORGOTTEN]
        for id in (*gone, *change.undone):
            self.undoable.pop((tenant, id), None)
        for settled in change.settled:
            del self.proposed[tenant, settled]
        self.proposed = {
            place: one
            for place, one in self.proposed.items()
            if place[0] != tenant or one.memory not in gone
        }
        self.proposed |= {(tenant, one.id): one for one in change.proposed}
        self.undoable |= {(tenant, one.memory): one for one in change.undoable}
        if change.answer is not None:
            self.answers[tenant, change.answer.mark] = (owner, change.answer)

    def _forget(self, tenant: TenantId, ids: Iterable[MemoryId]) -> None:
        gone = set(ids)
        for place, (_, answer) in list(self.answers.items()):
            if place[0] == tenant and answer.memory in gone:
                del self.answers[place]
        for key, kept in list(self.writes.items()):
            if key[0] == tenant and (kept.write.id in gone or kept.memory in gone):
                del self.writes[key]
        self.remarks = [
            one for one in self.remarks if one.owner.tenant != tenant or one.memory not in gone
        ]


class MemoryProposals:
    """Fulfils `guard.undoable.Proposals` in memory; made by `MemoryLedger`."""

    def __init__(self, beside: Beside) -> None:
        self._beside: Final = beside

    async def open(
        self, tenant: TenantId, after: str | None, limit: int, now: datetime
    ) -> list[SealedProposal]:
        """Return proposals of the tenant that have not expired, in the order of their ids."""
        self._beside.reachable()
        kept = sorted(self._beside.proposed.items(), key=lambda item: item[0])
        found = [one for (of, _), one in kept if of == tenant and one.expires_at > now]
        return [one for one in found if after is None or one.id > after][:limit]

    async def one(self, tenant: TenantId, id: str, now: datetime) -> SealedProposal | None:
        """Return one of them, None for any other."""
        self._beside.reachable()
        found = self._beside.proposed.get((tenant, id))
        return None if found is None or found.expires_at <= now else found

    async def expire(self, now: datetime) -> int:
        """Remove those of every tenant that have expired; return how many."""
        self._beside.reachable()
        kept = self._beside.proposed
        over = [place for place, one in kept.items() if one.expires_at <= now]
        for place in over:
            del kept[place]
        return len(over)


class MemoryUndoing:
    """Fulfils `guard.undoable.Undoing` in memory; made by `MemoryLedger`."""

    def __init__(self, beside: Beside) -> None:
        self._beside: Final = beside

    async def last(self, tenant: TenantId, memory: MemoryId, now: datetime) -> Undoable | None:
        """Return the last decision on a memory of the tenant, None when its time is over."""
        self._beside.reachable()
        found = self._beside.undoable.get((tenant, memory))
        return None if found is None or found.expires_at <= now else found

    async def expire(self, now: datetime) -> int:
        """Remove what can be undone no more, of every tenant; return how many."""
        self._beside.reachable()
        kept = self._beside.undoable
        over = [place for place, one in kept.items() if one.expires_at <= now]
        for place in over:
            del kept[place]
        return len(over)


class MemoryAnswers:
    """Fulfils `guard.ports.Answers` in memory; made by `MemoryLedger`."""

    def __init__(self, beside: Beside) -> None:
        self._beside: Final = beside

    async def answer(
        self, tenant: TenantId, subject: SubjectId, mark: bytes, now: datetime
    ) -> Answer | None:
        """Return the subject's answer of this mark, None when there is none or it has expired."""
        self._beside.reachable()
        owner, answer = self._beside.answers.get((tenant, mark), (None, None))
        if answer is None or owner != Owner(tenant, subject) or answer.expires_at <= now:
            return None
        return answer

    async def write(self, tenant: TenantId, subject: SubjectId, id: MemoryId) -> Write | None:
        """Return the subject's accepted write, None when there is none."""
        self._beside.reachable()
        kept = self._beside.writes.get((tenant, id))
        if kept is None or kept.owner != Owner(tenant, subject):
            return None
        waiting = self._beside.queue.get((tenant, id))
        dead = waiting is not None and waiting.dead_at is not None
        return msgspec.structs.replace(kept.write, progress=Progress.DEAD) if dead else kept.write

    async def waiting(self, tenant: TenantId, limit: int) -> int:
        """Return how many writes of the tenant wait, dead ones included; counts up to `limit`."""
        self._beside.reachable()
        return min(limit, sum(1 for of, _ in self._beside.queue if of == tenant))

    async def expire(self, now: datetime) -> int:
        """Remove answers and outcomes of every tenant that have expired; return how many."""
        self._beside.reachable()
        answers, writes = self._beside.answers, self._beside.writes
        old = [place for place, (_, answer) in answers.items() if answer.expires_at <= now]
        done = [key for key, kept in writes.items() if kept.expires_at and kept.expires_at <= now]
        for place in old:
            del answers[place]
        for key in done:
            del writes[key]
        return len(old) + len(done)


class MemoryQueue:
    """Fulfils `guard.ports.Queue` in memory; made by `MemoryLedger`."""

    def __init__(self, beside: Beside) -> None:
        self._beside: Final = beside

    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Due]:
        """Return due writes, hidden from other claimants until the lease ends."""
        self._beside.reachable()
        turns: Counter[str] = Counter()
        placed: list[tuple[int, _Waiting]] = []
        for waiting in self._beside.queue.values():
            if waiting.dead_at is None and waiting.due_at <= now:
                turns[waiting.owner.tenant] += 1
                placed.append((turns[waiting.owner.tenant], waiting))
        claimed = [waiting for _, waiting in sorted(placed, key=lambda one: one[0])][:limit]
        for waiting in claimed:
            waiting.due_at = now + timedelta(seconds=lease_seconds)
        return [Due(one.owner, one.id, one.attempts) for one in claimed]

    async def retry(self, due: Due, at: datetime, attempts: int) -> None:
        """Make a write due again at `at`, tried in vain `attempts` times."""
        self._beside.reachable()
        waiting = self._beside.queue.get((due.owner.tenant, due.id))
        if waiting is not None:
            waiting.due_at, waiting.attempts = at, attempts

    async def bury(self, due: Due, reason: str, at: datetime) -> None:
        """Give a write up until it is replayed."""
        self._beside.reachable()
        waiting = self._beside.queue.get((due.owner.tenant, due.id))
        if waiting is not None:
            waiting.dead_at, waiting.reason, waiting.attempts = at, reason, due.attempts

    async def release(self, now: datetime) -> None:
        """Make every write that waits due now: for a gateway that is alone and finds leases."""
        self._beside.reachable()
        for waiting in self._beside.queue.values():
            if waiting.dead_at is None:
                waiting.due_at = min(waiting.due_at, now)

    async def dead(self, limit: int, tenant: TenantId | None = None) -> list[Dead]:
        """Return writes that were given up, of one tenant or of all, longest dead first."""
        self._beside.reachable()
        found = [
            Dead(one.owner, one.id, one.attempts, one.reason, one.dead_at)
            for one in self._beside.queue.values()
            if one.dead_at is not None and tenant in (None, one.owner.tenant)
        ]
        return sorted(found, key=lambda one: one.at)[:limit]

    async def replay(self, tenant: TenantId, id: MemoryId, at: datetime) -> bool:
        """Make a dead write due at `at` as if never tried; return whether it was dead."""
        self._beside.reachable()
        waiting = self._beside.queue.get((tenant, id))
        if waiting is None or waiting.dead_at is None:
            return False
        waiting.dead_at, waiting.reason, waiting.attempts, waiting.due_at = None, "", 0, at
        return True
