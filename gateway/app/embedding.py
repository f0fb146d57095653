"""Which embedder serves, what its cosines mean, and that it is the one the ledger knows (S7)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar, assert_never

from gateway.app.keep import models_dir
from gateway.app.secret_files import secret_in
from gateway.settings import Embedder as Section
from gateway.settings import EmbedderKind, Settings, SettingsError
from gateway.telemetry import LOGGER
from guard.models.batching import BatchBounds
from guard.models.directory import Pooling
from guard.models.embedder import PackagedEmbedder
from guard.models.prepare import EMBEDDER
from guard.models.remote import Endpoint, RemoteEmbedder
from guard.models.transformer import Options, TransformersEmbedder
from guard.models.vectors import VECTOR, Prefixes
from guard.ports import Embedder, EmbedderId
from guard.rooms import Bounds
from memory.assembly import ContextBounds
from memory.fusion import DENSE, NO_RAMPS, FusionWeights, Ramp
from memory.ranking import DEFAULT_THRESHOLDS, RankingBounds, Thresholds
from storage.database import Database
from storage.embedders import SqlEmbedders

T = TypeVar("T")


class Loaded(Embedder, Protocol):
    """An embedder that holds a thread and perhaps connections until it is closed."""

    async def close(self) -> None:
        """Refuse what waits, let what runs answer, and let go. Idempotent."""
        ...


@asynccontextmanager
async def opened_embedder(settings: Settings) -> AsyncIterator[Embedder]:
    """Lend the embedder that the settings ask for, loaded.

    Raises SettingsError or a GuardError when it can't be had; there is never another in its place.
    """
    embedder = await _loaded(settings)
    try:
        yield embedder
    finally:
        await embedder.close()


async def adopted(database: Database, embedder: Embedder) -> None:
    """Return when the ledger's vectors are this embedder's, as they are from the first start on.

    Raises SettingsError, naming both, when they are another's: nothing may be mixed. The first time
    it also raises UnavailableError for an embedder that does not work, so that none is recorded
    which was only a slip of the pen.
    """
    embedders = SqlEmbedders(database)
    recorded = await embedders.recorded()
    if recorded is None:
        await embedder.embed(["ready"])
        recorded = await embedders.adopt(embedder.id)
    require_same(recorded, embedder.id)


async def embedder_of(database: Database, settings: Settings) -> EmbedderId:
    """Return the embedder that made the ledger's vectors, else the one that would make them.

    Loads no model where it is known without.
    """
    recorded = await SqlEmbedders(database).recorded()
    if recorded is not None:
        return recorded
    if settings.embedder.kind is EmbedderKind.PACKAGED:
        return EMBEDDER
    async with opened_embedder(settings) as embedder:
        return embedder.id


def require_same(recorded: EmbedderId, configured: EmbedderId) -> None:
    """Return when both are one embedder; raise SettingsError otherwise."""
    if recorded != configured:
        raise SettingsError(
            f"embedder: the vectors of this ledger were made by {described(recorded)}, and what is "
            f"configured is {described(configured)}. Vectors of two models can't be compared: "
            "configure the first again, or start with a new ledger and index"
        )


def described(embedder: EmbedderId) -> str:
    """Return an embedder's name and dimensions in one line."""
    sizes = ", ".join(f"{name} {size}" for name, size in sorted(embedder.dimensions.items()))
    return f"{embedder.name} ({sizes})"


def bounds_of(settings: Settings) -> Bounds:
    """Return the limits of the use-cases, with what was calibrated for the embedder."""
    section = settings.embedder
    thresholds = Thresholds(
        reliable=DEFAULT_THRESHOLDS.reliable if section.reliable is None else section.reliable,
        kept=DEFAULT_THRESHOLDS.kept if section.kept is None else section.kept,
    )
    low, high = section.cosine_unrelated, section.cosine_answering
    found = settings.recall
    return Bounds(
        fusion=found.fusion,
        weights=FusionWeights(
            semantic=found.semantic_weight,
            keyword=found.keyword_weight,
            entity=found.entity_weight,
            time=found.time_weight,
        ),
        ranking=RankingBounds(
            half_life_episodic=found.half_life_episodic_days,
            half_life_semantic=found.half_life_semantic_days,
            recency_episodic=found.recency_floor_episodic,
            recency_semantic=found.recency_floor_semantic,
            importance=found.importance_floor,
            confidence=found.confidence_floor,
        ),
        route_hits=found.route_hits,
        session_neighbours=found.session_neighbours,
        rerank_items=found.rerank_items,
        context=ContextBounds(
            items=found.context_items,
            fewer=found.context_fewer,
            tokens=found.context_tokens,
            characters=found.context_characters,
        ),
        low_trust_items=found.low_trust_items,
        thresholds=thresholds,
        ramps=NO_RAMPS if low is None or high is None else {DENSE + VECTOR: Ramp(low, high)},
        answer_hours=settings.writes.answer_hours,
        detector_seconds=settings.screening.detector_seconds,
        rescreen_items=settings.policy.rescreen_items,
        rescreen_seconds=settings.policy.rescreen_seconds,
        queued_writes=settings.writes.queued,
        held_tenant=settings.held.tenant,
        held_origin=settings.held.origin,
        held_days=settings.held.days,
        undo_minutes=settings.held.undo_minutes,
        proposal_days=settings.held.proposal_days,
        turn_minutes=settings.sessions.turn_minutes,
        session_turns=settings.sessions.turns,
        session_bytes=settings.sessions.max_bytes,
    )


async def _loaded(settings: Settings) -> Loaded:
    section = settings.embedder
    bounds = BatchBounds(texts=section.batch_texts, deadline=section.deadline_seconds)
    if section.kind is not EmbedderKind.PACKAGED and section.cosine_unrelated is None:
        LOGGER.warning("the embedder is not calibrated: what counts as reliable is a guess")
    match section.kind:
        case EmbedderKind.PACKAGED:
            return await asyncio.to_thread(
                PackagedEmbedder.load, models_dir(settings), threads=section.threads, bounds=bounds
            )
        case EmbedderKind.TRANSFORMERS:
            directory = _given(section.directory)
            return await asyncio.to_thread(
                TransformersEmbedder.load, directory, _options(section), bounds
            )
        case EmbedderKind.REMOTE:
            lanes = BatchBounds(
                texts=bounds.texts, deadline=bounds.deadline, lanes=section.requests_at_once
            )
            return RemoteEmbedder(_endpoint(section), lanes)
        case _:
            assert_never(section.kind)


def _options(section: Section) -> Options:
    return Options(
        pooling=None if section.pooling is None else Pooling(section.pooling.value),
        max_tokens=section.max_tokens,
        question_prefix=section.question_prefix,
        memory_prefix=section.memory_prefix,
        threads=section.threads,
    )


def _endpoint(section: Section) -> Endpoint:
    key = (
        section.api_key
        if section.api_key_file is None
        else secret_in(section.api_key_file, "embedder.api_key_file")
    )
    return Endpoint(
        url=_given(section.url),
        model=_given(section.model),
        dimensions=_given(section.dimensions),
        request_dimensions=section.request_dimensions,
        key=None if key is None else key.reveal,
        ca_file=section.ca_file,
        prefixes=Prefixes(section.question_prefix or "", section.memory_prefix or ""),
        max_characters=section.max_characters,
        attempts=section.attempts,
        deadline=section.deadline_seconds,
    )


def _given(value: T | None) -> T:
    """Return what the settings have required."""
    if value is None:
        raise SettingsError("embedder: not configured whole")
    return value
