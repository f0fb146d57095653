"""Opens the index on a Qdrant server: address, certificates, credential, placement."""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import msgspec
from qdrant_client import AsyncQdrantClient

from guard.errors import InvalidError
from guard.ports import Clock, NewId
from storage.index.credentials import Credential
from storage.index.ground import Ground, Tenants
from storage.index.placement import MarkOf, Placement, Spread
from storage.index.server import ServerIndex
from storage.index.transport import Time, Transport

_CONNECTIONS: Final = httpx.Limits(max_connections=64, max_keepalive_connections=16)
_REST_PORT: Final = 6333
_REAL: Final = Time()


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server is and how it is spoken to.

    `ca_file` holds the authorities that may vouch for it (none: the system's), the other two files
    what the gateway shows of itself where the server asks for that.
    """

    url: str
    credential: Credential
    timeout_seconds: float
    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None


def connect(
    server: Server,
    placement: tuple[Spread, str, MarkOf],
    dimensions: Mapping[str, int],
    tenants: Tenants,
    *,
    clock: Clock,
    new_id: NewId,
    wire: httpx.AsyncBaseTransport | None = None,
    passing: Time = _REAL,
) -> ServerIndex:
    """Return the index. Nothing is sent yet: the server may come up later than the gateway.

    `placement` is how tenants are spread, the collections' prefix, and what marks a tenant. Raises
    InvalidError for certificates that can't be read.
    """
    transport = Transport(
        _client(server, wire), server.credential, server.timeout_seconds, passing=passing
    )
    places = Placement(*placement)
    ground = Ground(transport, places, dimensions, tenants)
    return ServerIndex(transport, places, ground, dimensions, clock=clock, new_id=new_id)


def _client(server: Server, wire: httpx.AsyncBaseTransport | None) -> AsyncQdrantClient:
    parts = urlsplit(server.url)
    secure = parts.scheme == "https"
    return AsyncQdrantClient(
        url=server.url.rstrip("/"),
        port=parts.port or _REST_PORT,
        timeout=max(1, round(server.timeout_seconds)),
        check_compatibility=False,  # it asks from a thread of its own; the ground asks itself
        limits=_CONNECTIONS,  # the client would open one per request to a local server
        trust_env=False,  # a proxy of the environment must not get between
        verify=_tls(server) if secure else True,
        transport=wire,
    )


def _tls(server: Server) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=server.ca_file)
        if server.cert_file is not None:
            context.load_cert_chain(server.cert_file, server.key_file)
    except OSError as error:  # ssl.SSLError among them
        raise InvalidError("index: certificates can't be read") from error
    return context
