"""What a gateway does until all it depends on is there: it listens, says what it waits for, and
tries again.

Whoever starts a gateway and its databases may so start them in any order. Only what comes by itself
is waited for; a configuration that is wrong ends the start at once.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final, TypeVar

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from gateway.app.token_keys import ISSUER
from gateway.problems import MEDIA_TYPE
from gateway.settings import EmbedderKind, Settings
from gateway.telemetry import LOGGER
from guard.errors import UnavailableError

FIRST_PAUSE_SECONDS: Final = 0.25
LONGEST_PAUSE_SECONDS: Final = 5.0
"""Between two attempts: they double up to this, and a gateway is ready so soon after the last of
what it waits for."""

_STARTING: Final = "start"
_ELSEWHERE: Final = {"keys": "keys", "ledger": "ledger", "commit": "ledger", "migrations": "ledger"}
"""What is said to be missing, for what an error names: the names that `/readyz` has for probes."""
_OK: Final = 200
_UNAVAILABLE: Final = 503

T = TypeVar("T")


class Front:
    """The application that the server runs: the gateway once it is open, until then an answer."""

    def __init__(self) -> None:
        self._gateway: ASGIApp | None = None
        self.missing = _STARTING

    def open(self, gateway: ASGIApp) -> None:
        """Let the gateway answer from now on."""
        self._gateway = gateway

    @property
    def is_open(self) -> bool:
        """Whether the gateway answers."""
        return self._gateway is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the gateway, or say what it waits for."""
        if self._gateway is not None:
            await self._gateway(scope, receive, send)
        elif scope["type"] == ScopeType.HTTP:
            await self._excuse(str(scope["path"]), send)
        else:
            await send({"type": "websocket.close", "code": 1013, "reason": ""})

    async def _excuse(self, path: str, send: Send) -> None:
        status, media_type, body = self._answer(path)
        headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", str(len(body)).encode()),
            # No connection is kept: what is sent next on it may be meant for the gateway.
            (b"connection", b"close"),
        ]
        if status == _UNAVAILABLE:
            headers.append((b"retry-after", b"1"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def _answer(self, path: str) -> tuple[int, str, bytes]:
        if path == "/healthz":
            return _OK, "application/json", msgspec.json.encode({"status": "ok"})
        problem: dict[str, object] = {
            "type": "urn:memguard:problem:unavailable",
            "title": "Not ready",
            "status": _UNAVAILABLE,
            "code": "unavailable",
        }
        # Whoever asks for anything else has not shown a token, and is told no more.
        known = {"failed": [self.missing]} if path == "/readyz" else {}
        return _UNAVAILABLE, MEDIA_TYPE, msgspec.json.encode(problem | known)


@asynccontextmanager
async def waited(
    settings: Settings, opening: Callable[[], AbstractAsyncContextManager[T]], front: Front
) -> AsyncIterator[T]:
    """Lend what `opening` opens as soon as all that it needs is there.

    Raises at once what waiting can't mend: a wrong configuration, or what this machine lacks.
    """
    for pause in pauses():
        async with AsyncExitStack() as stack:
            try:
                opened = await stack.enter_async_context(opening())
            except UnavailableError as error:
                missing = _comes_by_itself(error, settings)
                if missing is None:
                    raise
                front.missing = missing
                LOGGER.warning(
                    "waiting",
                    extra={"probe": error.what, "milliseconds": round(pause * 1000)},
                )
            else:
                yield opened
                return
        await asyncio.sleep(pause)


def pauses() -> Iterator[float]:
    """Return the seconds between attempts, without end: for no two gateways the same."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        yield pause * random.uniform(0.75, 1.0)  # noqa: S311 - spreads load, hides nothing
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _comes_by_itself(error: UnavailableError, settings: Settings) -> str | None:
    """Return what is missing if it lies elsewhere, and may come without anybody's touching us."""
    if error.what == "embedder":
        return "embedder" if settings.embedder.kind is EmbedderKind.REMOTE else None
    if error.what == ISSUER:
        return ISSUER
    return _ELSEWHERE.get(error.what) if settings.storage.keeps_ledger_elsewhere else None
