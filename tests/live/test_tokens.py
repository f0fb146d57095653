"""Real gateways and their tokens: an issuer that comes late, and revocation over two replicas."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx2
import pytest

from tests.edges.realm import Realm, free_port
from tests.live.gateway_process import until
from tests.live.test_start_order import Databases, Starter
from tests.postgres import Cluster, MissingError, throwaway

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

_BOUND_SECONDS: Final = 5.0
"""Half a second by default, and what a loaded machine adds to two queries and a request."""
_ADMIN: Final = ("tenant:admin", "memory:read", "memory:write")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Lend a PostgreSQL."""
    try:
        with throwaway() as running:
            yield running
    except MissingError as error:
        pytest.skip(f"NOT TESTED on a real server: {error}")


@pytest.fixture
async def start(tmp_path: Path, models: Path) -> AsyncIterator[Starter]:
    """Lend a starter; what it started ends with the test."""
    starter = Starter(tmp_path, models)
    yield starter
    for one in starter.started:
        await one.close()


@pytest.mark.requirement("E2", "E11")
async def test_a_gateway_waits_for_its_issuer(start: Starter) -> None:
    """It listens and says what is missing; with the issuer there it serves that issuer's tokens."""
    realm = Realm(free_port())
    gateway = await start(
        {"MEMGUARD_AUTH_ISSUER": realm.issuer, "MEMGUARD_AUTH_KEYS_URL": realm.keys_url}
    )
    await gateway.waits_for("issuer")
    url = gateway.process.url
    with realm.answering():
        await gateway.becomes_ready()
    token = realm.token(aud=f"{url}/v1")
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, trust_env=False) as http:
        assert (await http.get("/v1/memories")).status_code == HTTPStatus.OK
        # Its keys outlive its absence, and a token for another endpoint is refused.
        http.headers["Authorization"] = f"Bearer {realm.token(aud=f'{url}/mcp')}"
        assert (await http.get("/v1/memories")).status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.requirement("E6")
async def test_what_one_replica_takes_back_no_other_believes(
    cluster: Cluster, start: Starter, tmp_path: Path
) -> None:
    """Two processes over one PostgreSQL: the second refuses it within the bound, and it alone."""
    databases = Databases(cluster, cluster.database(), cluster.database())
    await databases.migrate()
    root = tmp_path / "root.key"
    root.write_bytes(os.urandom(32))
    root.chmod(0o600)
    environment = databases.environment | {"MEMGUARD_STORAGE_ROOT_KEY_FILE": str(root)}
    one = await start(environment, "one")
    await one.becomes_ready()
    signing = {"MEMGUARD_AUTH_KEYS_FILE": str(tmp_path / "one" / "signing-key.jwk")}
    two = await start(environment | signing, "two")
    await two.becomes_ready()

    admin = one.process.caller("acme", "root", _ADMIN)
    anna, ben = (one.process.caller("acme", name) for name in ("anna", "ben"))
    other = httpx2.AsyncClient(base_url=two.process.url, trust_env=False)

    async def at_two(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return (await other.get("/v1/memories", headers=headers)).status_code

    try:
        assert [await at_two(who.token) for who in (anna, ben)] == [HTTPStatus.OK] * 2
        # Issuers tell whole seconds: what is taken back must be older than the one in which it is.
        await asyncio.sleep(1.1)
        taken = await admin.http.post("/v1/tenant/revocations", json={"subject": "anna"})
        assert taken.status_code == HTTPStatus.CREATED, taken.text
        refused = await anna.http.get("/v1/memories")
        assert refused.status_code == HTTPStatus.UNAUTHORIZED

        async def believed_no_longer() -> bool:
            return await at_two(anna.token) == HTTPStatus.UNAUTHORIZED

        await until(believed_no_longer, "the second replica has heard of it", _BOUND_SECONDS)
        assert await at_two(ben.token) == HTTPStatus.OK
    finally:
        await other.aclose()
