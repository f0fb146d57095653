"""The rows of one recall, each proved before it may take part in the answer (R5).

What fails goes to the audit and nowhere else. Proving opens a memory's search material; its content
is opened only when the answer shows it, or when a question about a time has to know when it was so.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime

import msgspec

from guard.barred import barred, standing
from guard.checks import BARRED, OUTDATED, Today, today, verdict, verdict_on_past
from guard.consensus import CHECK
from guard.errors import UnreadableError
from guard.governing import version_for
from guard.leaves import leaf_of
from guard.nouns import Opened, Row
from guard.origins import CHECK as ORIGIN
from guard.origins import Ban
from guard.outcomes import Query
from guard.principal import Principal
from guard.rescreen import settle
from guard.rooms import Rooms
from guard.trace import Trail
from memory.signals import Blinded
from memory.types import MemoryId, State


class Proved(msgspec.Struct, frozen=True):
    """A row that proved to be what it says, with the search material that it is scored by.

    `at` is when it was so, where the question asks for a time, else when it was recorded. `doubt`
    names the check on which it is still to be judged again; without one it may be shown.
    """

    row: Row
    blinded: Blinded
    at: datetime
    doubt: str | None

    @property
    def id(self) -> MemoryId:
        """The memory's id."""
        return self.row.sealed.label.id


class Proof:
    """Opens and checks the rows of one recall."""

    def __init__(
        self,
        principal: Principal,
        query: Query,
        tokens: Mapping[MemoryId, bytes],
        now: datetime,
        rooms: Rooms,
        *,
        trail: Trail,
        bans: Sequence[Ban] | None = None,
    ) -> None:
        """Take `tokens` for what the index holds of each memory that it named, and the `bans` that
        stand now, where somebody has asked for them.
        """
        self._trail = trail
        self._principal = principal
        self._query = query
        self._tokens = tokens
        self._now = now
        self._rooms = rooms
        self._bans = bans
        self._today: Today | None = None
        self._barred: set[MemoryId] = set()

    async def of(self, rows: Sequence[Row]) -> list[Proved]:
        """Return those rows that nothing speaks against, or only what is to be judged again."""
        await self._look(rows)
        return [proved for row in rows if (proved := await self._of(row)) is not None]

    async def content(self, row: Row) -> Opened | None:
        """Return the content of a row that was proved, None when it can't be read after all."""
        try:
            return await self._rooms.vault.open(self._principal.owner, row.sealed)
        except UnreadableError:
            self._withheld(row.sealed.label.id, "unreadable")
            self._trail.unreadable(row.sealed.label.id)
            return None

    async def again(self, memories: Sequence[Proved]) -> list[Proved]:
        """Have memories judged again; return those that may be shown, as they are now."""
        settled = await settle(self._principal.owner, [m.row for m in memories], self._rooms)
        shown = []
        for memory in memories:
            sealed = settled.get(memory.id)
            if sealed is not None and sealed.label.state is State.ACTIVE:
                row = msgspec.structs.replace(memory.row, sealed=sealed)
                shown.append(await self._opened(row, None))
            else:
                held = sealed is not None and memory.doubt == OUTDATED
                self._withheld(memory.id, "rescreen" if held else str(memory.doubt))
        return shown

    def outvoted(self, id: MemoryId) -> None:
        """Note that a memory is not shown beside better supported ones (R6)."""
        self._withheld(id, CHECK)

    def missing(self, known: AbstractSet[MemoryId]) -> None:
        """Note what the index named and the ledger doesn't have in the caller's scope."""
        for id in self._tokens.keys() - known:
            self._withheld(id, "missing")

    async def stands(self, row: Row) -> bool:
        """Say whether nothing speaks against a row, without taking note of what does."""
        await self._look([row])
        return await self._failed(row) is None

    async def _look(self, rows: Sequence[Row]) -> None:
        """Find out whose origin is barred; the bans are asked for once."""
        tenant = self._principal.owner.tenant
        if self._bans is None:
            self._bans = await standing(tenant, self._rooms)
        self._barred |= (await barred(tenant, rows, self._bans, self._rooms)).keys()

    async def _of(self, row: Row) -> Proved | None:
        label = row.sealed.label
        failed = await self._failed(row)
        # What is past is not judged again: that would make it active.
        mendable = (OUTDATED, BARRED) if label.state is State.ACTIVE else ()
        if failed is None or failed in mendable:
            try:
                return await self._opened(row, failed)
            except UnreadableError:
                failed = "unreadable"
        self._withheld(label.id, str(failed))
        return None

    async def _opened(self, row: Row, doubt: str | None) -> Proved:
        owner, vault = self._principal.owner, self._rooms.vault
        blinded = await vault.open_entry(owner, row.sealed)
        at = row.sealed.label.recorded_at
        query = self._query
        if query.since is not None or query.until is not None or query.spans:
            at = (await vault.open(owner, row.sealed)).body.occurred_at or at
        return Proved(row, blinded, at, doubt)

    async def _failed(self, row: Row) -> str | None:
        label = row.sealed.label
        token = self._tokens.get(label.id)
        if token is not None and row.indexed and not _is_digest(token, label.digest):
            return "index"
        if label.layer not in self._query.layers:
            return "layer"
        if label.id in self._barred:
            return ORIGIN
        judge = verdict if self._query.as_of is None else verdict_on_past
        owner, rooms = self._principal.owner, self._rooms
        if self._today is None:
            self._today = today(owner.tenant, rooms)
        return await judge(owner, row, self._now, rooms, self._today)

    def _withheld(self, id: MemoryId, check: str) -> None:
        """Note that a memory is not shown, and on which check it failed."""
        self._trail.withheld(id, check)
        self._rooms.watch.withheld(check)
        record(self._principal, id, "withheld", f"check.{check}", at=self._now, rooms=self._rooms)


def record(
    principal: Principal,
    id: MemoryId,
    outcome: str,
    reason: str,
    *,
    at: datetime,
    rooms: Rooms,
) -> None:
    """Note in the audit, off the request's path, what recall made of one memory."""
    rooms.journal.record(
        leaf_of(
            principal,
            rooms.new_id(),
            at,
            action="recall",
            object=id,
            outcome=outcome,
            policy=version_for(principal.owner.tenant, rooms),
            reasons=(reason,),
        )
    )


def _is_digest(token: bytes, digest: bytes) -> bool:
    return hmac.compare_digest(hashlib.sha256(token).digest(), digest)
