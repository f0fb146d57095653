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

    def __init__(self, admission: Admission, seconds: float) -> None:
        """`seconds` is how often everybody is looked at."""
        self._admission = admission
        self._seconds = seconds
        self._open: defaultdict[tuple[TenantId, ClientId], set[Endable]] = defaultdict(set)

    @contextmanager
    def watched(self, principal: Principal, stream: Endable) -> Iterator[None]:
        """Watch a stream while the block runs."""
        key = principal.owner.tenant, principal.client
        self._open[key].add(stream)
        try:
            yield
        finally:
            self._open[key].discard(stream)
            if not self._open[key]:
                del self._open[key]

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            await asyncio.sleep(self._seconds)
            await self.look()

    async def look(self) -> None:
        """End the streams of whoever is refused now.

        While the registry does not answer they stay: no call comes in over them then.
        """
        for tenant, client in list(self._open):
            try:
                await self._admission.admit(tenant, client)
            except ForbiddenError:
                for stream in self._open.get((tenant, client), set()):
                    stream.end()
            except UnavailableError:
                return
