"""Going through what is stored: judged again by today's policy and models, or by a candidate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from gateway.app.embedding import adopted, bounds_of, opened_embedder
from gateway.app.enacting import opened_enacted
from gateway.app.keep import Keep, opened_keep
from gateway.app.policing import candidate_of, governed, overrides_of, policy_of
from gateway.app.screening import no_quota, opened_detectors
from gateway.app.serving import RATE_WINDOW_SECONDS, Progress, new_id, now, prepare_models
from gateway.settings import Settings
from guard.detectors import SCREENING
from guard.errors import NotFoundError
from guard.magnets import Magnets
from guard.rescan import Rescanned, outdated
from guard.rescan import rescan as rescan_tenant
from guard.rooms import Rooms
from guard.simulate import Simulation, since
from guard.simulate import simulate as simulate_policy
from guard.stages import STAGES
from guard.statutes import NO_RULES, Statutes
from guard.turns import Turns
from memory.types import TenantId
from policies.draft import drafted
from policies.draft import enacted as enacted_rules
from policies.load import Override
from policies.model import Policy
from storage.answers import SqlAnswers
from storage.fakes.index import MemoryIndex
from storage.journal import BatchingJournal
from storage.ledger import SqlLedger
from storage.quarantine import SqlQuarantine
from storage.queue import SqlQueue
from storage.rates import WindowRates
from storage.registry import SqlRegistry
from storage.statutes import SqlStatutes
from storage.stock import SqlStock
from storage.transcript import SqlTranscript


async def rescan(settings: Settings, tenant: str | None, progress: Progress) -> list[Rescanned]:
    """Judge the outdated memories of one tenant or all again. Works beside gateways that serve."""
    prepare_models(settings, progress)
    done: list[Rescanned] = []
    async with opened_keep(settings) as keep, opened_rooms(settings, keep) as rooms:
        stock = SqlStock(keep.database)
        names = await keep.outbox.tenants() if tenant is None else [TenantId(tenant)]
        for one in names:
            total = await stock.count(one, outdated(one, rooms))

            def advance(seen: int, name: str = one, total: int = total) -> None:
                progress(name, seen, total)

            done.append(await rescan_tenant(one, stock, rooms, advance))
    return done


async def simulate(
    settings: Settings, tenant: str, word: str, days: int, progress: Progress
) -> Simulation:
    """Compare the policy in force for a tenant with a candidate, over the last days' decisions."""
    name = TenantId(tenant)
    async with opened_keep(settings) as keep, opened_enacted(settings, keep.database) as enacted:
        own, policy, overrides = enacted.own(name), policy_of(settings), overrides_of(settings)
        if word.isdecimal():
            rules = await _rules_of(name, int(word), policy, SqlStatutes(keep.database))
            candidate = governed(policy, overrides, name, rules)
        else:
            candidate = candidate_of(settings, word, name, own)
        current = governed(policy, overrides, name, own)
        stock, sweep = SqlStock(keep.database), since(now() - timedelta(days=days))
        total = await stock.count(name, sweep)
        return await simulate_policy(
            name,
            (current, candidate),
            (stock, sweep),
            keep.vault,
            lambda seen: progress(name, seen, total),
        )


async def _rules_of(
    tenant: TenantId, number: int, policy: Policy, statutes: Statutes
) -> Override | None:
    """Return the rules of a version as they would hold. Raises NotFoundError, DraftError."""
    if number == NO_RULES:
        return None
    version = await statutes.one(tenant, number)
    if version is None:
        raise NotFoundError
    drafted(version.text, tenant, policy)
    return enacted_rules(version.text, tenant, number, SCREENING)


@asynccontextmanager
async def opened_rooms(settings: Settings, keep: Keep) -> AsyncIterator[Rooms]:
    """Lend rooms over the real ledger, and over an index of nothing.

    The embedded index belongs to the gateway; it follows the ledger, and needs nobody else for it.
    """
    async with (
        opened_embedder(settings) as embedder,
        opened_detectors(settings, no_quota, embedder) as detectors,
        opened_enacted(settings, keep.database) as enacted,
    ):
        await adopted(keep.database, embedder)
        yield Rooms(
            clock=now,
            new_id=new_id,
            policy=policy_of(settings),
            overrides=overrides_of(settings),
            enacted=enacted,
            stages=STAGES,
            detectors=detectors,
            vault=keep.vault,
            marks=keep.vault,
            ledger=SqlLedger(keep.database),
            quarantine=SqlQuarantine(keep.database),
            index=MemoryIndex(embedder.id.dimensions),
            embedder=embedder,
            magnets=Magnets(embedder),
            rates=WindowRates(RATE_WINDOW_SECONDS),
            audit=keep.audit,
            journal=BatchingJournal(keep.audit),
            registry=SqlRegistry(keep.database),
            turns=Turns(),
            bounds=bounds_of(settings),
            envelopes=keep.envelopes,
            answers=SqlAnswers(keep.database),
            queue=SqlQueue(keep.database),
            transcript=SqlTranscript(keep.database),
        )
