"""Commands without the seconds that Python takes to read them: forked from a process that has.

A start of `memguard` spends more of the processor on its imports than on all that it does then, and
the tests start a hundred. So one process for each process of tests imports what the command does
and waits; each command is a fork of it that goes on as the installed one does after its imports,
with arguments, environment and files of its own. It is killed, asked to stop and waited for as any
other. The installed command itself is started by `memguard demo` in `test_demo`.
"""

import asyncio
import atexit
import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import IO, Final

_MOST_TOLD: Final = 65_536
"""Bytes of arguments and environment."""
_FILES: Final = 3
"""Output, errors, and the socket on which is told what became of it."""


class Child:
    """A command that runs or has ended."""

    def __init__(self, pid: int, told: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.ensure_future(self._listen(told))
        self._ended.add_done_callback(lambda _: told.close())

    async def _listen(self, told: socket.socket) -> int:
        self.returncode = int(await asyncio.get_running_loop().sock_recv(told, 16))
        return self.returncode

    async def wait(self) -> int:
        """Return the exit code once it has ended; of one that was killed minus the signal."""
        return await asyncio.shield(self._ended)

    def kill(self) -> None:
        """Kill it, if it runs."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to stop, if it runs."""
        self._send(signal.SIGTERM)

    def _send(self, what: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, what)


async def born(
    words: Sequence[str], environment: Mapping[str, str], out: IO[bytes], errors: IO[bytes]
) -> Child:
    """Run `memguard` with these words; return when it does."""
    told, tells = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    told.settimeout(0)
    with tells:
        files = [out.fileno(), errors.fileno(), tells.fileno()]
        socket.send_fds(_nursery(), [json.dumps([list(words), dict(environment)]).encode()], files)
    try:
        pid = await asyncio.get_running_loop().sock_recv(told, 16)
        assert pid, "the nursery has ended"
    except BaseException:
        told.close()
        raise
    return Child(int(pid), told)


async def asked(words: Sequence[str], environment: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """Run `memguard` with these words to its end; return its exit code and what it wrote."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = await born(words, environment, out, errors)
        code = await child.wait()
        out.seek(0)
        errors.seek(0)
        return code, out.read(), errors.read()


@functools.cache
def _nursery() -> socket.socket:
    """Return the line to this process's nursery, which ends when the line does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        # Without this file's folder on the path: what lies there has names that others have, too.
        process = subprocess.Popen(  # noqa: S603 - this file
            [sys.executable, "-P", __file__], stdin=theirs.fileno(), env={"PYTHONUTF8": "1"}
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _until_born(line: socket.socket) -> list[str]:
    """Fork for each that is asked for; return its words in the fork alone, set up as it is to be.

    Between the two is a process that waits for the command and tells its end.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that have told are nobody's concern
    while True:
        asked, files, _, _ = socket.recv_fds(line, _MOST_TOLD, _FILES)
        if not asked:
            sys.exit()
        if _fork() == 0:
            break
        for one in files:
            os.close(one)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    line.close()
    standard, told = [os.open(os.devnull, os.O_RDONLY), *files[:-1]], files[-1]
    with socket.socket(fileno=told) as tells:
        pid = _fork()
        if pid:
            for one in (*range(3), *standard):
                os.close(one)
            tells.send(b"%d" % pid)
            _, status = os.waitpid(pid, 0)
            tells.send(b"%d" % os.waitstatus_to_exitcode(status))
            os._exit(0)
    for number, one in enumerate(standard):
        os.dup2(one, number)
        os.close(one)
    words, environment = json.loads(asked)
    os.environ.clear()
    os.environ.update(environment)
    return list(words)


def _fork() -> int:
    with warnings.catch_warnings():
        # What has threads already is numpy's BLAS, which is ready for forks.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _main() -> None:
    from gateway import app  # noqa: PLC0415 - in the nursery alone
    from gateway.__main__ import main  # noqa: PLC0415
    from gateway.cli import program  # noqa: PLC0415

    for place in program.places():
        program.command_at(place)
    for name in app.__all__:
        getattr(app, name)
    sys.argv = ["memguard", *_until_born(socket.socket(fileno=os.dup(0)))]
    main()


if __name__ == "__main__":
    _main()
