"""Starts a worker process, with its two pipes as streams of the event loop.

Not by the loop's own means: uvloop forks, and a fork runs the handlers that libraries left for it.
That of OpenBLAS ends its threads: a fork while another thread multiplies matrices, as an embedder
does, hangs both threads for good. `subprocess` starts a child by vfork, which runs no handler.
"""

import asyncio
import subprocess
from asyncio import ReadTransport, StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import Sequence
from typing import Self


class Child:
    """A process that talks over its standard pipes. It gets no environment."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: StreamWriter,
        stdout: StreamReader,
        reading: ReadTransport,
    ) -> None:
        self._process = process
        self._reading = reading
        self.stdin = stdin
        self.stdout = stdout

    @classmethod
    async def start(cls, command: Sequence[str], cwd: str, pass_fds: Sequence[int]) -> Self:
        """Return the running process. Raises OSError when there is none to be had."""
        process = await asyncio.to_thread(
            subprocess.Popen[bytes],
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={},
            cwd=cwd,
            pass_fds=tuple(pass_fds),
        )
        loop = asyncio.get_running_loop()
        stdout = StreamReader(loop=loop)
        reading, _ = await loop.connect_read_pipe(
            lambda: StreamReaderProtocol(stdout, loop=loop), process.stdout
        )
        # A writer wants a protocol that tells when the pipe is full, and this one does.
        transport, protocol = await loop.connect_write_pipe(
            lambda: StreamReaderProtocol(StreamReader(loop=loop), loop=loop), process.stdin
        )
        return cls(process, StreamWriter(transport, protocol, None, loop), stdout, reading)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kill the process, if it has not ended."""
        self._process.kill()

    async def end(self, seconds: float) -> None:
        """Return when the process has ended; kill it when it lingers for longer than `seconds`."""
        self.stdin.close()
        self._reading.close()
        try:
            await asyncio.to_thread(self._process.wait, seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
