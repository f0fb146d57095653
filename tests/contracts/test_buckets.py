"""The contract of token buckets, in this process and on a real server, and of losing the server."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from guard.errors import UnavailableError
from guard.ports import Bucket, Taken
from storage.limits.fallback import FallbackBuckets
from storage.limits.local import LocalBuckets
from storage.limits.shared import Server, SharedBuckets
from storage.rootkey import RootKey
from tests.contracts import bucket_builders
from tests.contracts.bucket_builders import Adapter, HandClock, bucket, replica
from tests.redis import RedisProcess, find_server

pytestmark = pytest.mark.requirement("E7")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[RedisProcess]:
    """Yield a real server that only these tests know."""
    process = RedisProcess(find_server(request.config), tmp_path_factory.mktemp("redis"))
    process.start()
    yield process
    process.kill()


@pytest.fixture
def own_server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RedisProcess]:
    """Yield a real server that one test may freeze and kill."""
    process = RedisProcess(find_server(request.config), tmp_path)
    process.start()
    yield process
    process.kill()


@pytest.fixture(params=["local", "shared"])
async def adapter(request: pytest.FixtureRequest) -> AsyncIterator[Adapter]:
    """Yield each adapter in turn, with all buckets full."""
    if request.param == "local":
        yield bucket_builders.local()
        return
    built = bucket_builders.shared(request.getfixturevalue("server"))
    yield built
    assert isinstance(built.buckets, SharedBuckets)
    await built.buckets.close()


async def test_a_bucket_gives_what_it_holds_and_no_more(adapter: Adapter) -> None:
    """Ten units are three operations of three; the fourth is refused and takes nothing."""
    ten = bucket()
    answers = [await adapter.buckets.take([ten], 3) for _ in range(4)]
    assert [one.allowed for one in answers] == [True, True, True, False]
    assert [round(one.left[0], 3) for one in answers] == [7, 4, 1, 1]
    assert (await adapter.buckets.take([ten], 1)).allowed


async def test_time_refills_a_bucket_up_to_its_capacity(adapter: Adapter) -> None:
    """Half a unit a second: the wait that a refusal names is enough, and a year fills no more."""
    slow = bucket(refill=0.5)
    assert (await adapter.buckets.take([slow], 10)).allowed
    refused = await adapter.buckets.take([slow], 4)
    assert not refused.allowed
    assert refused.waits[0] == pytest.approx(8, abs=0.1)
    await adapter.passes(refused.waits[0] - 1)
    assert not (await adapter.buckets.take([slow], 4)).allowed
    await adapter.passes(1)
    assert (await adapter.buckets.take([slow], 4)).allowed
    await adapter.passes(31_536_000)
    assert (await adapter.buckets.take([slow], 0)).left == (10,)


async def test_several_buckets_give_all_or_nothing(adapter: Adapter) -> None:
    """One that is empty keeps the others whole, in whatever place it stands."""
    wide, narrow = bucket("tenant", "acme", capacity=100), bucket(capacity=5)
    assert (await adapter.buckets.take([wide, narrow], 5)).allowed
    for order in ([wide, narrow], [narrow, wide]):
        refused = await adapter.buckets.take(order, 5)
        assert not refused.allowed
        by_name = dict(zip((one.policy for one in order), refused.waits, strict=True))
        assert by_name["tenant"] == 0
        assert by_name["subject"] > 0
    assert (await adapter.buckets.take([wide], 95)).allowed


async def test_names_and_policies_are_counted_apart(adapter: Adapter) -> None:
    """No two names meet in one bucket, also not such as read the same when they are joined."""
    others: list[Bucket] = [
        bucket(),
        bucket("origin"),
        bucket("subject", "acme", "bob"),
        bucket("subject", "globex", "alice"),
        bucket("subject", "acme", "alice", ""),
        bucket("subject", "acmealice"),
        bucket("subject", 'acme","alice'),
        bucket("subject", "acme", "alice\0"),
        bucket("subject", "阿克梅", "爱丽丝"),
    ]
    for one in others:
        assert (await adapter.buckets.take([one], 10)).allowed, one
    for one in others:
        assert not (await adapter.buckets.take([one], 1)).allowed, one


async def test_a_look_takes_nothing(adapter: Adapter) -> None:
    """A cost of zero is always allowed and changes nothing."""
    ten = bucket()
    assert (await adapter.buckets.take([ten], 0)) == Taken(allowed=True, left=(10,), waits=(0,))
    await adapter.buckets.take([ten], 10)
    looked = [await adapter.buckets.take([ten], 0) for _ in range(3)]
    assert all(one.allowed and round(one.left[0], 3) == 0 for one in looked)


async def test_what_fits_no_bucket_is_refused_for_good(adapter: Adapter) -> None:
    """An operation that costs more than a full bucket holds never has its turn."""
    refused = await adapter.buckets.take([bucket(capacity=3)], 4)
    assert (refused.allowed, refused.waits) == (False, (float("inf"),))


async def test_concurrent_callers_get_together_what_one_would(adapter: Adapter) -> None:
    """Fifty at once share ten units as ten, not more and not fewer."""
    answers = await asyncio.gather(*(adapter.buckets.take([bucket()], 1) for _ in range(50)))
    assert sum(one.allowed for one in answers) == 10


async def test_idle_buckets_do_not_pile_up() -> None:
    """The store keeps as many as it was told, and gives up the one that rested longest."""
    clock = HandClock()
    buckets = LocalBuckets(clock, kept=100)
    own = bucket("tenant", "acme")
    for number in range(1000):
        await buckets.take([bucket("subject", "acme", str(number))], 10)
        assert (await buckets.take([own], 0)).allowed
        if number % 10 == 0:
            await buckets.take([own], 1 if number < 50 else 0)
    assert len(buckets._left) == 100
    assert not (await buckets.take([bucket("subject", "acme", "999")], 1)).allowed
    assert (await buckets.take([bucket("subject", "acme", "0")], 1)).allowed
    with pytest.raises(ValueError, match="limits nothing"):
        LocalBuckets(clock, kept=0)


async def test_a_bucket_in_use_is_never_pushed_out() -> None:
    """A caller with many names can't get rid of his tenant's bucket: each draw touches it."""
    buckets = LocalBuckets(HandClock(), kept=10)
    tenant = bucket("tenant", "acme", capacity=50)
    allowed = [
        (await buckets.take([bucket("subject", "acme", str(n)), tenant], 1)).allowed
        for n in range(200)
    ]
    assert sum(allowed) == 50


async def test_a_full_bucket_is_forgotten() -> None:
    """What is as good as new takes no room."""
    clock = HandClock()
    buckets = LocalBuckets(clock)
    await buckets.take([bucket(refill=1)], 5)
    assert len(buckets._left) == 1
    clock.seconds += 5
    await buckets.take([bucket(refill=1)], 0)
    assert len(buckets._left) == 0


async def test_replicas_share_one_limit(server: RedisProcess) -> None:
    """Two gateways that draw at once get together what one would have got."""
    bucket_builders.shared(server)
    one, other = replica(server), replica(server)
    draws = [which.take([bucket()], 1) for which in (one, other) for _ in range(20)]
    answers = await asyncio.gather(*draws)
    assert sum(one.allowed for one in answers) == 10
    await one.close()
    await other.close()


async def test_the_store_learns_no_name(server: RedisProcess) -> None:
    """Keys are keyed hashes: neither readable nor to be guessed without the root key."""
    built = bucket_builders.shared(server)
    assert isinstance(built.buckets, SharedBuckets)
    buckets = [bucket("subject", "acme", "alice"), bucket("tenant", "acme"), bucket("tenant", "x")]
    await built.buckets.take(buckets, 1)
    other_root = replica(server, RootKey.from_bytes(secrets.token_bytes(32)))
    await other_root.take([bucket("subject", "acme", "alice")], 1)
    with server.client() as client:
        keys = sorted(bytes(key) for key in client.scan_iter())
        dump = b" ".join(keys) + b" ".join(bytes(client.dump(key)) for key in keys)
    assert len(set(keys)) == 4
    assert [word for word in (b"acme", b"alice", b"subject", b"tenant") if word in dump] == []
    # One slot of a cluster per tenant, as one script needs: the tag in braces decides it.
    assert len({key.split(b"}")[0] for key in keys}) == 3
    await built.buckets.close()
    await other_root.close()


async def test_the_store_forgets_by_itself(server: RedisProcess) -> None:
    """Each bucket expires a second after it would be full again."""
    built = bucket_builders.shared(server)
    assert isinstance(built.buckets, SharedBuckets)
    await built.buckets.take([bucket(capacity=100, refill=2.0)], 50)
    with server.client() as client:
        (key,) = client.scan_iter()
        assert 20_000 < client.pttl(key) <= 26_000
    await built.buckets.close()


async def test_a_clock_that_goes_back_takes_nothing_away(server: RedisProcess) -> None:
    """After a server with another clock took over, buckets hold what they held."""
    built = bucket_builders.shared(server)
    assert isinstance(built.buckets, SharedBuckets)
    await built.buckets.take([bucket(refill=1.0)], 5)
    await built.passes(-3600)
    assert (await built.buckets.take([bucket(refill=1.0)], 0)).left[0] == pytest.approx(5)
    await built.buckets.close()


class Faulty:
    """A shared store that does as it is told."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails: Exception | None = None
        self.hangs = False

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Answer that all is left, hang for good, or fail."""
        del cost
        self.calls += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails is not None:
            raise self.fails
        return Taken(allowed=True, left=tuple(99.0 for _ in buckets), waits=(0.0,) * len(buckets))


def _fallback(shared: Faulty | SharedBuckets, clock: HandClock, deadline: float) -> FallbackBuckets:
    return FallbackBuckets(shared, LocalBuckets(clock), clock, deadline_seconds=deadline)


@pytest.mark.parametrize("way", ["refuses", "hangs"])
async def test_without_the_store_this_process_counts(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The very call that finds the store gone is counted here; no call is ever uncounted."""
    faulty, clock = Faulty(), HandClock()
    buckets = _fallback(faulty, clock, 0.01)
    assert (await buckets.take([bucket()], 1)).left == (99,)
    faulty.hangs, faulty.fails = way == "hangs", UnavailableError("rate limits")
    with caplog.at_level(logging.WARNING, "memguard.limits"):
        answers = [await buckets.take([bucket()], 1) for _ in range(12)]
    assert [one.allowed for one in answers] == [True] * 10 + [False] * 2
    assert (buckets.alone, buckets.falls, buckets.taken_alone) == (True, 1, 12)
    assert len(caplog.records) == 1
    assert faulty.calls == 2  # the circuit is open: one call found out, eleven did not wait


