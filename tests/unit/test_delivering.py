"""Findings reach the webhooks of their tenant, over a real ledger and a real HTTP endpoint."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gateway.app.delivering import Delivering
from gateway.app.outward import Outward
from gateway.settings import Webhooks
from guard.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError
from guard.findings import Event
from guard.ports import Tenant
from guard.principal import Principal, Scope
from guard.rooms import Rooms
from guard.webhooks import (
    MOST,
    Hooking,
    dead_posts,
    put_webhook,
    remove_webhook,
    replay_posts,
    rotate_webhook,
    webhooks,
)
from memory.types import MemoryId, TenantId
from storage.answers import SqlAnswers
from storage.audit import SqlAudit
from storage.database import Database
from storage.ledger import SqlLedger
from storage.posts import SqlPosts
from storage.quarantine import SqlQuarantine
from storage.queue import SqlQueue
from storage.webhooks import SqlHooks
from tests.contracts.ledger_builders import new_file, url_of
from tests.house import ALICE, MALLORY, House, caller
from tests.receiver import Receiver, receiving, verified
from tests.unit.test_findings import ATTACK, wrong_in

ADMIN = caller("root", scopes=frozenset({Scope.TENANT_ADMIN}))
THEIRS = caller("root", "umbra", scopes=frozenset({Scope.TENANT_ADMIN}))
EVERY = tuple(Event)


class Office:
    """A house over a real ledger, with one or more postmen."""

    def __init__(self, database: Database, receivers: Sequence[Receiver]) -> None:
        self.house = House()
        self.database = database
        self.audit = SqlAudit(database)
        self.posts = SqlPosts(database)
        allowed = frozenset(one.place for one in receivers)
        self.rooms: Rooms = self.house.with_rooms(
            ledger=SqlLedger(database),
            audit=self.audit,
            quarantine=SqlQuarantine(database),
            answers=SqlAnswers(database),
            queue=SqlQueue(database),
            hooking=Hooking(SqlHooks(database), allowed),
        )
        self.settings = Webhooks(attempts=3, timeout_seconds=2.0, longest_pause_seconds=60.0)
        self.outward = Outward(allowed, 2.0)
        self.postman = self.another()

    def another(self) -> Delivering:
        """Return one more postman over the same ledger: another replica's."""
        return Delivering(self.settings, self.rooms, self.posts, self.outward, lambda: 1.0)

    async def held(self, principal: Principal = ALICE, text: str = ATTACK) -> MemoryId:
        """Write what is held, in the record; return its id."""
        outcome = await self.house.remember(principal, text, self.rooms)
        assert outcome.__struct_config__.tag == "quarantined"
        self.house.later(minutes=2)
        await self.audit.integrate()
        return MemoryId(str(getattr(outcome, "id", "")))

    async def put(
        self, receiver: Receiver, who: Principal = ADMIN, events: Sequence[Event] = EVERY
    ) -> str:
        """Have findings posted to a receiver; return the secret."""
        made = await put_webhook(who, "siem", url_of_hook(receiver), events, self.rooms)
        assert made.secret is not None
        return made.secret

    async def actions(self, tenant: str = "acme") -> list[tuple[str, str, tuple[str, ...]]]:
        """Return what the record says of webhooks: who, what, why."""
        await self.audit.integrate()
        leaves = await self.audit.leaves(TenantId(tenant), 0, 1000)
        told = [(one.leaf.actor, one.leaf.action, one.leaf.reasons) for one in leaves]
        return [one for one in told if one[1].startswith("webhook.")]


def url_of_hook(receiver: Receiver) -> str:
    """Return the URL of a receiver."""
    return f"http://{receiver.place}/hook?part=1"


@asynccontextmanager
async def opened(folder: Path, *receivers: Receiver) -> AsyncIterator[Office]:
    """Lend an office with acme and umbra registered."""
    database = await Database.open(url_of(await new_file(folder)))
    try:
        office = Office(database, receivers)
        for tenant in ("acme", "umbra"):
            await office.rooms.registry.register(Tenant(TenantId(tenant), suspended=False), ())
        yield office
    finally:
        await database.close()


