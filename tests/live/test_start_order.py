"""Starts the gateway before what it depends on: it listens, says what it waits for, and serves as
soon as that is there, in whatever order it comes. What waiting can't mend ends the start.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest

from storage.keystore import prepare
from storage.migrations import migrate
from tests.edges.qdrant_served import ServedDouble, served_double
from tests.live.conftest import Figure
from tests.live.gateway_process import GatewayProcess, until
from tests.postgres import GATEWAY, Cluster, MissingError, Place, throwaway
from tests.redis import RedisProcess, find_server

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

_SAID_SECONDS: Final = 90.0
_WRONG: Final = 2


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Lend a PostgreSQL that the tests stop and start."""
    try:
        with throwaway() as running:
            yield running
    except MissingError as error:
        pytest.skip(f"NOT TESTED on a real server: {error}")


class Databases(msgspec.Struct, frozen=True):
    """Two empty databases and the settings that name them."""

    cluster: Cluster
    ledger: Place
    keys: Place

    @property
    def environment(self) -> dict[str, str]:
        """What a gateway gets that keeps everything there."""
        return {
            "MEMGUARD_STORAGE_LEDGER_URL": self.ledger.gateway,
            "MEMGUARD_STORAGE_KEYS_URL": self.keys.gateway,
        }

    async def migrate(self) -> None:
        """Do what `memguard migrate` does for the owner."""
        await prepare(self.keys.owner, GATEWAY)
        await migrate(self.ledger.owner, GATEWAY)


@pytest.fixture
def databases(cluster: Cluster) -> Iterator[Databases]:
    """Lend two databases that nobody has migrated, on a server that runs."""
    made = Databases(cluster, cluster.database(), cluster.database())
    yield made
    cluster.stop()
    cluster.start()
    cluster.drop(made.ledger)
    cluster.drop(made.keys)


class Started:
    """A gateway that was started and of which nobody knows yet whether it serves."""

    def __init__(self, process: GatewayProcess) -> None:
        self.process = process
        self._http = httpx2.AsyncClient(base_url=process.url, trust_env=False)

    async def close(self) -> None:
        """Let go of the connections and the process."""
        await self._http.aclose()
        await self.process.__aexit__()

    async def answers(self, path: str) -> httpx2.Response | None:
        """Return the answer, None while nobody listens. The process must not have ended."""
        assert self.process.runs, self.process.last_words()
        try:
            return await self._http.get(path)
        except httpx2.TransportError:
            return None

    async def waits_for(self, name: str) -> None:
        """Insist that it lives, and says that it waits for this one."""

        async def said() -> bool:
            ready = await self.answers("/readyz")
            if ready is None:
                return False
            assert ready.status_code == HTTPStatus.SERVICE_UNAVAILABLE, ready.text
            return bool(ready.json()["failed"] == [name])

        await until(said, f"it says that it waits for {name}", _SAID_SECONDS)
        health = await self.answers("/healthz")
        assert health is not None
        assert health.status_code == HTTPStatus.OK
        refused = await self.answers("/v1/memories")
        assert refused is not None
        assert refused.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        assert name not in refused.text

    async def becomes_ready(self) -> None:
        """Insist that the same process gets to serve."""
        pid = self.process.pid

        async def ready() -> bool:
            answer = await self.answers("/readyz")
            return answer is not None and answer.status_code == HTTPStatus.OK

        await until(ready, "it is ready")
        assert self.process.pid == pid

    def logged(self, event: str) -> list[Mapping[str, Any]]:
        """Return the log lines of one event."""
        lines = [line for line in self.process.log.read_text().splitlines() if line[:1] == "{"]
        return [line for line in map(msgspec.json.decode, lines) if line["event"] == event]


