"""Detectors that begin before anything else is known of a write: all else is done meanwhile.

A model takes longer to read a text than everything else together, and it leaves the interpreter to
others while it does. So it is asked first: about the text as it was written, then about its other
readings as soon as they are known, and its answer is waited for at the end. What it makes of the
vectors of the text it makes while the index is asked what is near to them.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from guard.errors import UnavailableError
from guard.nouns import Draft, Facts, Tagged, View
from guard.ports import Detector
from memory.signals import Vectors
from policies.model import Finding

T = TypeVar("T")


class Begun(Protocol):
    """A detector at work on one draft."""

    async def show(self, views: Sequence[View]) -> None:
        """Go on with every reading of the draft, and do all that waits for nobody."""
        ...

    def know(self, vectors: Vectors) -> None:
        """Go on with the vectors of the draft, if `show` has returned; wait for nobody here."""
        ...

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return what it finds, as any detector does; `show` has returned."""
        ...

    def drop(self) -> None:
        """Stop: nobody waits for the answer any more. Idempotent."""
        ...


class Early(ABC):
    """A detector that can begin with a draft alone. By its name, and not by what it can do: each
    write asks.
    """

    @property
    @abstractmethod
    def version(self) -> str:
        """As any detector's."""

    @abstractmethod
    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return what it finds when it begins late."""

    @abstractmethod
    def begin(self, draft: Draft) -> Begun:
        """Begin, and return who goes on with it."""


class Ahead:
    """The detectors for one draft, those that can be already at work.

    Nothing is raised for a detector that fails before it is asked for what it found: it fails then
    (W11).
    """

    def __init__(self, draft: Draft, detectors: Mapping[str, Detector], seconds: float) -> None:
        self._seconds = seconds
        self._early = {
            name: _Careful(name, detector, draft)
            for name, detector in detectors.items()
            if isinstance(detector, Early)
        }
        self.detectors: Mapping[str, Detector] = {**detectors, **self._early}

    async def show(self, views: Sequence[View]) -> None:
        """Show the readings of the draft to those that are at work, for so many seconds each."""
        for one in self._early.values():
            await one.show(views, self._seconds)

    def know(self, vectors: Vectors) -> None:
        """Tell the vectors of the draft to those that are at work."""
        for one in self._early.values():
            one.know(vectors)

    def drop(self) -> None:
        """Stop those that are still at work."""
        for one in self._early.values():
            one.drop()


class _Careful:
    """Fulfils `Detector` by one that has begun, and fails as it did."""

    def __init__(self, name: str, early: Early, draft: Draft) -> None:
        self._name, self._early = name, early
        self._late = False
        self._begun: Begun | None = None
        # A model may fail in any way at all, and what it raises may quote the text.
        try:
            self._begun = early.begin(draft)
        except Exception:  # noqa: BLE001
            self.drop()

    @property
    def version(self) -> str:
        return self._early.version

    async def show(self, views: Sequence[View], seconds: float) -> None:
        if self._begun is None:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._begun.show(views)
        except TimeoutError:
            self._late = True
            self.drop()
        except Exception:  # noqa: BLE001  # the same
            self.drop()

    def know(self, vectors: Vectors) -> None:
        if self._begun is None:
            return
        try:
            self._begun.know(vectors)
        except Exception:  # noqa: BLE001  # the same
            self.drop()

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        if self._late:
            raise TimeoutError
        if self._begun is None:
            raise UnavailableError(self._name)
        return await self._begun.detect(tagged, facts, before)

    def drop(self) -> None:
        if self._begun is not None:
            self._begun.drop()
            self._begun = None


@contextmanager
def ahead_of(draft: Draft, detectors: Mapping[str, Detector], seconds: float) -> Iterator[Ahead]:
    """Lend the detectors for one draft; each has so many seconds for each step."""
    ahead = Ahead(draft, detectors, seconds)
    try:
        yield ahead
    finally:
        ahead.drop()


def begun(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Return `work` as a task. What it raises is told to who waits for it, and to nobody else."""
    task = asyncio.create_task(work)
    task.add_done_callback(_heard)
    return task


@contextmanager
def beginning(work: Coroutine[Any, Any, T]) -> Iterator[asyncio.Task[T]]:
    """Lend `work` as a task, which ends with the block at the latest."""
    task = begun(work)
    try:
        yield task
    finally:
        task.cancel()


def _heard(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
