"""A key store in process memory. Keeps nothing when the process ends."""

from collections.abc import Callable

from memory.types import SubjectId, TenantId
from storage.ports import WrappedKey

_Place = tuple[TenantId, SubjectId | None]


class MemoryKeyStore:
    """Fulfils `storage.ports.KeyStore` in memory."""

    def __init__(self) -> None:
        self._keys: dict[_Place, dict[int, WrappedKey]] = {}

    async def tenant_keys(self, tenant: TenantId) -> list[WrappedKey]:
        """Return the tenant's keys, oldest first, destroyed ones with empty bytes."""
        return self._sorted((tenant, None))

    async def subject_keys(self, tenant: TenantId, subject: SubjectId) -> list[WrappedKey]:
        """Return the subject's keys, oldest first, destroyed ones with empty bytes."""
        return self._sorted((tenant, subject))

    async def put_tenant(self, tenant: TenantId, key: WrappedKey) -> WrappedKey:
        """Add a key unless that number exists; return the one that stands."""
        return self._keys.setdefault((tenant, None), {}).setdefault(key.number, key)

    async def put_subject(
        self, tenant: TenantId, subject: SubjectId, key: WrappedKey
    ) -> WrappedKey:
        """Add a key unless that number exists; return the one that stands."""
        return self._keys.setdefault((tenant, subject), {}).setdefault(key.number, key)

    async def shred_subject(self, tenant: TenantId, subject: SubjectId) -> int:
        """Destroy all keys of a subject; return how many."""
        return self._destroy(lambda place: place == (tenant, subject))

    async def shred_tenant(self, tenant: TenantId) -> int:
        """Destroy all keys of a tenant and of its subjects; return how many."""
        return self._destroy(lambda place: place[0] == tenant)

    def _sorted(self, place: _Place) -> list[WrappedKey]:
        return [key for _, key in sorted(self._keys.get(place, {}).items())]

    def _destroy(self, chosen: Callable[[_Place], bool]) -> int:
        count = 0
        for place, keys in self._keys.items():
            if chosen(place):
                count += sum(1 for key in keys.values() if key.wrapped)
                keys.update((number, WrappedKey(number, b"")) for number in keys)
        return count
