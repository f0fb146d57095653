"""Who owns the ledger and the data directory against one earlier checkpoint that lies outside.

The owner may do what he likes to the file, and make the chain anew after it, so that nothing in the
ledger shows it. What he hands out is an export, verified where there is no ledger and no key.
"""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable
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
Ledger = sqlite3.Connection
Bodies = list[tuple[str, bytes]]
ACME = TenantId("acme")


async def _note(data: Path, leaves: list[Leaf]) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(data)})
    async with opened_keep(settings) as keep:
        await keep.audit.note(leaves)
        await keep.audit.integrate()


class Outside:
    """What the owner of the ledger has not: a key, and checkpoints from before he began."""

    def __init__(self, folder: Path, capture: Capture) -> None:
        self._folder, self._capture = folder, capture
        self.data, self.kept = folder / "data", folder / "kept.jsonl"
        self.export = folder / "export.jsonl"
        self.verifiers: list[str] = []
        self.new_key("first")

    def new_key(self, name: str) -> None:
        """Sign with a fresh key from now on."""
        self._key = self._folder / f"{name}.key"
        self.verifiers.append(self.said("audit", "key", "memory.example", "--out", str(self._key)))

    def said(self, *words: str) -> str:
        """Return what a command that went well printed."""
        assert run([*words]) == 0
        return self._capture.readouterr().out.strip()

    def note(self, *numbers: int) -> None:
        """Record leaves as the gateway does."""
        asyncio.run(_note(self.data, [leaf(number, ACME) for number in numbers]))

    def keep(self) -> None:
        """Sign what is there, and put it with the other checkpoints."""
        words = ("audit", "checkpoint", "--key", str(self._key), "--data-dir", str(self.data))
        with self.kept.open("a") as file:
            file.write(self.said(*words) + "\n")

    def taken_out(self) -> None:
        """Take an export of the ledger as it lies there."""
        self.export.write_text(self.said("audit", "export", "--data-dir", str(self.data)) + "\n")

    def problems(self, *, against: bool = True) -> list[str]:
        """Return what an export shows of the one tenant."""
        words = ["audit", "verify", "--export", str(self.export), "--json"]
        if against:
            words += ["--against", str(self.kept)]
            words += [word for one in self.verifiers for word in ("--verifier", one)]
        code = run(words)
        (told,) = json.loads(self._capture.readouterr().out)
        assert (told["tenant"], told["ok"], code) == (ACME, code == 0, int(bool(told["problems"])))
        return list(told["problems"])

    def made(self, change: Callable[[Bodies], Bodies]) -> None:
        """Change the leaves as their owner likes and make everything after them anew."""
        with closing(sqlite3.connect(self.data / "ledger.db")) as ledger, ledger:
            query = "SELECT id, body FROM leaves WHERE tenant = ? ORDER BY sequence"
            bodies = change(ledger.execute(query, (ACME,)).fetchall())
            ledger.execute("DELETE FROM leaves WHERE tenant = ?", (ACME,))
            head = EMPTY.hash
            for place, (id, body) in enumerate(bodies, 1):
                head = follow(head, leaf_hash(body))
                ledger.execute(
                    "INSERT INTO leaves (tenant, id, object, body, sequence, chain)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (ACME, id, msgspec.msgpack.decode(body, type=Leaf).object, body, place, head),
                )


@pytest.fixture
def outside(tmp_path: Path, capsys: Capture) -> Outside:
    """Lend a place with a record of five leaves that were signed and three that were not."""
    one = Outside(tmp_path, capsys)
    one.note(1, 2, 3, 4, 5)
    one.keep()
    one.note(6, 7, 8)
    return one


def _made_of(number: int) -> tuple[str, bytes]:
    one = leaf(number, ACME)
    return one.id, msgspec.msgpack.encode(one)


def _edited(bodies: Bodies) -> Bodies:
    id, body = bodies[1]
    said = msgspec.msgpack.decode(body, type=Leaf)
    forged = msgspec.msgpack.encode(msgspec.structs.replace(said, outcome="forged"))
    return [bodies[0], (id, forged), *bodies[2:]]


