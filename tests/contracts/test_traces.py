"""The contract of what recalls left behind, on every store, and of the book that writes it."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from guard.errors import ConflictError, UnavailableError
from guard.ports import Tenant
from memory.types import Owner, TraceId
from storage.database import Database
from storage.envelopes import SealingEnvelopes
from storage.fakes.keystore import MemoryKeyStore
from storage.fakes.traces import MemoryTraces
from storage.ports import SealedTrace, TraceStore
from storage.registry import SqlRegistry
from storage.tracebook import TraceBook
from storage.traces import SqlTraces
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    new_file,
    new_id,
    url_of,
)
from tests.contracts.vault_builders import keyring
from tests.postgres import Place

KEPT = timedelta(days=7)
EXPIRES = START + KEPT


@pytest.fixture
async def store(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[TraceStore]:
    """Lend an empty store of each adapter, whose tenants are registered where it matters."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryTraces()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    for tenant in (ACME, GLOBEX):
        await SqlRegistry(database).register(Tenant(tenant, suspended=False), [])
    try:
        yield SqlTraces(database)
    finally:
        await database.close()


def trace(owner: Owner = OWNER, expires_at: datetime = EXPIRES, id: str = "") -> SealedTrace:
    """Return a trace as it is kept."""
    return SealedTrace(owner, TraceId(id or new_id()), START, expires_at, b"\x00\xffsealed")


async def found(store: TraceStore, one: SealedTrace, now: datetime = START) -> SealedTrace | None:
    """Return what its owner finds under its id."""
    return await store.find(one.owner.tenant, one.owner.subject, one.id, now)


class Desk:
    """A book over a store, with a clock that only the test moves."""

    def __init__(self, store: TraceStore, capacity_bytes: int = 10_000) -> None:
        self.now = START
        self.ring = keyring(MemoryKeyStore())
        self.envelopes = SealingEnvelopes(self.ring)
        self.book = TraceBook(
            store, self.envelopes, lambda: self.now, keep=KEPT, capacity_bytes=capacity_bytes
        )

    def record(self, owner: Owner = OWNER, plain: bytes = b"what was looked at") -> TraceId:
        """Leave a trace, now."""
        id = TraceId(new_id())
        self.book.record(owner, id, self.now, plain)
        return id

    async def read(self, id: TraceId, owner: Owner = OWNER) -> bytes | None:
        """Return what an owner reads under an id."""
        return await self.book.read(owner, id, self.now)


@pytest.mark.requirement("R10", "E5")
async def test_a_trace_is_its_subjects_alone(store: TraceStore) -> None:
    """Bit by bit; under its id another subject and another tenant find nothing."""
    mine, *theirs = (trace(owner) for owner in (OWNER, *ELSEWHERE))
    await store.add([mine, *theirs])
    assert await found(store, mine) == mine
    for owner in ELSEWHERE:
        assert await store.find(owner.tenant, owner.subject, mine.id, START) is None
    assert [await found(store, one) for one in theirs] == theirs


@pytest.mark.requirement("R10")
async def test_an_id_is_kept_once_and_a_batch_whole(store: TraceStore) -> None:
    """The second trace of an id is a conflict, and nothing that came with it is kept."""
    first, other = trace(), trace()
    await store.add([first])
    with pytest.raises(ConflictError):
        await store.add([other, trace(id=first.id)])
    assert await found(store, other) is None
    await store.add([])
    assert await found(store, first) == first


@pytest.mark.requirement("R10", "S5")
async def test_traces_expire_and_are_erased(store: TraceStore) -> None:
    """From their expiry on; by subject and by tenant, and nobody else's."""
    lasting = trace(expires_at=EXPIRES + KEPT)
    every = [trace(), lasting, *(trace(owner) for owner in ELSEWHERE)]
    await store.add(every)
    assert await found(store, every[0], EXPIRES) is None
    assert await store.expire(EXPIRES - timedelta(microseconds=1)) == 0
    assert await store.expire(EXPIRES) == 3
    assert await found(store, lasting) == lasting

    again = [trace(owner) for owner in (OWNER, *ELSEWHERE)]
    await store.add(again)
    assert await store.erase(ACME, ANNA) == 2
    assert [await found(store, one) is None for one in again] == [True, False, False]
    assert await store.erase(ACME, None) == 1
    assert [await found(store, one) is None for one in again] == [True, True, False]


