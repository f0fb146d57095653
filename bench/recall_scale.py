"""What a recall costs beside its two unavoidable parts, and how that grows with the tenant.

    python -m bench.recall_scale [--small 10000] [--large 100000] [--subject 500] [--questions 120]

Two tenants get that many memories, in subjects of equal size, sealed and committed as every write
is, many a transaction, and the embedded index follows. Then questions are asked of both in turn,
each of them once, so that nothing is answered from what was answered before. Beside each recall, in
the same breath, a question of the same kind is only embedded, and the index is only asked.

Of the subjects that are asked about the vectors are the packaged model's. Those of all others are
drawn at random: no search of one subject looks at another's, and embedding them all would take most
of an hour.
"""

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from bench.filling import fact, fill, followed, processor, question, registered, worker_pids
from gateway.app import serving
from gateway.app.keep import start_keys
from gateway.auth import offline_principal
from gateway.settings import load
from guard.gather import search_material
from guard.nouns import Draft
from guard.outcomes import Query
from guard.ports import EmbedderId, Probe, Purpose
from guard.recall import recall
from guard.rooms import Rooms
from memory.signals import Vector, Vectors
from memory.types import INDEXED_LAYERS, Owner, SubjectId, TenantId

_ASKED: Final = 4
"""Subjects of each tenant that are asked about."""
_WARM: Final = 20
_K: Final = 5
_PARTS: Final = ("embedding", "index", "recall")
_SIDES: Final = ("small", "large")


class Drawn:
    """Fulfils `guard.ports.Embedder` with vectors that mean nothing, as long as the real ones."""

    def __init__(self, id: EmbedderId) -> None:
        self.id = id
        self._random = np.random.default_rng(7)

    async def embed(self, texts: Sequence[str], _purpose: Purpose) -> list[Vectors]:
        """Return one vector of each name for each text."""
        return [
            {name: self._unit(size) for name, size in self.id.dimensions.items()} for _ in texts
        ]

    def _unit(self, size: int) -> Vector:
        vector = self._random.standard_normal(size)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class Side:
    """One tenant, and what was taken of it by part: seconds, and seconds of processors."""

    def __init__(self, name: str, memories: int, subject: int) -> None:
        self.memories = memories
        self.owners = [
            Owner(TenantId(name), SubjectId(f"s{n}")) for n in range(max(1, memories // subject))
        ]
        self.seconds: dict[str, list[float]] = {part: [] for part in _PARTS}
        self.processor: dict[str, list[float]] = {part: [] for part in _PARTS}
        self.right = 0

    @property
    def asked(self) -> list[Owner]:
        """The subjects that are asked about, spread over the tenant."""
        step = max(1, len(self.owners) // _ASKED)
        return self.owners[::step][:_ASKED]


class Stage:
    """The rooms of one gateway, and the clock of its processes."""

    def __init__(self, rooms: Rooms, adapters: serving.Adapters) -> None:
        self.rooms = rooms
        self.adapters = adapters
        self._pids = [os.getpid(), *worker_pids(adapters.index)]

    async def fill(self, side: Side, subject: int) -> None:
        """Give each subject of a side its memories."""
        drawn = msgspec.structs.replace(self.rooms, embedder=Drawn(self.rooms.embedder.id))
        asked = side.asked
        await registered(self.adapters, asked[0].tenant)
        for owner in side.owners:
            principal = offline_principal(owner, serving.now())
            await fill(principal, subject, self.rooms if owner in asked else drawn)
        await followed(self.adapters)

    async def ask(self, side: Side, number: int, subject: int, *, warm: bool) -> None:
        """Ask one question, and do of another what each recall has to do."""
        rooms = self.rooms
        owner = side.asked[number % len(side.asked)]
        principal = offline_principal(owner, serving.now())
        slot, other = 2 * number % subject, (2 * number + 1) % subject
        with self._taking(side, "embedding", warm=warm):
            await rooms.embedder.embed([question(other)], Purpose.QUESTION)
        _, blinded = await search_material(owner, Draft(question(other)), rooms, Purpose.QUESTION)
        probe = Probe(blinded, INDEXED_LAYERS, rooms.bounds.route_hits)
        with self._taking(side, "index", warm=warm):
            await rooms.index.search(owner.tenant, blinded.subject, probe)
        with self._taking(side, "recall", warm=warm):
            answer = await recall(principal, Query(question(slot), k=_K), rooms)
        texts = [item.memory.text for item in answer.items]
        side.right += not warm and any(fact(slot, 1000 + slot) == text for text in texts)

    @contextmanager
    def _taking(self, side: Side, part: str, *, warm: bool) -> Iterator[None]:
        work, begun = processor(self._pids), time.perf_counter()
        yield
        seconds, work = time.perf_counter() - begun, processor(self._pids) - work
        if not warm:
            side.seconds[part].append(seconds)
            side.processor[part].append(work)


async def _measure(folder: Path, sizes: tuple[int, int], subject: int, questions: int) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    start_keys(settings)
    serving.prepare_models(settings, lambda _step, _done, _total: None)
    async with serving.adapters_of(settings) as adapters:
        stage = Stage(serving.assembled(settings, adapters).rooms, adapters)
        sides = [Side(name, size, subject) for name, size in zip(_SIDES, sizes, strict=True)]
        for side in sides:
            start = time.perf_counter()
            await stage.fill(side, subject)
            print(f"{side.memories} memories in {time.perf_counter() - start:.0f} s", flush=True)
        for number in range(_WARM + questions):
            for side in random.sample(sides, 2):
                await stage.ask(side, number, subject, warm=number < _WARM)
    _tell(sides, questions)


def _tell(sides: Sequence[Side], questions: int) -> None:
    for side in sides:
        for name, taken in (("seconds", side.seconds), ("processor", side.processor)):
            parts = ", ".join(f"{part} {_ms(taken[part]):.2f}" for part in _PARTS)
            bare = _ms(taken["embedding"]) + _ms(taken["index"])
            ratio = _ms(taken["recall"]) / bare
            print(f"{side.memories:>7}  {name:<9} p50 ms: {parts}; recall {ratio:.2f} x the parts")
        print(f"{side.memories:>7}  right {side.right} of {questions}")
    small, large = sides
    for name in ("seconds", "processor"):
        growth = _ms(getattr(large, name)["recall"]) / _ms(getattr(small, name)["recall"])
        print(f"from {small.memories} to {large.memories}: recall {growth:.2f} x ({name})")


def _ms(times: Sequence[float]) -> float:
    return 1000 * statistics.median(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--subject", type=int, default=500)
    parser.add_argument("--questions", type=int, default=120)
    given = parser.parse_args()
    sizes = given.small, given.large
    with tempfile.TemporaryDirectory(prefix="memguard-bench-") as folder:
        asyncio.run(_measure(Path(folder), sizes, given.subject, given.questions))


if __name__ == "__main__":
    main()
