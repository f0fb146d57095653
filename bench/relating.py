"""What relating adds to a write, beside the same write without it, in one run.

    python -m bench.relating [--memories 10000] [--writes 300] [--embedder hash|packaged]

One subject gets that many memories, sealed and committed as every write is, many a transaction, and
the embedded index follows. Then writes of new sentences are made in turn with texts read for claims
and with `ReadBefore`, which reads none: no slots are asked for and no claims compared. Most say
something new; one in eight changes what an older memory says, and is told apart: it also retires
that one.

By default vectors are hashes, which are there at once: nothing can be done while they are made, so
that all that relating does is in its time. With the packaged model it is as it is for a real write:
memories that share a slot are sought, by one question more, while the model is at work.
"""

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.filling import fact, fill, followed, processor, registered, worker_pids
from gateway.app import serving
from gateway.app.keep import start_keys
from gateway.auth import offline_principal
from gateway.settings import load
from guard.detectors import UNASKED
from guard.fakes import EqualText, HashEmbedder
from guard.nouns import Draft
from guard.outcomes import Superseded
from guard.ports import Found, Index, Probe
from guard.relating import Reading, Said
from guard.remember import remember
from memory.origin import Hint, OriginClass
from memory.types import Owner, SubjectId, SubjectMark, TenantId

_WARM: Final = 30
_HASH: Final = "hash"


class ReadBefore(EqualText):
    """Reads nothing, and leaves the record that was made of a text before.

    A memory without one would be read again and sealed anew by the next write that meets it.
    """

    def __init__(self) -> None:
        self.record = b""

    def read(self, said: Said) -> Reading:
        """Return no slots, and the record."""
        del said
        return Reading(record=self.record)


class Counting:
    """Fulfils `guard.ports.Index.search` of another one, and counts how often it was asked."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.asked = 0

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Ask the other one."""
        self.asked += 1
        return await self._index.search(tenant, subject, probe)


async def _measure(folder: Path, memories: int, writes: int, model: str) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    start_keys(settings)
    serving.prepare_models(settings, lambda _step, _done, _total: None)
    async with serving.adapters_of(settings) as adapters:
        rooms = serving.assembled(settings, adapters).rooms
        principal = offline_principal(Owner(TenantId("bench"), SubjectId("one")), serving.now())
        # What detectors find takes the same time both ways, and many times what is measured here.
        rooms = msgspec.structs.replace(rooms, detectors=UNASKED, magnets=None)
        if model == _HASH:
            embedder = HashEmbedder(adapters.embedder.id.dimensions)
            rooms = msgspec.structs.replace(rooms, embedder=embedder)
        await registered(adapters, principal.owner.tenant)
        start = time.perf_counter()
        await fill(principal, memories, rooms)
        await followed(adapters)
        print(
            f"{memories} memories of one subject in {time.perf_counter() - start:.0f} s", flush=True
        )
        index = Counting(rooms.index)
        counted = msgspec.structs.replace(rooms, index=index)
        bare = ReadBefore()
        ways = {
            "without": msgspec.structs.replace(counted, relating=bare),
            "with": counted,
        }
        tallies = {way: Tally() for way in (*ways, "changing")}
        pids = [os.getpid(), *worker_pids(adapters.index)]
        pairs: list[float] = []
        for number in range(-_WARM, writes):
            times: dict[str, float] = {}
            for way in random.sample(sorted(ways), 2):
                draft = _said(number + _WARM, way, memories)
                bare.record = rooms.relating.read(Said(draft.text, serving.now())).record
                index.asked, work = 0, processor(pids)
                begun = time.perf_counter()
                outcome = await remember(principal, draft, ways[way])
                spent, work = time.perf_counter() - begun, processor(pids) - work
                if isinstance(outcome, Superseded):
                    tallies["changing"].add(spent, work, index.asked)
                elif number >= 0:
                    tallies[way].add(spent, work, index.asked)
                    times[way] = spent
                await followed(adapters)
            if len(times) == len(ways):
                pairs.append(times["with"] - times["without"])
        _tell(tallies)
        print(f"a write with it less the one without beside it: {_ms(pairs):.2f} ms (median)")


class Tally:
    """What the writes of one way took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.processor: list[float] = []
        self.asked = 0

    def add(self, seconds: float, processor: float, asked: int) -> None:
        """Note one write."""
        self.seconds.append(seconds)
        self.processor.append(processor)
        self.asked += asked


def _said(number: int, way: str, memories: int) -> Draft:
    """Return what is written: every other text changes a memory, each way others of them."""
    hint = Hint(OriginClass.USER_STATED, f"bench:{number // 25}")
    own = 2 * number + (way == "with")
    slot = own * 37 % memories if number % 8 == 0 else memories + own
    return Draft(fact(slot, 70_000 + own), hint=hint)


def _tell(tallies: Mapping[str, Tally]) -> None:
    for way, tally in tallies.items():
        count = len(tally.seconds)
        print(
            f"{way:<8} p50 {_ms(tally.seconds):.2f} ms, processors {_ms(tally.processor):.2f} ms,"
            f" index asked {tally.asked / count:.2f} times a write ({count} writes)"
        )
    for name in ("seconds", "processor"):
        whole, bare = (_ms(getattr(tallies[way], name)) for way in ("with", "without"))
        print(f"relating adds {whole - bare:.2f} ms ({name}): {whole / bare:.2f} x")


def _ms(times: Sequence[float]) -> float:
    return 1000 * statistics.median(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--embedder", choices=(_HASH, "packaged"), default=_HASH)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memguard-bench-") as folder:
        asyncio.run(_measure(Path(folder), given.memories, given.writes, given.embedder))


if __name__ == "__main__":
    main()
