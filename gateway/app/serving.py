"""The gateway as it serves: every room opened, wired, and working in the background."""

import asyncio
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
import uvicorn
import uvloop
from litestar import Litestar

from gateway.app.assisting import Assists, opened_assists, watch_assists
from gateway.app.buckets import opened_buckets, own_buckets
from gateway.app.deciding import Deciding
from gateway.app.delivering import delivering_of, hooking_of, watch_posts
from gateway.app.embedding import adopted, bounds_of, opened_embedder
from gateway.app.enacting import opened_enacted
from gateway.app.enrolling import LedgerDesk, enrol
from gateway.app.indexing import opened_index
from gateway.app.keep import (
    Keep,
    keys_url,
    ledger_url,
    models_dir,
    opened_keep,
    root_key,
    start_keys,
)
from gateway.app.observing import metrics_of, opened_tracing, watch, watch_hot, watch_ready
from gateway.app.policing import overrides_of, policy_of, warn_unsafe
from gateway.app.screening import opened_detectors, watch_asked
from gateway.app.token_keys import opened_keys, opened_revoked, refuse_wrong_keys
from gateway.app.waiting import Front, waited
from gateway.app.witnessing import witnessed
from gateway.auth import Admission, RegisteredOnly, UnsafeFirstUse, Verifier
from gateway.doors import (
    BulkDoors,
    CaseDoors,
    DecisionDoors,
    DossierDoors,
    Edge,
    OriginDoors,
    PolicyDoors,
    ProposalDoors,
    QueueDoors,
    RecordDoors,
    ReportDoors,
    RevisionDoors,
    TenantDoors,
    TokenDoors,
    TraceDoors,
    UseCases,
)
from gateway.edge import build, server
from gateway.enacted import Enacted
from gateway.keysets import Keys
from gateway.listener import listening
from gateway.metering import MeteredEmbedder, Recorder
from gateway.metrics import Metrics
from gateway.recent import RecentRegistry
from gateway.revoked import Revoked
from gateway.settings import EmbedderKind, IndexKind, Mode, Settings
from gateway.telemetry import LOGGER, configure
from gateway.tracing import Tracing
from guard import ban, blast, bulk, enact, proposals, record, rulebook, tenants, webhooks
from guard.amend import amend
from guard.browse import browse, fetch
from guard.casefile import casefile
from guard.confirm import confirm
from guard.deciding import escalate, reject
from guard.dismiss import dismiss
from guard.dossier import disclose, dossier, entry
from guard.errors import UnavailableError
from guard.explain import traced, why_not
from guard.foresee import foresee
from guard.forget import fade, forget
from guard.hear import hear
from guard.hold import hold
from guard.hot import Hot
from guard.hunt import hunt
from guard.lately import Lately
from guard.magnets import Magnets
from guard.models.pairs import Pairs
from guard.models.prepare import prepare
from guard.move import move
from guard.once import amend_once, remember_once, restore_once
from guard.overview import overview
from guard.past import history
from guard.ports import Buckets, Detector, Embedder, Index, Ledger, Registry
from guard.queue import accept, given_up, replay, status
from guard.recall import recall
from guard.releasing import release
from guard.remember import remember
from guard.reporting import findings
from guard.restore import restore, restore_for
from guard.reveal import reveal
from guard.review import doubted, held
from guard.revoke import revoke, revoke_tenant, revoked
from guard.rooms import Rooms
from guard.stages import STAGES
from guard.turns import Turns
from guard.undo import undo
from guard.weighed import Weighed
from memory.ids import RANDOM_BYTES, uuid7
from storage.answers import SqlAnswers
from storage.bans import SqlBans
from storage.doubts import SqlDoubts
from storage.follower import Follower
from storage.journal import BatchingJournal
from storage.ledger import SqlLedger
from storage.origins import SqlOrigins
from storage.proposals import SqlProposals
from storage.quarantine import SqlQuarantine
from storage.queue import SqlQueue
from storage.rates import WindowRates
from storage.registry import SqlRegistry
from storage.remarks import SqlRemarks
from storage.reviews import SqlUndoing
from storage.statutes import SqlStatutes
from storage.stock import SqlStock
from storage.tracebook import TraceBook
from storage.traces import SqlTraces
from storage.transcript import SqlTranscript
from storage.visits import SqlVisits

