"""Ends the open streams of those who are no longer served.

A message over a stream is let in by its own token each time. The stream itself was let in once, so
this looks again, for all streams of a client with one question.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from gateway.auth import Admission
from gateway.revoked import Revoked
from guard.errors import ForbiddenError, UnavailableError
from guard.principal import Principal
from memory.types import ClientId, TenantId


class Endable(Protocol):
    """A stream that can be told to end."""

    def end(self) -> None:
        """End soon, properly."""
        ...


class Streams:
    """The open streams by whose they are."""

    def __init__(self, admission: Admission, seconds: float, revoked: Revoked) -> None:
        """`seconds` is how often everybody is looked at, apart from revoked tokens."""
        self._admission = admission
        self._seconds = seconds
        self._revoked = revoked
        self._open: defaultdict[tuple[TenantId, ClientId], dict[Endable, Principal]]
        self._open = defaultdict(dict)

    @contextmanager
    def watched(self, principal: Principal, stream: Endable) -> Iterator[None]:
        """Watch a stream while the block runs."""
        key = principal.owner.tenant, principal.client
        self._open[key][stream] = principal
        try:
            yield
        finally:
            self._open[key].pop(stream, None)
            if not self._open[key]:
                del self._open[key]

    async def run(self) -> None:
        """Look again and again until cancelled."""
        async with asyncio.TaskGroup() as looking:
            looking.create_task(self._often(), name="revoked streams")
            while True:
                await asyncio.sleep(self._seconds)
                await self.look()

    async def _often(self) -> None:
        while True:
            # Twice as often as revocations are read: with their reading it stays within that second
            # which an open stream may outlive its token by.
            await asyncio.sleep(self._revoked.seconds / 2)
            self.look_at_tokens()

    def look_at_tokens(self) -> None:
        """End the streams whose tokens have been taken back."""
        for streams in list(self._open.values()):
            for stream, principal in list(streams.items()):
                if self._revoked.refuses(principal):
                    stream.end()

    async def look(self) -> None:
        """End the streams of whoever is refused now.

        While the registry does not answer they stay: no call comes in over them then.
        """
        for tenant, client in list(self._open):
            try:
                await self._admission.admit(tenant, client)
            except ForbiddenError:
                for stream in list(self._open.get((tenant, client), ())):
                    stream.end()
            except UnavailableError:
                return