class Starter:
    """Starts gateways and returns while they may still be waiting."""

    def __init__(self, folder: Path, models: Path) -> None:
        self._folder = folder
        self._models = models
        self.started: list[Started] = []

    async def __call__(self, environment: Mapping[str, str], name: str = "one") -> Started:
        """Start one in a folder of its own."""
        process = GatewayProcess(
            self._folder / name, self._models, log=self._folder / f"{name}.log", **environment
        )
        await process.launch()
        self.started.append(Started(process))
        return self.started[-1]


@pytest.fixture
async def start(tmp_path: Path, models: Path) -> AsyncIterator[Starter]:
    """Lend a starter; what it started ends with the test."""
    starter = Starter(tmp_path, models)
    yield starter
    for one in starter.started:
        await one.close()


@pytest.mark.requirement("E11", "E12")
async def test_a_gateway_waits_for_postgresql_and_then_for_its_tables(
    databases: Databases, start: Starter, figure: Figure
) -> None:
    """It says so, logs so, and serves what it is told once both are there; nothing is restarted."""
    databases.cluster.stop()
    gateway = await start(databases.environment)
    await gateway.waits_for("keys")

    databases.cluster.start()
    await gateway.waits_for("ledger")

    await databases.migrate()
    await gateway.becomes_ready()
    caller = gateway.process.caller("acme", "anna")
    stored = await caller.store("The ferry to Visby leaves at nine")
    assert stored.status_code == HTTPStatus.CREATED, stored.text
    assert (await caller.fetch(stored.json()["id"])).status_code == HTTPStatus.OK

    waits = gateway.logged("waiting")
    assert {line["probe"] for line in waits} >= {"keys", "migrations"}
    assert len(gateway.logged("serving")) == 1
    await gateway.process.stop()
    figure(f"started before PostgreSQL and its tables: ready after {len(waits)} attempts, one pid")


@pytest.mark.requirement("E11", "E12")
async def test_a_gateway_that_waits_stops_when_it_is_asked_to(
    databases: Databases, start: Starter
) -> None:
    """SIGTERM ends the wait, with exit code 0."""
    databases.cluster.stop()
    gateway = await start(databases.environment)
    await gateway.waits_for("keys")
    await gateway.process.stop()


@pytest.mark.requirement("E7", "E12")
async def test_a_redis_that_comes_late_is_counted_in_from_then_on(
    tmp_path: Path, start: Starter, request: pytest.FixtureRequest
) -> None:
    """Without it each process counts alone, which is enough to serve; later both count there."""
    redis = RedisProcess(find_server(request.config), tmp_path)
    gateway = await start({"MEMGUARD_LIMITS_REDIS_URL": redis.url})
    try:
        await gateway.becomes_ready()
        caller = gateway.process.caller("acme", "anna")
        assert (await caller.store("Tea, no sugar")).status_code == HTTPStatus.CREATED
        redis.start()

        async def counted() -> bool:
            await caller.recall("tea")
            with redis.client() as client:
                return bool(client.keys("*"))

        await until(counted, "spending is counted in Redis", 60)
    finally:
        redis.kill()


@pytest.mark.requirement("E11", "E12")
async def test_an_index_server_that_comes_late_makes_the_gateway_ready(start: Starter) -> None:
    """Until then it serves from the ledger and says at /readyz that the index is missing."""
    async with served_double() as qdrant:
        await qdrant.stop()
        gateway = await start(_with_index(qdrant))

        async def missing() -> bool:
            answer = await gateway.answers("/readyz")
            return answer is not None and answer.json().get("failed") == ["index"]

        await until(missing, "it says that the index is missing", _SAID_SECONDS)
        caller = gateway.process.caller("acme", "anna")
        assert (await caller.store("Tea, no sugar")).status_code == HTTPStatus.CREATED
        await qdrant.start()
        await gateway.becomes_ready()


def _with_index(qdrant: ServedDouble) -> dict[str, str]:
    return {"MEMGUARD_INDEX_KIND": "server", "MEMGUARD_INDEX_URL": qdrant.url}


