"""A gateway of one's own: a process on a free port over a temporary folder, gone afterwards."""

import asyncio
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx2
import msgspec

from gateway.settings import Settings, load

_START_SECONDS: Final = 90.0
_STOP_SECONDS: Final = 20.0
_POLL_SECONDS: Final = 0.1
_READY: Final = 200
_TAIL_LINES: Final = 5


class PrivateGatewayError(Exception):
    """The private gateway did not start."""


class Place(msgspec.Struct, frozen=True):
    """Where a private gateway lives, and how it is configured: by these options alone."""

    settings: Settings

    @property
    def log(self) -> Path:
        """What the process wrote."""
        return self.settings.storage.data_dir.parent / "gateway.log"


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    """Make a temporary folder and pick a free port; remove the folder afterwards."""
    with tempfile.TemporaryDirectory(prefix="memguard-") as folder:
        # Neither the caller's environment nor a configuration of his has a say.
        settings = load(
            environ={},
            overrides={
                "storage.data_dir": str(Path(folder) / "data"),
                "http.port": str(_free_port()),
            },
        )
        yield Place(settings)


@asynccontextmanager
async def serving(where: Place) -> AsyncIterator[None]:
    """Run `memguard serve` there while the block runs, then stop it as an operator would."""
    http, storage = where.settings.http, where.settings.storage
    options = ("--host", http.host, "--port", str(http.port), "--data-dir", str(storage.data_dir))
    with where.log.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command("serve", *options), stdin=DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT
        )
        try:
            await _ready(process, where)
            yield
        finally:
            await _stop(process)


ENVIRONMENT: Final = {"PYTHONUTF8": "1"}
"""All that a private process gets: settings in the caller's environment are not meant for it."""


def command(*words: str) -> tuple[str, ...]:
    """Return the command line that runs this same installation."""
    return (sys.executable, "-m", "gateway", *words)


async def _ready(process: Process, where: Place) -> None:
    """Return once the gateway says so; raise PrivateGatewayError with its last words otherwise."""
    url = f"{where.settings.url}/readyz"
    try:
        async with asyncio.timeout(_START_SECONDS), httpx2.AsyncClient(trust_env=False) as client:
            while process.returncode is None:
                try:
                    if (await client.get(url)).status_code == _READY:
                        return
                except httpx2.HTTPError:
                    pass  # not listening yet
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        pass
    last = where.log.read_text("utf-8", "replace").splitlines()[-_TAIL_LINES:]
    raise PrivateGatewayError("the private gateway did not start: " + " | ".join(last))


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
