"""Where each tenant's shards lie, and which tenants' shards can't be trusted to be whole.

    <root>/<uuid>/tenant.json     whose directory this is
    <root>/<uuid>/<layer>/        one shard per layer
    <root>/<uuid>/incomplete      present until the tenant has been rebuilt from the ledger
    <root>/<uuid>/aside-<uuid>/   a damaged shard, kept until then

Directory names are made here and say nothing. A name is never used twice, so what was dropped
can't come back under a tenant registered anew. `new-*` and `gone-*` are unfinished work of a
process that died; they are cleared at the start.
"""

import os
import shutil
import uuid
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from memory.types import INDEXED_LAYERS, Layer, TenantId

_ABOUT = "tenant.json"
_INCOMPLETE = "incomplete"


class _About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    tenant: TenantId


def share_of(tenant: TenantId, shares: int) -> int:
    """Return which of `shares` workers serves `tenant`: the same in every process and version."""
    return int.from_bytes(sha256(tenant.encode()).digest()[:8], "big") % shares


class Places:
    """Keeps the directories of one worker's share of the tenants."""

    def __init__(self, root: Path, share: int, shares: int) -> None:
        self._root = root
        self._homes: dict[TenantId, Path] = {}
        self.strays = 0
        for entry in sorted(root.iterdir()):
            if not entry.is_dir():
                continue
            if entry.name.startswith(("new-", "gone-")):
                # Another worker may be clearing the same leftovers.
                shutil.rmtree(entry, ignore_errors=True)
                continue
            tenant = _tenant_of(entry)
            if tenant is None:
                self.strays += 1
            elif share_of(tenant, shares) == share:
                self._homes[tenant] = entry

    def incomplete(self) -> tuple[TenantId, ...]:
        """Return the tenants that wait for a rebuild."""
        return tuple(tenant for tenant in self._homes if self.is_incomplete(tenant))

    def is_incomplete(self, tenant: TenantId) -> bool:
        """Say whether the tenant waits for a rebuild."""
        home = self._homes.get(tenant)
        return home is not None and (home / _INCOMPLETE).exists()

    def find(self, tenant: TenantId, layer: Layer) -> Path | None:
        """Return where the shard lies, None when there is none."""
        home = self._homes.get(tenant)
        path = None if home is None else home / layer.value
        return path if path is not None and path.exists() else None

    def make(self, tenant: TenantId, layer: Layer) -> Path:
        """Return where a new shard of the tenant shall lie."""
        return self._home(tenant) / layer.value

    def set_aside(self, tenant: TenantId, layer: Layer) -> None:
        """Put a shard out of use, and remember durably that the tenant needs a rebuild."""
        home = self._home(tenant)
        _mark(home)
        path = home / layer.value
        if path.exists():
            path.rename(home / f"aside-{uuid.uuid4()}")

    def empty(self, tenant: TenantId) -> None:
        """Mark the tenant as incomplete, then remove all of its shards from the disk."""
        home = self._home(tenant)
        _mark(home)
        for path in (*_asides(home), *(home / layer.value for layer in INDEXED_LAYERS)):
            shutil.rmtree(path, ignore_errors=True)

    def complete(self, tenant: TenantId) -> None:
        """Forget what stood aside; the tenant is whole again."""
        home = self._homes.get(tenant)
        if home is not None:
            for path in _asides(home):
                shutil.rmtree(path)
            (home / _INCOMPLETE).unlink(missing_ok=True)
            _sync(home)

    def drop(self, tenant: TenantId) -> None:
        """Remove all of the tenant from the disk."""
        home = self._homes.pop(tenant, None)
        if home is not None:
            gone = self._root / f"gone-{uuid.uuid4()}"
            home.rename(gone)
            _sync(self._root)
            shutil.rmtree(gone)

    def _home(self, tenant: TenantId) -> Path:
        home = self._homes.get(tenant)
        if home is None:
            name = str(uuid.uuid4())
            draft = self._root / f"new-{name}"
            draft.mkdir(mode=0o700)
            _write(draft / _ABOUT, msgspec.json.encode(_About(format=1, tenant=tenant)))
            _sync(draft)
            home = self._root / name
            draft.rename(home)
            _sync(self._root)
            self._homes[tenant] = home
        return home


def _tenant_of(home: Path) -> TenantId | None:
    try:
        about = msgspec.json.decode((home / _ABOUT).read_bytes(), type=_About)
    except (OSError, msgspec.DecodeError):
        return None
    return about.tenant


def _mark(home: Path) -> None:
    _write(home / _INCOMPLETE, b"")
    _sync(home)


def _asides(home: Path) -> Iterator[Path]:
    return home.glob("aside-*")


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
