"""The contract of what was said in sessions, on every adapter. Time is an argument throughout."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from guard.errors import ConflictError, UnavailableError
from guard.ports import SealedTurn, Tenant, Transcript, Window
from memory.types import SubjectId, TenantId, TurnId
from storage.database import Database
from storage.fakes.transcript import MemoryTranscript
from storage.registry import SqlRegistry
from storage.transcript import SqlTranscript
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    BORIS,
    GLOBEX,
    START,
    new_file,
    new_id,
    url_of,
)
from tests.postgres import Place

WINDOW = Window(turns=100, bytes=100_000)
EXPIRES = START + timedelta(hours=4)
SESSION, OTHER = "5e" * 16, "07" * 16
ELSEWHERE = ((ACME, BORIS, SESSION), (GLOBEX, ANNA, SESSION), (ACME, ANNA, OTHER))


@pytest.fixture
async def transcript(
    ledger_at: tuple[str, Place | None], tmp_path: Path
) -> AsyncIterator[Transcript]:
    """Lend an empty transcript of each adapter, whose tenants are registered where it matters."""
    adapter, place = ledger_at
    if adapter == "memory":
        yield MemoryTranscript()
        return
    url = place.gateway if place else url_of(await new_file(tmp_path))
    database = await Database.open(url)
    for tenant in (ACME, GLOBEX):
        await SqlRegistry(database).register(Tenant(tenant, suspended=False), [])
    try:
        yield SqlTranscript(database)
    finally:
        await database.close()


def turn(at: datetime = START, token: bytes = b"\x00\xffsealed", **changed: str) -> SealedTurn:
    """Return a turn as it is kept."""
    return SealedTurn(TurnId(changed.get("id") or new_id()), at, EXPIRES, token)


async def said(
    transcript: Transcript,
    tenant: TenantId = ACME,
    subject: SubjectId = ANNA,
    session: str = SESSION,
) -> list[SealedTurn]:
    """Return what a session has at the start."""
    return await transcript.turns(tenant, subject, session, START)


@pytest.mark.requirement("W3")
async def test_turns_come_back_in_the_order_of_their_time(transcript: Transcript) -> None:
    """Bit by bit, however they were posted and whatever their ids."""
    late, early = turn(START + timedelta(microseconds=1)), turn()
    await transcript.add(ACME, ANNA, SESSION, [late, early], WINDOW)
    between = SealedTurn(TurnId(new_id()), START, EXPIRES, b"second")
    await transcript.add(ACME, ANNA, SESSION, [between], WINDOW)
    assert await said(transcript) == [early, between, late]
    await transcript.add(ACME, ANNA, SESSION, [], WINDOW)
    assert len(await said(transcript)) == 3


@pytest.mark.requirement("W3", "E5")
async def test_a_session_is_its_subjects_alone(transcript: Transcript) -> None:
    """Of the same name, another subject's and another tenant's session is another one."""
    mine = turn()
    await transcript.add(ACME, ANNA, SESSION, [mine], WINDOW)
    for tenant, subject, session in ELSEWHERE:
        assert await said(transcript, tenant, subject, session) == []
        await transcript.add(tenant, subject, session, [turn(token=b"theirs")], WINDOW)
    assert await said(transcript) == [mine]


@pytest.mark.requirement("W3")
async def test_an_id_is_kept_once(transcript: Transcript) -> None:
    """The second turn of an id is a conflict, and nothing that came with it is kept."""
    first = turn()
    await transcript.add(ACME, ANNA, SESSION, [first], WINDOW)
    with pytest.raises(ConflictError):
        await transcript.add(ACME, ANNA, SESSION, [turn(), turn(id=first.id)], WINDOW)
    assert await said(transcript) == [first]


@pytest.mark.requirement("W3")
async def test_the_oldest_turns_make_room(transcript: Transcript) -> None:
    """By number and by bytes; other sessions keep theirs."""
    every = [turn(START + timedelta(seconds=n), b"x" * 10) for n in range(6)]
    await transcript.add(ACME, ANNA, OTHER, [turn()], WINDOW)
    await transcript.add(ACME, ANNA, SESSION, every[:4], Window(turns=3, bytes=1000))
    assert await said(transcript) == every[1:4]
    await transcript.add(ACME, ANNA, SESSION, every[4:], Window(turns=100, bytes=29))
    assert await said(transcript) == every[4:]
    await transcript.add(ACME, ANNA, SESSION, [turn(EXPIRES, b"y" * 30)], Window(1, 29))
    assert await said(transcript) == []
    assert len(await said(transcript, session=OTHER)) == 1


@pytest.mark.requirement("W3")
async def test_a_turn_that_expired_is_not_heard_and_goes(transcript: Transcript) -> None:
    """From its expiry on; what is left of other sessions and tenants stays."""
    await transcript.add(ACME, ANNA, SESSION, [turn()], WINDOW)
    lasting = SealedTurn(TurnId(new_id()), START, EXPIRES + timedelta(hours=1), b"lasting")
    await transcript.add(GLOBEX, ANNA, SESSION, [turn(), lasting], WINDOW)
    just_before = EXPIRES - timedelta(microseconds=1)
    assert len(await transcript.turns(ACME, ANNA, SESSION, just_before)) == 1
    assert await transcript.turns(ACME, ANNA, SESSION, EXPIRES) == []
    assert await transcript.expire(just_before) == 0
    assert await transcript.expire(EXPIRES) == 2
    assert await said(transcript) == []
    assert await said(transcript, GLOBEX) == [lasting]


@pytest.mark.requirement("W3", "S5")
async def test_a_subjects_turns_are_erased(transcript: Transcript) -> None:
    """Those of one session, then all of them; nobody else's."""
    for place in ((ACME, ANNA, SESSION), *ELSEWHERE):
        await transcript.add(*place, [turn()], WINDOW)
    assert await transcript.erase(ACME, ANNA, [SESSION]) == 1
    assert await said(transcript) == []
    assert len(await said(transcript, session=OTHER)) == 1
    assert await transcript.erase(ACME, ANNA, []) == 0
    assert await transcript.erase(ACME, ANNA) == 1
    assert await said(transcript, session=OTHER) == []
    assert len(await said(transcript, ACME, BORIS)) == len(await said(transcript, GLOBEX)) == 1


@pytest.mark.requirement("W3")
async def test_a_transcript_that_is_away_says_so() -> None:
    """The one in memory can be made to fail as a database does."""
    transcript = MemoryTranscript()
    transcript.offline = True
    with pytest.raises(UnavailableError):
        await said(transcript)
    with pytest.raises(UnavailableError):
        await transcript.add(ACME, ANNA, SESSION, [turn()], WINDOW)
