"""Adapters of the buckets port, each with a way to let time pass."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from guard.ports import Bucket, Buckets
from storage.limits.local import LocalBuckets
from storage.limits.shared import Server, SharedBuckets
from storage.rootkey import RootKey
from tests.redis import RedisProcess

ROOT: Final = RootKey.from_bytes(secrets.token_bytes(32))
GENEROUS_SECONDS: Final = 20.0
"""A deadline that only a dead server misses."""

# Time passes on a server whose clock nobody sets by making all that it keeps older.
_OLDER: Final = """
for _, key in ipairs(redis.call('KEYS', '*')) do
  local at = tonumber(redis.call('HGET', key, 'at'))
  redis.call('HSET', key, 'at', string.format('%.0f', at - ARGV[1] * 1000000))
end
"""


class Adapter(msgspec.Struct, frozen=True):
    """An adapter, and how a test lets seconds pass for it."""

    buckets: Buckets
    passes: Callable[[float], Awaitable[None]]


class HandClock:
    """Seconds that only a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        """Return the present."""
        return self.seconds


def local() -> Adapter:
    """Return the buckets of one process on a clock that stands still."""
    clock = HandClock()

    async def passes(seconds: float) -> None:
        clock.seconds += seconds

    return Adapter(LocalBuckets(clock), passes)


def shared(server: RedisProcess) -> Adapter:
    """Return the buckets of one replica on an empty server."""
    with server.client() as client:
        client.flushall()

    async def passes(seconds: float) -> None:
        with server.client() as client:
            client.eval(_OLDER, 0, repr(seconds))

    return Adapter(replica(server), passes)


def replica(server: RedisProcess, root: RootKey = ROOT) -> SharedBuckets:
    """Return another replica's buckets on the same server."""
    return SharedBuckets.connected(Server(server.url, GENEROUS_SECONDS), root)


def bucket(
    policy: str = "subject", *whose: str, capacity: int = 10, refill: float = 1e-6
) -> Bucket:
    """Return a bucket that refills so slowly that a test does not see it, unless told otherwise."""
    return Bucket(policy, whose or ("acme", "alice"), capacity, refill)
