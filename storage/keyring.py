"""Root key → tenant keys → subject keys, unwrapped on demand and derived by purpose.

Every raw key is only ever an input of HKDF: nothing is encrypted or authenticated with it, so no
key serves two purposes. New data is sealed under the newest key of its scope. What must stay equal
to itself (fingerprints, blinded terms, marks) is keyed by the oldest live key, so that rotating a
key does not make a subject's memories strangers to each other.

What proves a label derives from the tenant's key, not the subject's: after a subject is shredded
the tombstones of its memories must still prove that nobody made them up (W15, S5).
"""

import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Final, Generic, TypeVar

from guard.errors import UnavailableError, UnreadableError
from memory.types import Owner, SubjectId, TenantId
from storage.hazmat import (
    KEY_BYTES,
    NONCE_BYTES,
    Cipher,
    TamperedError,
    derive,
    unwrap,
    wrap,
)
from storage.layouts import Envelope, LayoutError, info, pack, unpack, wrap_data
from storage.ports import KeyStore, WrappedKey
from storage.rootkey import RootKey

_ATTEMPTS: Final = 8
_PLATFORM: Final = TenantId("")
"""No tenant's name: its key proves that the root key is the one this store was made with."""


class TenantPurpose(StrEnum):
    """What keys are derived from a tenant key for."""

    WRAP = "wrap"
    LABEL = "label"
    SOURCE = "source"


class SubjectPurpose(StrEnum):
    """What keys are derived from a subject key for."""

    CONTENT = "content"
    ENTRY = "entry"
    EVIDENCE = "evidence"
    TERMS = "terms"
    ENTITIES = "entities"
    VECTORS = "vectors"
    FINGERPRINT = "fingerprint"
    MARK = "mark"
    KEYED = "keyed"
    ANSWER = "answer"
    WRITE = "write"
    OUTCOME = "outcome"
    TURN = "turn"
    TRACE = "trace"
    REMARK = "remark"
    UNDO = "undo"
    PROPOSAL = "proposal"
    HOOK = "hook"
    VISIT = "visit"


_P = TypeVar("_P", TenantPurpose, SubjectPurpose)


class Keys(Generic[_P]):
    """The live keys of one tenant or subject. Shows numbers only, never a key."""

    __slots__ = (
        "__weakref__",
        "_ciphers",
        "_derived",
        "_live",
        "_scope",
        "destroyed",
        "newest",
        "next",
        "oldest",
    )

    def __init__(self, scope: str, live: Mapping[int, bytes], destroyed: frozenset[int]) -> None:
        self._scope = scope
        self._live = live
        self._derived: dict[tuple[int, _P], bytes] = {}
        self._ciphers: dict[tuple[int, _P], Cipher] = {}
        self.destroyed = destroyed
        self.newest = max(live, default=0)
        self.oldest = min(live, default=0)
        self.next = max((*live, *destroyed), default=0) + 1

    def __contains__(self, number: int) -> bool:
        """Whether the key with this number is live."""
        return number in self._live

    def __repr__(self) -> str:
        """Name the numbers alone."""
        return f"Keys({self._scope}, numbers={sorted(self._live)})"

    def key(self, number: int, purpose: _P) -> bytes:
        """Return the key for one purpose. Raises UnreadableError when that number is not live."""
        derived = self._derived.get((number, purpose))
        if derived is None:
            raw = self._live.get(number)
            if raw is None:
                raise UnreadableError
            derived = derive(raw, info(self._scope, purpose))
            self._derived[number, purpose] = derived
        return derived

    def cipher(self, number: int, purpose: _P) -> Cipher:
        """Return the cipher under that key. Raises UnreadableError when it is not live."""
        cipher = self._ciphers.get((number, purpose))
        if cipher is None:
            cipher = self._ciphers[number, purpose] = Cipher(self.key(number, purpose))
        return cipher

    def sealing(self, purpose: _P) -> tuple[int, bytes]:
        """Return number and key that new data is sealed under."""
        return self.newest, self.key(self.newest, purpose)

    def matching(self, purpose: _P) -> bytes:
        """Return the key under which equal things are equal."""
        return self.key(self.oldest, purpose)


