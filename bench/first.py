"""First figures of the whole gateway: what the guard costs beside what it can't do without.

    python -m bench.first [--memories 2000] [--questions 200]

All in one process and one run, on the real adapters, so that the ratios mean something on a noisy
machine: recall against the sum of one bare embedding and one bare index search with the same
arguments, a guarded write against one bare embedding, and how many writes a second come through.
The memory of an idle gateway is read from a real `memguard serve` process and its index worker.
"""

import argparse
import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from gateway.app import serving
from gateway.auth import offline_principal
from gateway.cli.private import place
from gateway.cli.private import serving as private_gateway
from gateway.settings import load
from guard.gather import search_material
from guard.nouns import Draft
from guard.outcomes import Query, Stored
from guard.ports import Probe
from guard.principal import Principal
from guard.recall import recall
from guard.remember import remember
from memory.origin import Hint, OriginClass
from memory.types import INDEXED_LAYERS, Owner, SubjectId, TenantId

_THINGS: Final = (
    "rotor blade",
    "tax folder",
    "spare key",
    "备用钥匙",
    "合同原件",
    "thermal camera",
)
_PLACES: Final = ("Lisbon", "Porto", "北京", "上海", "Kraków", "Rotterdam", "深圳", "Oslo")
_WARM: Final = 20
_CONCURRENT: Final = 16


def _text(number: int) -> str:
    thing, place = _THINGS[number % len(_THINGS)], _PLACES[number % len(_PLACES)]
    return f"The {thing} number {1000 + number} lies in {place}, shelf {number % 97}."


async def _median(times: int, call: Callable[[int], Awaitable[object]]) -> float:
    for number in range(_WARM):
        await call(number)
    taken = []
    for number in range(times):
        start = time.perf_counter()
        await call(number)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


async def _writes(gateway: serving.Gateway, principal: Principal, memories: int) -> float:
    """Write all memories, several at a time; return writes per second."""
    gate = asyncio.Semaphore(_CONCURRENT)

    async def one(number: int) -> None:
        # Each from a source of its own, as the burst stage counts writes per source.
        hint = Hint(OriginClass.USER_STATED, f"bench:{number // 50}")
        async with gate:
            outcome = await remember(principal, Draft(_text(number), hint=hint), gateway.rooms)
        if not isinstance(outcome, Stored):
            raise RuntimeError(f"write {number} was not stored")  # noqa: TRY004 - no wrong type

    start = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(memories)))
    return memories / (time.perf_counter() - start)


async def _measure(folder: Path, memories: int, questions: int) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    serving.prepare_models(settings, lambda _step, _done, _total: None)
    async with serving.adapters_of(settings) as adapters:
        gateway = serving.assembled(settings, adapters)
        rooms, principal = (
            gateway.rooms,
            offline_principal(Owner(TenantId("bench"), SubjectId("one")), serving.now()),
        )
        owner = principal.owner
        per_second = await _writes(gateway, principal, memories)
        print(f"guarded writes, {_CONCURRENT} at a time: {per_second:.0f} /s ({memories} memories)")
        while await adapters.keep.outbox.waiting():  # noqa: ASYNC110 - another task empties it
            await asyncio.sleep(0.1)

        asked = random.Random(7).sample(  # noqa: S311 - a sample, no secret
            range(memories), min(questions, memories)
        )
        texts = [f"Where does number {1000 + number} lie?" for number in asked]
        count = len(texts)
        probes = []
        for text in texts:
            _, blinded = await search_material(owner, Draft(text), rooms)
            probes.append(Probe(blinded, INDEXED_LAYERS, rooms.bounds.route_hits))

        async def embed(number: int) -> None:
            await rooms.embedder.embed([texts[number % count]])

        async def search(number: int) -> None:
            probe = probes[number % count]
            await rooms.index.search(owner.tenant, probe.blinded.subject, probe)

        found = 0

        async def ask(number: int) -> None:
            nonlocal found
            answer = await recall(principal, Query(texts[number % count], 10), rooms)
            wanted = f"number {1000 + asked[number % count]} "
            found += any(wanted in item.memory.text for item in answer.items)

        async def write(number: int) -> None:
            hint = Hint(OriginClass.USER_STATED, f"bench:single:{number // 50}")
            await remember(principal, Draft(_text(memories + number), hint=hint), rooms)

        bare_embedding = await _median(count, embed)
        bare_search = await _median(count, search)
        whole = await _median(count, ask)
        single = await _median(count, write)
        bare = bare_embedding + bare_search
        print(
            f"bare embedding p50 {bare_embedding * 1e3:.1f} ms, bare search {bare_search * 1e3:.1f}"
        )
        print(f"recall p50 {whole * 1e3:.1f} ms = {whole / bare:.2f} x bare")
        print(f"asked memory among 10: {found}/{count + _WARM}")
        ratio = single / bare_embedding
        print(f"guarded write p50 {single * 1e3:.1f} ms = {ratio:.2f} x bare embedding")


def _resident(pid: int) -> int:
    """Return the resident kilobytes of a process and all its children."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    own = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return own + sum(_resident(int(child)) for child in children)


def _serving_from(data_dir: Path) -> int:
    """Return the process that serves from `data_dir`."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                line = (entry / "cmdline").read_bytes()
                if str(data_dir).encode() in line and b"serve" in line:
                    return int(entry.name)
    raise RuntimeError("no such gateway")


async def _idle() -> None:
    async with place() as where, private_gateway(where):
        pid = await asyncio.to_thread(_serving_from, where.settings.storage.data_dir)
        resident = await asyncio.to_thread(_resident, pid)
        print(f"idle gateway with worker: {resident / 1024:.0f} MiB resident")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memguard-bench-") as folder:
        asyncio.run(_measure(Path(folder), arguments.memories, arguments.questions))
    asyncio.run(_idle())


if __name__ == "__main__":
    main()
