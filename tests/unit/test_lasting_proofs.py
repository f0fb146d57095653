"""What a record proves stays proved when keys go: those of its tenant, and the signer's."""

import asyncio
import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
import pytest

from gateway.app.keep import Keep, opened_keep
from gateway.cli.program import run
from gateway.settings import Settings, load
from guard.errors import UnreadableError
from guard.nouns import Draft, Leaf, Row
from guard.principal import Scope
from guard.record import Consistent, Included, consistent, included
from guard.remember import remember
from guard.rooms import Rooms
from memory.types import MemoryId
from storage.ledger import SqlLedger
from tests.contracts.test_registry import leaf
from tests.house import ALICE, BOB, House, caller
from tests.unit.test_cli_auditing import ACME
from tests.unit.test_record import root_by_path, roots_by_proof

Capture = pytest.CaptureFixture[str]
AUDITOR: Final = caller("carol", scopes=frozenset({Scope.AUDIT_READ}))
_EARLY, _LATE = 2, 3


class Proofs(msgspec.Struct, frozen=True):
    """What an auditor took away while all keys were there, and when they were gone."""

    leaf: Included
    grown: Consistent


class Stand:
    """A data directory with memories of two subjects, and an auditor's shelf outside of it."""

    def __init__(self, folder: Path, capture: Capture) -> None:
        self.folder, self._capture = folder, capture
        self.data, self.kept = folder / "data", folder / "kept.jsonl"
        self.export = folder / "export.jsonl"

    def settings(self) -> Settings:
        """Return the settings of the directory."""
        return load(environ={}, overrides={"storage.data_dir": str(self.data)})

    def signer(self, name: str) -> str:
        """Make a signing key; return what verifies its signatures."""
        assert run(["audit", "key", name, "--out", str(self.folder / name)]) == 0
        return self._capture.readouterr().out.strip()

    def checkpoint(self, name: str) -> None:
        """Keep a checkpoint by this key beside the others."""
        words = ["audit", "checkpoint", "--key", str(self.folder / name)]
        assert run([*words, "--data-dir", str(self.data)]) == 0
        with self.kept.open("a") as file:
            file.write(self._capture.readouterr().out)

    def exported(self) -> None:
        """Export the record as it is now."""
        assert run(["audit", "export", "--data-dir", str(self.data)]) == 0
        self.export.write_text(self._capture.readouterr().out)

    def verified(self, *verifiers: str, ledger: bool = False) -> tuple[int, list[str]]:
        """Verify the export, or the ledger; return the exit code and what is wrong."""
        what = ["--data-dir", str(self.data)] if ledger else ["--export", str(self.export)]
        named = [word for one in verifiers for word in ("--verifier", one)]
        code = run(["audit", "verify", "--json", *what, "--against", str(self.kept), *named])
        (report,) = json.loads(self._capture.readouterr().out or "[{}]")
        return code, list(report.get("problems", ["none was read"]))

    def rows_of_keys(self, sql: str) -> int:
        """Do something to the wrapped keys of the tenant; return how many rows."""
        with closing(sqlite3.connect(self.data / "keys.db")) as keys:
            count = sum(
                keys.execute(sql.format(table), (ACME,)).rowcount
                for table in ("tenant_keys", "subject_keys")
            )
            keys.commit()
        return count


def _rooms(keep: Keep) -> Rooms:
    return House().with_rooms(
        ledger=SqlLedger(keep.database),
        vault=keep.vault,
        marks=keep.vault,
        envelopes=keep.envelopes,
        audit=keep.audit,
    )


async def _written(settings: Settings) -> None:
    async with opened_keep(settings) as keep:
        rooms = _rooms(keep)
        for principal in (ALICE, BOB):
            told = await remember(principal, Draft("I take the night train to Lisbon."), rooms)
            assert told.__struct_config__.tag == "stored"
        await keep.audit.integrate()


