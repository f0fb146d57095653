"""`policy put`, `list`, `show`, `diff`, `activate`, `rollback` and `simulate` of a version."""

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.cli.program import run
from tests.unit.test_draft import LOOSER, OWN

Capture = pytest.CaptureFixture[str]


class Desk:
    """An operator at a ledger on disk, for one tenant."""

    def __init__(self, folder: Path, capsys: Capture) -> None:
        self._folder, self._capsys = folder, capsys

    def file(self, text: str) -> str:
        """Return the name of a file that holds a text."""
        path = self._folder / "rules.toml"
        path.write_text(text)
        return str(path)

    def run(self, *words: str, tenant: str = "acme") -> tuple[int, Any]:
        """Return the exit code of a command, and what it reported."""
        where = ("--tenant", tenant, "--json", "--data-dir", str(self._folder / "data"))
        code = run(["policy", *words, *where])
        told = self._capsys.readouterr()
        return code, json.loads(told.out) if told.out else told.err


@pytest.mark.requirement("Q4", "W11")
def test_an_operator_writes_activates_and_rolls_back_a_tenants_rules(
    tmp_path: Path, capsys: Capture
) -> None:
    """Over the ledger, without a gateway; another tenant has none of it."""
    desk = Desk(tmp_path, capsys)
    code, made = desk.run("put", desk.file(OWN), "--comment", "no accounts")
    assert (code, made["name"], made["author"]) == (0, "tenant/acme@1", "operator")
    code, told = desk.run("put", desk.file(OWN + LOOSER))
    assert code == 2
    assert "line 14, rules[1].effect: looser than" in told
    assert desk.run("put", desk.file(OWN), "--comment", "red\x1b[31m")[0] == 2
    desk.run("put", desk.file(OWN.replace("reject", "quarantine")))
    code, standing = desk.run("activate", "1")
    assert (code, standing["version"]) == (0, 1)
    assert standing["policy"].endswith("+tenant@1.af2072cc106c")
    code, told = desk.run("activate", "2", "--if-active", "0")
    assert (code, "policy_moved" in told) == (1, True)
    assert desk.run("activate", "2", "--if-active", "1")[1]["back"] == 1
    _, listed = desk.run("list")
    assert [one["version"] for one in listed["items"]] == [2, 1]
    assert listed["active"]["version"] == 2
    assert desk.run("show", "1")[1]["text"] == OWN
    assert desk.run("diff", "2", "--against", "1")[1]["changed"] == ["no-accounts"]
    assert desk.run("rollback")[1]["version"] == 1
    assert desk.run("show", "3")[0] == 1
    assert desk.run("show", "1", tenant="globex")[0] == 1
    assert desk.run("list", tenant="globex")[1]["items"] == []
    code, found = desk.run("simulate", "2")
    assert (code, found["current"], found["candidate"]) == (
        0,
        standing["policy"],
        found["current"].partition("+")[0] + found["candidate"][found["candidate"].index("+") :],
    )
    assert "+tenant@2." in found["candidate"]
    assert "+" not in desk.run("simulate", "0")[1]["candidate"]
    assert desk.run("simulate", "7")[0] == 1
    words = ("explain", "My account is DE89370400440532013000.", "--origin", "user_stated")
    assert desk.run(*words)[1]["effect"] == "reject"
    assert desk.run(*words, tenant="globex")[1]["effect"] == "allow"


@pytest.mark.requirement("Q4")
def test_a_person_is_told_in_lines(tmp_path: Path, capsys: Capture) -> None:
    """What is kept, which holds, and the text as it was written."""
    desk = Desk(tmp_path, capsys)
    where = ("--tenant", "acme", "--data-dir", str(tmp_path / "data"))
    assert run(["policy", "put", desk.file(OWN), *where]) == 0
    assert capsys.readouterr().out == "kept tenant/acme@1\n"
    assert run(["policy", "show", "1", *where]) == 0
    assert capsys.readouterr().out == OWN
    assert run(["policy", "activate", "1", *where]) == 0
    assert "+tenant@1.af2072cc106c" in capsys.readouterr().out
    assert run(["policy", "list", *where]) == 0
    assert "1\tyes\toperator" in capsys.readouterr().out
