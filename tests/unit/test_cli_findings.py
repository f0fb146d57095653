"""`audit findings`: printed, or a file that is kept up to date, whatever cut it off."""

import asyncio
import json
from pathlib import Path

import pytest

from gateway.app.keep import opened_keep
from gateway.cli.program import run
from gateway.settings import load
from memory.types import Owner, State, SubjectId, TenantId
from tests.contracts.ledger_builders import books_on, put, sealed

Capture = pytest.CaptureFixture[str]


async def _hold(folder: Path, tenant: str, count: int) -> None:
    settings = load(environ={}, overrides={"storage.data_dir": str(folder)})
    async with opened_keep(settings) as keep:
        owner = Owner(TenantId(tenant), SubjectId("anna"))
        await put(books_on(keep.database), *(sealed(owner, state=State.HELD) for _ in range(count)))


def told(folder: Path, capture: Capture, *arguments: str, code: int = 0) -> list[str]:
    """Run the command; return the lines it printed."""
    capture.readouterr()
    assert run(["audit", "findings", "--data-dir", str(folder), *arguments]) == code
    return capture.readouterr().out.splitlines()


@pytest.mark.requirement("Q7")
def test_findings_are_printed_and_a_file_is_kept_up_to_date(
    tmp_path: Path, capsys: Capture
) -> None:
    """Of each tenant after its own last line; what was cut off in the middle is made anew."""
    asyncio.run(_hold(tmp_path, "acme", 2))
    asyncio.run(_hold(tmp_path, "globex", 1))
    printed = [json.loads(line)["metadata"] for line in told(tmp_path, capsys)]
    assert [one["tenant_uid"] for one in printed] == ["acme", "acme", "globex"]
    mine = told(tmp_path, capsys, "--tenant", "acme", "--after", "1")
    assert [json.loads(line)["metadata"]["sequence"] for line in mine] == [2]
    file = tmp_path / "findings.jsonl"
    out = ("--out", str(file))
    assert told(tmp_path, capsys, *out) == ["3 added"]
    assert told(tmp_path, capsys, *out) == ["0 added"]
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    assert told(tmp_path, capsys, *out) == ["1 added"]
    assert file.read_bytes() == whole
    asyncio.run(_hold(tmp_path, "acme", 1))
    assert told(tmp_path, capsys, *out) == ["1 added"]
    lines = [json.loads(line)["metadata"] for line in file.read_text("utf-8").splitlines()]
    assert [(one["tenant_uid"], one["sequence"]) for one in lines] == [
        ("acme", 1),
        ("acme", 2),
        ("globex", 1),
        ("acme", 3),
    ]
    file.write_text("not a finding\n", "utf-8")
    told(tmp_path, capsys, *out, code=2)
    told(tmp_path, capsys, "--after", "1", code=2)
