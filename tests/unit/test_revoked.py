"""What a replica knows of revoked tokens, how soon, and what it does when it can't know."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import pytest

from gateway.auth import RegisteredOnly
from gateway.mcp.streams import Streams
from gateway.revoked import Revoked
from guard.errors import ForbiddenError, InvalidError, UnauthenticatedError, UnavailableError
from guard.nouns import Leaf
from guard.ports import Clock, NewId
from guard.principal import Principal
from guard.revoke import EVERYONE, Of, Revocation, Revocations, revoke, revoke_tenant, revoked
from memory.types import TenantId
from storage.fakes.registry import MemoryRegistry
from storage.fakes.revocations import MemoryRevocations
from tests.house import ALICE, BOB, MALLORY, START, House, caller

LATER = START + timedelta(hours=1)


class Desk(msgspec.Struct, frozen=True):
    """What revoking needs."""

    clock: Clock
    new_id: NewId
    revocations: Revocations


def desk_of(store: Revocations) -> Desk:
    """Return a desk at LATER."""
    rooms = House().rooms
    return Desk(lambda: LATER, rooms.new_id, store)


async def knowing(store: Revocations) -> Revoked:
    """Return what a replica knows that has just looked."""
    known = Revoked(store, 1.0, 60.0)
    await known.look()
    return known


def issued(at: datetime, who: Principal = ALICE, credential: str = "token-1") -> Principal:
    """Return a caller whose token was issued then."""
    return msgspec.structs.replace(who, issued_at=at, credential=credential)


@pytest.mark.requirement("E6")
async def test_one_token_is_taken_back_and_no_other() -> None:
    """By its id, whenever it was issued; the same id in another tenant is another token."""
    store = MemoryRevocations()
    made = await revoke(ALICE, Of.TOKEN, "token-1", None, desk_of(store))
    assert (made.of, made.name, made.tenant) == (Of.TOKEN, "token-1", "acme")
    known = await knowing(store)
    for at in (START, LATER + timedelta(days=1)):
        with pytest.raises(UnauthenticatedError):
            known.check(issued(at))
    known.check(issued(START, credential="token-2"))
    known.check(issued(START, MALLORY))
    (leaf,) = store.leaves
    assert (leaf.action, leaf.object, leaf.reasons[0]) == (
        "token.revoke",
        "token-1",
        "revoke.token",
    )


@pytest.mark.requirement("E6")
async def test_what_was_issued_to_a_subject_until_then_is_taken_back() -> None:
    """Logging in again gives a token that counts; a later revocation takes that back, too."""
    store = MemoryRevocations()
    desk = desk_of(store)
    await revoke(ALICE, Of.SUBJECT, "alice", LATER - timedelta(minutes=1), desk)
    known = await knowing(store)
    until = LATER - timedelta(minutes=1)
    for at in (START, until):
        assert known.refuses(issued(at))
    assert not known.refuses(issued(until + timedelta(seconds=1)))
    assert not known.refuses(issued(START, BOB))
    assert not known.refuses(issued(START, MALLORY))
    await revoke(ALICE, Of.SUBJECT, "alice", START, desk)
    await known.look()
    assert known.refuses(issued(until)), "an earlier instant takes nothing away from a later one"


@pytest.mark.requirement("E6")
async def test_a_tenant_is_taken_back_whole_and_alone() -> None:
    """By its own administrator or by the platform's, and every subject of it."""
    for by_platform in (False, True):
        store = MemoryRevocations()
        if by_platform:
            await revoke_tenant(MALLORY, TenantId("acme"), None, desk_of(store))
        else:
            await revoke(ALICE, Of.TENANT, EVERYONE, None, desk_of(store))
        known = await knowing(store)
        assert known.refuses(ALICE)
        assert known.refuses(BOB)
        assert not known.refuses(MALLORY)
        assert not known.refuses(issued(LATER + timedelta(seconds=1)))
        (leaf,) = store.leaves
        assert leaf.actor == ("umbra/alice" if by_platform else "alice")


@pytest.mark.requirement("E6", "E4")
async def test_who_has_no_right_takes_nothing_back() -> None:
    """Without the scope, or of a time that has not come."""
    store, nobody = MemoryRevocations(), caller(scopes=frozenset())
    desk = desk_of(store)
    with pytest.raises(ForbiddenError):
        await revoke(nobody, Of.SUBJECT, "alice", None, desk)
    with pytest.raises(ForbiddenError):
        await revoke_tenant(nobody, TenantId("acme"), None, desk)
    with pytest.raises(ForbiddenError):
        await revoked(nobody, None, 10, desk)
    with pytest.raises(InvalidError):
        await revoke(ALICE, Of.SUBJECT, "alice", LATER + timedelta(seconds=1), desk)
    assert await store.since(None) == []
    assert store.leaves == []


