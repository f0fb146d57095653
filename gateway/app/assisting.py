"""The models that help when the settings name them, and what is counted of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec

from gateway.app.chatting import opened_chat
from gateway.metrics import Figure, Metrics
from gateway.settings import ChatModel, Recall, Settings
from guard.closely import Closely
from guard.consulting import Allows, Consulted
from guard.extracting import Extracting
from guard.models.batching import BatchBounds
from guard.models.chat import CLAIMS, ORDER, QUESTION
from guard.models.counting import counting
from guard.models.crossing import CrossEncoder, Options
from guard.ordering import Ordering
from guard.ports import Indexing, Registry
from guard.rewording import Rewording
from guard.stages import secrets
from memory.assembly import CountTokens, estimate_tokens
from memory.types import TenantId


class Assists(msgspec.Struct, frozen=True):
    """Who helps; None where nobody is named."""

    closely: Closely | None = None
    rewording: Rewording | None = None
    ordering: Ordering | None = None
    extracting: Extracting | None = None
    count: CountTokens = estimate_tokens


@asynccontextmanager
async def opened_assists(settings: Settings, registry: Registry) -> AsyncIterator[Assists]:
    """Lend the models that are configured. `registry` says whose texts may leave the process.

    Raises a GuardError when one can't be had; there is never another, or none, in its place.
    """
    allows = _open_in(registry)
    async with AsyncExitStack() as stack:
        yield Assists(
            await _closely(settings.recall, stack),
            _rewording(settings.recall.rewriter, allows, stack),
            _ordering(settings.recall, allows, stack),
            _extracting(settings.relate.extractor, allows, stack),
            await _count(settings.recall.tokenizer),
        )


def watch_assists(metrics: Metrics, assists: Assists) -> None:
    """Show how often they were asked, and how often it went on without their answer."""
    for name, one in (
        ("cross_encoder", assists.closely),
        ("rewrite", assists.rewording),
        ("order", assists.ordering),
        ("extract", assists.extracting),
    ):
        if one is not None:
            metrics.look_up(partial(_figures, name, one))


async def _count(tokenizer: Path | None) -> CountTokens:
    return estimate_tokens if tokenizer is None else await asyncio.to_thread(counting, tokenizer)


async def _closely(section: Recall, stack: AsyncExitStack) -> Closely | None:
    if section.cross_encoder is None:
        return None
    options = Options(tokens=section.cross_encoder_tokens, threads=section.cross_encoder_threads)
    bounds = BatchBounds(deadline=section.cross_encoder_seconds)
    encoder = await asyncio.to_thread(CrossEncoder.load, section.cross_encoder, options, bounds)
    stack.push_async_callback(encoder.close)
    return Closely(encoder, items=section.cross_encoder_items, weight=section.cross_encoder_weight)


def _rewording(wanted: ChatModel | None, allows: Allows, stack: AsyncExitStack) -> Rewording | None:
    if wanted is None:
        return None
    chat = opened_chat(wanted, QUESTION, stack)
    return Rewording(chat, secrets.found_in, allows, seconds=wanted.seconds)


def _ordering(section: Recall, allows: Allows, stack: AsyncExitStack) -> Ordering | None:
    wanted = section.orderer
    if wanted is None:
        return None
    return Ordering(
        opened_chat(wanted, ORDER, stack),
        secrets.found_in,
        allows,
        items=section.order_items,
        best=section.order_best,
        seconds=wanted.seconds,
    )


def _open_in(registry: Registry) -> Allows:
    """Return how to ask whether a tenant is known and neither sealed nor being sealed."""

    async def is_open(tenant: TenantId) -> bool:
        found = await registry.tenant(tenant)
        return found is not None and found.indexing is Indexing.OPEN

    return is_open


def _extracting(
    wanted: ChatModel | None, allows: Allows, stack: AsyncExitStack
) -> Extracting | None:
    if wanted is None:
        return None
    chat = opened_chat(wanted, CLAIMS, stack)
    return Extracting(chat, secrets.found_in, allows, seconds=wanted.seconds)


def _figures(name: str, one: Closely | Consulted) -> tuple[Figure, Figure]:
    return (
        Figure(f"{name}_asked", "What it was asked about.", one.asked, counts=True),
        Figure(f"{name}_failed", "Those it did not answer in time.", one.failed, counts=True),
    )
