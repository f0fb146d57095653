"""Contradictory writes at the same time end in one state, whoever commits first (W10, R13)."""

import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from guard.browse import browse
from guard.ports import Filter
from memory.types import State
from storage.database import Database
from storage.keystore import KeyStoreSql
from tests.contracts.ledger_builders import ACME, new_file, url_of
from tests.contracts.rivals import Said, rooms_on
from tests.house import ALICE
from tests.postgres import Place

ROOT = Path(__file__).parents[2]
PROCESSES, ROUNDS = 3, 4


@pytest.fixture(params=["sqlite", "postgres"])
def places(request: pytest.FixtureRequest) -> tuple[str, str] | None:
    """Return where ledger and keys are on PostgreSQL; None for files."""
    if request.param == "sqlite":
        return None
    ledger: Place = request.getfixturevalue("ledger_place")
    keys: Place = request.getfixturevalue("keys_place")
    return ledger.gateway, keys.gateway


@pytest.mark.requirement("W10", "R13")
async def test_of_contradictory_writes_at_once_the_newest_stands(
    places: tuple[str, str] | None, tmp_path: Path
) -> None:
    """Several processes contradict each other: nothing is lost, one value is active, it is the one
    that was said last, and all others lead to it. The audit agrees.
    """
    if places is None:
        await new_file(tmp_path)
        places = url_of(tmp_path / "ledger.db"), url_of(tmp_path / "keys.db")
        await (await KeyStoreSql.open(places[1])).close()
    said = await _rivals(*places)
    assert {one.outcome for one in said} <= {"stored", "superseding"}
    assert len({one.id for one in said}) == PROCESSES * ROUNDS

    database = await Database.open(places[0])
    keys = await KeyStoreSql.open(places[1])
    rooms = rooms_on(database, keys)
    every = Filter(states=tuple(State))
    found = (await browse(ALICE, every, None, 100, rooms)).items
    assert {one.id for one in found} == {one.id for one in said}
    (active,) = [one for one in found if one.state is State.ACTIVE]
    assert active.stored_at == max(one.stored_at for one in found)
    after = {one.id: one.superseded_by for one in found}
    for id in after:
        seen = {id}
        at = id
        while (following := after[at]) is not None:
            assert following not in seen
            seen.add(following)
            at = following
        assert at == active.id
    audit = rooms.audit
    await audit.integrate()
    assert (await audit.verify(ACME)).ok  # type: ignore[attr-defined]
    await keys.close()
    await database.close()


async def _rivals(ledger: str, keys: str) -> list[Said]:
    """Run processes that all begin at once, and return what each said."""
    pipe = asyncio.subprocess.PIPE
    processes = []
    for number in range(PROCESSES):
        asked = (ledger, keys, str(5000 + 100 * number), str(ROUNDS))
        command = [sys.executable, "-m", "tests.contracts.rivals", *asked]
        processes.append(
            await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
        )
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    out = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    assert [process.returncode for process in processes] == [0] * PROCESSES
    return [one for text, _ in out for one in msgspec.json.decode(text, type=list[Said])]
