"""A gateway's real rooms on real files, and the hand of someone who edits them behind its back.

Wired as the gateway is served, with an embedder that needs no model. The follower runs only when a
test says so, so that the index is as stale or as fresh as the test needs it. Each test takes a
tenant of its own: the rooms are shared, and `audit verify` judges one tenant at a time.
"""

import random
import secrets
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from gateway.app.keep import Keep, index_dir, opened_keep
from gateway.settings import Settings, load
from guard.browse import fetch
from guard.detectors import UNASKED
from guard.errors import NotFoundError
from guard.fakes import HashEmbedder
from guard.nouns import Draft
from guard.outcomes import Query, Rejected, Skipped
from guard.principal import Principal
from guard.recall import recall
from guard.remember import remember
from guard.rooms import Bounds, Rooms
from guard.stages import STAGES
from guard.turns import Turns
from memory.ids import RANDOM_BYTES, uuid7
from memory.types import MemoryId, SubjectMark, TenantId
from storage.answers import SqlAnswers
from storage.chain import Flaw
from storage.follower import Follower
from storage.index.embedded import EmbeddedIndex
from storage.journal import BatchingJournal
from storage.ledger import SqlLedger
from storage.quarantine import SqlQuarantine
from storage.queue import SqlQueue
from storage.rates import WindowRates
from storage.registry import SqlRegistry
from storage.transcript import SqlTranscript
from tests.house import START, STRICT, caller

QUESTION: Final = "Which shelf in the north library holds the atlas volumes?"
EVERYTHING: Final = 500
_ENDS: Final = 48
"""Longer than what stands before the body of any token, and than a tag behind it."""

Columns = dict[str, Any]


def text(number: int) -> str:
    """Return one of many texts that all answer `QUESTION`, of equal length."""
    return f"Shelf {number:03} in the north library holds the atlas volumes."


def sampled(length: int) -> list[int]:
    """Return places in so many bytes: both ends, where formats have their parts, and some between.

    The same ones each time. The long tests try every place.
    """
    ends = {at for at in range(length) if at < _ENDS or at >= length - _ENDS}
    between = random.Random(length).sample(range(length), min(length, _ENDS))  # noqa: S311
    return sorted(ends.union(between))


class Answer(msgspec.Struct, frozen=True):
    """What one recall showed, and which check the audit says each other memory failed."""

    shown: set[MemoryId]
    withheld: dict[MemoryId, str]


class Library(msgspec.Struct, frozen=True):
    """Two subjects of one tenant with memories that answer the same question."""

    tenant: TenantId
    alice: Principal
    bob: Principal
    mine: tuple[MemoryId, ...]
    theirs: tuple[MemoryId, ...]


