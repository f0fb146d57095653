"""Token buckets in Redis or Valkey, the same for every replica.

One script takes from all buckets or from none, by the server's own clock, so that neither two
replicas nor their clocks can disagree. A bucket is a hash of `left` (units) and `at` (microseconds
of the server's clock), expires once it is full again, and is named by a keyed hash: whoever reads
the store learns no name from it.
"""

from collections.abc import Sequence
from typing import Final, Self

import msgspec
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from guard.errors import UnavailableError
from guard.ports import Bucket, Taken
from storage.hazmat import derive, mac
from storage.limits.local import weigh
from storage.rootkey import RootKey

_INFO: Final = b"memguard rate limits v1"
_NAME_BYTES: Final = 16
_CONNECTIONS: Final = 16
_MICRO: Final = 1_000_000

# KEYS: one per bucket. ARGV: the cost, then capacity and refill per second of each bucket.
# Returns 1 or 0 (taken or not), then what each bucket held before, in millionths of a unit.
# A clock that went back (another server took over) gives nothing and takes nothing.
_TAKE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost = tonumber(ARGV[1])
local held, answer, allowed = {}, {}, 1
for i = 1, #KEYS do
  local capacity, refill = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local bucket = redis.call('HMGET', KEYS[i], 'left', 'at')
  held[i] = capacity
  if bucket[1] and bucket[2] then
    local passed = math.max(0, now - tonumber(bucket[2])) / 1000000
    held[i] = math.min(capacity, tonumber(bucket[1]) + passed * refill)
  end
  if held[i] < cost then allowed = 0 end
  answer[i + 1] = string.format('%.0f', math.floor(held[i] * 1000000))
end
answer[1] = allowed
if allowed == 1 and cost > 0 then
  for i = 1, #KEYS do
    local capacity, refill = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
    local left = held[i] - cost
    redis.call('HSET', KEYS[i], 'left', string.format('%.6f', left),
      'at', string.format('%.0f', now))
    redis.call('PEXPIRE', KEYS[i], math.ceil((capacity - left) / refill * 1000) + 1000)
  end
end
return answer
"""


class Server(msgspec.Struct, frozen=True):
    """Where the store is: `redis://`, `rediss://` or `unix://`, and how long it may take."""

    url: str
    deadline_seconds: float
    username: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        """Name the place and hide the password."""
        return f"Server({self.url!r})"


class SharedBuckets:
    """Fulfils `guard.ports.Buckets` on Redis or Valkey."""

    def __init__(self, client: Redis, root: RootKey) -> None:
        newest = root.key(root.newest)
        if newest is None:
            raise ValueError("a root key set has its newest key")
        self._key = derive(newest, _INFO)
        self._client = client
        self._script = client.register_script(_TAKE)

    @classmethod
    def connected(cls, server: Server, root: RootKey) -> Self:
        """Return the buckets of a store that need not be there yet."""
        pool = BlockingConnectionPool.from_url(
            server.url,
            username=server.username,
            password=server.password,
            max_connections=_CONNECTIONS,
            timeout=server.deadline_seconds,
            socket_timeout=server.deadline_seconds,
            socket_connect_timeout=server.deadline_seconds,
            retry=Retry(NoBackoff(), 0),  # the caller falls back at once, and looks again later
        )
        return cls(Redis.from_pool(pool), root)

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Take `cost` units from each bucket, or from none. Raises UnavailableError."""
        shapes = [part for one in buckets for part in (one.capacity, repr(one.refill))]
        try:
            answer = await self._script(keys=[self._name(b) for b in buckets], args=[cost, *shapes])
        except (RedisError, OSError) as error:
            raise UnavailableError("rate limits") from error
        allowed, *millionths = (int(one) for one in answer)
        taken = weigh(buckets, [one / _MICRO for one in millionths], cost)
        return Taken(bool(allowed), taken.left, taken.waits)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _name(self, bucket: Bucket) -> str:
        """Return the bucket's key. Those of one tenant share a hash tag: one slot of a cluster."""
        tag = self._hashed(bucket.whose[:1])
        return f"mg:{{{tag}}}:{self._hashed((bucket.policy, *bucket.whose))}"

    def _hashed(self, names: Sequence[str]) -> str:
        return mac(self._key, msgspec.json.encode(names))[:_NAME_BYTES].hex()