@pytest.mark.requirement("Q7")
async def test_a_finding_is_posted_signed_and_once(tmp_path: Path) -> None:
    """To where its tenant said, as OCSF, without a word of what was written."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.held(text=f"{ATTACK} Before.")
        secret = await office.put(receiver)
        id = await office.held()
        await office.postman.drain()
        await office.postman.drain()
        (received,) = receiver.received
        assert received.path == "/hook?part=1"
        assert received.event["finding_info"]["uid"] == id
        assert wrong_in(received.event) == []
        assert received.fields["webhook-id"] == received.event["metadata"]["uid"]
        assert received.fields["content-type"] == "application/json"
        assert b"Ignore" not in received.body
        assert verified(received, secret)
        changed = msgspec.structs.replace(received, body=received.body + b" ")
        assert not verified(changed, secret)
        assert (await office.posts.standing()).waiting == 0
        assert office.postman.delivered == 1


@pytest.mark.requirement("Q7", "E5")
async def test_no_webhook_carries_anothers(tmp_path: Path) -> None:
    """Two tenants with a webhook of the same name, each with its own events and secret."""
    async with (
        receiving() as mine,
        receiving() as theirs,
        opened(tmp_path, mine, theirs) as office,
    ):
        secret, other = await office.put(mine), await office.put(theirs, THEIRS)
        own = [await office.held(), await office.held(text=f"{ATTACK} Again.")]
        foreign = await office.held(MALLORY)
        await office.postman.drain()
        assert [one.event["finding_info"]["uid"] for one in mine.received] == own
        assert [one.event["finding_info"]["uid"] for one in theirs.received] == [foreign]
        assert {one.event["metadata"]["tenant_uid"] for one in mine.received} == {"acme"}
        assert all(verified(one, secret) for one in mine.received)
        assert not any(verified(one, other) for one in mine.received)
        assert b"umbra" not in b"".join(one.body for one in mine.received)
        listed = await webhooks(THEIRS, office.rooms)
        assert [one.url for one in listed] == [url_of_hook(theirs)]
        with pytest.raises(NotFoundError):
            await remove_webhook(caller("root", "other"), "siem", office.rooms)


@pytest.mark.requirement("Q7")
async def test_only_events_that_are_asked_for_are_posted(tmp_path: Path) -> None:
    """And what comes to be asked for later is posted from then on."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver, events=(Event.REJECTED,))
        await office.held()
        await office.postman.drain()
        assert receiver.received == []
        await put_webhook(ADMIN, "siem", url_of_hook(receiver), (Event.HELD,), office.rooms)
        later = await office.held(text=f"{ATTACK} Later.")
        await office.postman.drain()
        assert [one.event["finding_info"]["uid"] for one in receiver.received] == [later]


@pytest.mark.requirement("Q7")
async def test_what_is_not_taken_is_tried_again_and_in_the_end_kept(tmp_path: Path) -> None:
    """With a longer pause each time; a dead one is listed, and replayed by hand."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver)
        await office.held()
        receiver.answers = ["500 No", "302 Elsewhere\r\nLocation: /", "503 No", "204 Yes"]
        pauses = [0]
        for seconds in (4, 2, 9, 2):
            await office.postman.drain()
            pauses.append(len(receiver.received))
            office.house.later(seconds=seconds)
        await office.postman.drain()
        assert pauses == [0, 1, 1, 2, 2]
        assert len(receiver.received) == 3
        assert len({one.fields["webhook-id"] for one in receiver.received}) == 1
        assert len({one.fields["webhook-timestamp"] for one in receiver.received}) == 3
        (dead,) = await dead_posts(ADMIN, 9, office.rooms)
        assert (dead.attempts, dead.reason) == (3, "status.503")
        assert await dead_posts(THEIRS, 9, office.rooms) == []
        office.house.later(days=30)
        await office.postman.drain()
        assert len(receiver.received) == 3
        with pytest.raises(NotFoundError):
            await replay_posts(THEIRS, "siem", None, office.rooms)
        assert await replay_posts(ADMIN, "siem", dead.sequence, office.rooms) == 1
        await office.postman.drain()
        assert len(receiver.received) == 4
        assert await dead_posts(ADMIN, 9, office.rooms) == []
        assert (office.postman.delivered, office.postman.failed, office.postman.buried) == (1, 3, 1)


@pytest.mark.requirement("Q7")
async def test_an_endpoint_that_asks_for_patience_gets_it(tmp_path: Path) -> None:
    """As far as the settings go."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver)
        await office.held()
        receiver.answers = ["429 Slow\r\nRetry-After: 30"]
        await office.postman.drain()
        office.house.later(seconds=29)
        await office.postman.drain()
        assert len(receiver.received) == 1
        office.house.later(seconds=2)
        await office.postman.drain()
        assert len(receiver.received) == 2