class Site:
    """Rooms on real files, a clock that only tests move, and raw access to both databases."""

    def __init__(self, settings: Settings, keep: Keep, index: EmbeddedIndex) -> None:
        self.settings = settings
        self.keep = keep
        self.index = index
        self.now = START
        self.journal = BatchingJournal(keep.audit)
        ledger = SqlLedger(keep.database)
        self.follower = Follower(keep.outbox, ledger, keep.vault, index, self.clock)
        self.rooms = Rooms(
            clock=self.clock,
            new_id=self.new_id,
            policy=STRICT,
            stages=STAGES,
            detectors=UNASKED,
            vault=keep.vault,
            marks=keep.vault,
            ledger=ledger,
            quarantine=SqlQuarantine(keep.database),
            index=index,
            embedder=HashEmbedder(),
            rates=WindowRates(60.0),
            audit=keep.audit,
            journal=self.journal,
            registry=SqlRegistry(keep.database),
            turns=Turns(),
            bounds=Bounds(),
            envelopes=keep.envelopes,
            answers=SqlAnswers(keep.database),
            queue=SqlQueue(keep.database),
            transcript=SqlTranscript(keep.database),
        )
        self._tenants = count(1)

    def clock(self) -> datetime:
        """Return the present."""
        return self.now

    def new_id(self) -> str:
        """Return a fresh id; time moves with each, so that ids of one test sort as they came."""
        self.now += timedelta(milliseconds=1)
        return uuid7(self.now, secrets.token_bytes(RANDOM_BYTES))

    def new_tenant(self) -> TenantId:
        """Return a tenant that no other test uses."""
        return TenantId(f"tenant-{next(self._tenants)}")

    # What honest callers do.

    async def remember(self, principal: Principal, draft: str | Draft) -> MemoryId:
        """Write one memory, each in a rate window of its own, and return its id."""
        self.now += timedelta(minutes=2)
        draft = Draft(draft) if isinstance(draft, str) else draft
        outcome = await remember(principal, draft, self.rooms)
        assert not isinstance(outcome, Skipped | Rejected)
        return outcome.id

    async def shelves(self, principal: Principal, *numbers: int) -> list[MemoryId]:
        """Write the texts with these numbers and let the index follow."""
        ids = [await self.remember(principal, text(number)) for number in numbers]
        await self.settle()
        return ids

    async def library(self) -> Library:
        """Fill a new tenant: three memories of Alice, two of Bob, all indexed."""
        tenant = self.new_tenant()
        alice, bob = caller("alice", tenant), caller("bob", tenant)
        mine, theirs = await self.shelves(alice, 1, 2, 3), await self.shelves(bob, 4, 5)
        return Library(tenant, alice, bob, tuple(mine), tuple(theirs))

    async def settle(self) -> None:
        """Let the index follow the ledger."""
        await self.follower.drain()

    async def ask(self, principal: Principal, question: str = QUESTION) -> Answer:
        """Recall everything that answers, and return it with what the audit says of the rest."""
        tenant = principal.owner.tenant
        await self.journal.flush()
        before = (await self.keep.audit.head(tenant)).size
        found = await recall(principal, Query(question, EVERYTHING), self.rooms)
        assert not found.degraded
        await self.journal.flush()
        leaves = [one.leaf for one in await self.keep.audit.leaves(tenant, before, 10_000)]
        withheld = {
            MemoryId(leaf.object): ",".join(leaf.reasons)
            for leaf in leaves
            if (leaf.action, leaf.outcome, leaf.subject)
            == ("recall", "withheld", principal.owner.subject)
        }
        return Answer({item.memory.id for item in found.items}, withheld)

    async def fetched(self, principal: Principal, id: MemoryId) -> bool:
        """Tell whether the caller can read this memory by its id."""
        try:
            await fetch(principal, id, self.rooms)
        except NotFoundError:
            return False
        return True

    async def audited(self, tenant: TenantId) -> set[tuple[str, str, tuple[str, ...]]]:
        """Return what the audit of a tenant says: action, outcome, reasons."""
        await self.journal.flush()
        found = await self.keep.audit.leaves(tenant, 0, 10_000)
        return {(one.leaf.action, one.leaf.outcome, one.leaf.reasons) for one in found}

    async def flaws(self, tenant: TenantId) -> set[Flaw]:
        """Return what `memguard audit verify` finds for a tenant."""
        await self.journal.flush()
        return {problem.flaw for problem in (await self.keep.audit.verify(tenant)).problems}

    async def mark(self, principal: Principal) -> SubjectMark:
        """Return how the index knows the caller."""
        ((id, *_),) = self.select(
            "SELECT id FROM memories WHERE tenant = ? AND subject = ? LIMIT 1",
            principal.owner.tenant,
            principal.owner.subject,
        )
        (row,) = await self.rooms.ledger.rows(principal.owner.tenant, principal.owner.subject, [id])
        return (await self.rooms.vault.open_entry(principal.owner, row.sealed)).subject

    # What someone does who holds the files.

    @property
    def ledger_file(self) -> Path:
        """The ledger's file."""
        return self.settings.storage.data_dir / "ledger.db"

    @property
    def keys_file(self) -> Path:
        """The key store's file."""
        return self.settings.storage.data_dir / "keys.db"

    def select(self, sql: str, *values: object, file: Path | None = None) -> list[tuple[Any, ...]]:
        """Return rows of the ledger, or of another file, as they lie there."""
        return _run(file or self.ledger_file, sql, values)[0]

    def edit(self, sql: str, *values: object, file: Path | None = None) -> None:
        """Change the ledger, or another file, and make sure that something was changed."""
        assert _run(file or self.ledger_file, sql, values)[1] > 0

    def row(self, table: str, tenant: TenantId, id: str) -> Columns:
        """Return a row of `memories` or `leaves` with its place in the file."""
        columns = [name for _, name, *_ in self.select(f"PRAGMA table_info({table})")]
        names = ", ".join(("rowid", *columns))
        query = f"SELECT {names} FROM {table} WHERE tenant = ? AND id = ?"  # noqa: S608
        (values,) = self.select(query, tenant, id)
        return dict(zip(("rowid", *columns), values, strict=True))

    def put(self, table: str, place: int, columns: Mapping[str, object]) -> None:
        """Write columns over those of the row in this place."""
        names = ", ".join(f"{name} = ?" for name in columns)
        self.edit(
            f"UPDATE {table} SET {names} WHERE rowid = ?",  # noqa: S608
            *columns.values(),
            place,
        )

    def insert(self, table: str, columns: Mapping[str, object]) -> None:
        """Add a row, in a place of its own."""
        kept = {name: value for name, value in columns.items() if name != "rowid"}
        places = ", ".join("?" * len(kept))
        self.edit(
            f"INSERT INTO {table} ({', '.join(kept)}) VALUES ({places})",  # noqa: S608
            *kept.values(),
        )

    def memory(self, tenant: TenantId, id: MemoryId) -> Columns:
        """Return the row of a memory."""
        return self.row("memories", tenant, id)

    def change(self, row: Columns, **columns: object) -> None:
        """Write columns over those of a memory."""
        self.put("memories", row["rowid"], columns)

    def restore(self, row: Columns) -> None:
        """Put every column of a memory back to what it was."""
        self.put("memories", row["rowid"], {k: v for k, v in row.items() if k != "rowid"})


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Site]:
    """Lend a site over a fresh data directory."""
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    async with opened_keep(settings) as keep:
        index = await EmbeddedIndex.open(index_dir(settings), HashEmbedder().id.dimensions)
        try:
            yield Site(settings, keep, index)
        finally:
            await index.close()


def _run(file: Path, sql: str, values: tuple[object, ...]) -> tuple[list[tuple[Any, ...]], int]:
    """Run one statement on a connection of its own, where no constraint is enforced."""
    connection = sqlite3.connect(file)
    try:
        # Only the attacker's hand is hasty: what the gateway writes is synced as ever.
        connection.execute("PRAGMA synchronous = OFF")
        with connection:
            cursor = connection.execute(sql, values)
            return cursor.fetchall(), cursor.rowcount
    finally:
        connection.close()
