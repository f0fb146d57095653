"""`memguard tenant …`: a fresh installation is set going from the command line alone."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gateway import app
from gateway.app.enrolling import enrol
from gateway.app.keep import ledger_url, start_keys
from gateway.auth import RegisteredOnly
from gateway.cli.program import run
from gateway.cli.tenants import _all
from gateway.settings import Settings, TenantEntry, load
from memory.origin import Channel, OriginClass
from memory.types import ClientId, TenantId
from storage.audit import SqlAudit
from storage.database import Database
from storage.registry import SqlRegistry

Capture = pytest.CaptureFixture[str]


def _production(tmp_path: Path) -> tuple[list[str], Settings]:
    """Return the options of an installation that nothing was done to yet, with made keys."""
    made = load(environ={}, overrides={"storage.data_dir": str(tmp_path / "made")})
    keys = start_keys(made)
    assert keys.keys_file is not None
    public = json.loads(keys.keys_file.read_text())
    del public["d"]
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "jwks.json").write_text(json.dumps(public))
    (folder / "jwks.json").chmod(0o600)
    assert isinstance(keys.root_key, Path)
    (folder / "root.key").write_bytes(keys.root_key.read_bytes())
    (folder / "root.key").chmod(0o600)
    (tmp_path / "data").mkdir()
    config = folder / "memguard.toml"
    config.write_text(
        f"""mode = "production"
[http]
public_url = "https://memory.example"
[auth]
issuer = "https://login.example"
audiences = ["https://memory.example"]
keys_file = "{folder / "jwks.json"}"
[storage]
data_dir = "{tmp_path / "data"}"
root_key_file = "{folder / "root.key"}"
"""
    )
    return ["--config", str(config)], load(config=config, environ={})


def _reported(capsys: Capture) -> Any:
    (line,) = capsys.readouterr().out.splitlines()
    return json.loads(line)


async def _audited(settings: Settings, tenant: str) -> list[tuple[str, str]]:
    database = await Database.open(ledger_url(settings))
    try:
        audit = SqlAudit(database)
        await audit.integrate()
        assert (await audit.verify(TenantId(tenant))).ok
        leaves = [one.leaf for one in await audit.leaves(TenantId(tenant), 0, 100)]
    finally:
        await database.close()
    assert {one.channel for one in leaves} <= {Channel.CLI}
    assert {(one.actor, one.client) for one in leaves} <= {("operator", "command-line")}
    return [(one.action, one.object) for one in leaves]


async def _ceiling(settings: Settings, tenant: str, client: str) -> OriginClass:
    database = await Database.open(ledger_url(settings))
    try:
        admission = RegisteredOnly(SqlRegistry(database))
        return await admission.admit(TenantId(tenant), ClientId(client))
    finally:
        await database.close()


@pytest.mark.requirement("E13", "Q6", "Q9")
def test_a_fresh_production_is_set_going(tmp_path: Path, capsys: Capture) -> None:
    """Registered from the command line alone, a client is served; each step is in the audit."""
    where, settings = _production(tmp_path)
    words = ["tenant", "register", "acme", "--client", "app=user_stated", "--client", "b=c=web"]
    assert run([*words, "--subject-units", "600", *where, "--json"]) == 0
    expected = {
        "id": "acme",
        "suspended": False,
        "ceiling": "user_stated",
        "units": {"tenant": None, "origin": None, "subject": 600},
        "index": "open",
        "clients": {"app": "user_stated", "b=c": "web"},
    }
    assert _reported(capsys) == expected
    assert asyncio.run(_ceiling(settings, "acme", "app")) is OriginClass.USER_STATED
    assert run(["tenant", "client", "acme", "bot", "--ceiling", "agent_inferred", *where]) == 0
    assert run(["tenant", "client", "acme", "b=c", "--remove", *where]) == 0
    assert run(["tenant", "suspend", "acme", *where]) == 0
    capsys.readouterr()
    assert run(["tenant", "list", *where]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "tenant\tis\tceiling\tclients",
        "acme\tsuspended\tuser_stated\tapp=user_stated, bot=agent_inferred",
    ]
    assert run(["tenant", "resume", "acme", *where, "--json"]) == 0
    assert _reported(capsys)["suspended"] is False
    audited = asyncio.run(_audited(settings, "acme"))
    assert sorted(audited[:3]) == [
        ("client.put", "app"),
        ("client.put", "b=c"),
        ("tenant.register", "acme"),
    ]
    assert audited[3:] == [
        ("client.put", "bot"),
        ("client.remove", "b=c"),
        ("tenant.suspend", "acme"),
        ("tenant.resume", "acme"),
    ]


@pytest.mark.requirement("E13", "Q9")
def test_what_can_not_be_done_ends_with_one_and_a_line(tmp_path: Path, capsys: Capture) -> None:
    """Twice the same tenant, one that is not there, a client that is not there."""
    where = ["--data-dir", str(tmp_path / "data")]
    assert run(["tenant", "register", "acme", *where]) == 0
    capsys.readouterr()
    for words in (
        ["register", "acme"],
        ["suspend", "nobody"],
        ["resume", "nobody"],
        ["client", "nobody", "app", "--ceiling", "web"],
        ["client", "acme", "app", "--remove"],
    ):
        assert run(["tenant", *words, *where]) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert len(told.err.splitlines()) == 1
    assert run(["tenant", "list", *where, "--json"]) == 0
    assert [(one["id"], one["clients"]) for one in _reported(capsys)] == [("acme", {})]


@pytest.mark.requirement("Q9")
@pytest.mark.parametrize(
    "words",
    [
        ["register"],
        ["register", ""],
        ["register", "a\nb"],
        ["register", "acme", "--client", "app"],
        ["register", "acme", "--client", "app=god"],
        ["register", "acme", "--client", "=web"],
        ["register", "acme", "--client", "app=operator"],
        ["register", "acme", "--ceiling", "god"],
        ["register", "acme", "--tenant-units", "0"],
        ["client", "acme", "app"],
        ["client", "acme", "app", "--remove", "--ceiling", "web"],
    ],
)
def test_what_makes_no_sense_ends_with_two(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    """A wrong call registers nothing; above the tenant's own ceiling is one."""
    where = ["--data-dir", str(tmp_path / "data")]
    assert run(["tenant", *words, *where]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert run(["tenant", "list", *where, "--json"]) == 0
    assert _reported(capsys) == []


@pytest.mark.requirement("E13")
def test_all_tenants_are_listed_however_many(tmp_path: Path) -> None:
    """The list goes on behind its first page."""
    where = ["--data-dir", str(tmp_path / "data")]
    settings = load(environ={}, overrides={"storage.data_dir": where[1]})

    async def registered() -> int:

        entries = tuple(TenantEntry(id=f"t{number}") for number in range(203))
        async with app.registry_desk(settings) as desk:
            return await enrol(entries, desk)

    assert asyncio.run(registered()) == 203
    found = asyncio.run(_listed(settings))
    assert len(found) == len(set(found)) == 203


async def _listed(settings: Settings) -> list[str]:

    return [one.id for one in await _all(settings)]
