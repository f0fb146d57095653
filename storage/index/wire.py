"""What crosses the pipe between the gateway and an index worker.

A frame is a four-byte big-endian length and that many bytes of MessagePack. Vectors travel as raw
little-endian float32, instants as microseconds since 1970. Nothing here can run code when decoded.
"""

import struct
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from memory.types import Layer, MemoryId, SubjectMark, TenantId

FRAME_LIMIT = 64 * 1024 * 1024
"""Longest frame either side reads, in bytes: far above a batch of entries, below what hurts."""
HEADER = struct.Struct(">I")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Point(msgspec.Struct, frozen=True, array_like=True):
    """One entry as the engine stores it; `when` is when it was so, else when it was recorded."""

    id: MemoryId
    layer: Layer
    subject: SubjectMark
    vectors: Mapping[str, bytes]
    term_ids: tuple[int, ...]
    term_weights: tuple[float, ...]
    entities: tuple[str, ...]
    when: int
    token: bytes


class Configure(msgspec.Struct, frozen=True, array_like=True, tag="configure"):
    """First word to a worker: where it works, on which share of the tenants, how.

    `condemned` names tenants whose shards killed the worker again and again: it sets them aside.
    """

    root: str
    dimensions: Mapping[str, int]
    share: int
    shares: int
    open_shards: int
    flush_seconds: float
    condemned: tuple[TenantId, ...]


class Upsert(msgspec.Struct, frozen=True, array_like=True, tag="upsert"):
    """Store or replace points."""

    tenant: TenantId
    points: tuple[Point, ...]


class Remove(msgspec.Struct, frozen=True, array_like=True, tag="remove"):
    """Remove points from every layer."""

    tenant: TenantId
    ids: tuple[MemoryId, ...]


class Search(msgspec.Struct, frozen=True, array_like=True, tag="search"):
    """Run all routes for one subject: `since` is included, `until` is not."""

    tenant: TenantId
    subject: SubjectMark
    layers: tuple[Layer, ...]
    limit: int
    vectors: Mapping[str, bytes]
    term_ids: tuple[int, ...]
    term_weights: tuple[float, ...]
    entities: tuple[str, ...]
    since: int | None
    until: int | None
    contents: bool


class Inventory(msgspec.Struct, frozen=True, array_like=True, tag="inventory"):
    """List ids in order, after one."""

    tenant: TenantId
    after: MemoryId | None
    limit: int


class Drop(msgspec.Struct, frozen=True, array_like=True, tag="drop"):
    """Remove all of a tenant from the disk."""

    tenant: TenantId


class BeginRebuild(msgspec.Struct, frozen=True, array_like=True, tag="begin"):
    """Mark a tenant as incomplete, then empty it."""

    tenant: TenantId


class EndRebuild(msgspec.Struct, frozen=True, array_like=True, tag="end"):
    """Serve searches of a tenant again."""

    tenant: TenantId


class Ping(msgspec.Struct, frozen=True, array_like=True, tag="ping"):
    """Answer."""


Request = Configure | Upsert | Remove | Search | Inventory | Drop | BeginRebuild | EndRebuild | Ping


class Done(msgspec.Struct, frozen=True, array_like=True, tag="done"):
    """It was done."""


class Ready(msgspec.Struct, frozen=True, array_like=True, tag="ready"):
    """The worker serves. `strays` counts directories that name no tenant."""

    incomplete: tuple[TenantId, ...]
    strays: int


class Findings(msgspec.Struct, frozen=True, array_like=True, tag="findings"):
    """Hits by route, best first, and the content of each id in them where it was asked for."""

    routes: Mapping[str, tuple[tuple[MemoryId, float], ...]]
    tokens: Mapping[MemoryId, bytes]


class Listed(msgspec.Struct, frozen=True, array_like=True, tag="listed"):
    """Ids in order with the digest of their content."""

    items: tuple[tuple[MemoryId, bytes], ...]


class Failed(msgspec.Struct, frozen=True, array_like=True, tag="failed"):
    """It was not done, or not wholly. `code` names the kind of trouble and no content."""

    code: str


class Incomplete(msgspec.Struct, frozen=True, array_like=True, tag="incomplete"):
    """Unasked: a shard of this tenant was unreadable and stands aside; rebuild the tenant."""

    tenant: TenantId


Result = Done | Ready | Findings | Listed | Failed | Incomplete


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A request with the number that its answer will carry (from 1).

    After `deadline`, on the machine's monotonic clock, nobody waits for the answer any more.
    """

    number: int
    deadline: float
    request: Request


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """A result with the number of its call; 0 for what nobody asked."""

    number: int
    result: Result


_encoder = msgspec.msgpack.Encoder()
read_call = msgspec.msgpack.Decoder(Call).decode
read_answer = msgspec.msgpack.Decoder(Answer).decode


def frame(message: Call | Answer) -> bytes:
    """Return `message` ready for the pipe."""
    body = _encoder.encode(message)
    if len(body) > FRAME_LIMIT:
        raise ValueError("frame too long")
    return HEADER.pack(len(body)) + body


def micros(at: datetime) -> int:
    """Return an aware instant as whole microseconds since 1970."""
    return (at - _EPOCH) // timedelta(microseconds=1)