ATTACKS: dict[str, tuple[Callable[[Bodies], Bodies], str]] = {
    "edit": (_edited, "record_other at 5"),
    "drop": (lambda bodies: [*bodies[:2], *bodies[3:]], "record_other at 5"),
    "insert": (lambda bodies: [*bodies[:2], _made_of(99), *bodies[2:]], "record_other at 5"),
    "reorder": (
        lambda bodies: [bodies[0], bodies[2], bodies[1], *bodies[3:]],
        "record_other at 5",
    ),
    "truncate": (lambda bodies: bodies[:4], "record_cut at 5"),
    "fork": (
        lambda bodies: [*bodies[:3], *(_made_of(number) for number in range(90, 99))],
        "record_other at 5",
    ),
}


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize("name", ATTACKS)
def test_an_export_of_a_record_that_was_made_anew_is_not_what_was_signed(
    outside: Outside, name: str
) -> None:
    """Alone it looks whole, for its owner made the chain anew; beside a checkpoint it does not."""
    change, shown = ATTACKS[name]
    outside.made(change)
    outside.taken_out()
    shutil.rmtree(outside.data)
    assert outside.problems(against=False) == []
    assert outside.problems() == [shown]


@pytest.mark.requirement("Q6")
def test_an_honest_export_is_what_was_signed_without_the_ledger(outside: Outside) -> None:
    """The same hand that changes nothing changes no root; the data directory is gone by then."""
    outside.made(lambda bodies: bodies)
    outside.taken_out()
    shutil.rmtree(outside.data)
    assert outside.problems(against=False) == outside.problems() == []
    assert not outside.data.exists()


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize(
    ("name", "flaw"),
    [
        ("edit", "leaf_changed at 2"),
        ("drop", "leaf_missing at 3"),
        ("insert", "leaf_misplaced at 2"),
        ("reorder", "leaf_missing at 3"),
    ],
)
def test_an_export_that_was_changed_on_its_way_shows_it_by_itself(
    outside: Outside, name: str, flaw: str
) -> None:
    """By its chain, without any checkpoint; what was cut off at the end shows beside one alone."""
    outside.taken_out()
    lines = outside.export.read_text().splitlines()
    other = msgspec.json.encode(json.loads(lines[1]) | {"body": json.loads(lines[2])["body"]})
    changed = {
        "edit": [lines[0], other.decode(), *lines[2:]],
        "drop": [lines[0], *lines[2:]],
        "insert": [*lines[:2], lines[1], *lines[2:]],
        "reorder": [lines[0], lines[2], lines[1], *lines[3:]],
    }
    outside.export.write_text("\n".join(changed[name]) + "\n")
    assert flaw in outside.problems(against=False)
    outside.export.write_text("\n".join(lines[:4]) + "\n")
    assert outside.problems(against=False) == []
    assert outside.problems() == ["record_cut at 5"]


@pytest.mark.requirement("Q6")
def test_two_checkpoints_of_one_size_show_a_fork_whatever_is_exported(outside: Outside) -> None:
    """Two histories were signed: no record is like both."""
    copy = outside.data.with_name("before")
    shutil.copytree(outside.data, copy)
    outside.keep()
    shutil.rmtree(outside.data)
    copy.rename(outside.data)
    outside.made(lambda bodies: [*bodies[:7], _made_of(99)])
    outside.keep()
    outside.taken_out()
    assert outside.problems() == ["record_other at 8"]


@pytest.mark.requirement("Q6")
def test_what_an_earlier_key_signed_goes_on_to_hold(outside: Outside) -> None:
    """With both keys named; what a key signed that is not named proves nothing."""
    outside.new_key("second")
    outside.keep()
    outside.taken_out()
    assert outside.problems() == []
    outside.made(_edited)
    outside.taken_out()
    assert outside.problems() == ["record_other at 5", "record_other at 8"]
    words = ["audit", "verify", "--export", str(outside.export), "--against", str(outside.kept)]
    assert run([*words, "--verifier", outside.verifiers[1]]) == 2


@pytest.mark.requirement("Q6")
def test_a_file_that_is_no_export_is_refused(outside: Outside) -> None:
    """With the number of the line; nothing that stands in it is shown."""
    outside.taken_out()
    for bad in ("{}", '{"tenant": "acme", "sequence": 0, "body": "", "chain": ""}', "secret"):
        outside.export.write_text(outside.export.read_text().splitlines()[0] + "\n" + bad + "\n")
        assert run(["audit", "verify", "--export", str(outside.export)]) == 2
        told = outside._capture.readouterr()
        assert "line 2" in told.err
        assert "secret" not in told.err
    words = ["audit", "verify", "--export", str(outside.export)]
    assert run([*words, "--data-dir", str(outside.data)]) == 2