class Ledger:
    """A store that can be away, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.kept = MemoryRevocations()
        self.away = False
        self.asked: list[datetime | None] = []

    async def add(self, revocation: Revocation, leaf: Leaf) -> None:
        """Keep it."""
        await self.kept.add(revocation, leaf)

    async def since(self, at: datetime | None) -> Sequence[Revocation]:
        """Answer unless it is away."""
        self.asked.append(at)
        if self.away:
            raise UnavailableError("ledger")
        return await self.kept.since(at)

    async def of(self, tenant: TenantId, after: str | None, limit: int) -> list[Revocation]:
        """Answer."""
        return await self.kept.of(tenant, after, limit)


@pytest.mark.requirement("E6")
async def test_a_replica_that_cannot_look_believes_nobody_in_the_end() -> None:
    """For as long as configured it goes on with what it knows; then it fails closed, and mends."""
    now, store = 100.0, Ledger()
    known = Revoked(store, 1.0, 30.0, now=lambda: now)
    with pytest.raises(UnavailableError):
        known.check(ALICE)  # it has never looked
    await known.look()
    known.check(ALICE)
    store.away = True
    now = 129.0
    with pytest.raises(UnavailableError):
        await known.look()
    known.check(ALICE)
    now = 131.0
    with pytest.raises(UnavailableError, match="revocations"):
        known.check(ALICE)
    store.away = False
    await known.look()
    known.check(ALICE)


@pytest.mark.requirement("E6")
async def test_it_reads_what_is_new_and_everything_now_and_then() -> None:
    """With an overlap, for a replica whose clock is behind or whose commit came late."""
    now, store = 0.0, Ledger()
    known = Revoked(store, 1.0, 30.0, now=lambda: now)
    await known.look()
    desk = desk_of(store)
    await revoke(ALICE, Of.TOKEN, "a", None, desk)
    await known.look()
    await known.look()
    late = desk_of(store).new_id()
    behind = Revocation(late, TenantId("acme"), Of.TOKEN, "b", START, LATER - timedelta(seconds=90))
    await store.add(behind, store.kept.leaves[0])
    await known.look()
    assert known.refuses(issued(START, credential="b"))
    now = 700.0
    await known.look()
    overlapped = LATER - timedelta(minutes=2)
    assert store.asked == [None, None, overlapped, overlapped, None]


@pytest.mark.requirement("E6")
async def test_a_decision_of_a_clock_that_is_ahead_hides_none_after_it() -> None:
    """Of two replicas one is a day ahead: what the other decides next is known all the same."""
    store = MemoryRevocations()
    known = Revoked(store, 1.0, 60.0, clock=lambda: LATER)
    await known.look()
    ahead = Desk(lambda: LATER + timedelta(days=1), House().rooms.new_id, store)
    await revoke(ALICE, Of.TOKEN, "a", None, ahead)
    await known.look()
    assert known.refuses(issued(START, credential="a"))
    await revoke(ALICE, Of.TOKEN, "b", None, desk_of(store))
    assert not known.refuses(issued(START, credential="b"))
    await known.look()
    assert known.refuses(issued(START, credential="b"))


class Stream:
    """A stream that notes that it was told to end."""

    def __init__(self) -> None:
        self._ends = 0

    def ended(self) -> bool:
        """Say whether it was told to."""
        return self._ends > 0

    def end(self) -> None:
        """Note it."""
        self._ends += 1


@pytest.mark.requirement("E6", "M1")
async def test_open_streams_of_revoked_tokens_end_and_no_others() -> None:
    """Of the same subject and client, the stream of another token stays."""
    store = MemoryRevocations()
    known = await knowing(store)
    streams = Streams(RegisteredOnly(MemoryRegistry()), 5.0, known)
    taken, kept = Stream(), Stream()
    other = issued(START, credential="token-2")
    with streams.watched(ALICE, taken), streams.watched(other, kept):
        streams.look_at_tokens()
        assert not taken.ended()
        await revoke(ALICE, Of.TOKEN, "token-1", None, desk_of(store))
        await known.look()
        streams.look_at_tokens()
        assert taken.ended()
        assert not kept.ended()