@pytest.mark.requirement("R10")
async def test_a_trace_is_read_before_and_after_it_is_written(store: TraceStore) -> None:
    """The same to its subject, nothing to others, until it expires; what is kept is sealed."""
    desk = Desk(store)
    id = desk.record()
    for _ in range(2):
        assert await desk.read(id) == b"what was looked at"
        assert [await desk.read(id, owner) for owner in ELSEWHERE] == [None, None]
        await desk.book.flush()
    kept = await store.find(ACME, ANNA, id, START)
    assert kept is not None
    assert b"looked at" not in kept.token
    desk.now = EXPIRES
    assert await desk.read(id) is None
    assert await desk.book.expire(EXPIRES) == 1


@pytest.mark.requirement("R10", "S3")
@pytest.mark.parametrize("what", ["id", "owner", "at", "expires_at", "token"])
async def test_a_trace_that_was_moved_or_prolonged_does_not_open(what: str) -> None:
    """Whoever writes to the ledger can remove a trace, and make of it nothing else."""
    store = MemoryTraces()
    desk = Desk(store)
    id = desk.record()
    await desk.book.flush()
    kept = await store.find(ACME, ANNA, id, START)
    assert kept is not None
    await store.erase(ACME, ANNA)
    changed = {
        "id": TraceId(new_id()),
        "owner": ELSEWHERE[0],
        "at": START - timedelta(days=1),
        "expires_at": EXPIRES + timedelta(days=1),
        "token": kept.token[:-1] + bytes((kept.token[-1] ^ 1,)),
    }
    forged = msgspec.structs.replace(kept, **{what: changed[what]})
    await store.add([forged])
    assert await desk.read(forged.id, forged.owner) is None
    # The control: as it was, it opens.
    await store.erase(ACME, None)
    await store.add([kept])
    assert await desk.read(id) == b"what was looked at"


@pytest.mark.requirement("R10")
async def test_what_is_too_much_is_given_up_and_counted() -> None:
    """The oldest first; nobody waits, and a database that is away loses nothing by itself."""
    store = MemoryTraces()
    desk = Desk(store, capacity_bytes=100)
    store.offline = True
    first, second, third = (desk.record(plain=b"x" * 40) for _ in range(3))
    with pytest.raises(UnavailableError):
        await desk.book.flush()
    assert desk.book.lost == 1
    store.offline = False
    await desk.book.flush()
    assert await desk.read(first) is None
    assert await desk.read(second) == await desk.read(third) == b"x" * 40
    desk.record(plain=b"x" * 101)
    assert desk.book.lost == 2


@pytest.mark.requirement("R10", "S5")
async def test_erasure_reaches_what_waits_and_what_is_being_answered() -> None:
    """And what is asked afterwards leaves its trace again; nobody else's goes."""
    desk = Desk(MemoryTraces())
    written = desk.record()
    await desk.book.flush()
    began = desk.now
    waiting, theirs = desk.record(), desk.record(ELSEWHERE[0])
    desk.now += timedelta(seconds=1)
    assert await desk.book.erase(ACME, ANNA) == 2
    late = TraceId(new_id())
    desk.book.record(OWNER, late, began, b"asked before, answered after")
    await desk.book.flush()
    assert [await desk.read(one) for one in (written, waiting, late)] == [None] * 3
    assert await desk.read(theirs, ELSEWHERE[0]) is not None
    desk.now += timedelta(seconds=1)
    assert await desk.read(desk.record()) is not None
    await desk.book.erase(ACME, None)
    await desk.book.flush()
    assert await desk.read(theirs, ELSEWHERE[0]) is None


@pytest.mark.requirement("R10", "S5")
async def test_a_trace_goes_with_its_subjects_key() -> None:
    """Nothing opens it any more, though it is there still."""
    desk = Desk(MemoryTraces())
    written = desk.record()
    await desk.book.flush()
    assert await desk.read(written) is not None
    await desk.ring.shred_subject(OWNER)
    assert await desk.read(written) is None