USE_CASES: Final = UseCases(
    remember=remember,
    remember_once=remember_once,
    accept=accept,
    status=status,
    recall=recall,
    forget=forget,
    fade=fade,
    confirm=confirm,
    hear=hear,
    fetch=fetch,
    browse=browse,
    held=held,
    reveal=reveal,
    cases=CaseDoors(file=casefile),
    dossiers=DossierDoors(dossier=dossier, entry=entry, disclose=disclose),
    decisions=DecisionDoors(
        release=release, reject=reject, escalate=escalate, undo=undo, hold=hold, move=move
    ),
    bulk=BulkDoors(preview=bulk.preview, decide=bulk.decide_all),
    proposals=ProposalDoors(
        change_trust=proposals.change_trust,
        propose_erasure=proposals.propose_erasure,
        proposed=proposals.proposed,
        approve=proposals.approve,
        refuse=proposals.refuse,
    ),
    revisions=RevisionDoors(
        history=history,
        amend=amend,
        amend_once=amend_once,
        restore=restore,
        restore_once=restore_once,
        restore_for=restore_for,
        doubted=doubted,
        dismiss=dismiss,
    ),
    record=RecordDoors(
        tree=record.tree,
        included=record.included,
        consistent=record.consistent,
        leaves=record.leaves,
    ),
    origins=OriginDoors(
        origins=blast.origins,
        report=blast.report,
        preview=ban.preview,
        quarantine=ban.quarantine,
        lift=ban.lift,
        bans=ban.bans,
    ),
    overview=overview,
    reports=ReportDoors(
        findings=findings,
        webhooks=webhooks.webhooks,
        put_webhook=webhooks.put_webhook,
        rotate_webhook=webhooks.rotate_webhook,
        remove_webhook=webhooks.remove_webhook,
        dead_posts=webhooks.dead_posts,
        replay_posts=webhooks.replay_posts,
    ),
    traces=TraceDoors(traced=traced, why_not=why_not),
    queue=QueueDoors(given_up=given_up, replay=replay),
    policies=PolicyDoors(
        check=rulebook.check,
        put=enact.put,
        versions=rulebook.versions,
        version=rulebook.version,
        enactments=rulebook.enactments,
        diff=rulebook.diff,
        activate=enact.activate,
        roll_back=enact.roll_back,
        foresee=foresee,
        hunt=hunt,
    ),
    tokens=TokenDoors(revoke=revoke, revoke_tenant=revoke_tenant, revoked=revoked),
    tenants=TenantDoors(
        register=tenants.register,
        registered=tenants.registered,
        grant=tenants.grant,
        suspend=tenants.suspend,
        resume=tenants.resume,
        clients=tenants.clients,
        put_client=tenants.put_client,
        remove_client=tenants.remove_client,
    ),
)
RATE_WINDOW_SECONDS: Final = 60.0

Progress = Callable[[str, int, int], None]
"""Told of a step: its name, how much is done, and of how much (0: unknown)."""


class Adapters(msgspec.Struct, frozen=True):
    """The rooms behind the ports, opened."""

    keep: Keep
    keys: Keys
    revoked: Revoked
    enacted: Enacted
    ledger: Ledger
    index: Index
    embedder: Embedder
    detectors: Mapping[str, Detector]
    assists: Assists
    journal: BatchingJournal
    traces: TraceBook
    buckets: Buckets
    accepted: asyncio.Event
    metrics: Metrics
    tracing: Tracing | None
    working: tuple[asyncio.Task[None], ...]


class Gateway(msgspec.Struct, frozen=True):
    """A gateway that is ready to serve."""

    litestar: Litestar
    rooms: Rooms
    settings: Settings


def now() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """Return a fresh version 7 UUID."""
    return uuid7(now(), secrets.token_bytes(RANDOM_BYTES))


def run(settings: Settings, progress: Progress = lambda _step, _done, _total: None) -> None:
    """Serve until SIGTERM or SIGINT; what runs then finishes first."""
    configure(settings.log_level)
    refuse_wrong(settings)
    prepare_models(settings, progress)
    uvloop.run(_serve(settings))


def refuse_wrong(settings: Settings) -> None:
    """Raise SettingsError, InvalidError or PolicyError for what no waiting can mend, before
    anything is waited for.
    """
    keys = start_keys(settings)
    root_key(keys.root_key)
    refuse_wrong_keys(settings, keys.keys_file)
    warn_unsafe(policy_of(settings))
    overrides_of(settings)
    keys_url(settings)
    ledger_url(settings)


async def _serve(settings: Settings) -> None:
    """Listen at once, and serve as soon as everything is there."""
    front = Front()
    config = server(front, settings).config
    config.lifespan = "off"  # the application's own begins when it is open, long after the server's
    serving = _Server(config)
    stopped = asyncio.Event()
    opening = asyncio.create_task(_open(settings, front, stopped), name="opening")
    opening.add_done_callback(lambda _: serving.handle_exit(signal.SIGTERM, None))
    try:
        await serving.serve()
    finally:
        stopped.set()
        if not front.is_open:
            opening.cancel()
        await asyncio.wait((opening,))
    if not opening.cancelled():
        opening.result()


