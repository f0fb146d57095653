"""Webhooks: the same in memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from guard.errors import ConflictError, NotFoundError
from guard.findings import Event
from guard.hooks import DeadPost, Hook, Hooks, SealedHook
from guard.nouns import Leaf
from memory.types import TenantId
from storage.audit import SqlAudit
from storage.database import Database
from storage.fakes.webhooks import MemoryHooks
from storage.posts import Post, SqlPosts
from storage.webhooks import SqlHooks
from tests.contracts.ledger_builders import ACME, GLOBEX, START, new_file, url_of
from tests.contracts.test_registry import leaf
from tests.postgres import Place

LEASE = 30.0
LATER = START + timedelta(seconds=LEASE)


class Posted(SqlHooks):
    """The store in SQL, with the queue and the audit over the same ledger at hand."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.posts = SqlPosts(database)
        self.audit = SqlAudit(database)


@pytest.fixture
async def hooks(ledger_at: tuple[str, Place | None], tmp_path: Path) -> AsyncIterator[Hooks]:
    """Lend a fresh store of each adapter."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryHooks()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    yield Posted(database)
    await database.close()


@pytest.fixture
async def posted(hooks: Hooks) -> Posted:
    """Return the store in SQL: nobody posts from memory."""
    if not isinstance(hooks, Posted):
        pytest.skip("in SQL alone")
    return hooks


def made(id: str = "siem", tenant: TenantId = ACME, position: int = 0) -> SealedHook:
    """Return a webhook for two kinds of events."""
    events = (Event.HELD, Event.EXPIRED)
    return SealedHook(Hook(tenant, id, events, position, "", START), b"sealed " + id.encode())


async def leaves_of(hooks: Hooks, tenant: TenantId) -> list[Leaf]:
    """Return what the audit has of a tenant, and that its chain holds."""
    if isinstance(hooks, MemoryHooks):
        return [one for one in hooks.leaves if one.tenant == tenant]
    assert isinstance(hooks, Posted)
    await hooks.audit.integrate()
    assert (await hooks.audit.verify(tenant)).ok
    return [one.leaf for one in await hooks.audit.leaves(tenant, 0, 100)]


@pytest.mark.requirement("Q7")
async def test_a_webhook_comes_back_as_it_was_put(hooks: Hooks) -> None:
    """Of its own tenant alone, and each change with its leaf."""
    mine, other, theirs = made("b"), made("a"), made("b", GLOBEX)
    for number, one in enumerate((mine, other, theirs)):
        await hooks.put(one, leaf(number, one.hook.tenant))
    assert await hooks.all(ACME) == [other, mine]
    assert await hooks.all(GLOBEX) == [theirs]
    again = msgspec.structs.replace(
        mine, hook=msgspec.structs.replace(mine.hook, position=99, events=(Event.REFUSED,))
    )
    again = msgspec.structs.replace(again, token=b"sealed anew")
    await hooks.put(again, leaf(3))
    (_, found) = await hooks.all(ACME)
    assert found == msgspec.structs.replace(
        again, hook=msgspec.structs.replace(again.hook, position=0)
    )
    await hooks.remove(ACME, "b", leaf(4))
    assert await hooks.all(ACME) == [other]
    assert await hooks.all(GLOBEX) == [theirs]
    with pytest.raises(NotFoundError):
        await hooks.remove(ACME, "b", leaf(5))
    assert await leaves_of(hooks, ACME) == [leaf(0), leaf(1), leaf(3), leaf(4)]
    assert await leaves_of(hooks, GLOBEX) == [leaf(2, GLOBEX)]


@pytest.mark.requirement("Q7")
async def test_what_is_not_dead_is_not_replayed(hooks: Hooks) -> None:
    """And leaves no leaf."""
    await hooks.put(made(), leaf(0))
    assert await hooks.dead(ACME, 9) == []
    assert await hooks.replay(ACME, "siem", None, START, leaf(1)) == 0
    assert await leaves_of(hooks, ACME) == [leaf(0)]
    with pytest.raises(ValueError, match="another tenant"):
        await hooks.put(made(), leaf(1, GLOBEX))


@pytest.mark.requirement("Q7")
async def test_of_several_who_make_posts_one_does(posted: Posted) -> None:
    """Whoever comes second finds that somebody has gone on; a leaf is a post but once."""
    await posted.put(made(), leaf(0))
    (hook,) = await posted.posts.hooks()
    assert await posted.posts.make(hook, [2, 5], 7, START)
    assert not await posted.posts.make(hook, [2, 5], 7, START)
    (hook,) = await posted.posts.hooks()
    assert hook.position == 7
    assert not await posted.posts.make(hook, [5], 8, START)
    assert await posted.posts.make(hook, [], 9, START)
    assert await posted.posts.count(ACME, "siem") == 2
    assert await posted.posts.count(GLOBEX, "siem") == 0


@pytest.mark.requirement("Q7")
async def test_a_claimed_post_is_hidden_until_its_lease_ends(posted: Posted) -> None:
    """The first of each webhook, none of one that is busy or paused."""
    for number, (tenant, id) in enumerate(((ACME, "a"), (ACME, "b"), (GLOBEX, "a"))):
        await posted.put(made(id, tenant), leaf(number, tenant))
    for hook in await posted.posts.hooks():
        await posted.posts.make(hook, [1, 2], 2, START)
    every = {(ACME, "a"), (ACME, "b"), (GLOBEX, "a")}
    first = await posted.posts.claim(9, START, LEASE, busy={(ACME, "a")})
    assert {(one.tenant, one.hook) for one in first} == every - {(ACME, "a")}
    assert {one.sequence for one in first} == {1}
    second = await posted.posts.claim(9, START, LEASE)
    assert {(one.tenant, one.hook, one.sequence) for one in second} == {
        (ACME, "a", 1),
        (ACME, "b", 2),
        (GLOBEX, "a", 2),
    }
    assert [one.sequence for one in await posted.posts.claim(9, START, LEASE)] == [2]
    assert await posted.posts.claim(9, START, LEASE) == []
    assert await posted.posts.pause(GLOBEX, "a", "gone", leaf(9, GLOBEX))
    assert not await posted.posts.pause(GLOBEX, "a", "gone", leaf(10, GLOBEX))
    again = await posted.posts.claim(9, LATER, LEASE)
    assert {(one.tenant, one.hook) for one in again} == {(ACME, "a"), (ACME, "b")}
    (paused,) = await posted.all(GLOBEX)
    assert paused.hook.paused == "gone"
    await posted.put(made("a", GLOBEX), leaf(11, GLOBEX))
    back = await posted.posts.claim(9, LATER, LEASE)
    assert [one for one in back if one.tenant == GLOBEX] == [Post(GLOBEX, "a", 1, 0)]


@pytest.mark.requirement("Q7")
async def test_a_post_ends_is_put_off_or_is_given_up_and_comes_back(posted: Posted) -> None:
    """A dead one is listed for its tenant alone, waits for nobody, and goes with its webhook."""
    await posted.put(made(), leaf(0))
    await posted.put(made(tenant=GLOBEX), leaf(1, GLOBEX))
    for hook in await posted.posts.hooks():
        await posted.posts.make(hook, [1, 2, 3], 3, START)
    claimed = [await posted.posts.claim(9, START, LEASE) for _ in range(3)]
    one, two, three = (next(p for p in batch if p.tenant == ACME) for batch in claimed)
    await posted.posts.done(one)
    await posted.posts.retry(two, LATER, 4, "status.500")
    await posted.posts.bury(three, START, 9, "timeout")
    assert [p for p in await posted.posts.claim(9, LATER, LEASE) if p.tenant == ACME] == [
        msgspec.structs.replace(two, attempts=4)
    ]
    dead = DeadPost("siem", 3, 9, "timeout", START)
    assert await posted.dead(ACME, 9) == [dead]
    assert await posted.dead(GLOBEX, 9) == []
    standing = await posted.posts.standing()
    assert (standing.waiting, standing.dead, standing.oldest) == (4, 1, START)
    assert await posted.replay(ACME, "siem", 7, START, leaf(2)) == 0
    assert await posted.replay(GLOBEX, "siem", 3, START, leaf(2, GLOBEX)) == 0
    assert await posted.replay(ACME, "siem", 3, START, leaf(2)) == 1
    assert [p for p in await posted.posts.claim(9, START, LEASE) if p.tenant == ACME] == [
        msgspec.structs.replace(three, attempts=0)
    ]
    await posted.remove(ACME, "siem", leaf(3))
    assert await posted.posts.count(ACME, "siem") == 0
    assert await posted.posts.count(GLOBEX, "siem") == 3


@pytest.mark.requirement("Q7")
async def test_two_who_add_the_same_webhook_do_not_both(posted: Posted) -> None:
    """A webhook beyond the first of its name is refused by the database, too."""
    await posted.put(made(), leaf(0))
    with pytest.raises(ConflictError):
        await posted.put(made("other"), leaf(0))
    assert [one.hook.id for one in await posted.all(ACME)] == ["siem"]
