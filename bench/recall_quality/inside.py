"""The same doors without an edge: one process, adapters in memory, no screening models.

What is written and asked passes the real `remember` and `recall`, with the packaged embedder; what
only a server, a database and the models of screening add is left out. Ten times faster, so for
tuning: the figures that count are those over REST.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec

from bench.recall_quality.baselines import packaged
from bench.recall_quality.site import Answer, Written
from gateway.wire import RecallMemory, StoreMemory
from guard.ports import Embedder, EmbedderId, Purpose
from guard.recall import recall
from guard.remember import remember
from memory.signals import Vectors
from tests.house import House, caller

_LONGEST = 8192
_BATCH = 32


class Prepared:
    """Embeds ahead and in batches, and remembers: a bench asks for the same texts again."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        return self._embedder.id

    async def prepare(self, texts: Sequence[str]) -> None:
        """Embed texts before they are asked for."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(fresh), _BATCH):
            some = fresh[start : start + _BATCH]
            self._known |= zip(some, await self._embedder.embed(some), strict=True)

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order."""
        del purpose  # the packaged models read both alike
        await self.prepare(texts)
        return [self._known[text] for text in texts]


class Room:
    """One subject's memory behind the doors, in a house of its own."""

    def __init__(self, embedder: Prepared) -> None:
        self._house = House()
        self._house.now = datetime.now(UTC)
        self._rooms = self._house.with_rooms(embedder=embedder)
        self._who = caller()

    async def write(self, **fields: Any) -> Written:
        """Store one memory."""
        now = self._house.now
        body = msgspec.convert(fields, StoreMemory)
        draft = body.draft(now=now, leeway_seconds=60, max_text_chars=_LONGEST)
        outcome = await remember(self._who, draft, self._rooms)
        self._house.later(seconds=1)
        await self._house.follower.drain()
        told = str(outcome.__struct_config__.tag)
        return Written(told, getattr(outcome, "id", None), getattr(outcome, "supersedes", None))

    async def ask(self, question: str, k: int, **fields: Any) -> Answer:
        """Ask one question."""
        body = msgspec.convert({"query": question, "k": k, **fields}, RecallMemory)
        found = await recall(self._who, body.query_of(max_text_chars=_LONGEST), self._rooms)
        return Answer(tuple(item.memory.id for item in found.items), found.reliable)


class Inside:
    """Subjects behind the doors."""

    def __init__(self, embedder: Prepared) -> None:
        self.embedder = embedder
        self._rooms: dict[str, Room] = {}

    async def prepare(self, texts: Sequence[str]) -> None:
        """Embed what will be written and asked."""
        await self.embedder.prepare(texts)

    def subject(self, name: str) -> Room:
        """Return a subject's memory; equal names are one."""
        return self._rooms.setdefault(name, Room(self.embedder))


@asynccontextmanager
async def inside() -> AsyncIterator[Inside]:
    """Lend subjects while the block runs."""
    async with packaged() as embedder:
        yield Inside(Prepared(embedder))
