"""One of several processes that write for one subject, follow the outbox and chain the audit.

    python -m tests.contracts.hammer URL ROUNDS

Says `ready`, waits for a line, and then says in JSON what it did.
"""

import asyncio
import sys
import uuid

import msgspec

from guard.errors import ConflictError
from memory.types import LeafId, MemoryId
from storage.database import Database
from storage.engine import Pool
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    START,
    Books,
    books_on,
    change,
    relabelled,
    sealed,
)

COUNTER = MemoryId("the counter")
_LEASE = 3600.0


class Deeds(msgspec.Struct):
    """What one process did."""

    written: list[str] = msgspec.field(default_factory=list)
    counted: int = 0
    conflicts: int = 0
    followed: list[tuple[str, int]] = msgspec.field(default_factory=list)
    placed: int = 0


async def _write(books: Books, rounds: int, deeds: Deeds) -> None:
    """Write a memory of its own and count one up on everybody's, in each round."""
    for _ in range(rounds):
        while True:
            epoch = await books.ledger.epoch(ACME, ANNA)
            (counter,) = await books.ledger.rows(ACME, ANNA, [COUNTER])
            own = sealed(id=str(uuid.uuid4()), leaf=LeafId(str(uuid.uuid4())))
            up = relabelled(counter.sealed, leaf=LeafId(str(uuid.uuid4())))
            try:
                await books.ledger.commit(change(epoch, own, up))
            except ConflictError:
                deeds.conflicts += 1
                continue
            deeds.written.append(own.label.id)
            deeds.counted += 1
            break


async def _follow(books: Books, working: asyncio.Event, deeds: Deeds) -> None:
    while True:
        # Asked before the look: what is written while it looks is for one more round.
        over = not working.is_set()
        tasks = await books.outbox.claim(3, START, _LEASE)
        deeds.followed += [(task.id, task.version) for task in tasks]
        await books.outbox.done(tasks)
        # What others hold is theirs to finish.
        if over and not tasks:
            return


async def _chain(books: Books, working: asyncio.Event, deeds: Deeds) -> None:
    while working.is_set():
        deeds.placed += await books.audit.integrate()
    deeds.placed += await books.audit.integrate()


async def _main(url: str, rounds: int) -> Deeds:
    database = await Database.open(url, Pool(size=4))
    books, deeds, working = books_on(database), Deeds(), asyncio.Event()
    working.set()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    others = [asyncio.create_task(work(books, working, deeds)) for work in (_follow, _chain)]
    await asyncio.gather(*(_write(books, rounds // 2, deeds) for _ in range(2)))
    working.clear()
    await asyncio.gather(*others)
    await database.close()
    return deeds


if __name__ == "__main__":
    done = asyncio.run(_main(sys.argv[1], int(sys.argv[2])))
    sys.stdout.write(msgspec.json.encode(done).decode() + "\n")
