"""Lines of a file or of stdin as they come, each of bounded length, without blocking the loop."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import CancelledError
from typing import BinaryIO, Final

import msgspec

_BOM: Final = b"\xef\xbb\xbf"


class Line(msgspec.Struct, frozen=True):
    """One line that is not blank. `content` is None when it was longer than allowed; `end` is the
    offset in bytes behind it.
    """

    number: int
    content: bytes | None
    end: int


def numbered(source: BinaryIO, max_bytes: int) -> Iterator[Line]:
    """Yield the lines of `source`, never holding more than `max_bytes` of one."""
    number = end = 0
    while piece := source.readline(max_bytes + 1):
        number, end = number + 1, end + len(piece)
        content: bytes | None = piece.removeprefix(_BOM).strip() if number == 1 else piece.strip()
        while not piece.endswith(b"\n") and len(piece) > max_bytes:
            content = None
            piece = source.readline(max_bytes + 1)
            end += len(piece)
        if content != b"":
            yield Line(number, content, end)


async def lines(source: BinaryIO, max_bytes: int, ahead: int) -> AsyncGenerator[Line]:
    """Yield the lines, with at most `ahead` of them read before they are wanted.

    The reading thread is a daemon: waiting for input, it does not keep the process alive.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Line | OSError | None] = asyncio.Queue(ahead)

    def put(item: Line | OSError | None) -> None:
        asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()

    def read() -> None:
        try:
            try:
                for line in numbered(source, max_bytes):
                    put(line)
                put(None)
            except OSError as error:
                put(error)
        except (RuntimeError, CancelledError):
            return  # the loop ended first, so nobody waits for the rest

    threading.Thread(target=read, name="lines", daemon=True).start()
    while (item := await queue.get()) is not None:
        if isinstance(item, OSError):
            raise item
        yield item
