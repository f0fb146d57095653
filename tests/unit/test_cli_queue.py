"""`memguard queue`: an operator sees what was given up, and has it tried again."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.app.keep import opened_keep
from gateway.cli.program import run
from gateway.settings import Settings, load
from guard.nouns import Accepted, Change
from guard.ports import Due
from memory.types import MemoryId, Owner, SubjectId, TenantId
from storage.ledger import SqlLedger
from storage.queue import SqlQueue
from tests.contracts.ledger_builders import new_id, noted

Capture = pytest.CaptureFixture[str]

AT = datetime(2026, 11, 1, 12, tzinfo=UTC)
ALICE = Owner(TenantId("acme"), SubjectId("爱丽丝"))
MALLORY = Owner(TenantId("umbra"), SubjectId("mallory"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of a data directory of the test's own."""
    return load(environ={}, overrides={"storage.data_dir": str(tmp_path / "data")})


async def _bury(settings: Settings, *owners: Owner) -> list[str]:
    ids = []
    async with opened_keep(settings) as keep:
        ledger, queue = SqlLedger(keep.database), SqlQueue(keep.database)
        for owner in owners:
            id = MemoryId(new_id())
            epoch = await ledger.epoch(owner.tenant, owner.subject)
            accepted = Accepted(id, AT, b"sealed")
            await ledger.commit(Change(owner, epoch, (), (noted(owner),), later=accepted))
            await queue.bury(Due(owner, id, 20), "queue.unavailable", AT)
            ids.append(str(id))
    return ids


async def _due(settings: Settings) -> list[str]:
    async with opened_keep(settings) as keep:
        return [due.id for due in await SqlQueue(keep.database).claim(9, datetime.now(UTC), 1.0)]


async def _audited(settings: Settings, tenant: str) -> list[tuple[str, str, str]]:
    async with opened_keep(settings) as keep:
        await keep.audit.integrate()
        leaves = [one.leaf for one in await keep.audit.leaves(TenantId(tenant), 0, 99)]
        assert (await keep.audit.verify(TenantId(tenant))).ok
        return [(one.object, one.outcome, one.channel) for one in leaves if one.action == "queue"]


def _run(settings: Settings, capsys: Capture, *words: str) -> tuple[int, Any]:
    code = run(["queue", *words, "--json", "--data-dir", str(settings.storage.data_dir)])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.requirement("W14", "Q9")
def test_dead_writes_are_listed_without_content(settings: Settings, capsys: Capture) -> None:
    """With exit code 1 when there are any, of one tenant or all; a queue without is code 0."""
    assert _run(settings, capsys, "list") == (0, [])
    mine, _ = asyncio.run(_bury(settings, ALICE, MALLORY))
    code, all_of_them = _run(settings, capsys, "list")
    assert (code, len(all_of_them)) == (1, 2)
    code, of_one = _run(settings, capsys, "list", "--tenant", "acme")
    assert code == 1
    assert of_one == [
        {
            "id": mine,
            "tenant": "acme",
            "subject": "爱丽丝",
            "attempts": "20",
            "reason": "queue.unavailable",
            "dead since": "2026-11-01T12:00:00+00:00",
        }
    ]
    assert run(["queue", "list", "--data-dir", str(settings.storage.data_dir)]) == 1
    assert mine in capsys.readouterr().out


@pytest.mark.requirement("W14", "Q9", "Q6")
def test_a_replay_makes_dead_writes_due_again(settings: Settings, capsys: Capture) -> None:
    """One by id, those of a tenant, or all; each leaves its trace in its tenant's audit."""
    first, second, theirs = asyncio.run(_bury(settings, ALICE, ALICE, MALLORY))
    assert asyncio.run(_due(settings)) == []
    code, replayed = _run(settings, capsys, "replay", first)
    assert (code, [one["id"] for one in replayed]) == (0, [first])
    assert asyncio.run(_due(settings)) == [first]
    code, replayed = _run(settings, capsys, "replay", "--tenant", "acme")
    assert (code, [one["id"] for one in replayed]) == (0, [second])
    assert [one["id"] for one in _run(settings, capsys, "list")[1]] == [theirs]
    assert len(_run(settings, capsys, "replay")[1]) == 1
    assert _run(settings, capsys, "list") == (0, [])
    assert asyncio.run(_audited(settings, "acme")) == [
        (first, "replayed", "cli"),
        (second, "replayed", "cli"),
    ]
    assert asyncio.run(_audited(settings, "umbra")) == [(theirs, "replayed", "cli")]


@pytest.mark.requirement("W14", "Q9")
def test_a_replay_of_what_is_not_dead_says_so(settings: Settings, capsys: Capture) -> None:
    """Exit code 1 for an id that is none, or is another tenant's; nothing is audited for it."""
    (id,) = asyncio.run(_bury(settings, MALLORY))
    assert _run(settings, capsys, "replay", "no-such-id") == (1, [])
    assert _run(settings, capsys, "replay", id, "--tenant", "acme") == (1, [])
    assert asyncio.run(_audited(settings, "umbra")) == []
    assert _run(settings, capsys, "replay", id)[0] == 0
    assert _run(settings, capsys, "replay", id) == (1, [])
