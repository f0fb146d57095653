"""What an operator does beside serving: tokens, migration, repair, verification, screening."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from gateway.app.embedding import (
    bounds_of,
    described,
    embedder_of,
    opened_embedder,
    require_same,
)
from gateway.app.indexing import opened_index
from gateway.app.keep import Keep, keys_url, ledger_url, opened_keep, start_keys
from gateway.app.policing import is_unsafe, overrides_of, policy_of
from gateway.app.screening import no_quota, opened_detectors, proven
from gateway.app.serving import Progress, new_id, now, prepare_models
from gateway.settings import EmbedderKind, Settings, SettingsError
from guard.errors import GuardError, InvalidError, UnavailableError
from guard.magnets import Magnets
from guard.rooms import Rooms
from guard.stages import STAGES
from guard.turns import Turns
from memory.types import TenantId
from storage.embedders import SqlEmbedders
from storage.envelopes import SealingEnvelopes
from storage.fakes.index import MemoryIndex
from storage.fakes.keystore import MemoryKeyStore
from storage.fakes.ledger import MemoryLedger
from storage.fakes.registry import MemoryRegistry
from storage.fakes.transcript import MemoryTranscript
from storage.journal import BatchingJournal
from storage.keyring import Keyring
from storage.keystore import prepare as prepare_keys
from storage.migrations import head_revision
from storage.migrations import migrate as migrate_ledger
from storage.repair import Rebuildable
from storage.repair import rebuild as rebuild_tenant
from storage.repair import reconcile as reconcile_tenant
from storage.rootkey import RootKey
from storage.vault import SealingVault


class Finding(msgspec.Struct, frozen=True):
    """One thing that `doctor` looked at."""

    name: str
    ok: bool
    detail: str


class Drifted(msgspec.Struct, frozen=True):
    """What a reconciliation repaired for one tenant."""

    tenant: str
    missing: int
    stale: int
    orphans: int


async def migrate(settings: Settings) -> str:
    """Bring the ledger to the newest revision and return it.

    On PostgreSQL the URLs are the owner's, the key store is prepared as well, and the gateway's
    role is granted what it needs. No key is needed for that, and none is made.
    """
    if not settings.storage.keeps_ledger_elsewhere:
        start_keys(settings)
        return await migrate_ledger(ledger_url(settings))
    role = settings.storage.gateway_role
    await prepare_keys(keys_url(settings), role)
    return await migrate_ledger(ledger_url(settings), role)


async def rebuild(settings: Settings, tenant: str | None, progress: Progress) -> int:
    """Make the index anew from the ledger, for one tenant or all; return how many entries."""
    entries = 0
    async with opened_keep(settings) as keep, _offline_index(settings, keep) as index:
        for one in await _tenants(keep, tenant):

            def advance(seen: int, name: str = one) -> None:
                progress(name, seen, 0)

            entries += await rebuild_tenant(one, keep.outbox, keep.vault, index, advance)
    return entries


async def reconcile(settings: Settings, tenant: str | None) -> list[Drifted]:
    """Compare the index with the ledger and repair it, for one tenant or all."""
    drifts: list[Drifted] = []
    async with opened_keep(settings) as keep, _offline_index(settings, keep) as index:
        for one in await _tenants(keep, tenant):
            drift = await reconcile_tenant(one, keep.outbox, keep.vault, index)
            drifts.append(Drifted(one, drift.missing, drift.stale, drift.orphans))
    return drifts


@asynccontextmanager
async def screening(settings: Settings) -> AsyncIterator[Rooms]:
    """Lend rooms for judging texts: the real stages, policy and models over memory that is thrown
    away. Nothing is read from or written to the data directory but the prepared models.
    """
    prepare_models(settings, lambda _step, _done, _total: None)
    keyring = Keyring(RootKey.from_bytes(secrets.token_bytes(32)), MemoryKeyStore())
    vault = SealingVault(keyring)
    ledger = MemoryLedger()
    async with (
        opened_embedder(settings) as embedder,
        opened_detectors(settings, no_quota, embedder) as detectors,
    ):
        yield Rooms(
            clock=now,
            new_id=new_id,
            policy=policy_of(settings),
            overrides=overrides_of(settings),
            stages=STAGES,
            detectors=detectors,
            vault=vault,
            marks=vault,
            ledger=ledger,
            quarantine=ledger.quarantine,
            index=MemoryIndex(embedder.id.dimensions),
            embedder=embedder,
            magnets=Magnets(embedder),
            rates=_EachAlone(),
            audit=ledger.audit,
            journal=BatchingJournal(ledger.audit),
            registry=MemoryRegistry(),
            turns=Turns(),
            bounds=bounds_of(settings),
            envelopes=SealingEnvelopes(keyring),
            answers=ledger.answers,
            queue=ledger.queue,
            transcript=MemoryTranscript(),
        )


async def examine(settings: Settings) -> list[Finding]:
    """Look at everything the gateway needs, one by one; a failure never hides the next."""
    findings = []
    for name, check in _CHECKS.items():
        try:
            findings.append(Finding(name=name, ok=True, detail=await check(settings)))
        except (GuardError, SettingsError, ValueError, OSError) as error:
            detail = str(error) or type(error).__name__
            findings.append(Finding(name=name, ok=False, detail=detail))
    return findings


async def _keys(settings: Settings) -> str:
    source = start_keys(settings).root_key
    return f"root key in {source}" if isinstance(source, Path) else "root key from the environment"


async def _policy(settings: Settings) -> str:
    policy, own = policy_of(settings), len(overrides_of(settings))
    rules = f", {own} tenants with rules of their own" if own else ""
    return f"{policy.version}{' (UNSAFE: holds nothing)' if is_unsafe(policy) else ''}{rules}"


async def _models(settings: Settings) -> str:
    try:
        async with opened_embedder(settings) as embedder:
            await embedder.embed(["ready", "就绪"])
            return described(embedder.id)
    except UnavailableError as error:
        if settings.embedder.kind is EmbedderKind.PACKAGED:
            raise InvalidError(f"{error}: run `memguard models prepare`") from None
        raise


async def _screening(settings: Settings) -> str:
    async with opened_detectors(settings) as detectors:
        return await proven(detectors, settings)


async def _vectors(settings: Settings) -> str:
    async with opened_keep(settings) as keep, opened_embedder(settings) as embedder:
        recorded = await SqlEmbedders(keep.database).recorded()
    if recorded is None:
        return "none yet: the first start records whose they are"
    require_same(recorded, embedder.id)
    return f"made by {described(recorded)}"


async def _ledger(settings: Settings) -> str:
    async with opened_keep(settings) as keep:
        await keep.database.ping()
        return f"revision {head_revision()}, {await keep.outbox.waiting()} waiting for the index"


async def _index(settings: Settings) -> str:
    async with opened_keep(settings) as keep, _offline_index(settings, keep) as index:
        await index.ping()
        broken = len(index.incomplete())
    return f"{broken} tenants to rebuild" if broken else "whole"


_CHECKS = {
    "keys": _keys,
    "policy": _policy,
    "models": _models,
    "screening": _screening,
    "ledger": _ledger,
    "vectors": _vectors,
    "index": _index,
}


class _EachAlone:
    """Counts every write as the only one: a screening judges texts, not how many there are."""

    async def note(self, tenant: TenantId, key: str, at: datetime) -> int:
        """Return 1."""
        del tenant, key, at
        return 1


@asynccontextmanager
async def _offline_index(settings: Settings, keep: Keep) -> AsyncIterator[Rebuildable]:
    """Lend the index. Raises UnavailableError while a gateway is serving from an embedded one."""
    embedder = await embedder_of(keep.database, settings)
    async with opened_index(settings, keep, embedder.dimensions, grace_seconds=0.0) as index:
        yield index


async def _tenants(keep: Keep, tenant: str | None) -> list[TenantId]:
    return await keep.outbox.tenants() if tenant is None else [TenantId(tenant)]
