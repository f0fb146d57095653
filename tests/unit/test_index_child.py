"""Starting a process beside a busy embedder, on the loop that the gateway runs on."""

import asyncio
import sys
import threading
from pathlib import Path
from typing import Self

import numpy as np
import pytest
import uvloop

from storage.index.child import Child

_ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()); print(sys.argv[1:])"
_STARTS = 30


class Multiplying:
    """A thread that multiplies matrices until it is told to stop, as an embedder does."""

    def __init__(self) -> None:
        self.rounds = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        """Start it."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it, which it must still be able to."""
        self._stop.set()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive(), "the thread hangs"

    def _run(self) -> None:
        matrix = np.ones((384, 384), dtype=np.float32)
        while not self._stop.is_set():
            np.matmul(matrix, matrix)
            self.rounds += 1


@pytest.mark.requirement("S9", "R11")
@pytest.mark.timeout(60, method="thread")  # a fork that hangs can't be interrupted
def test_a_process_starts_while_matrices_are_multiplied_and_hangs_neither(tmp_path: Path) -> None:
    """A worker is restarted in the middle of a busy gateway, and the embedder goes on."""

    async def start_many() -> None:
        for number in range(_STARTS):
            before = multiplying.rounds
            child = await Child.start((sys.executable, "-Ic", _ECHO), str(tmp_path), ())
            child.stdin.write(b"%d" % number)
            child.stdin.close()
            assert await child.stdout.read() == b"%d[]\n" % number
            await child.end(10)
            assert child.ended
            while multiplying.rounds == before:  # noqa: ASYNC110 - a thread tells of no event
                await asyncio.sleep(0.001)

    with Multiplying() as multiplying:
        uvloop.run(start_many())
    assert multiplying.rounds > _STARTS


@pytest.mark.requirement("S9")
async def test_a_process_that_lingers_is_killed(tmp_path: Path) -> None:
    """Also one that does not listen to the end of its input."""
    sleeper = (sys.executable, "-Ic", "import time; print(flush=True); time.sleep(600)")
    child = await Child.start(sleeper, str(tmp_path), ())
    assert await child.stdout.readline() == b"\n"
    assert not child.ended
    await child.end(0.05)
    assert child.ended


@pytest.mark.requirement("S9")
async def test_a_process_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    """The caller waits and tries again; it must hear of it."""
    with pytest.raises(OSError, match="absent"):
        await Child.start((str(tmp_path / "absent"),), str(tmp_path), ())
