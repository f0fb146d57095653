"""What is watched of a gateway, and where traces go."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from gateway.app.policing import is_unsafe
from gateway.metrics import Figure, Metrics
from gateway.sampling import Sampler
from gateway.settings import Settings
from gateway.tracing import Tracing, provider_of
from guard.hot import Hot
from guard.lately import Lately
from guard.ports import Buckets, Clock, Index
from policies.model import Policy
from storage.database import Database
from storage.figures import SqlFigures
from storage.follower import Follower
from storage.index.divided import DividedIndex
from storage.index.embedded import EmbeddedIndex
from storage.journal import BatchingJournal
from storage.limits.fallback import FallbackBuckets
from storage.posts import SqlPosts
from storage.ready import Ready
from storage.tracebook import TraceBook


@asynccontextmanager
async def opened_tracing(settings: Settings) -> AsyncIterator[Tracing | None]:
    """Lend what makes spans, when a collector is configured; what waits is sent at the end."""
    if settings.tracing.otlp_url is None:
        yield None
        return
    provider = provider_of(settings.tracing)
    try:
        yield Tracing(provider, settings.tracing.trusted_parents)
    finally:
        await asyncio.to_thread(provider.shutdown)


def metrics_of(database: Database, clock: Clock) -> Metrics:
    """Return the figures of one gateway over this ledger."""
    ledger, posts = SqlFigures(database, clock), SqlPosts(database)

    async def standing() -> Sequence[Figure]:
        now, posted = await ledger.standing(), await posts.standing()
        lag = 0.0 if posted.oldest is None else (clock() - posted.oldest).total_seconds()
        return (
            Figure("tenants", "Registered tenants.", now.tenants),
            Figure("quarantine_held", "Writes that are held, of all tenants.", now.held),
            Figure("outbox_waiting", "Changes that the index has yet to follow.", now.outbox),
            Figure("queue_waiting", "Accepted writes that are yet to be decided.", now.queue),
            Figure(
                "queue_oldest_seconds",
                "How long ago the oldest of them was accepted.",
                now.queue_seconds,
            ),
            Figure("queue_dead", "Accepted writes that were given up.", now.dead),
            Figure("webhook_waiting", "Findings that are yet to be posted.", posted.waiting),
            Figure("webhook_dead", "Findings whose posting was given up.", posted.dead),
            Figure("webhook_lag_seconds", "Since when the oldest waits.", max(0.0, lag)),
        )

    return Metrics(Sampler(standing))


def watch(
    metrics: Metrics,
    *,
    follower: Follower,
    journal: BatchingJournal,
    traces: TraceBook,
    index: Index,
    buckets: Buckets,
    policy: Policy,
) -> None:
    """Show what works in the background counts by itself, and a policy that holds nothing."""

    def counted(name: str, said: str, value: float) -> Figure:
        return Figure(name, said, value, counts=True)

    said = "1 while the policy only watches: what it would hold is stored."
    unsafe = Figure("policy_unsafe", said, is_unsafe(policy))
    metrics.look_up(lambda: (unsafe,))
    metrics.look_up(
        lambda: (
            counted("journal_lost", "Audit leaves that were given up.", journal.lost),
            counted("traces_lost", "Traces of recalls that were given up.", traces.lost),
            counted("index_retries", "Batches for the index put off.", follower.retries),
            counted("index_unreadable", "Rows that did not open.", follower.unreadable),
            counted("index_rebuilt", "Tenants whose index was rebuilt.", follower.rebuilt),
        )
    )
    engine = index.engine if isinstance(index, DividedIndex) else index
    if isinstance(engine, EmbeddedIndex):
        metrics.look_up(
            lambda: (counted("index_restarts", "Workers started again.", engine.restarts),)
        )
    if isinstance(buckets, FallbackBuckets):
        metrics.look_up(
            lambda: (
                Figure("limits_alone", "1 while this process counts alone.", buckets.alone),
                counted("limits_falls", "Times the shared store was lost.", buckets.falls),
                counted("limits_taken_alone", "Decisions without it.", buckets.taken_alone),
            )
        )


def watch_hot(metrics: Metrics, hot: Hot, lately: Lately) -> None:
    """Show how often a question was one that had been asked before, and what is kept for them."""
    metrics.look_up(
        lambda: (
            Figure("recall_cache_hits", "Questions answered as before.", hot.hits, counts=True),
            Figure("recall_cache_misses", "Those answered afresh.", hot.misses, counts=True),
            Figure("recall_cache_bytes", "About what is kept of answers.", hot.bytes),
            Figure("recall_rows_bytes", "About what sealed rows at hand take.", lately.bytes),
        )
    )


def watch_ready(metrics: Metrics, ready: Ready) -> None:
    """Show how much search material is at hand."""
    metrics.look_up(
        lambda: (Figure("ready_bytes", "About what opened search material takes.", ready.bytes),)
    )
