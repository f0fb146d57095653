"""Fixtures of the edge tests: keys, an application, and a real server on a free port."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from gateway.edge import Edge, server
from gateway.settings import Http
from tests.edges.guarded import Guarded
from tests.edges.world import World, ed25519_jwk, key_set, rsa_jwk


@pytest.fixture
def signing_key() -> dict[str, Any]:
    """Return a private Ed25519 key that the gateway trusts."""
    return ed25519_jwk()


@pytest.fixture(scope="session")
def rsa_key() -> dict[str, Any]:
    """Return a private RSA key that the gateway trusts; slow to make, so made once."""
    return rsa_jwk()


@pytest.fixture
def world(tmp_path: Path, signing_key: dict[str, Any], rsa_key: dict[str, Any]) -> World:
    """Return an edge that trusts two keys of different algorithms."""
    return World(key_set(tmp_path, signing_key, rsa_key))


@pytest.fixture
def client(world: World) -> Iterator[TestClient[Litestar]]:
    """Yield a client of the application in this process, which sees errors as responses."""
    with TestClient(world.app(), raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture
async def live_url(world: World) -> AsyncIterator[str]:
    """Yield the address of the application behind a real server on a free port."""
    world.settings = msgspec.structs.replace(world.settings, http=Http(port=0, shutdown_seconds=1))
    running = server(world.app(), world.settings)
    task = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    await task


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
def edge(world: World) -> Edge:
    """Return what the application is built from."""
    return world.edge()
