"""How long a page of a long quarantine takes, beside an empty one in the same run.

    python -m bench.queue [--held 100000] [--rounds 100]

Through the real HTTP application, doors, vault and SQLite ledger, in one process and with nothing
in the background. The cases are sealed as writes are, and committed in bulk. Each kind of page is
asked for in turn; figures are medians. What counts are the ratios to the empty tenant's page.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from guard.nouns import Admitted, Change
from guard.ports import Docket, Order
from guard.rooms import Rooms
from memory.origin import OriginClass
from memory.signals import Signals
from memory.types import ClientId, LeafId, MemoryId, Owner, State, SubjectId, TenantId
from policies.model import Completion, Finding, Severity, Span, Status
from storage.database import Database
from storage.ledger import SqlLedger
from storage.quarantine import SqlQuarantine
from tests.contracts.ledger_builders import leaf_for, new_file, new_id, url_of
from tests.contracts.vault_builders import admitted, unit
from tests.edges.guarded import Guarded
from tests.house import START

_FULL: Final = TenantId("acme")
_EMPTY: Final = TenantId("umbra")
_SUBJECTS: Final = 20
_CLASSES: Final = (OriginClass.WEB, OriginClass.DOCUMENT, OriginClass.TOOL_OUTPUT)
_CLIENTS: Final = tuple(ClientId(f"app-{n}") for n in range(10))
_AT_ONCE: Final = 500
_STRIDE: Final = 2000
_WARM: Final = 3
_MIXED: Final = Docket(origins=(OriginClass.WEB,), clients=(_CLIENTS[3],))
_VECTORS: Final = {"en": unit(384), "multi": unit(512, 1)}
_SIGNALS: Final = Signals(_VECTORS, {"prompt": 1.0, "rule": 1.0}, ())
_SECONDS: Final = 30 * 86_400


class Kind(msgspec.Struct):
    """One kind of page: whose, what is asked for, and what it took so far."""

    name: str
    tenant: TenantId
    path: str
    query: dict[str, Any]
    seconds: list[float] = []


async def run(held: int, rounds: int) -> None:
    """Fill one tenant's queue, ask for pages of it and of an empty one, and print what they took.

    Everything lies in a folder that is gone afterwards.
    """
    with tempfile.TemporaryDirectory() as folder:
        guarded = Guarded(Path(folder))
        database = await Database.open(url_of(await new_file(Path(folder))))
        ledger, quarantine = SqlLedger(database), SqlQuarantine(database)
        guarded.change(ledger=ledger, quarantine=quarantine)
        await _fill(guarded.rooms, held)
        kinds = await _kinds(guarded.rooms, held)
        clients = {of: guarded.client(sub="rita", tid=of) for of in (_FULL, _EMPTY)}
        for number in range(rounds + _WARM):
            # In turn, so that whatever else the machine does falls on each alike.
            for kind in kinds:
                start = time.perf_counter()
                answer = await clients[kind.tenant].get(kind.path, params=kind.query)
                elapsed = time.perf_counter() - start
                if answer.status_code != 200:
                    raise SystemExit(f"{kind.name}: {answer.text}")
                if number >= _WARM:
                    kind.seconds.append(elapsed)
        _print(kinds)
        await guarded.close()
        await database.close()


async def _fill(rooms: Rooms, held: int) -> None:
    chance = random.Random(1)  # noqa: S311 - which case is whose is no secret
    for start in range(0, held, _AT_ONCE):
        owner = Owner(_FULL, SubjectId(f"subject-{start // _AT_ONCE % _SUBJECTS}"))
        count = min(_AT_ONCE, held - start)
        rows = [await rooms.vault.seal(_case(owner, chance)) for _ in range(count)]
        leaves = tuple(map(leaf_for, rows))
        epoch = await rooms.ledger.epoch(owner.tenant, owner.subject)
        await rooms.ledger.commit(Change(owner, epoch, tuple(rows), leaves))
        if start % (20 * _AT_ONCE) == 0:
            print(f"{start} of {held} are held", file=sys.stderr, flush=True)


def _case(owner: Owner, chance: random.Random) -> Admitted:
    """Return a write that is held, of some client, class, badness and time of the last 30 days."""
    severity, score = chance.choice((*Severity,)), round(chance.random(), 3)
    finding = Finding("classifier", "poison", severity, "nfkc", score, (Span(2, 7),))
    stages = ("injection", "authority", "secrets", "classifier")
    one = admitted(owner, id=MemoryId(new_id()), state=State.HELD, session=None)
    tagged = one.screened.tagged
    origin = msgspec.structs.replace(
        tagged.origin, class_=chance.choice(_CLASSES), trust=1, client=chance.choice(_CLIENTS)
    )
    screened = msgspec.structs.replace(
        one.screened,
        tagged=msgspec.structs.replace(tagged, origin=origin),
        findings=(finding,),
        completions=tuple(Completion(stage, Status.DONE) for stage in stages),
    )
    return msgspec.structs.replace(
        one,
        screened=screened,
        signals=_SIGNALS,
        recorded_at=START - timedelta(seconds=chance.randrange(_SECONDS)),
        leaf=LeafId(new_id()),
    )


async def _kinds(rooms: Rooms, held: int) -> list[Kind]:
    """Return what is asked for, with the cursors of pages in the middle."""
    path, worst, mixed = "/v1/quarantine", {"sort": "score"}, {"origin": "web", "client": "app-3"}
    everything, by_score = Docket(), Docket(order=Order.SCORE)
    middle = await _cursor(rooms, everything, held // 2)
    worst_middle = await _cursor(rooms, by_score, held // 2)
    mixed_middle = await _cursor(rooms, _MIXED, held // 60)
    page = await rooms.quarantine.held(_FULL, None, 1)
    case = page.rows[0].sealed.label.id
    return [
        Kind("an empty queue", _EMPTY, path, {}),
        Kind("an empty queue by score", _EMPTY, path, worst),
        Kind("the first page", _FULL, path, {}),
        Kind("a page in the middle", _FULL, path, {"cursor": middle}),
        Kind("the oldest", _FULL, path, {"sort": "oldest"}),
        Kind("one class and client", _FULL, path, mixed),
        Kind("... in the middle", _FULL, path, {**mixed, "cursor": mixed_middle}),
        Kind("one subject", _FULL, path, {"subject": "subject-7"}),
        Kind("the worst", _FULL, path, worst),
        Kind("the worst, in the middle", _FULL, path, {**worst, "cursor": worst_middle}),
        Kind("the worst of one class and client", _FULL, path, {**worst, **mixed}),
        Kind("the worst of one subject", _FULL, path, {**worst, "subject": "subject-7"}),
        Kind("a case", _FULL, f"{path}/{case}", {}),
    ]


async def _cursor(rooms: Rooms, docket: Docket, behind: int) -> str | None:
    """Return the cursor that a reviewer has who has seen so many."""
    cursor, seen = None, 0
    while seen < behind:
        limit = min(_STRIDE, behind - seen)
        cursor = (await rooms.quarantine.held(_FULL, cursor, limit, docket)).cursor
        seen += limit
    return cursor


def _print(kinds: Sequence[Kind]) -> None:
    medians = [statistics.median(kind.seconds) for kind in kinds]
    for kind, median in zip(kinds, medians, strict=True):
        print(f"{kind.name:<36}{1000 * median:8.2f} ms{median / medians[0]:8.2f} x")


def main() -> None:
    """Measure, and print one line for each kind of page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=100)
    asked = parser.parse_args()
    asyncio.run(run(asked.held, asked.rounds))


if __name__ == "__main__":
    main()
