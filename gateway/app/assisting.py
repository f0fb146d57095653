"""The models that help with questions when the settings name them, and what is counted of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from gateway.metrics import Figure, Metrics
from gateway.settings import Recall, Settings
from guard.closely import Closely
from guard.models.batching import BatchBounds
from guard.models.crossing import CrossEncoder, Options


class Assists(msgspec.Struct, frozen=True):
    """Who helps; None where nobody is named."""

    closely: Closely | None = None


@asynccontextmanager
async def opened_assists(settings: Settings) -> AsyncIterator[Assists]:
    """Lend the models that are configured.

    Raises a GuardError when one can't be had; there is never another, or none, in its place.
    """
    async with AsyncExitStack() as stack:
        yield Assists(await _closely(settings.recall, stack))


def watch_assists(metrics: Metrics, assists: Assists) -> None:
    """Show how often they were asked, and how often a question went without their answer."""
    if (closely := assists.closely) is not None:
        metrics.look_up(lambda: _figures("cross_encoder", closely))


async def _closely(section: Recall, stack: AsyncExitStack) -> Closely | None:
    if section.cross_encoder is None:
        return None
    options = Options(tokens=section.cross_encoder_tokens, threads=section.cross_encoder_threads)
    bounds = BatchBounds(deadline=section.cross_encoder_seconds)
    encoder = await asyncio.to_thread(CrossEncoder.load, section.cross_encoder, options, bounds)
    stack.push_async_callback(encoder.close)
    return Closely(encoder, items=section.cross_encoder_items, weight=section.cross_encoder_weight)


def _figures(name: str, one: Closely) -> tuple[Figure, Figure]:
    return (
        Figure(f"{name}_asked", "Questions that it was asked about.", one.asked, counts=True),
        Figure(f"{name}_failed", "Those it did not answer in time.", one.failed, counts=True),
    )