@pytest.mark.requirement("Q7")
async def test_an_endpoint_that_is_gone_is_left_alone_until_it_is_put_again(tmp_path: Path) -> None:
    """Nothing is lost meanwhile, and the record says who paused it and who did not."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver)
        first = await office.held()
        receiver.answers = ["410 Gone"]
        await office.postman.drain()
        second = await office.held(text=f"{ATTACK} Second.")
        office.house.later(days=1)
        await office.postman.drain()
        assert len(receiver.received) == 1
        (listed,) = await webhooks(ADMIN, office.rooms)
        assert (listed.paused, listed.secret) == ("gone", None)
        await put_webhook(ADMIN, "siem", url_of_hook(receiver), EVERY, office.rooms)
        await office.postman.drain()
        posted = [one.event["finding_info"]["uid"] for one in receiver.received]
        assert posted == [first, first, second]
        told = [(who, what) for who, what, _ in await office.actions()]
        assert told == [
            ("root", "webhook.put"),
            ("memguard", "webhook.pause"),
            ("root", "webhook.put"),
        ]


@pytest.mark.requirement("Q7")
async def test_a_suspended_tenants_findings_wait(tmp_path: Path) -> None:
    """However often they are looked at, none is given up."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver)
        await office.held()
        acme = TenantId("acme")
        await office.rooms.registry.register(Tenant(acme, suspended=True), ())
        for _ in range(5):
            await office.postman.drain()
            office.house.later(minutes=2)
        assert receiver.received == []
        await office.rooms.registry.register(Tenant(acme, suspended=False), ())
        await office.postman.drain()
        assert len(receiver.received) == 1


@pytest.mark.requirement("Q7")
async def test_several_postmen_post_each_finding_once(tmp_path: Path) -> None:
    """Over one ledger, at the same time; the claim of one that died ends, and it is sent again."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver)
        ids = [await office.held(text=f"{ATTACK} {number}") for number in range(6)]
        await asyncio.gather(*(office.another().drain() for _ in range(3)))
        posted = [one.event["finding_info"]["uid"] for one in receiver.received]
        assert sorted(posted) == sorted(ids)
        # One looks and claims, and is killed before it has sent anything.
        last = await office.held(text=f"{ATTACK} last")
        await office.another().look()
        assert len(await office.posts.claim(9, office.house.now, 30.0)) == 1
        await office.postman.drain()
        assert len(receiver.received) == 6
        office.house.later(seconds=31)
        await office.postman.drain()
        assert receiver.received[-1].event["finding_info"]["uid"] == last


@pytest.mark.requirement("Q7")
async def test_an_endpoint_that_hangs_keeps_nobody_elses_waiting(tmp_path: Path) -> None:
    """One post of each webhook is under way at a time."""
    async with (
        receiving() as slow,
        receiving() as quick,
        opened(tmp_path, slow, quick) as office,
    ):
        slow.silent = True
        await office.put(slow)
        await office.put(quick, THEIRS)
        for number in range(4):
            await office.held(text=f"{ATTACK} {number}")
            await office.held(MALLORY, f"{ATTACK} {number}")
        patient = Outward(frozenset({slow.place, quick.place}), 60.0)
        postman = Delivering(office.settings, office.rooms, office.posts, patient)
        async with asyncio.timeout(60), postman.run():
            while len(quick.received) < 4:  # noqa: ASYNC110 - it is somebody else's event
                await asyncio.sleep(0.01)
            assert len(slow.received) == 1


@pytest.mark.requirement("Q7")
async def test_a_secret_is_shown_once_and_two_count_while_it_changes(tmp_path: Path) -> None:
    """Only the gateway makes secrets; at rest and in the record nobody finds one, nor the URL."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        old = await office.put(receiver)
        fresh = (await rotate_webhook(ADMIN, "siem", 24, office.rooms)).secret
        assert fresh is not None
        assert fresh != old
        (listed,) = await webhooks(ADMIN, office.rooms)
        assert listed.secret is None
        assert listed.two_secrets_until is not None
        await office.held()
        await office.postman.drain()
        office.house.later(hours=24)
        await office.held(text=f"{ATTACK} Later.")
        await office.postman.drain()
        during, after = receiver.received
        assert (verified(during, old), verified(during, fresh)) == (True, True)
        assert (verified(after, old), verified(after, fresh)) == (False, True)
        file = Path(str(office.database.engine.url.database))
        wal = file.with_name(file.name + "-wal")
        stored = b"".join([await asyncio.to_thread(one.read_bytes) for one in (file, wal)])
        assert b"siem" in stored
        for word in (old, fresh, receiver.place):
            assert word.removeprefix("whsec_").encode() not in stored
        assert receiver.place not in str(await office.actions())


