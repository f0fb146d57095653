"""Search material that was opened of late, for the very bytes that it was opened from.

A subject who asks one thing asks another, and much the same memories come into question each time.
What is kept is what the index would hold in the open: keyed ids and turned vectors, no text. It is
lent only for a memory that equals, byte for byte and label for label, the one that was proved, and
only under the very keys it was proved with: with a subject's keys goes all that is kept of him.
"""

from collections import OrderedDict
from typing import Final
from weakref import WeakKeyDictionary, ref

import msgspec

from guard.nouns import Sealed
from memory.signals import Blinded
from memory.types import MemoryId, TenantId
from storage.keyring import SubjectKeys, TenantKeys

_OVERHEAD: Final = 2_048
"""About what the objects of one memory take beside their bytes."""


class _Kept(msgspec.Struct, frozen=True):
    tenant: ref[TenantKeys]
    sealed: Sealed
    blinded: Blinded


class Ready:
    """The search material of the memories that were asked for last, at most so many bytes."""

    def __init__(self, most_bytes: int) -> None:
        """With room for no bytes it keeps nothing."""
        self.bytes = 0
        self._most = most_bytes
        self._kept: WeakKeyDictionary[SubjectKeys, dict[MemoryId, _Kept]] = WeakKeyDictionary()
        self._order: OrderedDict[MemoryId, tuple[ref[SubjectKeys], int]] = OrderedDict()
        self._apart: set[TenantId] = set()

    def keep_apart(self, tenant: TenantId, *, apart: bool) -> None:
        """Keep nothing of a sealed tenant, and let go of what there is; or keep it again."""
        if not apart:
            self._apart.discard(tenant)
        elif tenant not in self._apart:
            self._apart.add(tenant)
            every = [one.sealed.label for kept in self._kept.values() for one in kept.values()]
            for label in every:
                if label.tenant == tenant:
                    self.drop(label.id)

    def find(self, tenant: TenantKeys, keys: SubjectKeys, sealed: Sealed) -> Blinded | None:
        """Return the search material of a memory, None unless all of it was opened just so."""
        id = sealed.label.id
        kept = self._kept.get(keys, {}).get(id)
        if kept is None or kept.tenant() is not tenant or kept.sealed != sealed:
            return None
        self._order.move_to_end(id)
        return kept.blinded

    def put(self, tenant: TenantKeys, keys: SubjectKeys, sealed: Sealed, blinded: Blinded) -> None:
        """Keep what was opened, in the place of what has not been asked for longest."""
        id, size = sealed.label.id, _size(sealed)
        self.drop(id)
        if size > self._most or sealed.label.tenant in self._apart:
            return
        self._kept.setdefault(keys, {})[id] = _Kept(ref(tenant), sealed, blinded)
        self._order[id] = ref(keys), size
        self.bytes += size
        while self.bytes > self._most:
            self.drop(next(iter(self._order)))

    def drop(self, id: MemoryId) -> None:
        """Let go of one memory."""
        held = self._order.pop(id, None)
        if held is None:
            return
        keys, size = held
        self.bytes -= size
        alive = keys()
        if alive is not None:
            self._kept.get(alive, {}).pop(id, None)


def _size(sealed: Sealed) -> int:
    """Return about how many bytes are kept of a memory: as it was sealed, and opened once more."""
    parts = (sealed.token, 2 * sealed.entry, sealed.evidence, sealed.claim)
    return _OVERHEAD + sum(map(len, parts))
