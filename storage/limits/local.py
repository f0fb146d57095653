"""Token buckets of this process, bounded in number."""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from guard.ports import Bucket, Taken

Seconds = Callable[[], float]
"""A clock that never goes back, such as `time.monotonic`."""

KEPT: Final = 100_000
"""Buckets kept at once, about 45 MB of them."""

_Key = tuple[str, tuple[str, ...]]


class LocalBuckets:
    """Fulfils `guard.ports.Buckets` in this process alone.

    A bucket that is full again is as good as none, and is forgotten. When too many are in use, the
    one that was longest not drawn from gives way: a caller can only push buckets out by using more
    names than are kept, and the bucket of his own tenant, drawn from each time, is never the one.
    """

    def __init__(self, now: Seconds, kept: int = KEPT) -> None:
        if kept < 1:
            raise ValueError("a limiter that keeps no bucket limits nothing")
        self._now = now
        self._kept = kept
        # Least recently drawn from first: what was left, and when.
        self._left: Final[OrderedDict[_Key, tuple[float, float]]] = OrderedDict()

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Take `cost` units from each bucket, or from none."""
        now = self._now()
        held = [self._held(one, now) for one in buckets]
        taken = weigh(buckets, held, cost)
        if taken.allowed and cost:
            for one, left in zip(buckets, taken.left, strict=True):
                key = (one.policy, one.whose)
                self._left[key] = (left, now)
                self._left.move_to_end(key)
            while len(self._left) > self._kept:
                self._left.popitem(last=False)
        return taken

    def _held(self, bucket: Bucket, now: float) -> float:
        """Return what the bucket holds now, and forget one that is full again."""
        key = (bucket.policy, bucket.whose)
        left, since = self._left.get(key, (math.inf, now))
        held = min(float(bucket.capacity), left + max(0.0, now - since) * bucket.refill)
        if held == bucket.capacity:
            self._left.pop(key, None)
        return held


def weigh(buckets: Sequence[Bucket], held: Sequence[float], cost: int) -> Taken:
    """Return what becomes of a cost where the buckets hold `held`."""
    waits = tuple(wait(one, level, cost) for one, level in zip(buckets, held, strict=True))
    allowed = not any(waits)
    left = tuple(level - cost for level in held) if allowed else tuple(held)
    return Taken(allowed, left, waits)


def wait(bucket: Bucket, held: float, cost: int) -> float:
    """Return the seconds until a bucket that holds `held` holds `cost`; infinite if it never will,
    because the cost does not fit in.
    """
    if held >= cost:
        return 0.0
    if cost > bucket.capacity:
        return math.inf
    return (cost - held) / bucket.refill
