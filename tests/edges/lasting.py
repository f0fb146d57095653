"""One application for a whole file of tests: making one takes longer than a hundred requests.

For tests that change nothing in it. A file that takes part says
`lasting, signing_key, world, client = lasting_fixtures()`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.edges.world import World, ed25519_jwk, key_set


class Lasting(msgspec.Struct, frozen=True):
    """One edge for many tests: the key that it trusts, what it calls, and a client of it."""

    key: dict[str, Any]
    world: World
    client: TestClient[Litestar]


@contextmanager
def opened(folder: Path, *others: dict[str, Any]) -> Iterator[Lasting]:
    """Lend an edge that trusts a key of its own and `others`, and a client of it."""
    key = ed25519_jwk()
    world = World(key_set(folder, key, *others))
    with TestClient(world.app(), raise_server_exceptions=False) as client:
        yield Lasting(key, world, client)


def lasting_fixtures() -> tuple[Any, Any, Any, Any]:
    """Return fixtures in place of the folder's own: the edge, its key, its world, its client."""

    @pytest.fixture(scope="module")
    def lasting(
        tmp_path_factory: pytest.TempPathFactory, rsa_key: dict[str, Any]
    ) -> Iterator[Lasting]:
        """Lend one edge to all tests of this file."""
        with opened(tmp_path_factory.mktemp("lasting"), rsa_key) as made:
            yield made

    @pytest.fixture
    def signing_key(lasting: Lasting) -> dict[str, Any]:
        """Return the key that the one edge of this file trusts."""
        return lasting.key

    @pytest.fixture
    def world(lasting: Lasting) -> World:
        """Return what it calls, with nothing called yet."""
        lasting.world.anew()
        return lasting.world

    @pytest.fixture
    def client(lasting: Lasting, world: World) -> TestClient[Litestar]:
        """Return a client of it."""
        assert lasting.world is world
        return lasting.client

    return lasting, signing_key, world, client
