"""What questions came to, for whoever asks the same again (R12).

Only ids and factors are kept, under a key that nobody can turn back into the question. A question
that is asked again spares its embedding, its search and its ranking, and no check: what is kept
counts only at the ledger's present epoch of the subject and under the present policy and models,
and each memory is read from the ledger, checked and opened again before it is shown.
"""

import hashlib
import secrets
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.outcomes import Query
from guard.principal import Principal
from memory.ranking import Factors
from memory.types import Epoch, MemoryId, TraceId

_KEY_BYTES: Final = 32
_ENTRY_BYTES: Final = 400
_ITEM_BYTES: Final = 400
"""About what an entry, and each memory in it, take in this process, on the safe side."""


class Standpoint(msgspec.Struct, frozen=True):
    """What an answer holds for: the subject's epoch, and the version of what decides."""

    epoch: Epoch
    policy: str


class Came(msgspec.Struct, frozen=True):
    """What a question came to, and the trace of the recall that found it."""

    at: datetime
    standpoint: Standpoint
    items: tuple[tuple[MemoryId, Factors], ...]
    trace: TraceId

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return _ENTRY_BYTES + _ITEM_BYTES * len(self.items)


class Hot:
    """Answers of one process, the latest used ones, at most so many bytes and seconds of them."""

    def __init__(self, most_bytes: int = 0, seconds: float = 300.0) -> None:
        """With room for no bytes it keeps nothing."""
        self.hits = 0
        self.misses = 0
        self.bytes = 0
        self._most = most_bytes
        self._lasts = timedelta(seconds=seconds)
        self._secret = secrets.token_bytes(_KEY_BYTES)
        self._kept: OrderedDict[bytes, Came] = OrderedDict()

    @property
    def is_open(self) -> bool:
        """Whether there is room for anything."""
        return self._most > 0

    def key(self, principal: Principal, query: Query) -> bytes:
        """Return what a question of this caller is kept under: all of it and all of him counts."""
        asked = msgspec.msgpack.encode(
            (
                principal.owner.tenant,
                principal.owner.subject,
                principal.client,
                principal.channel,
                principal.ceiling,
                query,
            )
        )
        return hashlib.blake2b(asked, key=self._secret, digest_size=_KEY_BYTES).digest()

    def holds(self, principal: Principal, query: Query) -> bool:
        """Return whether anything is kept of a question, whatever has become of that since."""
        return bool(self._kept) and self.key(principal, query) in self._kept

    def find(self, key: bytes, standpoint: Standpoint, now: datetime) -> Came | None:
        """Return what this question came to from this standpoint, None when that is not known."""
        came = self._kept.get(key)
        if came is None:
            return None
        if came.standpoint != standpoint or not came.at <= now < came.at + self._lasts:
            self.drop(key)
            return None
        self._kept.move_to_end(key)
        return came

    def put(self, key: bytes, came: Came) -> None:
        """Keep what a question came to, in the place of what has not been asked for longest."""
        self.drop(key)
        self._kept[key] = came
        self.bytes += came.size
        while self.bytes > self._most:
            self.drop(next(iter(self._kept)))

    def drop(self, key: bytes) -> None:
        """Let go of what a question came to."""
        came = self._kept.pop(key, None)
        if came is not None:
            self.bytes -= came.size
