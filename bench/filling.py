"""Memories of a made-up subject by the thousand, as every write makes them, for the benches."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from gateway.app import serving
from guard.admit import admit
from guard.gather import claim_of, search_material
from guard.governing import version_for
from guard.kin import read
from guard.leaves import leaf_of_write
from guard.nouns import Change, Draft, Leaf, Screened, Sealed, Tagged
from guard.ports import Index, Tenant
from guard.principal import Principal
from guard.relating import Said
from guard.rooms import Rooms
from guard.views import normalised
from memory.origin import Origin, OriginClass
from memory.types import LeafId, MemoryId, State, TenantId
from policies.model import Decision, Effect
from storage.index.divided import DividedIndex
from storage.index.embedded import EmbeddedIndex
from storage.registry import SqlRegistry

_BATCH: Final = 250
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


def fact(number: int, value: int) -> str:
    """Return a sentence about the slot of this number, with this value."""
    name, kind, thing = _slot(number)
    if name > "\u3400":
        return f"{name}的{kind[1]}{thing[1]}的号码是{value}。"
    return f"The number of {name}'s {kind[0]} {thing[0]} is {value}."


def question(number: int) -> str:
    """Return a question that the sentence about the slot of this number answers."""
    name, kind, thing = _slot(number)
    if name > "\u3400":
        return f"{name}的{kind[1]}{thing[1]}的号码是多少？"
    return f"What is the number of {name}'s {kind[0]} {thing[0]}?"


def _slot(number: int) -> tuple[str, tuple[str, str], tuple[str, str]]:
    name = _NAMES[number % len(_NAMES)]
    thing = _THINGS[number // len(_NAMES) % len(_THINGS)]
    kind = _KINDS[number // len(_NAMES) // len(_THINGS) % len(_KINDS)]
    return name, kind, thing


async def registered(adapters: serving.Adapters, tenant: TenantId) -> None:
    """Register a tenant as each one is before it is served: what is asked of one that is known is
    remembered for some seconds, and of a stranger each time.
    """
    await SqlRegistry(adapters.keep.database).register(Tenant(tenant, suspended=False), [])


async def fill(principal: Principal, memories: int, rooms: Rooms) -> None:
    """Give the subject this many memories, by the steps that every write takes, many at a time."""
    owner = principal.owner
    for start in range(0, memories, _BATCH):
        numbers = range(start, min(start + _BATCH, memories))
        made = [await _made(principal, fact(number, 1000 + number), rooms) for number in numbers]
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


async def followed(adapters: serving.Adapters) -> None:
    """Return when the index has all that was written: what follows would be counted otherwise."""
    while await adapters.keep.outbox.waiting():  # noqa: ASYNC110 - another task empties it
        await asyncio.sleep(0.02)


def worker_pids(index: Index) -> list[int]:
    """Return the processes of the embedded index."""
    engine = index.engine if isinstance(index, DividedIndex) else index
    return engine.worker_pids if isinstance(engine, EmbeddedIndex) else []


def processor(pids: Sequence[int]) -> float:
    """Return the processor time of these processes: what a busy machine does not change."""
    # How Linux names the clock of another process: clock_getcpuclockid(3).
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)
