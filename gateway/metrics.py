"""Figures for Prometheus: how much, how long, how often. Never who, never what (E11).

No label names a tenant, a subject, a client or an id, hashed or not: such a name is a customer's, a
hash of it can be looked up by whoever knows the name, and each makes a series that never goes away.
Every label takes its values from the code: routes, outcomes, origins, checks.
"""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import msgspec
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from guard.detectors import SCREENING
from guard.outcomes import WriteOutcome
from policies.decide import MONITOR
from policies.model import Status

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
UNROUTED: Final = "(none)"
"""The route of what no route takes: a path is the caller's word and never a label."""
OTHER: Final = "other"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAMILIES: Final = frozenset({*SCREENING, "origin", "relate", "check", "rescreen", MONITOR})
_SECONDS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0),
)
_LAGS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 1800.0)

# When a series began is of no use to anybody here, and is a third of the page.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Figure(msgspec.Struct, frozen=True):
    """One value that is looked up when somebody asks."""

    name: str
    help: str
    value: float
    counts: bool = False
    """Whether it only ever grows."""


Figures = Callable[[], Sequence[Figure]]
Sample = Callable[[], Awaitable[Sequence[Figure]]]
"""Figures that cost a query, as fresh as they can be had."""


async def _nothing() -> Sequence[Figure]:
    return ()


class Metrics:
    """The figures of one gateway. Safe to use from threads."""

    def __init__(self, sample: Sample = _nothing) -> None:
        self._sample = sample
        self._looked_up: Final[list[Figures]] = []
        registry = self._registry = CollectorRegistry(auto_describe=False)
        registry.register(_LookedUp(self._figures))
        ProcessCollector(registry=registry)
        named: dict[str, Any] = {"namespace": "memguard", "registry": registry}
        timed: dict[str, Any] = named | {"buckets": _SECONDS}
        self._requests = Counter(
            "requests", "Requests by route template.", ("route", "method", "status"), **named
        )
        self._request_seconds = Histogram(
            "request_seconds", "From the head of a request to its end.", ("route",), **timed
        )
        self._calls = Counter(
            "calls", "Calls of the doors, over any edge.", ("door", "channel", "result"), **named
        )
        self._call_seconds = Histogram(
            "call_seconds", "How long the doors took.", ("door",), **timed
        )
        self._steps = Histogram(
            "step_seconds", "How long the steps inside the doors took.", ("step",), **timed
        )
        self._detections = Counter(
            "detections",
            "How detectors ended, one for each write.",
            ("detector", "result"),
            **named,
        )
        self._writes = Counter("writes", "What became of writes.", ("outcome", "origin"), **named)
        self._reasons = Counter(
            "write_reasons", "Why, by the family of the reason.", ("outcome", "family"), **named
        )
        self._recalls = Counter("recalls", "Questions answered.", ("reliable", "degraded"), **named)
        self._withheld = Counter(
            "withheld", "Memories that a check kept out of an answer.", ("check",), **named
        )
        self._limited = Counter(
            "limited", "Operations that an empty bucket refused.", ("policy",), **named
        )
        self._embedding = Gauge(
            "embedder_texts", "Texts that wait for vectors or are being embedded.", **named
        )
        self._embedded = Histogram(
            "embedding_seconds", "From asking for vectors to having them.", **timed
        )
        self._unembedded = Counter(
            "embedding_failures", "Calls of the embedder that failed.", **named
        )

        self._followed = Histogram(
            "index_lag_seconds",
            "From the commit of a change to the index having it.",
            **named,
            buckets=_LAGS,
        )

    def look_up(self, figures: Figures) -> None:
        """Ask for these figures whenever the page is made."""
        self._looked_up.append(figures)

    async def page(self) -> bytes:
        """Return everything in Prometheus' text format."""
        sampled = await self._sample()
        page = generate_latest(self._registry)
        extra = CollectorRegistry(auto_describe=False)
        extra.register(_LookedUp(lambda: sampled))
        return page + generate_latest(extra)

    def request(self, *, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request that has ended."""
        self._requests.labels(route, method_of(method), str(status)).inc()
        self._request_seconds.labels(route).observe(seconds)

    def call(self, *, door: str, channel: str, result: str, seconds: float) -> None:
        """Count one call of a door."""
        self._calls.labels(door, channel, result).inc()
        self._call_seconds.labels(door).observe(seconds)

    def step(self, name: str, seconds: float) -> None:
        """Count one step."""
        self._steps.labels(name).observe(seconds)

    def detected(self, name: str, status: Status) -> None:
        """Count one detector that has ended."""
        self._detections.labels(name if name in SCREENING else OTHER, status.value).inc()

    def wrote(self, outcome: WriteOutcome) -> None:
        """Count one write by what became of it."""
        tag = str(type(outcome).__struct_config__.tag)
        self._writes.labels(tag, outcome.origin.value).inc()
        for family in {reason.partition(".")[0] for reason in outcome.reasons}:
            self._reasons.labels(tag, family if family in _FAMILIES else OTHER).inc()

    def recalled(self, *, reliable: bool, degraded: bool) -> None:
        """Count one answer."""
        self._recalls.labels(_word(reliable), _word(degraded)).inc()

    def withheld(self, check: str) -> None:
        """Count one memory that was kept out of an answer."""
        self._withheld.labels(check).inc()

    def limited(self, policy: str) -> None:
        """Count one refusal of an empty bucket."""
        self._limited.labels(policy).inc()

    def followed(self, seconds: float) -> None:
        """Count one change that the index has followed."""
        self._followed.observe(seconds)

    def embedding(self, texts: int) -> AbstractContextManager[object]:
        """Count texts that are being embedded while the block runs."""
        return _Embedding(self._embedding, self._embedded, self._unembedded, texts)

    def _figures(self) -> Sequence[Figure]:
        return [figure for figures in self._looked_up for figure in figures()]


def method_of(method: str) -> str:
    """Return the method, or a word for one that nobody knows: it is the caller's to make up."""
    return method if method in _METHODS else OTHER


def _word(value: bool) -> str:  # noqa: FBT001
    return "yes" if value else "no"


class _LookedUp(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Yield each figure as a family of its own."""
        for one in self._figures():
            kind = CounterMetricFamily if one.counts else GaugeMetricFamily
            yield kind(f"memguard_{one.name}", one.help, value=one.value)


class _Embedding:
    """One call of the embedder."""

    def __init__(self, waiting: Gauge, seconds: Histogram, failures: Counter, texts: int) -> None:
        self._waiting, self._seconds, self._failures = waiting, seconds, failures
        self._texts = texts
        self._began = 0.0

    def __enter__(self) -> None:
        self._waiting.inc(self._texts)
        self._began = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._waiting.dec(self._texts)
        self._seconds.observe(time.perf_counter() - self._began)
        if kind is not None:
            self._failures.inc()
