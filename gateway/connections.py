"""Limits on bare connections, before there is a request on them (E14)."""

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from gateway.peers import Proxies
from gateway.settings import Settings


class Doorkeeper:
    """Counts the open connections of each address. A trusted proxy has as many as it likes."""

    def __init__(self, settings: Settings) -> None:
        self._proxies = Proxies(settings.http)
        self._most = settings.limits.peer_connections
        self.head_seconds = settings.http.head_seconds
        self._open: Counter[str] = Counter()

    def enter(self, host: str | None) -> str | None:
        """Count a connection and return whom it is counted for; None when it is one too many."""
        peer = self._proxies.peer(host, ())
        if self._open[peer] >= self._most and not self._proxies.trusts(host or ""):
            return None
        self._open[peer] += 1
        return peer

    def leave(self, peer: str) -> None:
        """Count a connection off."""
        self._open[peer] -= 1
        if not self._open[peer]:
            del self._open[peer]


class GuardedProtocol(H11Protocol):
    """Closes a connection too many at once, and one on which a request's head does not end."""

    keeper: ClassVar[Doorkeeper]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._peer: str | None = None
        self._silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection in, or close it."""
        super().connection_made(transport)
        self._peer = self.keeper.enter(self.client[0] if self.client else None)
        if self._peer is None:
            transport.abort()
        else:
            self._listen()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection off."""
        super().connection_lost(exc)
        self._heard()
        if self._peer is not None:
            self.keeper.leave(self._peer)

    def data_received(self, data: bytes) -> None:
        """Read on; a head that has begun, on a fresh connection or a used one, has to end."""
        super().data_received(data)
        at_work = vars(self)["cycle"] is not None and not self.cycle.response_complete
        if at_work:
            self._heard()
        elif self._silence is None:
            self._listen()

    def _listen(self) -> None:
        self._silence = self.loop.call_later(self.keeper.head_seconds, self.transport.abort)

    def _heard(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None


def protocol(keeper: Doorkeeper) -> type[GuardedProtocol]:
    """Return the server's HTTP protocol with `keeper` at the door."""
    return type("ProtocolWithKeeper", (GuardedProtocol,), {"keeper": keeper})