@pytest.mark.requirement("Q7", "E4")
async def test_only_an_administrator_has_posts_sent_and_only_where_he_may(tmp_path: Path) -> None:
    """Without his scope no door opens; a URL that leads inside is refused, and kept nowhere."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        rooms, url = office.rooms, url_of_hook(receiver)
        anybody = caller(scopes=frozenset(Scope) - {Scope.TENANT_ADMIN})
        for door in (
            webhooks(anybody, rooms),
            put_webhook(anybody, "siem", url, EVERY, rooms),
            rotate_webhook(anybody, "siem", 1, rooms),
            remove_webhook(anybody, "siem", rooms),
            dead_posts(anybody, 9, rooms),
            replay_posts(anybody, "siem", None, rooms),
        ):
            with pytest.raises(ForbiddenError):
                await door
        for wrong in ("http://127.0.0.1:1/", "https://169.254.169.254/", "http://siem.example/"):
            with pytest.raises(InvalidError):
                await put_webhook(ADMIN, "siem", wrong, EVERY, rooms)
        with pytest.raises(InvalidError):
            await put_webhook(ADMIN, "siem", url, (), rooms)
        assert await webhooks(ADMIN, rooms) == []
        with pytest.raises(NotFoundError):
            await rotate_webhook(ADMIN, "siem", 1, rooms)
        for number in range(MOST):
            await put_webhook(ADMIN, f"siem-{number}", url, EVERY, rooms)
        with pytest.raises(ConflictError):
            await put_webhook(ADMIN, "siem", url, EVERY, rooms)
        assert len(await webhooks(ADMIN, rooms)) == MOST


@pytest.mark.requirement("Q7")
async def test_what_is_no_longer_allowed_is_no_longer_gone_to(tmp_path: Path) -> None:
    """The operator's word counts when a post goes out, not when the webhook was put."""
    async with receiving() as receiver, opened(tmp_path, receiver) as office:
        await office.put(receiver)
        await office.held()
        strict = Outward(frozenset(), 2.0)
        await Delivering(office.settings, office.rooms, office.posts, strict, lambda: 1.0).drain()
        assert receiver.received == []
        office.house.later(minutes=1)
        await office.postman.drain()
        assert len(receiver.received) == 1


def test_standard_webhooks_own_example_is_signed_alike() -> None:
    """The one in its specification (id, timestamp, body, secret and signature)."""
    import base64  # noqa: PLC0415
    from datetime import UTC, datetime  # noqa: PLC0415

    from guard.hooks import signed  # noqa: PLC0415

    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = datetime.fromtimestamp(1614265330, UTC)
    fields: dict[str, Any] = signed(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}', [secret]
    )
    assert fields["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
