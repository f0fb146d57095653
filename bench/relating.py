"""What relating adds to a write, beside the same write without it, in one run.

    python -m bench.relating [--memories 10000] [--writes 300]

One subject gets that many memories, sealed and committed as every write is, many a transaction, and
the embedded index follows. Then writes of new sentences are made in turn with texts read for claims
and with `EqualText`, which reads none: no slots are asked for and no claims compared. Most say
something new; one in eight changes what an older memory says, and is told apart: it also retires
that one.
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

from gateway.app import serving
from gateway.app.keep import start_keys
from gateway.auth import offline_principal
from gateway.settings import load
from guard.admit import admit
from guard.detectors import UNASKED
from guard.fakes import EqualText, HashEmbedder
from guard.gather import claim_of, search_material
from guard.governing import version_for
from guard.kin import read
from guard.leaves import leaf_of_write
from guard.nouns import Change, Draft, Leaf, Screened, Sealed, Tagged
from guard.outcomes import Superseded
from guard.ports import Found, Index, Probe
from guard.principal import Principal
from guard.relating import Said
from guard.remember import remember
from guard.rooms import Rooms
from guard.views import normalised
from memory.origin import Hint, Origin, OriginClass
from memory.types import LeafId, MemoryId, Owner, State, SubjectId, SubjectMark, TenantId
from policies.model import Decision, Effect
from storage.index.divided import DividedIndex
from storage.index.embedded import EmbeddedIndex

_BATCH: Final = 250
_WARM: Final = 30
_NAMES: Final = (
    *("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jan", "Kim", "Lea"),
    *("Nia", "Ole", "Pia", "Rex", "Sue", "Tom", "Uma", "Vic", "阿明", "小红", "老王", "李雷"),
    *("韩梅", "张三", "陈晨", "周舟"),
)
_KINDS: Final = (
    *(
        ("red", "红色"),
        ("blue", "蓝色"),
        ("green", "绿色"),
        ("old", "旧"),
        ("small", "小"),
        ("big", "大"),
    ),
    *(
        ("spare", "备用"),
        ("silver", "银色"),
        ("wooden", "木头"),
        ("leather", "皮"),
        ("winter", "冬天"),
    ),
    *(("summer", "夏天"), ("north", "北边"), ("paper", "纸")),
)
_THINGS: Final = (
    *(("locker", "柜子"), ("shelf", "架子"), ("gate", "大门"), ("desk", "桌子"), ("badge", "胸牌")),
    *(("drawer", "抽屉"), ("box", "箱子"), ("printer", "打印机"), ("router", "路由器")),
    *(("folder", "文件夹"), ("bike", "自行车"), ("camera", "相机"), ("suitcase", "行李箱")),
    *(("lamp", "台灯"), ("tent", "帐篷"), ("boat", "小船"), ("kayak", "皮艇"), ("piano", "钢琴")),
    *(("telescope", "望远镜"), ("freezer", "冰柜"), ("stove", "炉子"), ("ladder", "梯子")),
    *(
        ("trailer", "拖车"),
        ("scooter", "踏板车"),
        ("sofa", "沙发"),
        ("carpet", "地毯"),
        ("clock", "钟"),
    ),
)


class Counting:
    """Fulfils `guard.ports.Index.search` of another one, and counts how often it was asked."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.asked = 0

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Ask the other one."""
        self.asked += 1
        return await self._index.search(tenant, subject, probe)


def _fact(number: int, value: int) -> str:
    """Return a sentence about the slot of this number, with this value."""
    name = _NAMES[number % len(_NAMES)]
    thing = _THINGS[number // len(_NAMES) % len(_THINGS)]
    kind = _KINDS[number // len(_NAMES) // len(_THINGS) % len(_KINDS)]
    if name > "\u3400":
        return f"{name}的{kind[1]}{thing[1]}的号码是{value}。"
    return f"The number of {name}'s {kind[0]} {thing[0]} is {value}."


async def _fill(principal: Principal, memories: int, rooms: Rooms) -> None:
    """Give the subject this many memories, by the steps that every write takes, many at a time."""
    owner = principal.owner
    for start in range(0, memories, _BATCH):
        numbers = range(start, min(start + _BATCH, memories))
        made = [await _made(principal, _fact(number, 1000 + number), rooms) for number in numbers]
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        rows, leaves = tuple(row for row, _ in made), tuple(leaf for _, leaf in made)
        await rooms.ledger.commit(Change(owner, epoch, rows, leaves))


async def _made(principal: Principal, text: str, rooms: Rooms) -> tuple[Sealed, Leaf]:
    """Return one memory as it is stored, with its leaf."""
    at, owner, draft = rooms.clock(), principal.owner, Draft(text)
    class_ = OriginClass.USER_STATED
    origin = Origin(
        class_=class_,
        trust=class_.trust,
        channel=principal.channel,
        client=principal.client,
        credential=principal.credential,
        session=None,
        reference=None,
        parents=(),
        at=at,
    )
    tagged = Tagged(draft, MemoryId(rooms.new_id()), owner, at, origin)
    policy = version_for(owner.tenant, rooms)
    screened = Screened(tagged, (), (), Decision(Effect.ALLOW, (), (), policy))
    reading = await read(Said(text, at), rooms)
    signals, _ = await search_material(owner, draft, rooms, slots=reading.slots)
    mark = await rooms.marks.fingerprint(owner, normalised(text))
    leaf = LeafId(rooms.new_id())
    admitted = admit(screened, signals, mark, rooms.bounds, state=State.ACTIVE, leaf=leaf)
    claim = await claim_of(owner, reading, rooms)
    body = msgspec.structs.replace(admitted.body, reading=reading.record)
    sealed = await rooms.vault.seal(msgspec.structs.replace(admitted, body=body, claim=claim))
    label = sealed.label
    told = leaf_of_write(
        tagged,
        leaf,
        object=label.id,
        outcome="stored",
        version=1,
        policy=policy,
        digest=label.digest,
    )
    return sealed, told


async def _measure(folder: Path, memories: int, writes: int) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder / "data")})
    start_keys(settings)
    serving.prepare_models(settings, lambda _step, _done, _total: None)
    async with serving.adapters_of(settings) as adapters:
        rooms = serving.assembled(settings, adapters).rooms
        principal = offline_principal(Owner(TenantId("bench"), SubjectId("one")), serving.now())
        # The models' time is the same both ways, and many times what is measured here.
        embedder = HashEmbedder(adapters.embedder.id.dimensions)
        rooms = msgspec.structs.replace(rooms, embedder=embedder, detectors=UNASKED, magnets=None)
        start = time.perf_counter()
        await _fill(principal, memories, rooms)
        await _followed(adapters)
        print(
            f"{memories} memories of one subject in {time.perf_counter() - start:.0f} s", flush=True
        )
        index = Counting(rooms.index)
        counted = msgspec.structs.replace(rooms, index=index)
        ways = {
            "without": msgspec.structs.replace(counted, relating=EqualText()),
            "with": counted,
        }
        tallies = {way: Tally() for way in (*ways, "changing")}
        pids = [os.getpid(), *worker_pids(adapters.index)]
        for number in range(-_WARM, writes):
            for way in random.sample(sorted(ways), 2):
                draft = _said(number + _WARM, way, memories)
                index.asked, work = 0, _processor(pids)
                begun = time.perf_counter()
                outcome = await remember(principal, draft, ways[way])
                spent, work = time.perf_counter() - begun, _processor(pids) - work
                if isinstance(outcome, Superseded):
                    tallies["changing"].add(spent, work, index.asked)
                elif number >= 0:
                    tallies[way].add(spent, work, index.asked)
                await _followed(adapters)
        _tell(tallies)


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


async def _followed(adapters: serving.Adapters) -> None:
    """Return when the index has all that was written: what follows would be counted otherwise."""
    while await adapters.keep.outbox.waiting():  # noqa: ASYNC110 - another task empties it
        await asyncio.sleep(0.02)


def worker_pids(index: Index) -> list[int]:
    """Return the processes of the embedded index."""
    engine = index.engine if isinstance(index, DividedIndex) else index
    return engine.worker_pids if isinstance(engine, EmbeddedIndex) else []


def _processor(pids: Sequence[int]) -> float:
    """Return the processor time of these processes: what a busy machine does not change."""
    # How Linux names the clock of another process: clock_getcpuclockid(3).
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


def _said(number: int, way: str, memories: int) -> Draft:
    """Return what is written: every other text changes a memory, each way others of them."""
    hint = Hint(OriginClass.USER_STATED, f"bench:{number // 25}")
    own = 2 * number + (way == "with")
    fact = own * 37 % memories if number % 8 == 0 else memories + own
    return Draft(_fact(fact, 70_000 + own), hint=hint)


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
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memguard-bench-") as folder:
        asyncio.run(_measure(Path(folder), given.memories, given.writes))


if __name__ == "__main__":
    main()
