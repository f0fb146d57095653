"""The index worker: a process that owns open shards and answers calls over its standard pipes.

It inherits no environment, no secret and no socket: only two pipes and the directory's lock, which
stays held until the last worker is gone. It ends when the gateway closes the pipe or dies.
"""

import os
import resource
import select
import signal
import time

from storage.index import wire
from storage.index.share import Share

_READ, _WRITE, _ERRORS = 0, 1, 2


def main() -> None:
    """Serve calls until the pipe ends."""
    # The gateway decides when a worker ends: a terminal or a service manager that signals the
    # whole group must not take the index away while requests are being drained.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(0o077)
    # Whatever a library prints must not end up between frames.
    out = os.dup(_WRITE)
    os.dup2(_ERRORS, _WRITE)
    first = _receive()
    if first is None or not isinstance(first.request, wire.Configure):
        return
    share = Share(first.request, lambda notice: _send(out, wire.Answer(0, notice)))
    try:
        _send(out, wire.Answer(first.number, share.ready()))
        _serve(share, out, first.request.flush_seconds)
    except BrokenPipeError:
        pass  # the gateway is gone; what matters is closing well
    finally:
        share.close()


def _serve(share: Share, out: int, flush_seconds: float) -> None:
    due = time.monotonic() + flush_seconds
    while True:
        ready, _, _ = select.select([_READ], [], [], max(0.0, due - time.monotonic()))
        if ready:
            call = _receive()
            if call is None:
                return
            # Work that nobody waits for would make everybody behind it late as well.
            late = time.monotonic() > call.deadline
            result = wire.Failed("late") if late else share.handle(call.request)
            answer = wire.Answer(call.number, result)
            try:
                _send(out, answer)
            except ValueError:
                _send(out, wire.Answer(call.number, wire.Failed("too long")))
        if time.monotonic() >= due:
            share.flush()
            due = time.monotonic() + flush_seconds


def _receive() -> wire.Call | None:
    header = _read(wire.HEADER.size)
    if header is None:
        return None
    (length,) = wire.HEADER.unpack(header)
    body = _read(length) if length <= wire.FRAME_LIMIT else None
    return None if body is None else wire.read_call(body)


def _read(length: int) -> bytes | None:
    """Return exactly `length` bytes, None when the pipe ends first."""
    parts = bytearray()
    while len(parts) < length:
        part = os.read(_READ, length - len(parts))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _send(out: int, answer: wire.Answer) -> None:
    rest = memoryview(wire.frame(answer))
    while rest:
        rest = rest[os.write(out, rest) :]


if __name__ == "__main__":
    main()
