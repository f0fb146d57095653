"""A Redis or Valkey server of the tests' own: a process on a unix socket in a folder of its own."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest
from redis import Redis
from redis.exceptions import RedisError

_NAMES: Final = ("redis-server", "valkey-server")
_START_SECONDS: Final = 20.0
_POLL_SECONDS: Final = 0.005


class RedisProcess:
    """One server that tests start, freeze, kill and start again. It keeps nothing on disk."""

    def __init__(self, program: str, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._command = (
            *(program, "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700"),
            *("--dir", str(folder), "--save", "", "--appendonly", "no", "--daemonize", "no"),
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and return once it answers."""
        self._process = subprocess.Popen(  # noqa: S603 - a program found by its name
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + _START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "the server ended at once"
            assert time.monotonic() < until, "the server did not start"
            time.sleep(_POLL_SECONDS)

    def client(self) -> Redis:
        """Return a client for the test's own looks inside."""
        return Redis(unix_socket_path=str(self.socket))

    def freeze(self) -> None:
        """Stop the process where it is: connections stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, as a crash would. All buckets are lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _signal(self, number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except (RedisError, OSError):
            return False


def find_server(config: pytest.Config) -> str:
    """Return the server program, or skip the test and say so where nobody overlooks it."""
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    reason = f"NOT TESTED on a real server: none of {', '.join(_NAMES)} is installed"
    config.get_terminal_writer().line(f"\n{reason}", red=True, bold=True)
    pytest.skip(reason)