async def _open(settings: Settings, front: Front, stopped: asyncio.Event) -> None:
    """Open the gateway in `front`, and close it when the server has stopped.

    One task does both: what the application opened must be closed where it was opened.
    """
    async with (
        waited(settings, lambda: opened(settings), front) as gateway,
        gateway.litestar.lifespan(),
    ):
        front.open(gateway.litestar)
        await stopped.wait()


class _Server(uvicorn.Server):
    """Takes a signal as the wish to stop, and returns.

    The base class raises the signal again once it has stopped serving, which ends the process
    before the rooms are closed.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM while the server runs."""
        loop = asyncio.get_running_loop()
        stops = (signal.SIGINT, signal.SIGTERM)
        for stop in stops:
            loop.add_signal_handler(stop, self.handle_exit, stop, None)
        try:
            yield
        finally:
            for stop in stops:
                loop.remove_signal_handler(stop)


@asynccontextmanager
async def embedded(settings: Settings) -> AsyncIterator[Gateway]:
    """Lend a gateway that serves this process alone: it is opened and works, and listens nowhere.

    Raises as `run` does, and UnavailableError at once for what `run` would wait for.
    """
    configure(settings.log_level)
    refuse_wrong(settings)
    prepare_models(settings, lambda _step, _done, _total: None)
    async with opened(settings) as gateway, gateway.litestar.lifespan():
        yield gateway


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Gateway]:
    """Open every room and lend the gateway over them; close all of it in reverse.

    Raises SettingsError or a GuardError when something does not fit; nothing is served then.
    """
    async with adapters_of(settings) as adapters:
        registry = SqlRegistry(adapters.keep.database)
        await enrol(settings.tenants, LedgerDesk(now, new_id, registry))
        yield assembled(settings, adapters)


@asynccontextmanager
async def adapters_of(settings: Settings) -> AsyncIterator[Adapters]:
    """Open what lies behind the ports, and run what works in the background meanwhile."""
    async with AsyncExitStack() as stack:
        keep = await stack.enter_async_context(opened_keep(settings))
        keys = await stack.enter_async_context(opened_keys(settings))
        await stack.enter_async_context(witnessed(settings, keep.audit))
        taken_back = await stack.enter_async_context(opened_revoked(settings, keep.database))
        enacted = await stack.enter_async_context(opened_enacted(settings, keep.database))
        embedder = await stack.enter_async_context(opened_embedder(settings))
        await adopted(keep.database, embedder)
        detectors = await stack.enter_async_context(opened_detectors(settings, embedder=embedder))
        assists = await stack.enter_async_context(
            opened_assists(settings, SqlRegistry(keep.database))
        )
        index = await stack.enter_async_context(
            opened_index(settings, keep, embedder.id.dimensions)
        )
        if settings.index.kind is IndexKind.EMBEDDED:
            # There is one gateway to an embedded index: whoever held a lease is dead.
            await keep.outbox.release(now())
            await SqlQueue(keep.database).release(now())
        # The lambda looks the follower up late: it is made from the ledger that wakes it.
        accepted = asyncio.Event()
        ledger = SqlLedger(
            keep.database,
            committed=lambda: follower.nudge(),  # noqa: PLW0108
            accepted=accepted.set,
        )
        metrics = metrics_of(keep.database, now)
        follower = Follower(keep.outbox, ledger, keep.vault, index, now, followed=metrics.followed)
        journal = BatchingJournal(keep.audit)
        traces = TraceBook(
            SqlTraces(keep.database),
            keep.envelopes,
            now,
            keep=timedelta(days=settings.recall.trace_days),
        )
        working = await stack.enter_async_context(_working(follower, journal, traces))
        buckets = await stack.enter_async_context(opened_buckets(settings))
        watch(
            metrics,
            follower=follower,
            journal=journal,
            traces=traces,
            index=index,
            buckets=buckets,
            policy=policy_of(settings),
        )
        watch_asked(metrics, detectors)
        watch_assists(metrics, assists)
        tracing = await stack.enter_async_context(opened_tracing(settings))
        yield Adapters(
            keep=keep,
            keys=keys,
            revoked=taken_back,
            enacted=enacted,
            ledger=ledger,
            index=index,
            embedder=embedder,
            detectors=detectors,
            assists=assists,
            journal=journal,
            traces=traces,
            buckets=buckets,
            accepted=accepted,
            metrics=metrics,
            tracing=tracing,
            working=working,
        )