TenantKeys = Keys[TenantPurpose]
SubjectKeys = Keys[SubjectPurpose]
_Place = tuple[TenantId, SubjectId | None]
Written = Callable[[TenantId, SubjectId | None], Awaitable[bool]]
"""Whether anything was ever kept of a tenant, or of one of its subjects."""


async def nothing_written(_tenant: TenantId, _subject: SubjectId | None) -> bool:
    """Return False: for a keyring whose memories are as short-lived as its keys."""
    return False


class Keyring:
    """Keys by owner: created on first use, cached in memory, destroyed by name.

    Holds at most `subjects` unwrapped subjects and as many tenants, least recently used out first.
    """

    def __init__(
        self,
        root: RootKey,
        store: KeyStore,
        *,
        written: Written = nothing_written,
        subjects: int = 4096,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._root = root
        self._store = store
        self._written = written
        self._entropy = entropy
        self._tenants: _Recent[TenantPurpose] = _Recent(subjects)
        self._subjects: _Recent[SubjectPurpose] = _Recent(subjects)
        self._invalidations = 0

    async def prove_root(self) -> None:
        """Return when this root key opens this key store. Raises UnreadableError for a wrong one.

        Meant for start-up: a gateway with another root key would write what no restart can read.
        """
        await self.tenant(_PLATFORM)

    async def tenant(self, tenant: TenantId) -> TenantKeys:
        """Return the tenant's keys, made when there are none. Raises UnreadableError."""
        keys = self._tenants.get((tenant, None))
        for _ in range(_ATTEMPTS):
            if keys is None:
                keys = await self._read_tenant(tenant)
            if keys.newest:
                return keys
            if keys.next == 1 and tenant != _PLATFORM:
                await self._check_first(tenant)
            parent = self._root.newest
            key = self._made("tenant", keys.next, parent, self._root_key(parent), tenant)
            await self._store.put_tenant(tenant, key)
            # Another process may have put its own first: whatever stands is read back.
            keys = None
        raise UnavailableError("keys")

    async def subject(self, owner: Owner) -> SubjectKeys:
        """Return the subject's keys, made when there are none. Raises UnreadableError."""
        keys = self._subjects.get((owner.tenant, owner.subject))
        for _ in range(_ATTEMPTS):
            if keys is None:
                keys = await self._read_subject(owner)
            if keys.newest:
                return keys
            if keys.next == 1:
                await self._check_first(owner.tenant, owner.subject)
            parent, wrapping = (await self.tenant(owner.tenant)).sealing(TenantPurpose.WRAP)
            path = (owner.tenant, owner.subject)
            key = self._made("subject", keys.next, parent, wrapping, *path)
            await self._store.put_subject(*path, key)
            keys = None
        raise UnavailableError("keys")

    async def known_tenant(self, tenant: TenantId, number: int) -> TenantKeys:
        """Return the tenant's keys if `number` is live, making none. Raises UnreadableError."""
        keys = self._tenants.get((tenant, None))
        if keys is None or number not in keys:
            # Another process may have made that key since.
            keys = await self._read_tenant(tenant)
        if number not in keys:
            raise UnreadableError
        return keys

    async def known_subject(self, owner: Owner, number: int) -> SubjectKeys:
        """Return the subject's keys if `number` is live, making none. Raises UnreadableError."""
        keys = self._subjects.get((owner.tenant, owner.subject))
        if keys is None or number not in keys:
            keys = await self._read_subject(owner)
        if number not in keys:
            raise UnreadableError
        return keys

    async def shred_subject(self, owner: Owner) -> int:
        """Destroy all keys of a subject, here and in the store; return how many."""
        try:
            return await self._store.shred_subject(owner.tenant, owner.subject)
        finally:
            self.invalidate(owner.tenant, owner.subject)

    async def shred_tenant(self, tenant: TenantId) -> int:
        """Destroy all keys of a tenant and its subjects, here and in the store; return how many."""
        try:
            return await self._store.shred_tenant(tenant)
        finally:
            self.invalidate(tenant)

    def invalidate(self, tenant: TenantId, subject: SubjectId | None = None) -> None:
        """Forget cached keys of a subject, or of a tenant and all its subjects.

        For every process that did not shred or rotate them itself.
        """
        # A read that is under way must not bring back what it saw before.
        self._invalidations += 1
        if subject is None:
            self._tenants.drop(lambda place: place[0] == tenant)
        self._subjects.drop(lambda place: place[0] == tenant and subject in (None, place[1]))

    async def _check_first(self, tenant: TenantId, subject: SubjectId | None = None) -> None:
        """Return when no key can have been here before. Raises UnreadableError when one was lost.

        Else its number would be given again, and the loss of a key store would look like a day on
        which everybody is new.
        """
        if not await self._written(tenant, subject):
            return
        # Another process may have made the key, and written with it, since ours was read.
        if subject is None:
            standing = await self._store.tenant_keys(tenant)
        else:
            standing = await self._store.subject_keys(tenant, subject)
        if not standing:
            raise UnreadableError

    async def _read_tenant(self, tenant: TenantId) -> TenantKeys:
        seen = self._invalidations
        live: dict[int, bytes] = {}
        destroyed: set[int] = set()
        for row in await self._store.tenant_keys(tenant):
            if not row.wrapped:
                destroyed.add(row.number)
                continue
            envelope = _envelope(row)
            parent = self._root_key(envelope.number)
            live[row.number] = _unwrapped("tenant", row.number, envelope, parent, tenant)
        keys = TenantKeys("tenant", live, frozenset(destroyed))
        if live and seen == self._invalidations:
            self._tenants.put((tenant, None), keys)
        return keys

    async def _read_subject(self, owner: Owner) -> SubjectKeys:
        seen = self._invalidations
        path = (owner.tenant, owner.subject)
        live: dict[int, bytes] = {}
        destroyed: set[int] = set()
        for row in await self._store.subject_keys(*path):
            envelope = _envelope(row) if row.wrapped else None
            parents = await self._parents(owner.tenant, envelope) if envelope else None
            if envelope is None or parents is None:
                destroyed.add(row.number)
                continue
            parent = parents.key(envelope.number, TenantPurpose.WRAP)
            live[row.number] = _unwrapped("subject", row.number, envelope, parent, *path)
        keys = SubjectKeys("subject", live, frozenset(destroyed))
        if live and seen == self._invalidations:
            self._subjects.put(path, keys)
        return keys

    async def _parents(self, tenant: TenantId, envelope: Envelope) -> TenantKeys | None:
        """Return the tenant keys that a subject key hangs on, None when that one was destroyed."""
        keys = self._tenants.get((tenant, None))
        if keys is None or envelope.number not in keys:
            keys = await self._read_tenant(tenant)
        if envelope.number in keys.destroyed:
            return None
        return keys

    def _root_key(self, number: int) -> bytes:
        root = self._root.key(number)
        if root is None:
            raise UnreadableError
        return derive(root, info("root", TenantPurpose.WRAP))

    def _made(
        self, scope: str, number: int, parent: int, wrapping: bytes, *path: str
    ) -> WrappedKey:
        nonce = self._entropy(NONCE_BYTES)
        associated = wrap_data(scope, number, parent, *path)
        body = wrap(wrapping, nonce, self._entropy(KEY_BYTES), associated)
        return WrappedKey(number, pack(Envelope(parent, nonce, body)))


def _envelope(row: WrappedKey) -> Envelope:
    try:
        return unpack(row.wrapped)
    except LayoutError:
        raise UnreadableError from None


def _unwrapped(scope: str, number: int, envelope: Envelope, parent: bytes, *path: str) -> bytes:
    associated = wrap_data(scope, number, envelope.number, *path)
    try:
        return unwrap(parent, envelope.nonce, envelope.body, associated)
    except TamperedError:
        raise UnreadableError from None


class _Recent(Generic[_P]):
    """The most recently used keys by place, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[_Place, Keys[_P]] = OrderedDict()

    def get(self, place: _Place) -> Keys[_P] | None:
        keys = self._kept.get(place)
        if keys is not None:
            self._kept.move_to_end(place)
        return keys

    def put(self, place: _Place, keys: Keys[_P]) -> None:
        self._kept[place] = keys
        self._kept.move_to_end(place)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)

    def drop(self, chosen: Callable[[_Place], bool]) -> None:
        for place in [place for place in self._kept if chosen(place)]:
            del self._kept[place]
