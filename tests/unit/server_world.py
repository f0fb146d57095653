"""A Qdrant server double with gateways on it, and a time that passes only when someone waits."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx
import msgspec

from memory.types import TenantId
from storage.index.connection import Server, connect
from storage.index.credentials import Credential, NoCredential
from storage.index.placement import Spread
from storage.index.server import ServerIndex
from storage.index.transport import Time
from tests.contracts.index_builders import ACME, ALICE, DIMENSIONS, START, mark_of, probe, rich
from tests.contracts.qdrant_double import Fault, QdrantDouble, failure

URL = "http://qdrant.test:6333"


class ServerWorld:
    """One server, any number of gateways, one clock."""

    def __init__(self, double: QdrantDouble | None = None) -> None:
        self.double = double or QdrantDouble()
        self.pauses: list[float] = []
        self.seconds = 0.0
        self._numbers = count(1)

    @property
    def asked(self) -> int:
        """How many requests the server has had."""
        return len(self.double.requests)

    def now(self) -> datetime:
        """Return the present instant."""
        return datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    async def pause(self, seconds: float) -> None:
        """Let that much time pass."""
        self.pauses.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)

    def gateway(
        self,
        spread: Spread = Spread.PER_TENANT,
        *,
        tenants: Sequence[TenantId] = (),
        credential: Credential | None = None,
        timeout_seconds: float = 4.0,
        dimensions: dict[str, int] | None = None,
        wire: httpx.AsyncBaseTransport | None = None,
    ) -> ServerIndex:
        """Return another gateway's index on this server; the ledger knows `tenants`."""

        async def known() -> list[TenantId]:
            return list(tenants)

        return connect(
            Server(
                url=URL,
                credential=credential or NoCredential(),
                timeout_seconds=timeout_seconds,
            ),
            (spread, "memguard", mark_of),
            dimensions or DIMENSIONS,
            known,
            clock=self.now,
            new_id=lambda: f"rebuild-{next(self._numbers)}",
            wire=wire or self.double.wire,
            passing=Time(lambda: self.seconds, self.pause, lambda: 0.5),
        )

    def fail(self, *faults: Fault) -> None:
        """Let the next requests end so."""
        self.double.faults.extend(faults)

    def bodies(self, ending: str) -> list[Any]:
        """Return what was sent to paths with this ending."""
        return [
            msgspec.json.decode(request.content)
            for request in self.double.requests
            if request.url.path.endswith(ending) and request.content
        ]


def answer(status: int, headers: dict[str, str] | None = None) -> Fault:
    """Return a fault that answers with a status."""

    async def fault(_request: httpx.Request) -> httpx.Response:
        return failure(status, headers=headers)

    return fault


def body(content: bytes) -> Fault:
    """Return a fault that answers well, with this body."""

    async def fault(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=content)

    return fault


def broken(error: type[httpx.TransportError]) -> Fault:
    """Return a fault that breaks the connection."""

    async def fault(request: httpx.Request) -> httpx.Response:
        raise error("broken", request=request)

    return fault


async def found(index: ServerIndex, tenant: TenantId = ACME) -> list[str]:
    """Return what Alice finds by any route; every route finds the same."""
    result = await index.search(tenant, ALICE, probe(rich(), since=START))
    per_route = {tuple(sorted(hit.id for hit in hits)) for hits in result.routes.values()}
    assert len(per_route) == 1
    (ids,) = per_route
    assert sorted(result.tokens) == list(ids)
    return list(ids)
