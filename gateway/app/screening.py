"""The detectors that the settings ask for, opened, and what is counted of them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

from gateway.app.chatting import opened_chat
from gateway.app.keep import models_dir
from gateway.app.policing import governed, overrides_of, policy_of
from gateway.metrics import Figure, Metrics
from gateway.settings import Screening, Settings
from guard.detectors import classifier, judge, second
from guard.detectors.classifier import Classifier
from guard.detectors.doubt import Doubt, Settled
from guard.detectors.judge import Judge
from guard.detectors.quota import EachAlone, Metered, Quota
from guard.detectors.second import Second
from guard.detectors.unasked import Unasked
from guard.models.batching import BatchBounds
from guard.models.chat import VERDICT
from guard.models.embedder import PackagedEmbedder
from guard.models.prepare import prepare
from guard.models.reading import PoisonReader
from guard.models.sequence import Options, SequenceReader
from guard.nouns import Tagged
from guard.ports import Detector, Embedder
from guard.stages import secrets
from policies.decide import effect_of
from policies.model import Effect, Finding

DOUBTED: Final = f"{classifier.NAME}.{classifier.POISON}"
"""The reason whose score says whether a text is in doubt."""


def own_quota(share: float) -> Metered:
    """Return a quota of this process."""
    return Quota(share, time.monotonic)


def no_quota(share: float) -> Metered:
    """Return what lets everything through: for an operator who asks about each text himself."""
    del share
    return EachAlone()


@asynccontextmanager
async def opened_detectors(
    settings: Settings,
    quota_of: Callable[[float], Metered] = own_quota,
    embedder: Embedder | None = None,
) -> AsyncIterator[Mapping[str, Detector]]:
    """Lend every detector by name, in the order in which they are asked.

    The classifier reads by the packaged embedder. It uses `embedder` when that is the one, and
    otherwise loads it for itself.

    Raises SettingsError or a GuardError when one that is configured can't be had; there is never
    another, or none, in its place.
    """
    section = settings.screening
    doubt = Doubt(DOUBTED, section.doubt_from, section.doubt_to, settled_by(settings))
    async with AsyncExitStack() as stack:
        yield {
            classifier.NAME: Classifier(await _reader(settings, embedder, stack)),
            second.NAME: await _second(section, doubt, quota_of, stack),
            judge.NAME: await _judge(section, doubt, quota_of, stack),
        }


def watch_asked(metrics: Metrics, detectors: Mapping[str, Detector]) -> None:
    """Show how often the costly ones were asked, and how often they were not for their quota."""
    for name, one in detectors.items():
        if isinstance(one, Second | Judge):
            metrics.look_up(partial(_asked, name, one))


async def proven(detectors: Mapping[str, Detector], settings: Settings) -> str:
    """Return who is asked, in one line, when all of them answer.

    Raises UnavailableError or TimeoutError.
    """
    async with asyncio.timeout(settings.screening.detector_seconds):
        for one in detectors.values():
            if isinstance(one, Judge):
                await one.prove()
    section = settings.screening
    where = {judge.NAME: section.judge_url}
    said = [
        f"{name} {one.version}" + (f" at {url}" if (url := where.get(name)) else "")
        for name, one in detectors.items()
        if not isinstance(one, Unasked)
    ]
    return ", ".join(said) or "none configured"


def settled_by(settings: Settings) -> Settled:
    """Return what says whether a write is held for a finding under its tenant's policy.

    Asking somebody else about it would cost time and change nothing.
    """
    policy, overrides = policy_of(settings), overrides_of(settings)

    def settled(tagged: Tagged, finding: Finding) -> bool:
        own = governed(policy, overrides, tagged.owner.tenant)
        return effect_of(own, tagged.origin.trust, finding) in (Effect.QUARANTINE, Effect.REJECT)

    return settled


async def _reader(
    settings: Settings, embedder: Embedder | None, stack: AsyncExitStack
) -> PoisonReader:
    bounds, threads = (
        BatchBounds(deadline=settings.screening.detector_seconds),
        settings.embedder.threads,
    )
    shared = isinstance(embedder, PackagedEmbedder)
    if embedder is None or not shared:
        await asyncio.to_thread(prepare, models_dir(settings), _quiet)
        loaded = await asyncio.to_thread(
            PackagedEmbedder.load, models_dir(settings), threads=threads, bounds=bounds
        )
        stack.push_async_callback(loaded.close)
        embedder = loaded
    reader = await asyncio.to_thread(
        PoisonReader.load, embedder, shared=shared, threads=threads, bounds=bounds
    )
    stack.push_async_callback(reader.close)
    return reader


async def _second(
    section: Screening, doubt: Doubt, quota_of: Callable[[float], Metered], stack: AsyncExitStack
) -> Detector:
    if section.second_directory is None:
        return Unasked()
    options = Options(
        attack=section.second_attack_labels,
        tokens=section.second_tokens,
        windows=section.second_windows,
        threads=section.second_threads,
    )
    bounds = BatchBounds(deadline=section.detector_seconds)
    reader = await asyncio.to_thread(SequenceReader.load, section.second_directory, options, bounds)
    stack.push_async_callback(reader.close)
    return Second(
        reader,
        doubt,
        quota_of(section.second_share),
        poison=section.second_poison,
        unsure=section.second_unsure,
    )


async def _judge(
    section: Screening, doubt: Doubt, quota_of: Callable[[float], Metered], stack: AsyncExitStack
) -> Detector:
    if section.judge is None:
        return Unasked()
    chat = opened_chat(section.judge, VERDICT, stack)
    # Behind a second stage it sees what that is unsure of, and without one all that is in doubt.
    if section.second_directory is not None:
        reason = f"{second.NAME}.{second.UNSURE}"
        doubt = Doubt(reason, section.second_unsure, section.second_poison)
    return Judge(
        chat, doubt, quota_of(section.judge_share), secrets.inspect, sure=section.judge_sure
    )


def _asked(name: str, one: Second | Judge) -> tuple[Figure, Figure]:
    return (
        Figure(f"{name}_asked", "Texts that it was asked about.", one.asked, counts=True),
        Figure(f"{name}_over_quota", "Texts in doubt beyond its quota.", one.refused, counts=True),
    )


def _quiet(_step: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""
