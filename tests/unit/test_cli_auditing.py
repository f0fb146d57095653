"""Checkpoints that were kept elsewhere show what no look at the record alone can show."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from gateway.app.keep import opened_keep
from gateway.cli.program import run
from gateway.settings import load
from guard.nouns import Leaf
from memory.types import TenantId
from storage.chain import EMPTY, follow, leaf_hash
from tests.contracts.test_registry import leaf

Capture = pytest.CaptureFixture[str]
ACME, GLOBEX = TenantId("acme"), TenantId("globex")


def noted(number: int, tenant: TenantId = ACME) -> Leaf:
    """Return a leaf of something that changed no memory."""
    return leaf(number, tenant)


async def _note(folder: Path, leaves: list[Leaf]) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder)})
    async with opened_keep(settings) as keep:
        await keep.audit.note(leaves)
        await keep.audit.integrate()


class Place:
    """A data directory with a record, a key, and checkpoints of it."""

    def __init__(self, folder: Path, capture: Capture) -> None:
        self.folder, self._capture = folder, capture
        self.kept = folder / "kept.jsonl"
        self.note(*(noted(number) for number in range(1, 6)), noted(1, GLOBEX))
        assert run(["audit", "key", "memory.example", "--out", str(folder / "audit.key")]) == 0
        self.verifier = capture.readouterr().out.strip()
        self.keep()

    def note(self, *leaves: Leaf) -> None:
        """Record leaves."""
        asyncio.run(_note(self.folder / "data", list(leaves)))

    def keep(self) -> None:
        """Sign checkpoints and put them with the others."""
        words = ["audit", "checkpoint", "--key", str(self.folder / "audit.key")]
        assert run([*words, "--data-dir", str(self.folder / "data")]) == 0
        with self.kept.open("a") as file:
            file.write(self._capture.readouterr().out)

    def verified(self, *, against: bool = True) -> tuple[int, dict[str, list[str]]]:
        """Return the exit code of a verification, and the problems by tenant."""
        kept = ["--against", str(self.kept), "--verifier", self.verifier] if against else []
        words = ["audit", "verify", "--json", "--data-dir", str(self.folder / "data"), *kept]
        code = run(words)
        reports = json.loads(self._capture.readouterr().out)
        return code, {one["tenant"]: one["problems"] for one in reports}

    def edit(self, sql: str, *values: object) -> None:
        """Change the database behind everybody's back."""
        with closing(sqlite3.connect(self.folder / "data" / "ledger.db")) as ledger:
            ledger.execute(sql, values)
            ledger.commit()

    def made_anew(self) -> None:
        """Compute the whole chain again, as who owns the database can."""
        with closing(sqlite3.connect(self.folder / "data" / "ledger.db")) as ledger:
            head = EMPTY.hash
            query = "SELECT id, body FROM leaves WHERE tenant = 'acme' ORDER BY sequence"
            for place, (id, body) in enumerate(ledger.execute(query).fetchall(), 1):
                head = follow(head, leaf_hash(body))
                ledger.execute(
                    "UPDATE leaves SET sequence = ?, chain = ? WHERE id = ? AND tenant = 'acme'",
                    (place, head, id),
                )
            ledger.commit()


@pytest.fixture
def place(tmp_path: Path, capsys: Capture) -> Place:
    """Lend a place with checkpoints."""
    return Place(tmp_path, capsys)


@pytest.mark.requirement("Q6", "Q9")
def test_a_record_that_only_grew_is_what_was_signed(place: Place) -> None:
    """Against each earlier checkpoint; the key file is its owner's alone and never written over."""
    assert place.verified() == (0, {"acme": [], "globex": []})
    place.note(noted(6), noted(7))
    place.keep()
    assert len(place.kept.read_text().splitlines()) == 4
    assert place.verified() == (0, {"acme": [], "globex": []})
    key = place.folder / "audit.key"
    assert key.stat().st_mode & 0o777 == 0o600
    secret = key.read_text()
    assert run(["audit", "key", "memory.example", "--out", str(key)]) != 0
    assert key.read_text() == secret


@pytest.mark.requirement("Q6")
def test_an_end_that_was_cut_off_shows(place: Place) -> None:
    """The record alone looks whole."""
    place.edit("DELETE FROM leaves WHERE tenant = 'acme' AND sequence > 3")
    assert place.verified(against=False) == (0, {"acme": [], "globex": []})
    assert place.verified() == (1, {"acme": ["record_cut at 5"], "globex": []})


@pytest.mark.requirement("Q6")
def test_a_record_that_was_made_anew_shows(place: Place) -> None:
    """An edited leaf, with the chain after it computed again, as who owns the ledger can."""
    body = noted(2)
    edited = msgspec.structs.replace(body, outcome="forged")
    place.edit(
        "UPDATE leaves SET body = ? WHERE tenant = 'acme' AND id = ?",
        msgspec.msgpack.encode(edited),
        body.id,
    )
    assert place.verified(against=False)[0] == 1, "the chain shows it as long as it is the old one"
    place.made_anew()
    assert place.verified(against=False) == (0, {"acme": [], "globex": []})
    assert place.verified() == (1, {"acme": ["record_other at 5"], "globex": []})


@pytest.mark.requirement("Q6")
def test_a_record_that_was_removed_whole_shows(place: Place) -> None:
    """A tenant of whom nothing is left is known from his checkpoint."""
    place.edit("DELETE FROM leaves WHERE tenant = 'globex'")
    assert place.verified(against=False) == (0, {"acme": []})
    assert place.verified() == (1, {"acme": [], "globex": ["record_cut at 1"]})


@pytest.mark.requirement("Q6")
def test_leaves_in_another_order_show(place: Place) -> None:
    """Two leaves change places and the chain is made anew."""
    for before, after in ((2, 999), (3, 2), (999, 3)):
        place.edit(
            "UPDATE leaves SET sequence = ? WHERE tenant = 'acme' AND sequence = ?", after, before
        )
    place.made_anew()
    assert place.verified(against=False)[0] == 0
    assert place.verified() == (1, {"acme": ["record_other at 5"], "globex": []})


@pytest.mark.requirement("Q6")
def test_checkpoints_that_somebody_edited_prove_nothing(place: Place) -> None:
    """Nor do those of another key: the verification ends before it begins."""
    words = ["audit", "verify", "--data-dir", str(place.folder / "data")]
    other = place.folder / "other.key"
    assert run(["audit", "key", "memory.example", "--out", str(other)]) == 0
    forged = place._capture.readouterr().out.strip()
    kept = ["--against", str(place.kept)]
    assert run([*words, *kept, "--verifier", forged]) == 2
    place.kept.write_text(place.kept.read_text().replace("\\n5\\n", "\\n4\\n"))
    assert run([*words, *kept, "--verifier", place.verifier]) == 2
    assert run([*words, "--verifier", place.verifier]) == 2
    assert "line 1" in place._capture.readouterr().err
