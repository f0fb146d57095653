"""The models that help when the settings name them, and what is counted of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import msgspec

from gateway.app.chatting import opened_chat
from gateway.metrics import Figure, Metrics
from gateway.settings import ChatModel, Recall, Settings
from guard.closely import Closely
from guard.extracting import Extracting
from guard.models.batching import BatchBounds
from guard.models.chat import CLAIMS, QUESTION
from guard.models.crossing import CrossEncoder, Options
from guard.rewording import Rewording
from guard.stages import secrets


class Assists(msgspec.Struct, frozen=True):
    """Who helps; None where nobody is named."""

    closely: Closely | None = None
    rewording: Rewording | None = None
    extracting: Extracting | None = None


@asynccontextmanager
async def opened_assists(settings: Settings) -> AsyncIterator[Assists]:
    """Lend the models that are configured.

    Raises a GuardError when one can't be had; there is never another, or none, in its place.
    """
    async with AsyncExitStack() as stack:
        yield Assists(
            await _closely(settings.recall, stack),
            _rewording(settings.recall.rewriter, stack),
            _extracting(settings.relate.extractor, stack),
        )


def watch_assists(metrics: Metrics, assists: Assists) -> None:
    """Show how often they were asked, and how often it went on without their answer."""
    for name, one in (
        ("cross_encoder", assists.closely),
        ("rewrite", assists.rewording),
        ("extract", assists.extracting),
    ):
        if one is not None:
            metrics.look_up(partial(_figures, name, one))


async def _closely(section: Recall, stack: AsyncExitStack) -> Closely | None:
    if section.cross_encoder is None:
        return None
    options = Options(tokens=section.cross_encoder_tokens, threads=section.cross_encoder_threads)
    bounds = BatchBounds(deadline=section.cross_encoder_seconds)
    encoder = await asyncio.to_thread(CrossEncoder.load, section.cross_encoder, options, bounds)
    stack.push_async_callback(encoder.close)
    return Closely(encoder, items=section.cross_encoder_items, weight=section.cross_encoder_weight)


def _rewording(wanted: ChatModel | None, stack: AsyncExitStack) -> Rewording | None:
    if wanted is None:
        return None
    return Rewording(opened_chat(wanted, QUESTION, stack), secrets.found_in, seconds=wanted.seconds)


def _extracting(wanted: ChatModel | None, stack: AsyncExitStack) -> Extracting | None:
    if wanted is None:
        return None
    return Extracting(opened_chat(wanted, CLAIMS, stack), secrets.found_in, seconds=wanted.seconds)


def _figures(name: str, one: Closely | Rewording | Extracting) -> tuple[Figure, Figure]:
    return (
        Figure(f"{name}_asked", "What it was asked about.", one.asked, counts=True),
        Figure(f"{name}_failed", "Those it did not answer in time.", one.failed, counts=True),
    )
