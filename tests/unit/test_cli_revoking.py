"""`tenant revoke`: what it takes back, in the ledger of a gateway that may run beside it."""

import asyncio
import json
from pathlib import Path

import pytest

from gateway.app.keep import ledger_url
from gateway.cli.program import run
from gateway.settings import load
from guard.revoke import Of, Revocation
from storage.database import Database
from storage.revocations import SqlRevocations

Capture = pytest.CaptureFixture[str]


async def _kept(folder: Path) -> list[Revocation]:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder)})
    database = await Database.open(ledger_url(settings))
    try:
        return list(await SqlRevocations(database).since(None))
    finally:
        await database.close()


@pytest.mark.requirement("E6", "Q9")
def test_each_kind_is_taken_back(tmp_path: Path, capsys: Capture) -> None:
    """A token, a subject up to an instant, and everyone; reported and kept."""
    words = ["tenant", "revoke", "acme", "--data-dir", str(tmp_path / "data")]
    assert run([*words, "--token", "jti-1", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert (reported["of"], reported["name"], reported["tenant"]) == ("token", "jti-1", "acme")
    assert run([*words, "--subject", "爱丽丝", "--before", "2026-01-02T03:04:05"]) == 0
    assert capsys.readouterr().out == "subject\t爱丽丝\tissued until 2026-01-02T03:04:05+00:00\n"
    assert run([*words, "--everyone"]) == 0
    kept = asyncio.run(_kept(tmp_path / "data"))
    assert [(one.of, one.name) for one in kept] == [
        (Of.TOKEN, "jti-1"),
        (Of.SUBJECT, "爱丽丝"),
        (Of.TENANT, ""),
    ]
    assert kept[1].before.isoformat() == "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--token", "a", "--subject", "b"],
        ["--token", "a", "--before", "2026-01-01"],
        ["--subject", ""],
        ["--subject", "a", "--before", "2126-01-01"],
    ],
    ids=str,
)
def test_what_is_not_one_thing_is_refused(words: list[str], tmp_path: Path) -> None:
    """Nothing is taken back by a command that does not say what."""
    folder = tmp_path / "data"
    command = ["tenant", "revoke", "acme", "--data-dir", str(folder)]
    assert run([*command, "--token", "before"]) == 0
    assert run([*command, *words]) == 2
    assert [one.name for one in asyncio.run(_kept(folder))] == ["before"]