def assembled(settings: Settings, adapters: Adapters, use_cases: UseCases = USE_CASES) -> Gateway:
    """Return the gateway over opened adapters."""
    keep, index, embedder = adapters.keep, adapters.index, adapters.embedder
    registry = RecentRegistry(SqlRegistry(keep.database), settings.auth.registry_seconds)
    metrics, magnets = adapters.metrics, Magnets(embedder)
    telling = adapters.assists.extracting
    hot = Hot(settings.recall.cache_bytes, settings.recall.cache_seconds)
    lately = Lately(settings.recall.cache_bytes, settings.recall.cache_seconds)
    watch_hot(metrics, hot, lately)
    watch_ready(metrics, keep.vault.ready)
    rooms = Rooms(
        clock=now,
        new_id=new_id,
        policy=policy_of(settings),
        overrides=overrides_of(settings),
        enacted=adapters.enacted,
        statutes=SqlStatutes(keep.database),
        stock=SqlStock(keep.database),
        stages=STAGES,
        detectors=adapters.detectors,
        vault=keep.vault,
        marks=keep.vault,
        ledger=adapters.ledger,
        quarantine=SqlQuarantine(keep.database),
        index=index,
        embedder=MeteredEmbedder(embedder, metrics),
        magnets=magnets,
        rates=WindowRates(RATE_WINDOW_SECONDS),
        audit=keep.audit,
        journal=adapters.journal,
        registry=registry,
        turns=Turns(),
        bounds=bounds_of(settings),
        watch=Recorder(metrics, adapters.tracing),
        envelopes=keep.envelopes,
        answers=SqlAnswers(keep.database),
        queue=SqlQueue(keep.database),
        transcript=SqlTranscript(keep.database),
        traces=adapters.traces,
        remarks=SqlRemarks(keep.database),
        undoing=SqlUndoing(keep.database),
        proposals=SqlProposals(keep.database),
        hooking=hooking_of(settings.webhooks, keep.database),
        bans=SqlBans(keep.database),
        origins=SqlOrigins(keep.database),
        doubts=SqlDoubts(keep.database),
        hot=hot,
        lately=lately,
        count=adapters.assists.count,
        closely=adapters.assists.closely,
        rewording=adapters.assists.rewording,
        ordering=adapters.assists.ordering,
        relating=Weighed(Pairs.load(), "" if telling is None else telling.name),
        telling=telling,
    )
    deciding = Deciding(settings, rooms, adapters.accepted)
    delivering = delivering_of(settings.webhooks, rooms, keep.database)
    watch_posts(metrics, delivering)

    async def embeds() -> None:
        await embedder.embed(["ready"])

    async def works() -> None:
        if any(task.done() for task in (*adapters.working, *deciding.running, *delivering.running)):
            raise UnavailableError("background")

    edge = Edge(
        settings=settings,
        rooms=rooms,
        use_cases=use_cases,
        verifier=Verifier(adapters.keys, settings.auth, settings.url),
        admission=_admission(settings, registry),
        revoked=adapters.revoked,
        visits=SqlVisits(keep.database),
        buckets=adapters.buckets,
        peers=own_buckets(),
        metrics=metrics,
        tracing=adapters.tracing,
        probes={
            "ledger": keep.database.ping,
            "keys": keep.keyring.prove_root,
            "index": index.ping,
            "embedder": embeds,
            "background": works,
        },
        lifespans=(deciding.run, delivering.run, magnets.run, listening(settings.metrics, metrics)),
    )
    return Gateway(build(edge), rooms, settings)


@asynccontextmanager
async def _working(
    follower: Follower, journal: BatchingJournal, traces: TraceBook
) -> AsyncIterator[tuple[asyncio.Task[None], ...]]:
    """Run the background work meanwhile; let it come to its end before the rooms close."""
    following = asyncio.create_task(follower.run(), name="follower")
    noting = asyncio.create_task(journal.run(), name="journal")
    tracing = asyncio.create_task(traces.run(), name="traces")
    tasks = following, noting, tracing
    try:
        yield tasks
    finally:
        following.cancel()
        journal.stop()
        traces.stop()
        await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled() and task.exception() is not None:
                LOGGER.error("background work broke", extra={"task": task.get_name()})


def prepare_models(settings: Settings, progress: Progress) -> None:
    """Verify the packaged models and lay out what speeds up loading. Idempotent, and offline.

    Does nothing for another embedder.
    """
    if settings.embedder.kind is EmbedderKind.PACKAGED:
        prepare(models_dir(settings), progress)


def _admission(settings: Settings, registry: Registry) -> Admission:
    if settings.mode is Mode.DEVELOPMENT:
        return UnsafeFirstUse(registry)
    return RegisteredOnly(registry)
