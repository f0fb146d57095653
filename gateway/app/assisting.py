"""The models that help when the settings name them, and what is counted of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import msgspec

from gateway.app.secret_files import secret_in
from gateway.metrics import Figure, Metrics
from gateway.settings import Recall, Relate, Settings
from guard.closely import Closely
from guard.extracting import Extracting
from guard.models.batching import BatchBounds
from guard.models.chat import CLAIMS, QUESTION, ChatEndpoint, Endpoint, Format
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
            _rewording(settings.recall, stack),
            _extracting(settings.relate, stack),
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


def _rewording(section: Recall, stack: AsyncExitStack) -> Rewording | None:
    if section.rewrite_url is None or section.rewrite_model is None:
        return None
    key = section.rewrite_api_key
    if section.rewrite_api_key_file is not None:
        key = secret_in(section.rewrite_api_key_file, "recall.rewrite_api_key_file")
    chat = ChatEndpoint(
        Endpoint(
            url=section.rewrite_url,
            model=section.rewrite_model,
            key=None if key is None else key.reveal,
            ca_file=section.rewrite_ca_file,
            format=Format(section.rewrite_format.value),
            deadline=section.rewrite_seconds,
        ),
        QUESTION,
    )
    stack.push_async_callback(chat.close)
    return Rewording(chat, secrets.found_in, seconds=section.rewrite_seconds)


def _extracting(section: Relate, stack: AsyncExitStack) -> Extracting | None:
    if section.extract_url is None or section.extract_model is None:
        return None
    key = section.extract_api_key
    if section.extract_api_key_file is not None:
        key = secret_in(section.extract_api_key_file, "relate.extract_api_key_file")
    chat = ChatEndpoint(
        Endpoint(
            url=section.extract_url,
            model=section.extract_model,
            key=None if key is None else key.reveal,
            ca_file=section.extract_ca_file,
            format=Format(section.extract_format.value),
            deadline=section.extract_seconds,
        ),
        CLAIMS,
    )
    stack.push_async_callback(chat.close)
    return Extracting(chat, secrets.found_in, seconds=section.extract_seconds)


def _figures(name: str, one: Closely | Rewording | Extracting) -> tuple[Figure, Figure]:
    return (
        Figure(f"{name}_asked", "What it was asked about.", one.asked, counts=True),
        Figure(f"{name}_failed", "Those it did not answer in time.", one.failed, counts=True),
    )
