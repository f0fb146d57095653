"""Reports go to stdout and nothing else does, with and without a terminal."""

import os
import pty
import subprocess
import sys
from typing import Final

import pytest

from gateway.cli import say

PROGRAM: Final = """
from gateway.cli import say
with say.progress() as advance:
    advance("working", 1, 3)
    say.report({"id": 1})
    say.error("line 2: wrong")
    advance("working", 3, 3)
    say.table("t", ("is", "check"), [("ok", "[red]k:1:"), ("wrong", "键")])
"""
REPORT: Final = '{"id":1}\nis\tcheck\nok\t[red]k:1:\nwrong\t键\n'


def _run(stderr: int) -> str:
    done = subprocess.run(  # noqa: S603  # the program above, nothing from outside
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "TERM": "xterm"},
        check=True,
    )
    return done.stdout


def _read(descriptor: int) -> str:
    """Return what the other end wrote; a terminal whose writers have gone answers with an error."""
    pieces: list[bytes] = []
    try:
        while piece := os.read(descriptor, 65_536):
            pieces.append(piece)
    except OSError:
        pass
    return b"".join(pieces).decode()


def test_bars_on_a_terminal_do_not_swallow_reports() -> None:
    """With stdout in a file and stderr on a terminal, the file gets the report whole."""
    terminal, slave = pty.openpty()
    try:
        out = _run(slave)
        os.close(slave)
        told = _read(terminal)
    finally:
        os.close(terminal)
    assert out == REPORT
    assert "working" in told
    assert "memguard: line 2: wrong" in told


def test_without_a_terminal_there_are_no_bars() -> None:
    """A log gets the errors, and no bars and no control codes."""
    reading, writing = os.pipe()
    out = _run(writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as log:
        assert log.read() == "memguard: line 2: wrong\n"
    assert out == REPORT


@pytest.mark.parametrize("text", ["a\nb", "a\r\n b", "a \t b"])
def test_an_error_is_one_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever an error says, it takes one line."""
    say.error(text)
    assert capsys.readouterr().err == "memguard: a b\n"
