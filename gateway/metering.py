"""Takes the figures where things happen: at the doors, inside them, and at what they work with."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from gateway.metrics import Metrics
from gateway.tracing import Tracing
from guard.errors import GuardError
from guard.outcomes import WriteOutcome
from guard.ports import Bucket, Buckets, Embedder, EmbedderId, Purpose, Taken
from guard.principal import Principal
from memory.signals import Vectors
from policies.model import Status

D = TypeVar("D", bound=msgspec.Struct)


class Recorder:
    """Fulfils `guard.watch.Watch`: figures, and spans when there is tracing."""

    def __init__(self, metrics: Metrics, tracing: Tracing | None) -> None:
        self._metrics, self._tracing = metrics, tracing

    def step(self, name: str) -> AbstractContextManager[object]:
        """Note how long the block takes."""
        return _Step(self._metrics, self._tracing, name)

    def detected(self, name: str, status: Status) -> None:
        """Note how one detector ended."""
        self._metrics.detected(name, status)

    def wrote(self, outcome: WriteOutcome) -> None:
        """Note what became of a write."""
        self._metrics.wrote(outcome)

    def recalled(self, *, reliable: bool, degraded: bool) -> None:
        """Note that a question was answered."""
        self._metrics.recalled(reliable=reliable, degraded=degraded)

    def withheld(self, check: str) -> None:
        """Note that a check kept a memory out of an answer."""
        self._metrics.withheld(check)


class _Step:
    def __init__(self, metrics: Metrics, tracing: Tracing | None, name: str) -> None:
        self._metrics, self._name = metrics, name
        self._span = None if tracing is None else tracing.span(name)
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()
        if self._span is not None:
            self._span.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._span is not None:
            self._span.__exit__(kind, error, trace)
        self._metrics.step(self._name, time.perf_counter() - self._began)


def metered(doors: D, metrics: Metrics) -> D:
    """Return the same doors, each call of which is counted and timed."""
    return type(doors)(
        **{
            name: metered(door, metrics)
            if isinstance(door, msgspec.Struct)
            else _metered(name, door, metrics)
            for name, door in msgspec.structs.asdict(doors).items()
        }
    )


def _metered(name: str, door: Callable[..., Awaitable[Any]], metrics: Metrics) -> Any:
    async def called(principal: Principal, *arguments: Any) -> Any:
        began, result = time.perf_counter(), "cancelled"
        try:
            answer = await door(principal, *arguments)
            result = "ok"
        except GuardError as error:
            result = error.code
            raise
        except Exception:
            result = "internal"
            raise
        finally:
            seconds = time.perf_counter() - began
            metrics.call(door=name, channel=principal.channel.value, result=result, seconds=seconds)
        return answer

    return called


class MeteredBuckets:
    """Fulfils `guard.ports.Buckets` and counts refusals by the policy that was used up."""

    def __init__(self, buckets: Buckets, metrics: Metrics) -> None:
        self._buckets, self._metrics = buckets, metrics

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Take `cost` units from each bucket, or from none."""
        taken = await self._buckets.take(buckets, cost)
        if not taken.allowed:
            for bucket, wait in zip(buckets, taken.waits, strict=True):
                if wait > 0:
                    self._metrics.limited(bucket.policy)
        return taken


class MeteredEmbedder:
    """Fulfils `guard.ports.Embedder` and counts what waits for it."""

    def __init__(self, embedder: Embedder, metrics: Metrics) -> None:
        self._embedder, self._metrics = embedder, metrics

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return self._embedder.id

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        with self._metrics.embedding(len(texts)):
            return await self._embedder.embed(texts, purpose)
