"""One of several processes that contradict each other about one subject, through the whole door.

    python -m tests.contracts.rivals LEDGER_URL KEYS_URL FIRST ROUNDS

Says `ready`, waits for a line, and then says `My port is N.` once for each N from FIRST on.
"""

import asyncio
import secrets
import sys
from datetime import UTC, datetime
from typing import Final

import msgspec

from guard.errors import UnavailableError
from guard.nouns import Draft
from guard.outcomes import Rejected, Skipped, WriteOutcome
from guard.remember import remember
from guard.rooms import Rooms
from memory.ids import RANDOM_BYTES, uuid7
from storage.audit import SqlAudit
from storage.database import Database
from storage.engine import Pool
from storage.keyring import Keyring
from storage.keystore import KeyStoreSql
from storage.ledger import SqlLedger
from storage.quarantine import SqlQuarantine
from storage.rootkey import RootKey
from storage.vault import SealingVault
from tests.house import ALICE, House

ROOT_KEY: Final = bytes(range(32))


class Said(msgspec.Struct):
    """What one write came to."""

    id: str
    outcome: str
    value: int


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return uuid7(_now(), secrets.token_bytes(RANDOM_BYTES))


def rooms_on(database: Database, keys: KeyStoreSql) -> Rooms:
    """Return rooms whose memories, audit and keys are real, with a clock that runs."""
    vault = SealingVault(Keyring(RootKey.from_bytes(ROOT_KEY), keys))
    return House().with_rooms(
        clock=_now,
        new_id=_new_id,
        vault=vault,
        marks=vault,
        ledger=SqlLedger(database),
        quarantine=SqlQuarantine(database),
        audit=SqlAudit(database),
    )


async def say(value: int, rooms: Rooms) -> Said:
    """Say one value, again as long as others come between."""
    while True:
        try:
            outcome: WriteOutcome = await remember(ALICE, Draft(f"My port is {value}."), rooms)
        except UnavailableError:
            continue
        id = "" if isinstance(outcome, Skipped | Rejected) else outcome.id
        return Said(id, str(type(outcome).__struct_config__.tag), value)


async def _main(ledger: str, keys: str, first: int, rounds: int) -> list[Said]:
    database = await Database.open(ledger, Pool(size=2))
    store = await KeyStoreSql.open(keys, Pool(size=2))
    rooms = rooms_on(database, store)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    said = [await say(first + n, rooms) for n in range(rounds)]
    await store.close()
    await database.close()
    return said


if __name__ == "__main__":
    done = asyncio.run(_main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    sys.stdout.write(msgspec.json.encode(done).decode() + "\n")