async def test_the_store_is_tried_again_by_one_call_a_second() -> None:
    """While it stays away a second costs one deadline; once it answers all calls go there."""
    faulty, clock = Faulty(), HandClock()
    buckets = _fallback(faulty, clock, 0.01)
    faulty.fails = UnavailableError("rate limits")
    await buckets.take([bucket()], 1)
    clock.seconds += 0.9
    await buckets.take([bucket()], 1)
    assert faulty.calls == 1
    clock.seconds += 0.2
    await asyncio.gather(*(buckets.take([bucket()], 1) for _ in range(3)))
    assert faulty.calls == 2
    faulty.fails = None
    await buckets.take([bucket()], 1)
    assert faulty.calls == 2
    clock.seconds += 1.1
    assert (await buckets.take([bucket()], 1)).left == (99,)
    assert not buckets.alone
    assert (await buckets.take([bucket()], 1)).left == (99,)
    assert (buckets.falls, faulty.calls) == (1, 4)


async def test_a_defect_is_not_taken_for_an_outage() -> None:
    """Only a store that is away is fallen back from; what nobody foresaw is raised."""
    faulty, clock = Faulty(), HandClock()
    faulty.fails = RuntimeError("a defect")
    with pytest.raises(RuntimeError):
        await _fallback(faulty, clock, 0.01).take([bucket()], 1)


