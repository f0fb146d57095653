"""The index on a Qdrant server: what it does when the server fails, lies, or was emptied."""

import asyncio

import httpx
import pytest

from guard.errors import UnavailableError
from storage.index.server import ServerIndex
from tests.contracts.index_builders import ACME, ALICE, entry, id_of, probe, rich
from tests.contracts.qdrant_double import Fault
from tests.unit.server_world import ServerWorld, answer, body, broken, found


@pytest.fixture
async def world() -> ServerWorld:
    """Return a server."""
    return ServerWorld()


async def filled(world: ServerWorld) -> ServerIndex:
    """Return a gateway's index with one memory of Alice's."""
    index = world.gateway()
    await index.upsert(ACME, [entry(1, rich())])
    world.double.requests.clear()
    world.pauses.clear()
    return index


async def _searched(world: ServerWorld, index: ServerIndex) -> int:
    """Return how many requests one search takes."""
    before = world.asked
    await index.search(ACME, ALICE, probe(rich()))
    return world.asked - before


_PASSING = {
    "500": answer(500),
    "502": answer(502),
    "503": answer(503, {"Retry-After": "0"}),
    "408": answer(408),
    "429 without a time": answer(429),
    "429 with a date": answer(429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
    "refused connection": broken(httpx.ConnectError),
    "dropped connection": broken(httpx.RemoteProtocolError),
    "read time-out": broken(httpx.ReadTimeout),
    "no JSON": body(b"<html>proxy</html>"),
    "half a body": body(b'{"result": [{"points": ['),
    "empty body": body(b""),
    "another shape": body(b'{"result": {"time": 1}}'),
    "no result": body(b'{"result": null}'),
    "a list": body(b"[]"),
    "too few answers": body(b'{"result": [{"points": []}]}'),
    "a hit that is none": body(b'{"result": [{"points": [{"id": "x"}]}]}'),
}


@pytest.mark.requirement("S2", "R11")
@pytest.mark.parametrize("fault", sorted(_PASSING))
async def test_what_may_pass_is_tried_again(world: ServerWorld, fault: str) -> None:
    """One failure of any kind costs a pause, not the answer."""
    index = await filled(world)
    world.fail(_PASSING[fault])
    assert await found(index) == [id_of(1)]
    assert world.asked == 3  # one for each of two layers, and the one that was repeated
    assert len(world.pauses) == 1


@pytest.mark.requirement("S2", "S9")
@pytest.mark.parametrize("fault", sorted(_PASSING))
async def test_a_write_that_may_not_have_arrived_is_sent_again(
    world: ServerWorld, fault: str
) -> None:
    """Points carry their ids, so the second time changes nothing if the first arrived."""
    index = await filled(world)
    world.fail(_PASSING[fault])
    await index.upsert(ACME, [entry(2, rich())])
    assert await found(index) == [id_of(1), id_of(2)]


@pytest.mark.requirement("S9")
@pytest.mark.parametrize("status", ["acknowledged", "wait_timeout"])
async def test_a_write_that_is_not_done_is_not_called_done(world: ServerWorld, status: str) -> None:
    """`wait` was asked for: an answer that did not wait counts as none."""
    index = await filled(world)
    pending = body(b'{"result": [{"operation_id": 1, "status": "%s"}]}' % status.encode())
    world.fail(*[pending] * 6)
    with pytest.raises(UnavailableError):
        await index.upsert(ACME, [entry(2, rich())])


@pytest.mark.requirement("S2", "R11")
async def test_the_pause_that_a_busy_server_asks_for_is_kept(world: ServerWorld) -> None:
    """`Retry-After` is waited for exactly; between attempts of our own the pauses grow."""
    index = await filled(world)
    world.fail(answer(429, {"Retry-After": "2"}))
    assert await found(index) == [id_of(1)]
    assert world.pauses == [2.0]
    world.pauses.clear()
    world.fail(answer(500), answer(500))
    await index.ping()
    assert world.pauses == [0.05, 0.1]


@pytest.mark.requirement("R11")
async def test_a_pause_beyond_the_deadline_is_not_waited_for(world: ServerWorld) -> None:
    """The caller hears at once, and how long the server wants to be left alone."""
    index = await filled(world)
    world.fail(*[answer(429, {"Retry-After": "90"})] * 2)
    with pytest.raises(UnavailableError) as refused:
        await index.search(ACME, ALICE, probe(rich()))
    assert refused.value.retry_after == 90
    assert (world.asked, world.pauses) == (2, [])


@pytest.mark.requirement("R11")
async def test_attempts_are_bounded(world: ServerWorld) -> None:
    """A server that always fails is asked three times per request and then given up."""
    index = await filled(world)
    world.fail(*[answer(429)] * 50)
    with pytest.raises(UnavailableError) as refused:
        await index.ping()
    assert refused.value.what == "index"
    assert world.asked == 3


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("status", [400, 401, 403, 422])
async def test_a_refusal_is_not_repeated(
    world: ServerWorld, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A wrong key or request stays wrong; the log names the status and nothing else."""
    index = await filled(world)
    world.fail(*[answer(status)] * 2)
    with pytest.raises(UnavailableError):
        await index.search(ACME, ALICE, probe(rich()))
    assert world.asked == 2
    refusals = [record for record in caplog.records if record.name == "memguard.index"]
    assert {getattr(record, "status", None) for record in refusals} == {status}
    assert {record.getMessage() for record in refusals} == {"index refused a request"}


@pytest.mark.requirement("R11")
async def test_a_silent_server_is_given_up_at_the_deadline(world: ServerWorld) -> None:
    """The wait ends when the time is up, and the request with it."""
    ended = asyncio.Event()

    async def silence(_request: httpx.Request) -> httpx.Response:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    await filled(world)
    index = world.gateway(timeout_seconds=0.05)
    world.fail(silence)
    with pytest.raises(UnavailableError):
        await index.ping()
    assert ended.is_set()


@pytest.mark.requirement("R11")
async def test_the_server_is_told_how_long_anybody_waits(world: ServerWorld) -> None:
    """Whole seconds of what remains, so that it does not work on for nobody."""
    index = await filled(world)
    world.fail(answer(429, {"Retry-After": "2"}))
    await index.search(ACME, ALICE, probe(rich()))
    told = [request.url.params["timeout"] for request in world.double.requests]
    assert sorted(told) == ["2", "4", "4"]


async def _opened(world: ServerWorld, index: ServerIndex, fault: Fault) -> None:
    """Fail until nothing is sent any more."""
    for _ in range(5):
        world.fail(*[fault] * 10)
        with pytest.raises(UnavailableError):
            await index.search(ACME, ALICE, probe(rich()))
        world.double.faults.clear()
    world.double.requests.clear()
    world.pauses.clear()


@pytest.mark.requirement("R11")
async def test_a_dead_server_is_not_asked(world: ServerWorld) -> None:
    """After failures in a row every call is refused at once, without a request or a pause."""
    index = await filled(world)
    await _opened(world, index, broken(httpx.ConnectError))
    for _ in range(100):
        with pytest.raises(UnavailableError) as refused:
            await index.search(ACME, ALICE, probe(rich()))
        assert refused.value.retry_after >= 1
        with pytest.raises(UnavailableError):
            await index.ping()
    assert (world.asked, world.pauses) == (0, [])


@pytest.mark.requirement("R11")
async def test_after_a_rest_one_call_tries_and_its_success_lets_all_in(world: ServerWorld) -> None:
    """While it tries, others are still refused."""
    index = await filled(world)
    await _opened(world, index, answer(500))
    world.seconds += 1.0
    trying = asyncio.Event()
    release = asyncio.Event()

    async def slow(_request: httpx.Request) -> httpx.Response:
        trying.set()
        await release.wait()
        return httpx.Response(200, json={"title": "double", "version": "1.20.0"})

    world.fail(slow)
    probing = asyncio.create_task(index.ping())
    await trying.wait()
    with pytest.raises(UnavailableError):
        await index.remove(ACME, [id_of(7)])
    assert world.asked == 1
    release.set()
    await probing
    assert await found(index) == [id_of(1)]


@pytest.mark.requirement("R11")
async def test_a_try_that_fails_makes_the_rest_longer(world: ServerWorld) -> None:
    """One request per rest: a second, then two, four … never more than thirty."""
    index = await filled(world)
    await _opened(world, index, answer(500))
    rests: list[float] = []
    rest = 1.0
    for _ in range(7):
        world.seconds += rest - 0.001
        with pytest.raises(UnavailableError):
            await index.ping()
        assert world.asked == len(rests)
        world.seconds += 0.002  # floats do not add up to the exact instant
        world.fail(answer(500))
        with pytest.raises(UnavailableError):
            await index.ping()
        rests.append(rest)
        rest = min(rest * 2, 30.0)
        assert world.asked == len(rests)
    assert rests == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.requirement("R11")
async def test_a_caller_who_leaves_while_trying_does_not_keep_the_server_shut(
    world: ServerWorld,
) -> None:
    """The next call may try."""
    index = await filled(world)
    await _opened(world, index, answer(500))
    world.seconds += 1.0
    trying = asyncio.Event()

    async def slow(_request: httpx.Request) -> httpx.Response:
        trying.set()
        await asyncio.Event().wait()
        raise AssertionError

    world.fail(slow)
    probing = asyncio.create_task(index.ping())
    await trying.wait()
    probing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probing
    assert await found(index) == [id_of(1)]


@pytest.mark.requirement("R11")
async def test_a_busy_server_is_not_taken_for_a_dead_one(world: ServerWorld) -> None:
    """Answers that say "later" open nothing."""
    index = await filled(world)
    for _ in range(10):
        world.fail(*[answer(429, {"Retry-After": "60"})] * 2)
        with pytest.raises(UnavailableError):
            await index.search(ACME, ALICE, probe(rich()))
    assert await _searched(world, index) == 2
