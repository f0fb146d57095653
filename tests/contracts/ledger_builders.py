"""Sealed memories, leaves and changes out of thin air, and each ledger to put them into."""

import asyncio
import hashlib
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import msgspec

from guard.nouns import Answer, Change, Label, Later, Leaf, Row, Sealed
from guard.origins import Bans, Origins
from guard.ports import Answers, Audit, Ledger, Quarantine, Queue, Remarks, Stock
from guard.undoable import Proposals, Undoing
from memory.origin import Channel, OriginClass
from memory.types import (
    ClientId,
    Epoch,
    Kind,
    Layer,
    LeafId,
    MemoryId,
    Owner,
    State,
    SubjectId,
    TenantId,
)
from storage.answers import SqlAnswers
from storage.audit import SqlAudit
from storage.bans import SqlBans
from storage.chain import AuditReport
from storage.database import Database
from storage.fakes.ledger import MemoryLedger
from storage.ledger import SqlLedger
from storage.migrations import migrate
from storage.origins import SqlOrigins
from storage.outbox import SqlOutbox
from storage.ports import Outbox
from storage.proposals import SqlProposals
from storage.quarantine import SqlQuarantine
from storage.queue import SqlQueue
from storage.remarks import SqlRemarks
from storage.reviews import SqlUndoing
from storage.stock import SqlStock
from tests.postgres import Place

START = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
ACME, GLOBEX = TenantId("acme"), TenantId("globex")
ANNA, BORIS = SubjectId("anna"), SubjectId("bořis-李")
OWNER = Owner(ACME, ANNA)
ELSEWHERE = (Owner(ACME, BORIS), Owner(GLOBEX, ANNA))
"""Another subject of the same tenant, and the same subject name in another tenant."""

_count = itertools.count(1)


class VerifiedAudit(Audit, Protocol):
    """An audit that can verify itself, as both adapters can."""

    async def verify(self, tenant: TenantId) -> AuditReport:
        """Return what is wrong with a tenant's audit."""
        ...

    async def tenants(self) -> list[TenantId]:
        """Return every tenant that has a leaf."""
        ...


class Books(msgspec.Struct, frozen=True):
    """One adapter's ports over the same memories; `file` is where SQLite has them."""

    ledger: Ledger
    quarantine: Quarantine
    audit: VerifiedAudit
    outbox: Outbox
    stock: Stock
    answers: Answers
    queue: Queue
    remarks: Remarks
    undoing: Undoing
    proposals: Proposals
    origins: Origins
    bans: Bans
    file: Path | None


def url_of(file: Path, **query: str) -> str:
    """Return the URL of an SQLite ledger."""
    return f"sqlite+aiosqlite:///{file}" + "".join(f"?{k}={v}" for k, v in query.items())


