"""Findings from outside the gateway: printed, or added to a file that says how far it is."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from gateway.app.keep import opened_keep
from gateway.settings import Settings, SettingsError
from guard.findings import Finding
from guard.reporting import found
from memory.types import TenantId
from storage.audit import SqlAudit
from storage.ledger import SqlLedger
from storage.vault import SealingVault

_PAGE = 500
_PRIVATE_FILE = 0o600


class _Desk(msgspec.Struct, frozen=True):
    audit: SqlAudit
    ledger: SqlLedger
    vault: SealingVault


class _Metadata(msgspec.Struct, frozen=True):
    tenant_uid: str
    sequence: int


class _Line(msgspec.Struct, frozen=True):
    metadata: _Metadata


async def findings(
    settings: Settings, tenant: str | None, after: Mapping[str, int]
) -> AsyncIterator[Finding]:
    """Yield findings of a tenant or of all, each tenant's after the leaf that `after` names.

    Works beside a gateway that serves.
    """
    async with opened_keep(settings) as keep:
        await keep.audit.integrate()
        desk = _Desk(keep.audit, SqlLedger(keep.database), keep.vault)
        for one in await keep.audit.tenants() if tenant is None else [TenantId(tenant)]:
            at, end = after.get(one, 0), False
            while not end:
                page = await found(one, at, _PAGE, desk)
                for item in page.items:
                    yield item
                at, end = page.cursor, page.end


async def append_findings(settings: Settings, tenant: str | None, file: Path) -> int:
    """Add to a file what came after the last finding in it, of each tenant; return how many.

    A last line that was cut off is made anew. Raises SettingsError for a file that holds something
    else.
    """
    after, whole = _so_far(file)
    count = 0
    with _opened(file, whole) as out:
        async for one in findings(settings, tenant, after):
            out.write(msgspec.json.encode(one) + b"\n")
            count += 1
    return count


def _opened(file: Path, whole: int) -> BinaryIO:
    """Return a file, for its owner alone, to be written to after so many bytes."""
    out = file.open("r+b" if file.exists() else "xb")
    file.chmod(_PRIVATE_FILE)
    out.truncate(whole)
    out.seek(whole)
    return out


def _so_far(file: Path) -> tuple[dict[str, int], int]:
    """Return the last leaf of each tenant in a file, and how many bytes of it are whole lines."""
    after: dict[str, int] = {}
    whole = 0
    if not file.exists():
        return after, whole
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                break
            try:
                read = msgspec.json.decode(line, type=_Line).metadata
            except msgspec.MsgspecError:
                raise SettingsError(f"{file}: line {number} is no finding") from None
            after[read.tenant_uid] = max(read.sequence, after.get(read.tenant_uid, 0))
            whole += len(line)
    return after, whole
