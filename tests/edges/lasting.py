"""One application for a whole file of tests: making one takes longer than a hundred requests.

For tests that change nothing in it. A file that takes part has its `signing_key`, `world` and
`client` come from here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
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