async def test_a_real_server_that_dies_and_returns(own_server: RedisProcess) -> None:
    """Killed in the middle and started again, also without its script: limits hold throughout."""
    clock = HandClock()
    shared = replica(own_server)
    buckets = _fallback(shared, clock, bucket_builders.GENEROUS_SECONDS)
    first = [(await buckets.take([bucket()], 1)).allowed for _ in range(15)]
    own_server.kill()
    meanwhile = [(await buckets.take([bucket()], 1)).allowed for _ in range(15)]
    assert buckets.falls == 1
    own_server.start()
    clock.seconds += 1.1
    after = [(await buckets.take([bucket()], 1)).allowed for _ in range(15)]
    # One replica: twice the limit over an outage, and what the server lost when it died.
    assert [sum(part) for part in (first, meanwhile, after)] == [10, 10, 10]
    assert (buckets.alone, buckets.falls) == (False, 1)
    await shared.close()


async def test_a_real_server_that_hangs(own_server: RedisProcess) -> None:
    """The deadline holds, and an answer that comes too late is no other call's answer."""
    clock = HandClock()
    shared = replica(own_server)
    buckets = _fallback(shared, clock, 0.05)
    wide = bucket("tenant", "acme", capacity=1000)
    assert (await buckets.take([wide], 1)).left[0] == pytest.approx(999, abs=0.01)
    own_server.freeze()
    started = asyncio.get_running_loop().time()
    assert (await buckets.take([bucket()], 3)).left[0] == pytest.approx(7, abs=0.01)
    assert asyncio.get_running_loop().time() - started < 5
    assert buckets.alone
    own_server.thaw()
    clock.seconds += 1.1
    patient = replica(own_server)
    before = (await patient.take([wide], 0)).left[0]
    answers = [await shared.take([wide], 1) for _ in range(3)]
    assert [one.left[0] for one in answers] == pytest.approx(
        [before - 1, before - 2, before - 3], abs=0.01
    )
    await shared.close()
    await patient.close()


async def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    """Without a fallback the caller is told, and never let through."""
    nobody = SharedBuckets.connected(
        Server(f"unix://{tmp_path}/none.sock", 1.0), bucket_builders.ROOT
    )
    with pytest.raises(UnavailableError):
        await nobody.take([bucket()], 1)
    await nobody.close()


def test_a_server_does_not_show_its_password() -> None:
    """Not in a log, not in an assertion."""
    assert "zyzzyva" not in repr(Server("redis://valkey:6379/0", 1.0, "u", "zyzzyva"))
