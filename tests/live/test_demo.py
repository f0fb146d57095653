"""The demo passes on the real gateway, and a gateway with one leak makes it fail."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.cli import demo
from gateway.cli.edges import Answer, HttpEdges
from gateway.cli.program import run

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]


def _processes(folder: Path) -> list[str]:
    """Return the command lines that name `folder`."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return [one for one in found if str(folder) in one]


@pytest.mark.requirement("Q9", "E1", "M1", "W3", "W16", "R9")
def test_the_demo_keeps_every_promise_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """`memguard demo` exits 0 with every step ok; its folder and its processes are gone.

    Settings of the caller have no say: production mode would refuse to make keys.
    """
    done = subprocess.run(
        [sys.executable, "-m", "gateway", "demo", "--json"],
        capture_output=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "MEMGUARD_MODE": "production"},
        check=False,
    )
    steps = json.loads(done.stdout)
    assert [step for step in steps if not step["ok"]] == []
    assert done.returncode == 0
    assert steps[-1]["step"] == "verify the audit"
    assert list(tmp_path.glob("memguard-*")) == []
    assert _processes(tmp_path) == []


def test_a_stopped_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    """SIGTERM in the middle stops the private gateway, too, and removes its folder."""
    with subprocess.Popen(
        [sys.executable, "-m", "gateway", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert "starting" in process.stderr.readline()
        assert process.stdout.readline().startswith("ok ")
        process.terminate()
        assert process.wait(60) == 1
        assert process.stderr.read() == "memguard: stopped before the end\n"
    assert list(tmp_path.glob("memguard-*")) == []
    assert _processes(tmp_path) == []


class LeakyEdges(HttpEdges):
    """Answers whoever asks as the first who asked: one shared memory for all."""

    first: str | None = None

    async def ask(
        self, token: str, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Answer:
        """Ask in the name of the first."""
        self.first = self.first or token
        mine = self.first if path == "/v1/recall" else token
        return await super().ask(mine, method, path, body)


@pytest.mark.requirement("Q9", "E3")
def test_a_leak_makes_the_demo_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over a recall that ignores who asks, the demo exits 1 and names the broken promises."""
    monkeypatch.setattr(demo, "HttpEdges", LeakyEdges)
    assert run(["demo", "--json"]) == 1
    wrong = {step["step"] for step in json.loads(capsys.readouterr().out) if not step["ok"]}
    assert wrong == {
        "refuse a forged token",
        "show another tenant nothing",
        "show another user nothing",
    }
