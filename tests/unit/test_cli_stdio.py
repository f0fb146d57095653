"""`mcp`: what it says to whoever starts it wrongly; what it passes on is tested with the edges."""

import socket
from pathlib import Path

import pytest

from gateway.cli.program import run
from gateway.settings import agent_token, load

Capture = pytest.CaptureFixture[str]


@pytest.mark.requirement("M1", "Q9")
def test_without_a_token_it_does_not_start(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It says what is missing, on stderr: stdout belongs to the protocol."""
    monkeypatch.delenv("MEMGUARD_TOKEN", raising=False)
    assert run(["mcp"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "MEMGUARD_TOKEN" in told.err
    assert run(["mcp", "--token-file", str(tmp_path / "missing")]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.requirement("M1")
def test_where_no_gateway_answers_it_says_so(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And ends with 1, with no word of the token."""
    monkeypatch.setenv("MEMGUARD_TOKEN", "secret-token")
    with socket.socket() as nobody:  # bound, and nobody listens
        nobody.bind(("127.0.0.1", 0))
        assert run(["mcp", "--url", f"http://127.0.0.1:{nobody.getsockname()[1]}"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "no gateway answers" in told.err
    assert "secret-token" not in told.err


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("url", ["http://memory.example", "ftp://127.0.0.1", "memory.example"])
def test_a_token_is_not_sent_where_others_could_read_it(
    url: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain http leaves this machine for nobody; the loopback address is tried, as shown above."""
    monkeypatch.setenv("MEMGUARD_TOKEN", "secret-token")
    assert run(["mcp", "--url", url]) == 2
    told = capsys.readouterr().err
    assert "loopback" in told
    assert "secret-token" not in told


def test_a_token_is_read_of_a_file_or_the_environment(tmp_path: Path) -> None:
    """The file counts first; no gateway minds the variable."""
    file = tmp_path / "token"
    file.write_text("of-the-file\n")
    environ = {"MEMGUARD_TOKEN": "of-the-environment"}
    assert agent_token(file, environ) == "of-the-file"
    assert agent_token(None, environ) == "of-the-environment"
    assert agent_token(None, {}) is None
    assert load(environ=environ).http.port == 8080
