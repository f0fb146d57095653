"""A gateway whose issuer does not answer listens, says so, and serves once it does (E2, E11)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from gateway.app.token_keys import ISSUER, opened_keys
from gateway.app.waiting import Front, waited
from gateway.auth import Verifier
from gateway.keysets import LiveKeys
from gateway.resources import Resource
from gateway.settings import load
from tests.edges.realm import Realm, free_port

_SECONDS = 20.0


@pytest.mark.requirement("E2", "E11")
async def test_the_issuer_is_reported_missing_until_it_answers(tmp_path: Path) -> None:
    """`/readyz` names it and `/healthz` holds; whoever asks for more learns nothing of it."""
    realm = Realm(free_port())
    settings = load(
        environ={
            "MEMGUARD_STORAGE_DATA_DIR": str(tmp_path),
            "MEMGUARD_AUTH_ISSUER": realm.issuer,
            "MEMGUARD_AUTH_KEYS_URL": realm.keys_url,
        }
    )
    front = Front()
    opened: asyncio.Future[LiveKeys] = asyncio.get_running_loop().create_future()

    async def starting() -> None:
        async with waited(settings, lambda: opened_keys(settings), front) as keys:
            opened.set_result(keys)
            await asyncio.Event().wait()

    async with (
        _running(starting),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=front),  # type: ignore[arg-type]
            base_url="http://gateway",
        ) as http,
    ):
        async with asyncio.timeout(_SECONDS):
            while front.missing != ISSUER:  # noqa: ASYNC110 - a front has no event for it
                await asyncio.sleep(0.01)
        ready = await http.get("/readyz")
        assert (ready.status_code, ready.json()["failed"]) == (503, ["issuer"])
        assert (await http.get("/healthz")).status_code == 200
        other = await http.get("/v1/memories")
        assert other.status_code == 503
        assert "issuer" not in other.text
        assert not opened.done()

        with realm.answering():
            async with asyncio.timeout(_SECONDS):
                keys = await opened
        claims = await Verifier(keys, settings.auth, settings.url).verify(
            realm.token(), Resource.MCP
        )
        assert claims.tenant == "acme"


@asynccontextmanager
async def _running(work: object) -> AsyncIterator[None]:
    task = asyncio.create_task(work())  # type: ignore[operator]
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))