@cache
def _empty() -> bytes:
    """Return the bytes of a ledger that is migrated and empty, made once for all tests."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.db"
        asyncio.run(migrate(url_of(file)))
        return file.read_bytes()


async def new_file(folder: Path) -> Path:
    """Return a fresh migrated SQLite ledger in `folder`."""
    file = folder / "ledger.db"
    file.write_bytes(await asyncio.to_thread(_empty))
    return file


def books_on(database: Database, file: Path | None = None) -> Books:
    """Return the SQL adapters over one database."""
    return Books(
        SqlLedger(database),
        SqlQuarantine(database),
        SqlAudit(database),
        SqlOutbox(database),
        SqlStock(database),
        SqlAnswers(database),
        SqlQueue(database),
        SqlRemarks(database),
        SqlUndoing(database),
        SqlProposals(database),
        SqlOrigins(database),
        SqlBans(database),
        file,
    )


@asynccontextmanager
async def open_books(
    adapter: str, folder: Path, place: Place | None = None
) -> AsyncIterator[Books]:
    """Lend fresh books of the adapter named; `place` is where they are on PostgreSQL."""
    if adapter == "memory":
        ledger = MemoryLedger()
        yield Books(
            ledger,
            ledger.quarantine,
            ledger.audit,
            ledger.outbox,
            ledger.stock,
            ledger.answers,
            ledger.queue,
            ledger.remarks,
            ledger.undoing,
            ledger.proposals,
            ledger.origins,
            ledger.bans,
            None,
        )
        return
    file = None if place else await new_file(folder)
    database = await Database.open(place.gateway if place else url_of(folder / "ledger.db"))
    try:
        yield books_on(database, file)
    finally:
        await database.close()


def new_id() -> str:
    """Return an id in the form of a version 7 UUID; later ones sort after earlier ones."""
    number = next(_count)
    return f"01958f00-0000-7000-8000-{number:012x}"


def sealed(owner: Owner = OWNER, **label: Any) -> Sealed:
    """Return a new sealed memory; keyword arguments replace label fields."""
    id = MemoryId(label.pop("id", None) or new_id())
    token = f"sealed content of {id}".encode()
    entry = f"sealed entry of {id}".encode()
    made = Label(
        id=id,
        tenant=owner.tenant,
        subject=owner.subject,
        layer=Layer.EPISODIC,
        kind=Kind.FACT,
        state=State.ACTIVE,
        revision=1,
        version=1,
        origin=OriginClass.USER_STATED,
        trust=3,
        channel=Channel.REST,
        client=ClientId("app"),
        source="",
        session="",
        importance=0.1 + 0.2,
        confidence=1 / 3,
        recorded_at=START,
        changed_at=START,
        expires_at=START + timedelta(days=30, microseconds=1),
        superseded_by=None,
        policy="strict@1",
        digest=hashlib.sha256(token).digest(),
        entry_digest=hashlib.sha256(entry).digest(),
        leaf=LeafId(new_id()),
    )
    return Sealed(
        label=msgspec.structs.replace(made, **label),
        tag=b"tag" * 8,
        token=token,
        entry=entry,
        evidence=b"sealed evidence",
        fingerprint=hashlib.sha256(id.encode()).digest(),
    )


def relabelled(before: Sealed, **label: Any) -> Sealed:
    """Return the next version of a memory, with a leaf of its own; empty when it is forgotten."""
    label.setdefault("version", before.label.version + 1)
    label.setdefault("leaf", LeafId(new_id()))
    if label.get("state") in (State.FORGOTTEN, State.REJECTED):
        label |= {"digest": b"", "entry_digest": b""}
        before = msgspec.structs.replace(before, token=b"", entry=b"", evidence=b"")
    return msgspec.structs.replace(before, label=msgspec.structs.replace(before.label, **label))


def leaf_for(row: Sealed) -> Leaf:
    """Return the leaf that `row` names."""
    label = row.label
    return Leaf(
        id=label.leaf,
        tenant=label.tenant,
        subject=label.subject,
        actor=label.subject,
        client=label.client,
        channel=label.channel,
        action="remember",
        object=label.id,
        version=label.version,
        outcome=label.state.value,
        policy=label.policy,
        digest=label.digest,
        reasons=("rule.one", "规则.二"),
        at=label.changed_at,
    )


def noted(owner: Owner = OWNER, object: str = "a recall") -> Leaf:
    """Return a leaf of something that changed no memory."""
    leaf = leaf_for(sealed(owner))
    return msgspec.structs.replace(
        leaf, object=object, version=0, digest=b"", action="recall", outcome="answered"
    )


def change(epoch: int, *rows: Sealed, owner: Owner = OWNER) -> Change:
    """Return a change with one leaf per row."""
    return Change(owner, Epoch(epoch), rows, tuple(leaf_for(row) for row in rows))


async def put_beside(
    books: Books,
    *rows: Sealed,
    owner: Owner = OWNER,
    answer: Answer | None = None,
    later: Later | None = None,
    at: datetime = START,
) -> None:
    """Commit what is kept beside memories, with `rows` or with a leaf of its own."""
    epoch = await books.ledger.epoch(owner.tenant, owner.subject)
    leaves = tuple(leaf_for(row) for row in rows) or (noted(owner, "a write"),)
    leaves = tuple(msgspec.structs.replace(leaf, at=at) for leaf in leaves)
    await books.ledger.commit(Change(owner, epoch, rows, leaves, answer, later))


async def put(books: Books, *rows: Sealed) -> None:
    """Commit rows one by one, each for its owner at the epoch of the moment."""
    for row in rows:
        owner = Owner(TenantId(row.label.tenant), SubjectId(row.label.subject))
        epoch = await books.ledger.epoch(owner.tenant, owner.subject)
        await books.ledger.commit(change(epoch, row, owner=owner))


async def get(books: Books, row: Sealed) -> Row:
    """Return the stored row of a memory that is there."""
    tenant, subject = TenantId(row.label.tenant), SubjectId(row.label.subject)
    (found,) = await books.ledger.rows(tenant, subject, [row.label.id])
    return found


def ids(rows: list[Row] | tuple[Row, ...]) -> list[MemoryId]:
    """Return the ids of rows, in their order."""
    return [row.sealed.label.id for row in rows]