async def _proved(settings: Settings) -> Proofs:
    """Take proofs of the record, whatever opens of its memories."""
    async with opened_keep(settings) as keep:
        rooms = _rooms(keep)
        await keep.audit.note([leaf(len(await keep.audit.leaves(ACME, 0, 99)) + 1, ACME)])
        await keep.audit.integrate()
        return Proofs(
            await included(AUDITOR, 1, _LATE, rooms),
            await consistent(AUDITOR, _EARLY, _LATE, rooms),
        )


async def _row(settings: Settings) -> Row:
    async with opened_keep(settings) as keep:
        found = [one.leaf for one in await keep.audit.leaves(ACME, 0, 9)]
        named = next(MemoryId(one.object) for one in found if one.subject == ALICE.owner.subject)
        (row,) = await SqlLedger(keep.database).rows(ACME, ALICE.owner.subject, [named])
        return row


async def _opens(settings: Settings) -> bool:
    row = await _row(settings)
    async with opened_keep(settings) as keep:
        try:
            await keep.vault.open(ALICE.owner, row.sealed)
        except UnreadableError:
            return False
    return True


async def _shredded(settings: Settings) -> int:
    async with opened_keep(settings) as keep:
        return await keep.keyring.shred_tenant(ACME)


def _hold(proofs: Proofs) -> bool:
    """Check proofs with what was written from the RFC alone."""
    one, grown = proofs.leaf, proofs.grown
    root = root_by_path(one.leaf - 1, one.tree.size, one.hash, one.proof)
    roots = roots_by_proof(_EARLY, _LATE, grown.proof, grown.first.root)
    return root == one.tree.root and roots == (grown.first.root, grown.second.root)


@pytest.mark.requirement("Q6")
def test_proofs_outlive_the_keys_of_their_tenant_and_the_signers(
    tmp_path: Path, capsys: Capture
) -> None:
    """Keys emptied, their rows removed, the signing key exchanged: what was true is provable, by
    the proofs of before and of now, and by the earlier checkpoint. A changed leaf still shows.
    """
    stand = Stand(tmp_path, capsys)
    settings = stand.settings()
    asyncio.run(_written(settings))
    old = stand.signer("old.example")
    stand.checkpoint("old.example")
    before = asyncio.run(_proved(settings))
    stand.exported()
    assert _hold(before)
    assert stand.verified(old) == (0, [])
    assert asyncio.run(_opens(settings))

    # (1) Every wrapped key of the tenant goes: first its bytes, then what says that it was there.
    assert asyncio.run(_shredded(settings)) == 3
    assert not asyncio.run(_opens(settings))
    assert stand.rows_of_keys("DELETE FROM {} WHERE tenant = ?") == 3
    assert not asyncio.run(_opens(settings))
    after = asyncio.run(_proved(settings))
    assert after == before
    assert _hold(before)
    assert stand.verified(old) == (0, []), "the export of before"
    stand.exported()
    assert stand.verified(old) == (0, []), "that of now"
    assert stand.verified(old, ledger=True) == (0, [])

    # (2) Another key signs from now on. The checkpoint of before still counts, under its own.
    new = stand.signer("new.example")
    stand.checkpoint("new.example")
    assert stand.verified(old, new) == (0, [])
    assert stand.verified(new)[0] != 0, "whose key is not named proves nothing"

    # (3) The control: one leaf says something else.
    first, second, *rest = stand.export.read_text().splitlines()
    line = json.loads(second)
    said = msgspec.msgpack.decode(base64.b64decode(line["body"]), type=Leaf)
    other = msgspec.msgpack.encode(msgspec.structs.replace(said, outcome="forged"))
    second = json.dumps(line | {"body": base64.b64encode(other).decode()})
    stand.export.write_text("\n".join((first, second, *rest, "")))
    assert stand.verified(old, new)[0] == 1
    forged = msgspec.structs.replace(before.leaf, hash=before.grown.first.root)
    assert not _hold(msgspec.structs.replace(before, leaf=forged))