@pytest.mark.requirement("E12")
@pytest.mark.parametrize("first", ["keys", "policy", "verification keys", "one database"])
async def test_what_waiting_cannot_mend_ends_the_start_before_anything_is_waited_for(
    first: str, databases: Databases, start: Starter, tmp_path: Path
) -> None:
    """With a wrong configuration the exit code is 2 at once, though PostgreSQL is away as well."""
    file = tmp_path / "wrong"
    file.write_text("no such thing")
    file.chmod(0o600)
    wrong = {
        "keys": {"MEMGUARD_STORAGE_ROOT_KEY_FILE": str(file)},
        "policy": {"MEMGUARD_POLICY_FILE": str(file)},
        "verification keys": {"MEMGUARD_AUTH_KEYS_FILE": str(file)},
        "one database": {"MEMGUARD_STORAGE_KEYS_URL": databases.ledger.gateway},
    }
    databases.cluster.stop()
    gateway = await start(databases.environment | wrong[first])
    assert await gateway.process.ended() == _WRONG, gateway.process.last_words()
    assert gateway.logged("waiting") == []


@pytest.mark.requirement("E12", "S1")
async def test_another_root_key_than_the_key_stores_ends_the_start(
    databases: Databases, start: Starter, tmp_path: Path
) -> None:
    """A gateway that could read nothing of what is there does not wait for that to change."""
    await databases.migrate()
    right = await start(databases.environment)
    await right.becomes_ready()
    await right.process.stop()

    other = tmp_path / "other.key"
    other.write_bytes(os.urandom(32))
    other.chmod(0o600)
    wrong = {"MEMGUARD_STORAGE_ROOT_KEY_FILE": str(other)}
    gateway = await start(databases.environment | wrong, "two")
    assert await gateway.process.ended() == _WRONG, gateway.process.last_words()
    assert "root key" in gateway.process.last_words()


@pytest.mark.requirement("S7", "E12")
async def test_another_embedder_than_the_ledgers_ends_the_start_when_the_ledger_is_there(
    databases: Databases, start: Starter, tmp_path: Path
) -> None:
    """It can be known only then; until then it is waited for, and then the exit code is 2."""
    root = tmp_path / "root.key"
    root.write_bytes(os.urandom(32))
    root.chmod(0o600)
    environment = databases.environment | {"MEMGUARD_STORAGE_ROOT_KEY_FILE": str(root)}
    await databases.migrate()
    right = await start(environment)
    await right.becomes_ready()
    await right.process.stop()

    databases.cluster.stop()
    other = {
        "MEMGUARD_EMBEDDER_KIND": "remote",
        "MEMGUARD_EMBEDDER_URL": "http://127.0.0.1:9/v1",
        "MEMGUARD_EMBEDDER_MODEL": "another",
        "MEMGUARD_EMBEDDER_DIMENSIONS": "384",
    }
    gateway = await start(environment | other, "two")
    await gateway.waits_for("keys")
    databases.cluster.start()
    assert await gateway.process.ended() == _WRONG, gateway.process.last_words()
    assert "embedder" in gateway.process.last_words()


@pytest.mark.requirement("E12")
async def test_gateways_that_start_together_before_everything_all_become_ready(
    databases: Databases, start: Starter, tmp_path: Path
) -> None:
    """Two that share databases and a root key wait, make the platform's key once, and serve."""
    root = tmp_path / "root.key"
    root.write_bytes(os.urandom(32))
    root.chmod(0o600)
    environment = databases.environment | {"MEMGUARD_STORAGE_ROOT_KEY_FILE": str(root)}
    databases.cluster.stop()
    both = [await start(environment, name) for name in ("one", "two")]
    for one in both:
        await one.waits_for("keys")
    databases.cluster.start()
    await databases.migrate()
    await asyncio.gather(*(one.becomes_ready() for one in both))
    stored = await both[0].process.caller("acme", "anna").store("The gate code is on the fridge")
    assert stored.status_code == HTTPStatus.CREATED, stored.text
